"""What may happen next in a tournament.

`decide` says which events follow a command, the pairings that these make possible included. It has no clock
and no chance but the tournament's own seed: asked again after a crash, it says the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

from referee.contest.formats import Format, Gauntlet, Pools, RoundRobin, Swiss, Trial
from referee.contest.match_events import Began, Scored, Voided
from referee.contest.pairing import Course, Score
from referee.contest.planning import next_pairings, round_is_due, seeds
from referee.contest.refusals import (
    BadScore,
    BadTerms,
    NameTaken,
    NoSuchEntrant,
    NoSuchPairing,
    NotInThisPhase,
    TooLate,
    WrongEntrantCount,
)
from referee.contest.sprt import Verdict
from referee.contest.tournament import Phase, Tournament, evolve
from referee.contest.tournament_events import Ended, Entered, Entrant, Event, Paired, Started, Withdrew


@dataclass(frozen=True, slots=True)
class Enter:
    entrant: Entrant


@dataclass(frozen=True, slots=True)
class Withdraw:
    name: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    pass


@dataclass(frozen=True, slots=True)
class Begin:
    """A match was made, to be played."""

    pairing: str
    number: int
    attempt: int
    match_id: str


@dataclass(frozen=True, slots=True)
class Record:
    """A match has a result."""

    pairing: str
    number: int
    attempt: int
    score: Score


@dataclass(frozen=True, slots=True)
class RecordVoid:
    """A match was broken; it is to be played again."""

    pairing: str
    number: int
    attempt: int


@dataclass(frozen=True, slots=True)
class Cancel:
    message: str = ""


MOST = 1000
"""The most entrants of a tournament."""

SCHEDULED_AT_MOST = 100_000
"""About the largest number of pairings that a round robin or a gauntlet may have."""

Command = Enter | Withdraw | Start | Begin | Record | RecordVoid | Cancel

ALLOWED: dict[Phase, set[type]] = {
    Phase.ENTRY: {Enter, Withdraw, Start, Cancel},
    Phase.PLAYING: {Enter, Withdraw, Begin, Record, RecordVoid, Cancel},
    Phase.FINISHED: {Begin, Record, RecordVoid},  # A result told twice is no error.
    Phase.CANCELLED: {Begin, Record, RecordVoid},  # Nor is one that comes too late.
}


def decide(tournament: Tournament, command: Command) -> list[Event]:
    """The events that follow. None if it is known already. Raises a ContestError, and then nothing has changed."""
    events, after = _carried_out(tournament, command)
    return events + _what_follows(after) if events else []


def pairs_a_round(tournament: Tournament, command: Command) -> bool:
    """Whether `decide` will pair a round, which may take seconds; nothing else does. Raises what `decide` raises."""
    events, after = _carried_out(tournament, command)
    return bool(events) and after.phase is Phase.PLAYING and round_is_due(after)


def _carried_out(tournament: Tournament, command: Command) -> tuple[list[Event], Tournament]:
    """The command's own events, and the tournament after them."""
    if type(command) not in ALLOWED[tournament.phase]:
        raise NotInThisPhase(type(command).__name__, tournament.phase.value)
    events: list[Event] = DECIDE[type(command)](tournament, command)
    for event in events:
        tournament = evolve(tournament, event)
    return events, tournament


def _what_follows(tournament: Tournament) -> list[Event]:
    """Pairings for as long as there are new ones; the end when nothing is left to play, or to be decided."""
    events: list[Event] = []
    while tournament.phase is Phase.PLAYING:
        undecided = tournament.progress.verdict is Verdict.OPEN
        pairings = tuple(next_pairings(tournament)) if undecided else ()
        if not pairings and undecided and tournament.open:
            break
        event: Event = Paired(pairings) if pairings else Ended()
        events.append(event)
        tournament = evolve(tournament, event)
    return events


def _enter(tournament: Tournament, command: Enter) -> list[Event]:
    name = command.entrant.name
    if name in tournament.entrants:
        raise NameTaken(name)
    if tournament.phase is Phase.PLAYING and not _takes_late(tournament):
        raise TooLate(name)
    _check_count(tournament.terms.format, len(tournament.entrants) + 1, least=1)
    return [Entered(command.entrant)]


