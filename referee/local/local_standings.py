"""Standings over all games of an arena or of a run of the lab. Void matches do not count."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from referee_values import ForfeitCause

from referee.accounts.names import natural_key
from referee.contests.strength.elo import score_interval
from referee.match.result import share_of_points


@dataclass(frozen=True, slots=True)
class MatchFinish:
    """What counts of one match."""

    label: str
    """Label of the game."""
    seats: tuple[str, ...]
    """Names of the bots, by seat; a bot may have several."""
    ranks: tuple[int, ...]
    """Ranks by seat. Empty if the match was void."""
    side_ranks: tuple[int, ...]
    faults: Counter[tuple[str, ForfeitCause]]
    """Number of flag falls, illegal moves and absences of each bot."""
    repeated: bool = False
    """Whether it repeats all moves of an earlier match from the same seats."""


@dataclass(slots=True)
class LocalStanding:
    """Totals of one bot."""

    name: str
    played: int = 0
    points: float = 0.0
    games: list[float] = field(default_factory=list)
    """Points in each different game; a match that repeats all moves of another is no further evidence."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    faults: Counter[ForfeitCause] = field(default_factory=Counter)
    points_in: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """Points by the label of the game."""

    @property
    def score(self) -> float:
        """Points per match, from 0 to 1."""
        return self.points / self.played

    @property
    def bounds(self) -> tuple[float, float]:
        """95 % interval of the expected score, in which repeated games count once."""
        low, high = score_interval(self.games)
        return min(self.score, low), max(self.score, high)

    def take(self, label: str, points: float, repeated: bool) -> None:
        self.played += 1
        self.points += points
        self.points_in[label] += points
        if not repeated:
            self.games.append(points)


def standings(bots: Iterable[str], finishes: Iterable[MatchFinish]) -> list[LocalStanding]:
    """Return a row for each bot, best first."""
    rows = {name: LocalStanding(name) for name in bots}
    for finish in finishes:
        for (name, fault), many in finish.faults.items():
            rows[name].faults[fault] += many
        if finish.ranks:
            _score(rows, finish)
    return sorted(rows.values(), key=lambda row: (-row.score if row.played else 0.0, natural_key(row.name)))


def points(finish: MatchFinish) -> dict[str, float]:
    """Return the points of each bot: its side's share by rank, regardless of the game's own scores."""
    return {
        name: share_of_points(finish.side_ranks, rank) for name, rank in zip(finish.seats, finish.ranks, strict=True)
    }


def _score(rows: dict[str, LocalStanding], finish: MatchFinish) -> None:
    first_alone = finish.side_ranks.count(1) == 1
    ranks = dict(zip(finish.seats, finish.ranks, strict=True))
    for name, got in points(finish).items():
        row = rows[name]
        row.take(finish.label, got, finish.repeated)
        row.won += ranks[name] == 1 and first_alone
        row.drawn += ranks[name] == 1 and not first_alone
        row.lost += ranks[name] != 1
