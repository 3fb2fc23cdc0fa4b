"""The events that follow from a command on a ladder.

There is no clock. Pairings depend only on the ladder, whose seed decides the lots, and on the available entrants.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined, EntrantLeft
from referee.contests.contest_errors import (
    AlreadyOnLadder,
    EntrantNameTaken,
    LadderClosed,
    NotAMember,
    SameOwner,
    WrongParticipantCount,
)
from referee.contests.ladder import commands, events
from referee.contests.ladder.commands import AvailableEntrant, LadderCommand, PairEntrants
from referee.contests.ladder.events import EntrantAvailability, LadderEvent, PlanningInput
from referee.contests.ladder.matchmaking import (
    choose_seating,
    create_pairing,
    pair_entrants,
    pairing_lots,
)
from referee.contests.ladder.rating_replay import corrected_match, needs_replay
from referee.contests.ladder.rating_rules import find_same_owner, holders_of
from referee.contests.ladder.state import Ladder, LadderPhase, availability_after
from referee.contests.pairing import (
    ContestMatchScored,
    ContestMatchStarted,
    ContestMatchVoided,
    DueMatch,
    MatchScore,
    Pairing,
)
from referee.contests.pairing_progress import PairingProgress
from referee.contests.strength.rating import FinishOrder
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player


def input_of_command(ladder: Ladder, command: PairEntrants) -> PlanningInput:
    """Return what the log records of a command, relative to the planning before it.

    A planning is decided from its input in the log, so the decision can be repeated from the log alone.
    """
    found = {
        each.name: EntrantAvailability(each.name, tuple(player.version for player in each.bots), each.free_slots)
        for each in command.available
    }
    available = {name: found[name] for name in ladder.entrants if name in found}  # An entrant may just have left.
    due = {due.id for due in ladder.due_matches}
    return PlanningInput(
        tuple(entrant for name, entrant in available.items() if ladder.availability.get(name) != entrant),
        tuple(name for name in ladder.availability if name not in available),
        command.allow_early_rematch,
        tuple(sorted(due.intersection(command.deferred))),
        command.max_pairings,
    )


def command_from_input(ladder: Ladder, planning: PlanningInput) -> PairEntrants:
    """Return the command that a planning in the log followed, with the entrants in the order of joining."""
    available = tuple(
        AvailableEntrant(entrant.name, _players(ladder, entrant), entrant.free_slots)
        for entrant in availability_after(ladder, planning).values()
    )
    return PairEntrants(available, planning.allow_early_rematch, frozenset(planning.deferred), planning.max_pairings)


def _players(ladder: Ladder, entrant: EntrantAvailability) -> tuple[Player, ...]:
    bots = ladder.entrants[entrant.name].bots
    return tuple(Player(player.bot, version) for player, version in zip(bots, entrant.versions, strict=True))


ALWAYS, OPEN = frozenset(LadderPhase), frozenset({LadderPhase.OPEN})
CLOSING = ALWAYS - OPEN


def decide(ladder: Ladder, command: LadderCommand) -> list[LadderEvent]:
    """Return the events that follow; none if the command is a repetition or is too late to matter.

    Raises a ContestError, or RequestIdReused for a request id with other contents.
    """
    if _is_repeated(ladder, command):
        return []
    decide_own, phases = DECIDE[type(command)]
    if ladder.phase not in phases:
        raise LadderClosed(ladder.terms.name)
    if ladder.phase is LadderPhase.CLOSED and not isinstance(command, commands.CorrectMatch):
        return []  # A late result is not an error.
    return decide_own(ladder, command)


def find_challenge(ladder: Ladder, request: str) -> PairingProgress | None:
    """Return the pairing that a request asked for, or None."""
    challenged = ladder.challenges.get(request)
    return ladder.pairings[challenged] if challenged else None


def _is_repeated(ladder: Ladder, command: LadderCommand) -> bool:
    """Return whether the same request was answered before, in whatever phase the ladder is now.

    Raises RequestIdReused.
    """
    match command:
        case commands.StartSeason(request):
            return request in ladder.season_requests
        case commands.ChallengeEntrants(request, entrants) if known := find_challenge(ladder, request):
            if set(known.pairing.entrants) != set(entrants):
                raise RequestIdReused(request)
            return True
    return False


def _join(ladder: Ladder, command: commands.JoinLadder) -> list[LadderEvent]:
    entrant, terms = command.entrant, ladder.terms
    bots = [player.bot for player in entrant.bots]
    if len(set(bots)) != terms.bots_per_entrant or len(bots) != terms.bots_per_entrant:
        raise WrongParticipantCount("an entrant of this ladder", len(set(bots)), terms.bots_per_entrant)
    present = ladder.entrants.get(entrant.name)
    if present and present.bots == entrant.bots:
        return []
    for bot in bots:
        if member := ladder.entrant_of(bot):
            raise AlreadyOnLadder(terms.name, bot, member.name)
    previous = ladder.all_entrants.get(entrant.name)
    if previous and [player.bot for player in previous.bots] != bots:
        raise EntrantNameTaken(entrant.name)
    return [EntrantJoined(entrant)]


def _leave(ladder: Ladder, command: commands.LeaveLadder) -> list[LadderEvent]:
    _check_member(ladder, command.name)
    return [EntrantLeft(command.name, command.message)]


def _check_member(ladder: Ladder, name: str) -> None:
    if name not in ladder.entrants:
        raise NotAMember(ladder.terms.name, name)


def _pair(ladder: Ladder, command: commands.PairEntrants) -> list[LadderEvent]:
    """Return new pairings, planned only from the part of the command that the log records."""
    planning = input_of_command(ladder, command)
    paired = pair_entrants(ladder, command_from_input(ladder, planning))
    return [*(replace(event, planning=planning) for event in paired[:1]), *paired[1:]]


def _challenge(ladder: Ladder, command: commands.ChallengeEntrants) -> list[LadderEvent]:
    challenged, expected = set(command.entrants), ladder.terms.table_size
    for name in command.entrants:
        _check_member(ladder, name)
    if len(challenged) < len(command.entrants):
        raise WrongParticipantCount("a challenge, without repetition,", len(challenged), expected)
    if len(challenged) != expected:
        raise WrongParticipantCount("a challenge", len(challenged), expected)
    if shared := find_same_owner(ladder.entrants[name] for name in command.entrants):
        raise SameOwner(ladder.terms.name, *shared)
    names = choose_seating(command.entrants, ladder.pairing_history, ladder.terms, pairing_lots(ladder))
    return [events.PairingPlanned(create_pairing(ladder, ladder.planned_count + 1, names), command.request)]


def _start_match(ladder: Ladder, command: commands.StartLadderMatch) -> list[LadderEvent]:
    found = _find_due(ladder, command.due_id, command.match_id)
    return _started_events(found, command.match_id) if found else []


def _record(ladder: Ladder, command: commands.RecordLadderResult | commands.RateMatch) -> list[LadderEvent]:
    found = _find_due(ladder, command.due_id, command.match_id)
    if found is None:
        return []
    _, due = found
    scored = ContestMatchScored(due.pairing.id, due.number, _score(ladder, due, command))
    return [*_started_events(found, command.match_id), scored]


def _rate(ladder: Ladder, command: commands.RateMatch) -> list[LadderEvent]:
    match_id, finish, at_ms, history = command.match_id, command.finish, command.at_ms, ladder.rating_history
    recorded = _record(ladder, command)
    known = ladder.rated_matches.season_of(match_id) is not None
    if known or find_same_owner(_rated_entrants(ladder, finish)):
        return recorded
    weight = history.weight(finish, holders_of(ladder.all_entrants, finish), at_ms)
    changes = history.updates(ladder.current_season.ratings, finish, weight, at_ms)
    return [*recorded, events.MatchRated(match_id, finish, command.forfeited, changes, at_ms, weight)]


def _rated_entrants(ladder: Ladder, finish: FinishOrder[Player]) -> list[ContestEntrant]:
    """Return each present or former entrant that played once; a bot that rejoined may have had several names."""
    entrants = ladder.all_entrants
    if ladder.terms.bots_per_entrant == 1:
        entrants = {entrant.bots[0].bot: entrant for entrant in entrants.values()}
    return [entrants[player.bot] for player in finish.players if player.bot in entrants]


def _correct(ladder: Ladder, command: commands.CorrectMatch) -> list[LadderEvent]:
    if not needs_replay(ladder, command.correction):
        return []
    return [corrected_match(command.correction, command.played, command.replay)]


def _record_void(ladder: Ladder, command: commands.RecordLadderVoid) -> list[LadderEvent]:
    found = _find_due(ladder, command.due_id, command.match_id)
    if found is None:
        return []
    _, due = found
    return [*_started_events(found, command.match_id), ContestMatchVoided(due.pairing.id, due.number)]


def _find_due(ladder: Ladder, due_id: str, match_id: str) -> tuple[PairingProgress, DueMatch] | None:
    """Return the match unless it has a result already or that attempt became void."""
    progress = ladder.pairings.get(due_id.partition("/")[0])
    due = next((match for match in progress.due_matches if match.id == due_id), None) if progress else None
    if progress is None or due is None:
        return None
    known = progress.match_ids.get((due.number, due.attempt), match_id)
    return (progress, due) if known == match_id else None


def _started_events(found: tuple[PairingProgress, DueMatch], match_id: str) -> list[LadderEvent]:
    """Return the event that the match started, unless it is in the log already."""
    progress, due = found
    if (due.number, due.attempt) in progress.match_ids:
        return []
    return [ContestMatchStarted(due.pairing.id, due.number, due.attempt, match_id)]


def _score(ladder: Ladder, due: DueMatch, command: commands.RecordLadderResult | commands.RateMatch) -> MatchScore:
    """Convert the finish to the order of the pairing's entrants."""
    finish, pairing = command.finish, due.pairing
    ranks = {player: rank for side, rank in zip(finish.sides, finish.ranks, strict=True) for player in side}
    players = {_entrant_name(ladder, pairing, player): player for player in finish.players}
    return MatchScore(
        tuple(ranks[players[entrant]] for entrant in pairing.entrants),
        tuple(_entrant_name(ladder, pairing, player) for player in command.forfeited),
    )


