"""What may happen next on a ladder.

`decide` says which events follow a command. It has no clock and no chance: whom it pairs follows from the ladder
and from who is there.
"""

from collections.abc import Callable
from typing import Any

from referee.contest.ladder import Ladder, Phase
from referee.contest.ladder_commands import (
    Begin,
    Challenge,
    Close,
    Command,
    End,
    Join,
    Leave,
    Pair,
    Pause,
    Rate,
    Record,
    RecordVoid,
    Resume,
    StartSeason,
)
from referee.contest.ladder_events import (
    Closed,
    Closing,
    Event,
    Joined,
    Left,
    Paired,
    Paused,
    Rated,
    Resumed,
    SeasonBegan,
)
from referee.contest.ladder_pairing import next_pairings, pairing_of, wishes_of
from referee.contest.match_events import Began, Scored, Voided
from referee.contest.matchmaking import seated
from referee.contest.pairing import Course, Due, Pairing, Score
from referee.contest.rated import changes
from referee.contest.refusals import AlreadyOn, LadderClosed, NameTaken, NotAMember, WrongSeats
from referee.core.errors import RequestIdReused
from referee.core.setup import Player

ALLOWED: dict[Phase, set[type]] = {
    Phase.OPEN: {Join, Leave, Pair, Challenge, Begin, Record, Rate, RecordVoid, StartSeason, Pause, Resume, Close},
    Phase.CLOSING: {Leave, Pair, Begin, Record, Rate, RecordVoid, Close, End},
    Phase.CLOSED: {Leave, Pair, Begin, Record, Rate, RecordVoid, Close, End},  # What is told too late is no error.
}


def decide(ladder: Ladder, command: Command) -> list[Event]:
    """The events that follow. None if it is known already. Raises a refusal, and then nothing has changed."""
    if _was_asked(ladder, command):
        return []
    if type(command) not in ALLOWED[ladder.phase]:
        raise LadderClosed(ladder.terms.name)
    if ladder.phase is Phase.CLOSED:
        return []
    return DECIDE[type(command)](ladder, command)


def challenge(ladder: Ladder, request: str) -> Course | None:
    """The pairing that was asked for by that request."""
    asked = ladder.challenges.get(request)
    return ladder.courses[asked] if asked else None


def _was_asked(ladder: Ladder, command: Command) -> bool:
    """By that very request, before: it has its first answer, whatever became of the ladder. Raises RequestIdReused."""
    match command:
        case StartSeason(request):
            return request in ladder.seasons_asked
        case Challenge(request, entrants) if known := challenge(ladder, request):
            if set(known.pairing.entrants) != set(entrants):
                raise RequestIdReused(request)
            return True
    return False


def _join(ladder: Ladder, command: Join) -> list[Event]:
    entrant, terms = command.entrant, ladder.terms
    bots = [player.bot for player in entrant.bots]
    if len(set(bots)) != terms.bots or len(bots) != terms.bots:
        raise WrongSeats("an entrant of this ladder", len(set(bots)), terms.bots)
    for bot in bots:
        if there := ladder.entrant_of(bot):
            raise AlreadyOn(terms.name, bot, there.name)
    before = ladder.known.get(entrant.name)
    if before and [player.bot for player in before.bots] != bots:
        raise NameTaken(entrant.name)
    return [Joined(entrant)]


def _leave(ladder: Ladder, command: Leave) -> list[Event]:
    _check_member(ladder, command.name)
    return [Left(command.name, command.message)]


def _check_member(ladder: Ladder, name: str) -> None:
    if name not in ladder.entrants:
        raise NotAMember(ladder.terms.name, name)


def _challenge(ladder: Ladder, command: Challenge) -> list[Event]:
    asked, wanted = set(command.entrants), ladder.terms.at_a_table
    for name in command.entrants:
        _check_member(ladder, name)
    if len(asked) < len(command.entrants):
        raise WrongSeats("a challenge, in which nobody meets itself,", len(asked), wanted)
    if len(asked) != wanted:
        raise WrongSeats("a challenge", len(asked), wanted)
    names = seated(command.entrants, ladder.habits, wishes_of(ladder))
    return [Paired(pairing_of(ladder, ladder.planned + 1, names), command.request)]


