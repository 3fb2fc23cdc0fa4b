"""What may happen next on a ladder.

`decide` says which events follow a command. It has no clock and no chance: whom it pairs follows from the ladder
and from who is there.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import Any

from referee.contest.finish import Finish
from referee.contest.ladder import (
    Closed,
    Closing,
    Entrant,
    Event,
    Joined,
    Ladder,
    Left,
    Paired,
    Phase,
    Rated,
    SeasonBegan,
)
from referee.contest.matchmaking import Climber, Wishes, next_matches, seated
from referee.contest.pairing import Course, Due, Pairing, Score
from referee.contest.rated import changes
from referee.contest.refusals import AlreadyOn, LadderClosed, NameTaken, NotAMember, WrongSeats
from referee.contest.tournament import Began, Scored, Voided
from referee.core.errors import RequestIdReused
from referee.core.setup import Player


@dataclass(frozen=True, slots=True)
class Here:
    """An entrant whose bots are all there, and may play."""

    name: str
    bots: tuple[Player, ...]
    """In the versions that would play now."""
    room: int
    """How many more matches it takes now."""


@dataclass(frozen=True, slots=True)
class Join:
    entrant: Entrant


@dataclass(frozen=True, slots=True)
class Leave:
    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Bring those together who are there and have room, everybody once at most."""

    here: tuple[Here, ...]
    hurry: bool = False
    """Rather have the same ones meet again too soon than wait for those who play now."""
    resting: frozenset[str] = frozenset()
    """Matches that are due and cannot begin now, by id: no place is kept for them."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Somebody wants these to meet, as soon as all of them have room."""

    request: str
    entrants: tuple[str, ...]
    """One for each place at the table, in any order."""


@dataclass(frozen=True, slots=True)
class Begin:
    """A match that was due was made."""

    due: str
    match_id: str


@dataclass(frozen=True, slots=True)
class Record:
    """A match that was due has a result. Where it is rated too, `Rate` says so."""

    due: str
    match_id: str
    finish: Finish[Player]
    forfeited: tuple[Player, ...] = ()
    """Who lost by a fault of its own."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A match is rated. It need not be one that the ladder made: then none was due."""

    match_id: str
    finish: Finish[Player]
    forfeited: tuple[Player, ...] = ()
    due: str = ""


@dataclass(frozen=True, slots=True)
class RecordVoid:
    """A match that was due was broken; it is to be played again."""

    due: str
    match_id: str


@dataclass(frozen=True, slots=True)
class StartSeason:
    request: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """Pair nobody any more."""

    message: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """No match that it rates is being played any more."""


Command = Join | Leave | Pair | Challenge | Begin | Record | Rate | RecordVoid | StartSeason | Close | End

ALLOWED: dict[Phase, set[type]] = {
    Phase.OPEN: {Join, Leave, Pair, Challenge, Begin, Record, Rate, RecordVoid, StartSeason, Close},
    Phase.CLOSING: {Leave, Pair, Begin, Record, Rate, RecordVoid, Close, End},
    Phase.CLOSED: {Leave, Pair, Begin, Record, Rate, RecordVoid, Close, End},  # What is told too late is no error.
}


def decide(ladder: Ladder, command: Command) -> list[Event]:
    """The events that follow. None if it is known already. Raises a refusal, and then nothing has changed."""
    if type(command) not in ALLOWED[ladder.phase]:
        raise LadderClosed(ladder.terms.name)
    if ladder.phase is Phase.CLOSED:
        return []
    return DECIDE[type(command)](ladder, command)


def to_begin(ladder: Ladder, here: Iterable[Here], resting: Container[str] = ()) -> list[Due]:
    """Matches to make now: all who play are there and have room. Those first that somebody asked for.

    A match that must wait until all have room keeps a place for itself with those who have.
    """
    room = {it.name: it.room for it in here}
    begun: list[Due] = []
    waiting = _waiting(ladder, room, resting)
    places = _places(ladder, len(waiting))
    for due in waiting:
        names = due.pairing.entrants
        if len(begun) < places and all(room[name] > 0 for name in names):
            begun.append(due)
        for name in names:
            room[name] -= 1
    return begun


