"""Ratings on a ladder (docs/ratings.md), of matches between two players."""

from dataclasses import dataclass, field
from math import exp, hypot, log, sqrt

SCALE = 400 / log(10)
MAX_DEVIATION = 250.0
DAY_MS = 24 * 3600 * 1000

Player = tuple[str, str]
"""A bot and its version."""


@dataclass(frozen=True)
class Rating:
    value: float = 1500.0
    deviation: float = MAX_DEVIATION
    matches: int = 0

    def widened(self, added: float) -> "Rating":
        return Rating(self.value, min(max(MAX_DEVIATION, self.deviation), hypot(self.deviation, added)), self.matches)

    @property
    def lower_bound(self) -> float:
        return self.value - 2 * self.deviation


@dataclass
class Ratings:
    """All ratings, and what their changes depend on besides."""

    known: dict[Player, Rating] = field(default_factory=dict)
    rated_ms: dict[Player, int] = field(default_factory=dict)
    last_version: dict[str, Player] = field(default_factory=dict)
    opponents: dict[str, list[str]] = field(default_factory=dict)
    """The owners of the opponents of each bot, the latest last."""
    active_ms: dict[str, int] = field(default_factory=dict)
    """When each owner was rated last."""

    def now(self, player: Player, at_ms: int) -> Rating:
        """Return a rating at a time; 0: without growth by absence."""
        if player in self.known:
            return self._after_absence(player, at_ms)
        last = self.last_version.get(player[0])
        if last is None:
            return Rating()
        former = self._after_absence(last, at_ms)
        started = former.widened(100 * sqrt(min(1, former.matches / 20)))
        return Rating(started.value, started.deviation)

    def _after_absence(self, player: Player, at_ms: int) -> Rating:
        last_ms = self.rated_ms[player]
        days = at_ms // DAY_MS - last_ms // DAY_MS if last_ms else 0
        return self.known[player].widened(250 * sqrt(days / 365)) if days > 0 else self.known[player]

    def weight(self, players: list[Player], owners: list[str], at_ms: int) -> float:
        active = sum(at_ms - last <= 30 * DAY_MS for last in self.active_ms.values())
        counts = [
            [*self.opponents.get(player[0], []), other][-40:].count(other)
            for player, other in zip(players, reversed(owners), strict=True)
        ]
        return min(1.0, (120 / max(1, active - 1) / max(counts)) ** 3)

    def changes(
        self, players: list[Player], ranks: list[int], weight: float, at_ms: int
    ) -> list[tuple[Rating, Rating]]:
        """Return the rating of each player before and after a match."""
        before = [self.now(player, at_ms) for player in players]
        return [
            (mine, _rated(mine, its, points_of(ranks, place), weight))
            for place, (mine, its) in enumerate(zip(before, reversed(before), strict=True))
        ]

    def add(self, players: list[Player], owners: list[str], after: list[Rating], at_ms: int) -> None:
        for player, other, rating in zip(players, reversed(owners), after, strict=True):
            self.known[player] = rating
            self.rated_ms[player] = at_ms
            self.last_version[player[0]] = player
            self.opponents.setdefault(player[0], []).append(other)
        self.active_ms |= dict.fromkeys(owners, at_ms)

    def start_season(self) -> None:
        for player, rating in self.known.items():
            widened = rating.widened(200)
            self.known[player] = Rating(widened.value, widened.deviation)


def points_of(ranks: list[int], place: int) -> float:
    mine, its = ranks[place], ranks[1 - place]
    return ((mine < its) + (mine <= its)) / 2


def _rated(mine: Rating, its: Rating, points: float, weight: float) -> Rating:
    variance, other = mine.deviation**2 + 5**2, its.deviation**2 + 5**2
    total = sqrt(variance + other + SCALE**2)
    expected = 1 / (1 + exp((its.value - mine.value) / total))
    value = mine.value + variance / total * (points - expected)
    deviation = min(MAX_DEVIATION, sqrt(variance * (1 - variance / total**2 * expected * (1 - expected))))
    weighted = mine.deviation**2 + weight * (deviation**2 - mine.deviation**2)
    return Rating(mine.value + weight * (value - mine.value), sqrt(weighted), mine.matches + 1)
