"""The estimates of a ladder from all its results (docs/ratings.md), of matches between two players."""

from collections import defaultdict
from dataclasses import dataclass, field
from math import exp, pi, sqrt

from tests.recomputation.rating_updates import SCALE, Player, Rating

Node = tuple[int, Player]
"""A season, and a player in it."""


@dataclass
class Results:
    """All results so far."""

    season: int = 1
    starts: dict[Node, tuple[Node | None, float]] = field(default_factory=dict)
    """The former player of each, and the variance of their difference in Elo."""
    matches: defaultdict[Node, int] = field(default_factory=lambda: defaultdict(int))
    last_season: dict[Player, int] = field(default_factory=dict)
    last_version: dict[str, Player] = field(default_factory=dict)
    games: list[tuple[Node, Node, float, float]] = field(default_factory=list)
    """Both players, the points of the first, and the weight."""

    def add(self, players: list[Player], points: float, weight: float) -> None:
        nodes = [(self.season, player) for player in players]
        for node in nodes:
            self.starts.setdefault(node, self._start(node[1]))
        for node in nodes:
            self.matches[node] += 1
            self.last_season[node[1]] = self.season
            self.last_version[node[1][0]] = node[1]
        self.games.append((nodes[0], nodes[1], points, weight))

    def _start(self, player: Player) -> tuple[Node | None, float]:
        former = player if player in self.last_season else self.last_version.get(player[0])
        if former is None:
            return None, 0.0
        node = self.last_season[former], former
        variance = 200.0**2 * (self.season - node[0])
        if former != player:
            variance += 100.0**2 * min(1.0, self.matches[node] / 20)
        return node, variance

    def estimates(self, season: int) -> dict[Player, tuple[float, float]]:
        """Return the value and deviation of each player of a season."""
        first = max(1, season - 2)
        nodes = [node for node in self.starts if first <= node[0] <= season]
        place = {node: number for number, node in enumerate(nodes)}
        games = [(place[a], place[b], points * w, w) for a, b, points, w in self.games if a in place and b in place]
        drawn = sum(w for a, b, points, w in self.games if a in place and points == 0.5)
        deviation, factor, shrunk = 600.0, 1.0, [1.0] * len(games)
        values: list[float] = []
        covariance: list[list[float]] = []
        for _ in range(8):
            known, roots = self._known(nodes, deviation)
            counted = [(a, b, won / factor, w / factor, cut) for (a, b, won, w), cut in zip(games, shrunk, strict=True)]
            values, covariance = _most_likely(known, counted)
            observed = sum(1 - covariance[root][root] * (SCALE / deviation) ** 2 for root in roots)
            squares = sum((SCALE * values[root]) ** 2 for root in roots)
            deviation = min(600.0, sqrt((squares + 2 * 350**2) / (observed + 2)))
            varied = 0.0
            for number, (a, b, _, played) in enumerate(games):
                p = _chance(shrunk[number] * (values[a] - values[b]))
                varied += played * p * (1 - p)
                variance = covariance[a][a] + covariance[b][b] - 2 * covariance[a][b]
                shrunk[number] = 1 / sqrt(1 + pi * variance / 8)
            factor = max(0.02, 1 - drawn / 4 / (varied + 0.25))
        sums = [sum(row) / len(nodes) for row in covariance]
        found: dict[Player, tuple[float, float]] = {}
        for number, (played, player) in enumerate(nodes):
            variance = covariance[number][number] - 2 * sums[number] + sum(sums) / len(nodes)
            rating = Rating(round(1500 + SCALE * values[number], 2), round(SCALE * sqrt(variance), 2))
            for _ in range(season - played):
                rating = rating.widened(200)
            found[player] = rating.value, rating.deviation
        return found

    def _known(self, nodes: list[Node], deviation: float) -> tuple[list[list[float]], list[int]]:
        """Return the information of the priors, and the places of players without a former one."""
        known, roots = [[0.0] * len(nodes) for _ in nodes], []
        place = {node: number for number, node in enumerate(nodes)}
        for node, i in place.items():
            former, variance = self.starts[node]
            if former is None or former not in place:
                known[i][i] += (SCALE / deviation) ** 2
                roots.append(i)
                continue
            j, information = place[former], SCALE**2 / variance
            known[i][i] += information
            known[j][j] += information
            known[i][j] -= information
            known[j][i] -= information
        return known, roots


def _chance(lead: float) -> float:
    return 1 / (1 + exp(-lead))


def _most_likely(
    known: list[list[float]], games: list[tuple[int, int, float, float, float]]
) -> tuple[list[float], list[list[float]]]:
    """Return the best strengths, and the inverse of the information. A game ends with its factor of leads."""
    values = [0.0] * len(known)
    while True:
        slopes = [-sum(each * value for each, value in zip(row, values, strict=True)) for row in known]
        information = [[*row] for row in known]
        for a, b, won, played, shrunk in games:
            p = _chance(shrunk * (values[a] - values[b]))
            slopes[a] += won - played * p
            slopes[b] -= won - played * p
            for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                information[i][j] += sign * shrunk * played * p * (1 - p)
        inverse = _inverse(information)
        step = [sum(each * slope for each, slope in zip(row, slopes, strict=True)) for row in inverse]
        largest = max(map(abs, step), default=0.0)
        if largest < 1e-9:
            return values, inverse
        values = [value + change / max(1, largest) for value, change in zip(values, step, strict=True)]


def _inverse(matrix: list[list[float]]) -> list[list[float]]:
    """Return the inverse of a positive definite matrix, by Gauss and Jordan."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = rows[i] = [value / rows[i][i] for value in rows[i]]
        for j, row in enumerate(rows):
            if j != i and row[i]:
                factor = row[i]
                rows[j] = [value - factor * its for value, its in zip(row, pivot, strict=True)]
    return [row[size:] for row in rows]