def _takes_late(tournament: Tournament) -> bool:
    """Only where rounds are paired one by one, and there is one to come."""
    form = tournament.terms.format
    if not isinstance(form, Swiss | Pools):
        return False
    return tournament.round <= tournament.terms.late_entry_rounds and tournament.round < form.rounds


def _withdraw(tournament: Tournament, command: Withdraw) -> list[Event]:
    if command.name not in tournament.entrants:
        raise NoSuchEntrant(command.name)
    return [] if command.name in tournament.withdrawn else [Withdrew(command.name, command.message)]


def _start(tournament: Tournament, _: Start) -> list[Event]:
    form = tournament.terms.format
    _check_count(form, len(tournament.entrants), least=_least(form))
    if isinstance(form, Gauntlet):
        _check_challengers(form, tournament)
    return [Started(seeds(tournament))]


def _check_count(form: Format, entrants: int, least: int) -> None:
    right, most = _least(form), _most(form)
    if not least <= entrants <= most:
        raise WrongEntrantCount(entrants, f"{most}" if right == most else f"{right} to {most}")


def _least(form: Format) -> int:
    return form.at_a_table if isinstance(form, Pools) else form.rounds + 1 if isinstance(form, Swiss) else 2


def _most(form: Format) -> int:
    if isinstance(form, RoundRobin | Gauntlet):
        return max(2, min(MOST, isqrt(2 * SCHEDULED_AT_MOST // form.cycles)))
    return 2 if isinstance(form, Trial) else MOST


def _check_challengers(form: Gauntlet, tournament: Tournament) -> None:
    for name in form.challengers:
        if name not in tournament.entrants:
            raise NoSuchEntrant(name)
    if len(set(form.challengers)) == len(tournament.entrants):
        raise BadTerms("challengers", "are everybody, so that nobody is left to meet")


def _begin(tournament: Tournament, command: Begin) -> list[Event]:
    course = _course(tournament, command)
    known = (command.number, command.attempt) in course.match_ids
    if known or not _awaited(tournament, course, command):
        return []
    return [Began(command.pairing, command.number, command.attempt, command.match_id)]


def _record(tournament: Tournament, command: Record) -> list[Event]:
    course = _course(tournament, command)
    if not _awaited(tournament, course, command):
        return []
    _check_score(course, command.score)
    return [Scored(command.pairing, command.number, command.score)]


def _record_void(tournament: Tournament, command: RecordVoid) -> list[Event]:
    course = _course(tournament, command)
    return [Voided(command.pairing, command.number)] if _awaited(tournament, course, command) else []


def _course(tournament: Tournament, command: Begin | Record | RecordVoid) -> Course:
    if command.pairing not in tournament.courses:
        raise NoSuchPairing(command.pairing)
    return tournament.courses[command.pairing]


def _awaited(tournament: Tournament, course: Course, command: Begin | Record | RecordVoid) -> bool:
    """Whether the match still counts: it has no result, and was not made void before."""
    if tournament.phase is not Phase.PLAYING:
        return False
    return any((due.number, due.attempt) == (command.number, command.attempt) for due in course.due)


def _check_score(course: Course, score: Score) -> None:
    entrants = course.pairing.entrants
    if len(score.ranks) != len(entrants):
        raise BadScore(course.pairing.id, f"has {len(entrants)} entrants, not {len(score.ranks)} ranks")
    if any(len({score.ranks[place] for place in side}) > 1 for side in course.pairing.teams):
        raise BadScore(course.pairing.id, "has ranks that differ within a side")
    if not set(score.forfeited) <= set(entrants):
        raise BadScore(course.pairing.id, "has a forfeit of somebody who is not in it")


def _cancel(_: Tournament, command: Cancel) -> list[Event]:
    return [Ended(cancelled=True, message=command.message)]


DECIDE: dict[type, Callable[[Tournament, Any], list[Event]]] = {
    Enter: _enter,
    Withdraw: _withdraw,
    Start: _start,
    Begin: _begin,
    Record: _record,
    RecordVoid: _record_void,
    Cancel: _cancel,
}