def _begin(ladder: Ladder, command: Begin) -> list[Event]:
    awaited = _awaited(ladder, command.due, command.match_id)
    return _begun(awaited, command.match_id) if awaited else []


def _record(ladder: Ladder, command: Record) -> list[Event]:
    awaited = _awaited(ladder, command.due, command.match_id)
    if awaited is None:
        return []
    _, due = awaited
    return [*_begun(awaited, command.match_id), Scored(due.pairing.id, due.number, _score(ladder, due, command))]


def _rate(ladder: Ladder, command: Rate) -> list[Event]:
    match_id, finish, forfeited = command.match_id, command.finish, command.forfeited
    recorded = _record(ladder, Record(command.due, match_id, finish, forfeited))
    return [*recorded, Rated(match_id, finish, forfeited, changes(ladder.standing.ratings, finish))]


def _record_void(ladder: Ladder, command: RecordVoid) -> list[Event]:
    awaited = _awaited(ladder, command.due, command.match_id)
    if awaited is None:
        return []
    _, due = awaited
    return [*_begun(awaited, command.match_id), Voided(due.pairing.id, due.number)]


def _awaited(ladder: Ladder, due_id: str, match_id: str) -> tuple[Course, Due] | None:
    """The match, if it has no result yet and was not made void before."""
    course = ladder.courses.get(due_id.partition("/")[0])
    due = next((it for it in course.due if it.id == due_id), None) if course else None
    if course is None or due is None:
        return None
    known = course.match_ids.get((due.number, due.attempt), match_id)
    return (course, due) if known == match_id else None


def _begun(awaited: tuple[Course, Due], match_id: str) -> list[Event]:
    """That it began, if nobody has said so before."""
    course, due = awaited
    if (due.number, due.attempt) in course.match_ids:
        return []
    return [Began(due.pairing.id, due.number, due.attempt, match_id)]


def _score(ladder: Ladder, due: Due, command: Record) -> Score:
    """The finish, in the order of the pairing's entrants."""
    finish, pairing = command.finish, due.pairing
    ranks = {player: rank for side, rank in zip(finish.sides, finish.ranks, strict=True) for player in side}
    players = {_name(ladder, pairing, player): player for player in finish.players}
    return Score(
        tuple(ranks[players[entrant]] for entrant in pairing.entrants),
        tuple(_name(ladder, pairing, player) for player in command.forfeited),
    )


def _name(ladder: Ladder, pairing: Pairing, player: Player) -> str:
    """Under which a player is in the pairing."""
    if ladder.terms.bots > 1:
        return player.bot
    return next(name for name in pairing.entrants if ladder.known[name].bots[0].bot == player.bot)


def _start_season(ladder: Ladder, command: StartSeason) -> list[Event]:
    return [SeasonBegan(ladder.season + 1, command.request)]


def _pause(ladder: Ladder, command: Pause) -> list[Event]:
    return [] if ladder.paused else [Paused(command.message)]


def _resume(ladder: Ladder, _: Resume) -> list[Event]:
    return [Resumed()] if ladder.paused else []


def _close(ladder: Ladder, command: Close) -> list[Event]:
    return [Closing(command.message)] if ladder.phase is Phase.OPEN else []


def _end(ladder: Ladder, _: End) -> list[Event]:
    return [] if ladder.playing else [Closed()]


DECIDE: dict[type, Callable[[Ladder, Any], list[Event]]] = {
    Join: _join,
    Leave: _leave,
    Pair: next_pairings,
    Challenge: _challenge,
    Begin: _begin,
    Record: _record,
    Rate: _rate,
    RecordVoid: _record_void,
    StartSeason: _start_season,
    Pause: _pause,
    Resume: _resume,
    Close: _close,
    End: _end,
}
