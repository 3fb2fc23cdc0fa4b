"""What a tournament's tables tell: who stands where, who scored what against whom, and how far a pairing is."""

from dataclasses import dataclass
from enum import Enum

from referee.app.contests.held import Held
from referee.app.contests.refusals import TournamentNotStarted
from referee.contest.cross_table import cross_table as points_against
from referee.contest.estimate import Estimate
from referee.contest.estimates import estimates
from referee.contest.pairing import Course
from referee.contest.standings import Standing
from referee.contest.tournament import Phase, Tournament


class PairingPhase(Enum):
    PLANNED = "planned"
    PLAYING = "playing"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a tournament's table."""

    standing: Standing
    forfeits: int
    estimate: Estimate | None
    """None while there are too few results."""


@dataclass(frozen=True, slots=True)
class Cell:
    opponent: str
    points: float
    match_ids: tuple[str, ...]
    """In order; void ones are left out."""


def phase_of(course: Course) -> PairingPhase:
    if course.done:
        return PairingPhase.DONE
    return PairingPhase.PLAYING if course.playing else PairingPhase.PLANNED


def rows(held: Held, after_round: int = 0) -> list[Row]:
    """The table, the best first: now, or after a round. `held.tournament.test` says how an SPRT stands.

    Raises TournamentNotStarted.
    """
    tournament = _begun(held)
    until = after_round or None
    strengths = estimates(tournament, until)
    return [
        Row(row, tournament.forfeits(row.entrant), strengths.get(row.entrant)) for row in tournament.standings(until)
    ]


def cross_table(held: Held) -> list[tuple[str, list[Cell]]]:
    """For each entrant, the best first, what it scored against each that it met. Raises TournamentNotStarted."""
    tournament = _begun(held)
    names = [row.entrant for row in tournament.standings()]
    played = _played(tournament)
    return [
        (
            name,
            [
                Cell(other, points, tuple(played.get(frozenset((name, other)), ())))
                for other, points in zip(names, line, strict=True)
                if points is not None
            ],
        )
        for name, line in zip(names, points_against(tournament.table(), names), strict=True)
    ]


def _begun(held: Held) -> Tournament:
    if held.tournament.phase is Phase.ENTRY:
        raise TournamentNotStarted(held.name)
    return held.tournament


def _played(tournament: Tournament) -> dict[frozenset[str], list[str]]:
    """The matches that counted, by the two who met."""
    found: dict[frozenset[str], list[str]] = {}
    for course in tournament.courses.values():
        counted = [
            match_id
            for (number, attempt), match_id in sorted(course.match_ids.items())
            if number in course.scores and attempt == course.attempt(number)
        ]
        names = course.pairing.names
        for pair in {frozenset((one, other)) for one in names for other in names if one != other}:
            found.setdefault(pair, []).extend(counted)
    return found