def challenge(ladder: Ladder, request: str) -> Course | None:
    """The pairing that was asked for by that request."""
    asked = ladder.challenges.get(request)
    return ladder.courses[asked] if asked else None


def _waiting(ladder: Ladder, here: Container[str], resting: Container[str]) -> list[Due]:
    """Matches that only wait for room."""
    return [due for due in ladder.due if due.id not in resting and all(name in here for name in due.pairing.entrants)]


def _places(ladder: Ladder, wanted: int) -> int:
    """How many of so many more matches may be in play."""
    limit = ladder.terms.matches_at_once
    return wanted if limit is None else min(wanted, max(0, limit - len(ladder.playing)))


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


def _pair(ladder: Ladder, command: Pair) -> list[Event]:
    if ladder.phase is not Phase.OPEN:
        return []
    here = {it.name: it for it in command.here if it.name in ladder.entrants}  # Somebody may just have left.
    waiting = _waiting(ladder, here, command.resting)
    kept = Counter(name for due in waiting for name in due.pairing.entrants)
    climbers = [_climber(ladder, it, it.room - kept[it.name]) for it in here.values()]
    wishes = replace(_wishes(ladder), patient=bool(ladder.playing) and not command.hurry)
    places = _places(ladder, len(waiting) + len(climbers)) - len(waiting)
    tables = next_matches(climbers, ladder.habits, wishes, max(0, places))
    return [Paired(_pairing(ladder, number, table)) for number, table in enumerate(tables, ladder.planned + 1)]


def _climber(ladder: Ladder, here: Here, room: int) -> Climber:
    known = ladder.standing.rating(ladder.entrants[here.name].player(here.bots))
    return Climber(
        here.name,
        known.rating.value,
        known.rating.deviation,
        room,
        ladder.waited(here.name),
        ladder.terms.provisional(known),
    )


def _wishes(ladder: Ladder) -> Wishes:
    return Wishes(ladder.terms.at_a_table, ladder.terms.sides, ladder.terms.rematch_after)


def _pairing(ladder: Ladder, number: int, names: tuple[str, ...]) -> Pairing:
    terms = ladder.terms
    matches = terms.duplicate.arrangements if terms.duplicate else 1
    return Pairing(str(number), 0, 0, names, matches, sides=terms.sides, arrangements=matches)


def _challenge(ladder: Ladder, command: Challenge) -> list[Event]:
    asked, wanted = set(command.entrants), ladder.terms.at_a_table
    if known := challenge(ladder, command.request):
        if set(known.pairing.entrants) != asked:
            raise RequestIdReused(command.request)
        return []
    for name in command.entrants:
        _check_member(ladder, name)
    if not len(asked) == len(command.entrants) == wanted:
        raise WrongSeats("a challenge", len(asked), wanted)
    names = seated(command.entrants, ladder.habits, _wishes(ladder))
    return [Paired(_pairing(ladder, ladder.planned + 1, names), command.request)]


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
    known = command.request in ladder.seasons_asked
    return [] if known else [SeasonBegan(ladder.season + 1, command.request)]


def _close(ladder: Ladder, command: Close) -> list[Event]:
    return [Closing(command.message)] if ladder.phase is Phase.OPEN else []


def _end(ladder: Ladder, _: End) -> list[Event]:
    return [] if ladder.playing else [Closed()]


DECIDE: dict[type, Callable[[Ladder, Any], list[Event]]] = {
    Join: _join,
    Leave: _leave,
    Pair: _pair,
    Challenge: _challenge,
    Begin: _begin,
    Record: _record,
    Rate: _rate,
    RecordVoid: _record_void,
    StartSeason: _start_season,
    Close: _close,
    End: _end,
}
