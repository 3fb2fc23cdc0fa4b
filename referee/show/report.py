"""The data model of reports, and what is computed from it: cross table, estimates, results."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from referee_values import Pairing, SprtState

from referee.contests.strength.bradley_terry import Strengths, chances_to_be_best, fit_strengths
from referee.contests.strength.elo import EloEstimate
from referee.contests.strength.rating import FinishOrder


class End(NamedTuple):
    """How a match ended."""

    kind: str
    """`played`, `forfeited` or `void`."""
    reason: str
    """The reason, such as `no_men`, `time` or `aborted`."""


@dataclass(frozen=True, slots=True)
class Game:
    """One finished match."""

    id: str
    at_ms: int
    """When it ended."""
    sides: tuple[tuple[str, ...], ...]
    """Names of the entrants on each side, without duplicates."""
    ranks: tuple[int, ...]
    """Rank of each side. Empty if void or struck."""
    end: End
    at_fault: tuple[str, ...] = ()
    """Entrants that forfeited the match."""

    @property
    def finish(self) -> FinishOrder[str] | None:
        """Result for estimates of strength; None if void, or if an entrant played itself."""
        players = [name for side in self.sides for name in side]
        is_self_play = len(set(players)) < len(players)
        return None if not self.ranks or is_self_play else FinishOrder(self.sides, self.ranks)


@dataclass(frozen=True, slots=True)
class Rating:
    value: float
    deviation: float
    provisional: bool = False

    @property
    def lower_bound(self) -> float:
        """The value less two deviations, by which a ladder ranks."""
        return self.value - 2 * self.deviation


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the standings."""

    rank: int
    name: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    points: float | None = None
    """None on a ladder."""
    rating: Rating | None = None
    """None in a tournament."""
    tie_breaks: tuple[float, ...] = ()
    no_shows: int = 0
    """Pairings lost by absence, whose matches are among the forfeits."""


@dataclass(frozen=True, slots=True)
class Point:
    """The rating after a match."""

    at_ms: int
    value: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Times:
    """Time per turn of an entrant, as charged to its clock, in microseconds."""

    moves: int
    total_us: int
    median_us: int
    percentile_95_us: int
    longest_us: int
    flags: int = 0
    """Number of flag falls."""


class IllegalMove(NamedTuple):
    """A forfeit by an illegal move."""

    match_id: str
    entrant: str
    refused: str
    """The last rejected move, and its error."""

    def __str__(self) -> str:
        return f"{self.entrant} in {self.match_id}: illegal move: {self.refused}"


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one entrant against another: 1 point for each match ranked above, ½ if equal."""

    points: float
    matches: int

    @property
    def share(self) -> float:
        return self.points / self.matches


@dataclass(frozen=True, slots=True)
class Report:
    kind: str
    """`ladder` or `tournament`."""
    name: str
    title: str
    facts: tuple[tuple[str, str], ...]
    """Labels and values for the head of the report."""
    rows: tuple[Row, ...]
    """Best first."""
    games: tuple[Game, ...]
    """Finished matches in the order of their ends."""
    tie_breaks: tuple[str, ...] = ()
    """Names of the tie-breaks of the rows."""
    histories: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    """Ratings by entrant."""
    times: Mapping[str, Times] = field(default_factory=dict)
    timed_matches: int = 0
    """Number of matches that `times` covers; limited, because each record has to be fetched."""
    illegal_moves: tuple[IllegalMove, ...] = ()
    """The first forfeits by illegal moves of those matches."""
    sprt: SprtState | None = None
    pairings: tuple[Pairing, ...] = ()
    """By round and board; limited to the first ones."""
    boards: int = 0
    """Number of boards of each team. 0: the entrants are no teams."""
    repeated: frozenset[str] = frozenset()
    """Ids of matches that repeat the game of another. They do not count in estimates."""
    corrections: tuple[str, ...] = ()
    """Corrections of matches by staff, with their reasons. `games` have the corrected results."""

    @property
    def rounds(self) -> dict[int, list[Pairing]]:
        """The pairings of each round."""
        found: defaultdict[int, list[Pairing]] = defaultdict(list)
        for pairing in self.pairings:
            found[pairing.round].append(pairing)
        return dict(found)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    @property
    def finishes(self) -> list[FinishOrder[str]]:
        return [finish for game in self.games if (finish := game.finish)]

    @property
    def strengths(self) -> Strengths[str]:
        """Strengths from all results (Bradley–Terry), in which repeated games count once."""
        counted = (game.finish for game in self.games if game.id not in self.repeated)
        return _strengths_of(tuple(finish for finish in counted if finish))

    def estimates(self) -> dict[str, EloEstimate]:
        """Return the strength of each entrant; entrants without results have none."""
        return self.strengths.table()

    def chances_to_be_best(self) -> dict[str, float]:
        """Return the probability of each entrant to be the strongest."""
        return chances_to_be_best(self.strengths)

    def cells(self) -> dict[tuple[str, str], Score]:
        """Return the score of each entrant against each opponent. Void matches and partners do not count."""
        points: defaultdict[tuple[str, str], float] = defaultdict(float)
        matches: Counter[tuple[str, str]] = Counter()
        for finish in self.finishes:
            placed = zip(finish.sides, finish.ranks, strict=True)
            for (ours, mine), (others, theirs) in permutations(placed, 2):
                for pair in ((entrant, opponent) for entrant in ours for opponent in others):
                    points[pair] += ((mine < theirs) + (mine <= theirs)) / 2
                    matches[pair] += 1
        return {pair: Score(points[pair], many) for pair, many in matches.items()}

    def ends(self) -> list[tuple[End, int]]:
        """Count the results: played, forfeited, void, and within each the most frequent first."""
        counts = Counter(game.end for game in self.games)
        return sorted(counts.items(), key=lambda item: (KINDS.index(item[0].kind), -item[1], item[0].reason))


@lru_cache(maxsize=1)
def _strengths_of(finishes: tuple[FinishOrder[str], ...]) -> Strengths[str]:
    """Cached, because each part of a report asks for them."""
    return fit_strengths(finishes)


KINDS: Sequence[str] = ("played", "forfeited", "void")
"""Kinds of results in the order of the table."""
