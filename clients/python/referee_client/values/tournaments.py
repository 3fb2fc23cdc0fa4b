"""Tournaments and their standings."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from referee_client.values.contests import Entrant
from referee_client.values.matches import SeedCommitment
from referee_client.values.ratings import EloEstimate
from referee_client.values.tournament_terms import TieBreak, TournamentTerms

ByeKind: TypeAlias = Literal["", "half_point", "zero_point", "none"]
"""What an entrant gets for a bye that it requested.

Invalid.
`half_point`: half a point; of teams, the points of a draw.
`zero_point`: nothing.
`none`: the entrant plays; a request is cancelled.
"""

TournamentPhase: TypeAlias = Literal["", "entry", "playing", "finished", "cancelled"]
"""Phase of a tournament.

Not used in responses; as a filter: all.
`entry`: open for entrants.
`playing`: being played.
`finished`: finished, with a winner.
`cancelled`: cancelled.
"""

SprtVerdict: TypeAlias = Literal["", "open", "passed", "failed", "undecided"]
"""Verdict of a test.

`open`: the test continues.
`passed`: the alternative hypothesis was accepted: the difference is `elo1`.
`failed`: the null hypothesis was accepted: the difference is `elo0`.
`undecided`: the maximum number of matches was reached first, or the bots only repeated earlier matches.
"""


@dataclass(frozen=True, kw_only=True)
class RequestedBye:
    """A round that an entrant does not play at its own request."""

    entrant: str = ""
    """Name of the entrant."""
    round: int = 0
    """Number of the round, from 1."""
    kind: ByeKind = ""
    """What it gets."""


@dataclass(frozen=True, kw_only=True)
class Tournament:
    """A tournament."""

    name: str = ""
    """Its name: 1 to 40 lower-case letters, digits and hyphens, beginning with a letter."""
    title: str = ""
    """Display name."""
    terms: TournamentTerms = field(default_factory=TournamentTerms)
    """Terms with all defaults filled in."""
    organiser: str = ""
    """Holder of the token that created it."""
    phase: TournamentPhase = ""
    """Phase of the tournament."""
    entrants: tuple[Entrant, ...] = ()
    """Entrants, by seed once it has started, before that in the order of entry."""
    withdrawn_entrants: tuple[str, ...] = ()
    """Names of entrants who have withdrawn."""
    current_round: int = 0
    """Number of the current round, from 1. 0 before the start."""
    total_rounds: int = 0
    """Number of rounds in total. 0 if not known in advance."""
    completed_pairings: int = 0
    """Number of completed pairings."""
    total_pairings: int = 0
    """Number of pairings in total. 0 if not known in advance."""
    create_time: datetime | None = None
    """Time when it was created."""
    start_time: datetime | None = None
    """Time when it started. None before."""
    end_time: datetime | None = None
    """Time when it ended. None before."""
    requested_byes: tuple[RequestedBye, ...] = ()
    """Byes that entrants have requested, also of past rounds."""
    seed_commitment: SeedCommitment = field(default_factory=SeedCommitment)
    """SHA-256 of its seed, from which lots and the starts of sets follow, and the seed itself once it is over."""


@dataclass(frozen=True, kw_only=True)
class TieBreakValue:
    """Value of a tie-break for an entrant."""

    tie_break: TieBreak = ""
    """The tie-break."""
    value: float = 0.0
    """Its value; higher is better."""


@dataclass(frozen=True, kw_only=True)
class TournamentStanding:
    """A row of a tournament's standings."""

    rank: int = 0
    """Rank from 1. Entrants that no tie-break separates share a rank."""
    entrant: str = ""
    """Name of the entrant."""
    points: float = 0.0
    """Points.

    A match gives one point for each other side that ranks lower and half a point for each that shares the rank, divided
    by the number of other sides: with two sides 1, 0.5 or 0. A bye gives 1. Of a team, its match points: 2 for a
    pairing in which it has more board points than the other team or for a bye, 1 for equally many.
    """
    tie_breaks: tuple[TieBreakValue, ...] = ()
    """Tie-breaks in order of precedence."""
    wins: int = 0
    """Number of matches that its side won outright."""
    draws: int = 0
    """Number of matches in which its side shared the first rank."""
    losses: int = 0
    """Number of matches that its side did not win."""
    forfeits: int = 0
    """Number of matches that it forfeited, which are also losses."""
    byes: int = 0
    """Number of byes."""
    estimate: EloEstimate | None = None
    """Estimated strength from all results together. None while there are too few."""
    no_shows: int = 0
    """Number of pairings that it lost by absence; their matches are among the losses and the forfeits."""


@dataclass(frozen=True, kw_only=True)
class SprtState:
    """State of a test of the first entrant against the second."""

    verdict: SprtVerdict = ""
    """The verdict."""
    llr: float | None = None
    """Log-likelihood ratio.

    None in games of more than two sides, where only the estimate is computed, from the scores in the sets.
    """
    llr_lower: float = 0.0
    """Ratio at which the test fails."""
    llr_upper: float = 0.0
    """Ratio at which the test passes."""
    counts: tuple[int, ...] = ()
    """Number of each outcome, from the worst for the first entrant to the best: three or five numbers."""
    estimate: EloEstimate | None = None
    """Estimated difference in strength."""
    matches: int = 0
    """Number of matches counted."""
    expected_matches_left: int = 0
    """Expected number of further matches. 0 once the test is over."""
    repeated_matches: int = 0
    """Number of matches that were not counted, because both bots repeated all moves of earlier ones from the same
    seats.
    """
    first_seat_elo: float = 0.0
    """Advantage of the first seat, in Elo, as estimated from the counted matches.

    Hypotheses and estimate are leads in addition to it. 0 if it does not differ from chance, and in games of more than
    two sides.
    """


@dataclass(frozen=True, kw_only=True)
class TournamentTable:
    """Standings of a tournament, and the state of its sequential test."""

    standings: tuple[TournamentStanding, ...] = ()
    """The standings, best first."""
    sprt: SprtState | None = None
    """State of the test. None unless the format is SPRT."""


@dataclass(frozen=True, kw_only=True)
class CrossTableCell:
    """Results of an entrant against one opponent."""

    opponent: str = ""
    """Name of the opponent."""
    points: float = 0.0
    """Points of the row's entrant: for each match 1 if it ranked higher, 0.5 if equal, 0 if lower.

    Of teams, these are board points.
    """
    match_ids: tuple[str, ...] = ()
    """Ids of their matches, in order."""
    no_shows: int = 0
    """Number of their pairings that one of them or both lost by absence."""


@dataclass(frozen=True, kw_only=True)
class CrossTableRow:
    """Results of an entrant against each other entrant."""

    entrant: str = ""
    """Name of the entrant."""
    cells: tuple[CrossTableCell, ...] = ()
    """Results by opponent, in the order of the rows, without opponents that it has not played."""