def _entrant_name(ladder: Ladder, pairing: Pairing, player: Player) -> str:
    """Return the name of the pairing's entrant that a player belongs to."""
    if ladder.terms.bots_per_entrant > 1:
        return player.bot
    return next(name for name in pairing.entrants if ladder.all_entrants[name].bots[0].bot == player.bot)


def _pause(ladder: Ladder, command: commands.PauseLadder) -> list[LadderEvent]:
    return [] if ladder.paused else [events.LadderPaused(command.message)]


def _close(ladder: Ladder, command: commands.CloseLadder) -> list[LadderEvent]:
    return [events.LadderClosureStarted(command.message)] if ladder.phase is LadderPhase.OPEN else []


def _finish_closure(ladder: Ladder, _: commands.FinishClosure) -> list[LadderEvent]:
    return [] if ladder.matches_in_play else [events.LadderClosureFinished()]


DECIDE: dict[type, tuple[Callable[[Ladder, Any], list[LadderEvent]], frozenset[LadderPhase]]] = {
    commands.JoinLadder: (_join, OPEN),
    commands.LeaveLadder: (_leave, ALWAYS),
    commands.PairEntrants: (_pair, ALWAYS),
    commands.ChallengeEntrants: (_challenge, OPEN),
    commands.StartLadderMatch: (_start_match, ALWAYS),
    commands.RecordLadderResult: (_record, ALWAYS),
    commands.RateMatch: (_rate, ALWAYS),
    commands.RecordLadderVoid: (_record_void, ALWAYS),
    commands.CorrectMatch: (_correct, ALWAYS),
    commands.StartSeason: (lambda ladder, command: [events.SeasonStarted(ladder.season + 1, command.request)], OPEN),
    commands.PauseLadder: (_pause, OPEN),
    commands.ResumeLadder: (lambda ladder, _: [events.LadderResumed()] if ladder.paused else [], OPEN),
    commands.CloseLadder: (_close, ALWAYS),
    commands.FinishClosure: (_finish_closure, CLOSING),
}
"""How each command is decided, and in which phases it is allowed."""
