"""What may happen next in a tournament.

`decide` says which events follow a command, the pairings that these make possible included. It has no clock
and no chance but the tournament's own seed: asked again after a crash, it says the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from referee.contest.formats import Gauntlet, Pools, Swiss
from referee.contest.pairing import Course, Score
from referee.contest.planning import next_pairings, seeds
from referee.contest.refusals import (
    BadScore,
    BadTerms,
    NameTaken,
    NoSuchEntrant,
    NoSuchPairing,
    NotInThisPhase,
    TooFewEntrants,
    TooLate,
)
from referee.contest.tournament import (
    Ended,
    Entered,
    Entrant,
    Event,
    Paired,
    Phase,
    Scored,
    Started,
    Tournament,
    Voided,
    Withdrew,
    evolve,
)


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


Command = Enter | Withdraw | Start | Record | RecordVoid | Cancel

ALLOWED: dict[Phase, set[type]] = {
    Phase.ENTRY: {Enter, Withdraw, Start, Cancel},
    Phase.PLAYING: {Enter, Withdraw, Record, RecordVoid, Cancel},
    Phase.FINISHED: {Record, RecordVoid},  # A result told twice is no error.
    Phase.CANCELLED: {Record, RecordVoid},  # Nor is one that comes too late.
}


def decide(tournament: Tournament, command: Command) -> list[Event]:
    """The events that follow. None if it is known already. Raises a ContestError, and then nothing has changed."""
    if type(command) not in ALLOWED[tournament.phase]:
        raise NotInThisPhase(type(command).__name__, tournament.phase.value)
    events: list[Event] = DECIDE[type(command)](tournament, command)
    for event in events:
        tournament = evolve(tournament, event)
    return events + _what_follows(tournament) if events else []


def _what_follows(tournament: Tournament) -> list[Event]:
    """Pairings for as long as there are new ones; the end when nothing is left to play."""
    events: list[Event] = []
    while tournament.phase is Phase.PLAYING:
        pairings = tuple(next_pairings(tournament))
        if not pairings and tournament.open:
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
    form, there = tournament.terms.format, len(tournament.entrants)
    least = form.at_a_table if isinstance(form, Pools) else form.rounds + 1 if isinstance(form, Swiss) else 2
    if there < least:
        raise TooFewEntrants(there, least)
    if isinstance(form, Gauntlet):
        _check_challengers(form, tournament)
    return [Started(seeds(tournament))]


def _check_challengers(form: Gauntlet, tournament: Tournament) -> None:
    for name in form.challengers:
        if name not in tournament.entrants:
            raise NoSuchEntrant(name)
    if len(set(form.challengers)) == len(tournament.entrants):
        raise BadTerms("challengers", "are everybody, so that nobody is left to meet")


def _record(tournament: Tournament, command: Record) -> list[Event]:
    course = _course(tournament, command)
    if not _awaited(tournament, course, command):
        return []
    _check_score(course, command.score)
    return [Scored(command.pairing, command.number, command.score)]


def _record_void(tournament: Tournament, command: RecordVoid) -> list[Event]:
    course = _course(tournament, command)
    return [Voided(command.pairing, command.number)] if _awaited(tournament, course, command) else []


def _course(tournament: Tournament, command: Record | RecordVoid) -> Course:
    if command.pairing not in tournament.courses:
        raise NoSuchPairing(command.pairing)
    return tournament.courses[command.pairing]


def _awaited(tournament: Tournament, course: Course, command: Record | RecordVoid) -> bool:
    """Whether the match still counts: it has no result, and was not made void before."""
    if tournament.phase is not Phase.PLAYING:
        return False
    return any((due.number, due.attempt) == (command.number, command.attempt) for due in course.due)


def _check_score(course: Course, score: Score) -> None:
    entrants = course.pairing.entrants
    if len(score.ranks) != len(entrants):
        raise BadScore(course.pairing.id, f"has {len(entrants)} entrants, not {len(score.ranks)} ranks")
    if any(len({score.ranks[place] for place in side}) > 1 for side in course.pairing.sides):
        raise BadScore(course.pairing.id, "has ranks that differ within a side")
    if not set(score.forfeited) <= set(entrants):
        raise BadScore(course.pairing.id, "has a forfeit of somebody who is not in it")


def _cancel(_: Tournament, command: Cancel) -> list[Event]:
    return [Ended(cancelled=True, message=command.message)]


DECIDE: dict[type, Callable[[Tournament, Any], list[Event]]] = {
    Enter: _enter,
    Withdraw: _withdraw,
    Start: _start,
    Record: _record,
    RecordVoid: _record_void,
    Cancel: _cancel,
}
