"""What a report tells, as values: who takes part, what was played, and what that adds up to."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import NamedTuple

from referee.contest.bradley_terry import strengths
from referee.contest.estimate import Estimate
from referee.contest.finish import Finish


class End(NamedTuple):
    """How matches end."""

    kind: str
    """`played`, `forfeited` or `void`."""
    reason: str
    """One word for it, such as `no_men`, `time` or `aborted`."""


@dataclass(frozen=True, slots=True)
class Game:
    """One match that is over."""

    id: str
    at_ms: int
    """When it ended."""
    sides: tuple[tuple[str, ...], ...]
    """Names of the entrants on each side, each once."""
    ranks: tuple[int, ...]
    """One a side. Empty if void."""
    end: End
    at_fault: tuple[str, ...] = ()
    """Entrants that forfeited it."""

    @property
    def finish(self) -> Finish[str] | None:
        """None: it says nothing about who is stronger."""
        players = [name for side in self.sides for name in side]
        met_itself = len(set(players)) < len(players)
        return None if not self.ranks or met_itself else Finish(self.sides, self.ranks)


@dataclass(frozen=True, slots=True)
class Rating:
    value: float
    deviation: float
    provisional: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One entrant in the table."""

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


@dataclass(frozen=True, slots=True)
class Point:
    """A rating after one more match."""

    at_ms: int
    value: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Times:
    """What an entrant's turns took it, as its clocks were charged. Times are in microseconds."""

    moves: int
    all_us: int
    middle_us: int
    """Half of the moves were quicker."""
    slow_us: int
    """Nineteen of twenty moves were quicker."""
    longest_us: int
    flags: int = 0
    """Flags that fell."""


class IllegalMove(NamedTuple):
    """What cost an entrant a match."""

    match_id: str
    entrant: str
    refused: str
    """The last move that was refused, and what was wrong with it."""

    def __str__(self) -> str:
        return f"{self.entrant} in {self.match_id}: illegal move: {self.refused}"


@dataclass(frozen=True, slots=True)
class Sprt:
    """How a sequential test stands."""

    verdict: str
    counts: tuple[int, ...]
    estimate: Estimate
    llr: float | None
    """None in games of more than two sides."""
    bounds: tuple[float, float]
    matches: int
    to_go: int


@dataclass(frozen=True, slots=True)
class Cell:
    """What one entrant scored against another: a point for each match in which it was ahead, half if level."""

    points: float
    matches: int

    @property
    def share(self) -> float:
        return self.points / self.matches


@dataclass(frozen=True, slots=True)
class Meeting:
    """One pairing of a tournament."""

    round: int
    board: int
    entrants: tuple[str, ...]
    """In the order of seats. One: a bye."""
    points: tuple[float, ...]
    """In the same order. Empty until it is done."""
    state: str
    """`planned`, `playing` or `done`."""


@dataclass(frozen=True, slots=True)
class Report:
    kind: str
    """`ladder` or `tournament`."""
    name: str
    title: str
    facts: tuple[tuple[str, str], ...]
    """What it is played by, and how far it is: a word, and what it says."""
    rows: tuple[Row, ...]
    """The best first."""
    games: tuple[Game, ...]
    """All that are over, in the order in which they ended."""
    tie_breaks: tuple[str, ...] = ()
    """What the tie-breaks of the rows are called."""
    histories: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    """By entrant."""
    times: Mapping[str, Times] = field(default_factory=dict)
    timed_matches: int = 0
    """From how many matches the times are; fewer than there are, where all would be too many to fetch."""
    illegal_moves: tuple[IllegalMove, ...] = ()
    """Of those matches, the first ones that were lost so."""
    sprt: Sprt | None = None
    meetings: tuple[Meeting, ...] = ()
    """By round and board; the first ones, where all would be too many."""

    @property
    def rounds(self) -> dict[int, list[Meeting]]:
        """The meetings of each round."""
        found: defaultdict[int, list[Meeting]] = defaultdict(list)
        for meeting in self.meetings:
            found[meeting.round].append(meeting)
        return dict(found)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows)

    @property
    def finishes(self) -> list[Finish[str]]:
        return [finish for game in self.games if (finish := game.finish)]

    def estimates(self) -> dict[str, Estimate]:
        """By all results at once (Bradley and Terry); who has not played has none."""
        return strengths(self.finishes).table()

    def cells(self) -> dict[tuple[str, str], Cell]:
        """For every two who met, what the first scored. Void matches count for nothing, nor do partners."""
        points: defaultdict[tuple[str, str], float] = defaultdict(float)
        matches: Counter[tuple[str, str]] = Counter()
        for finish in self.finishes:
            placed = zip(finish.sides, finish.ranks, strict=True)
            for (ours, mine), (others, theirs) in permutations(placed, 2):
                for pair in ((one, other) for one in ours for other in others):
                    points[pair] += ((mine < theirs) + (mine <= theirs)) / 2
                    matches[pair] += 1
        return {pair: Cell(points[pair], many) for pair, many in matches.items()}

    def ends(self) -> list[tuple[End, int]]:
        """How often matches ended how: played, forfeited, void, and within each the most frequent first."""
        counts = Counter(game.end for game in self.games)
        return sorted(counts.items(), key=lambda it: (KINDS.index(it[0].kind), -it[1], it[0].reason))


KINDS: Sequence[str] = ("played", "forfeited", "void")
"""What is well first."""
