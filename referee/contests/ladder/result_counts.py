"""All results of a ladder, summed up for the estimate from all results at once.

Each version of a bot is a player, in each season anew: it starts near itself in the last season in which it played, or
near the last version of its bot. Results of the last `SEASONS` seasons count.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt

from referee.contests.ladder.events import MatchCorrected, MatchRated, SeasonStarted
from referee.contests.ladder.rating_replay import counted_match
from referee.contests.ladder.rating_rules import SETTLED_MATCHES
from referee.contests.strength.joint_fit import FieldOfPlayers, JointEstimates, MetSides, fit_field
from referee.contests.strength.rating import SEASON_DEVIATION, VERSION_DEVIATION, SkillRating, pair_weight
from referee.match.setup import Player

SEASONS = 3
"""Number of seasons of which the results count: of those before, little would be left."""

Side = tuple[int, ...]


@dataclass(slots=True)
class _SeasonCounts:
    """Results of one season; its players are numbered from 0."""

    first: int
    """How many players all former seasons have."""
    players: dict[Player, int] = field(default_factory=dict)
    former: "array[int]" = field(default_factory=lambda: array("q"))
    """Number, among those of all seasons, of the player near whom each one starts. -1: there is none."""
    deviations: "array[float]" = field(default_factory=lambda: array("d"))
    matches: "array[int]" = field(default_factory=lambda: array("q"))
    places: dict[tuple[Side, Side], int] = field(default_factory=dict)
    members: "array[int]" = field(default_factory=lambda: array("q"))
    ends: "array[int]" = field(default_factory=lambda: array("q"))
    scores: "array[float]" = field(default_factory=lambda: array("d"))
    played: "array[float]" = field(default_factory=lambda: array("d"))
    drawn: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, side: Side, other: Side, score: float, weight: float) -> None:
        if other < side:
            side, other, score = other, side, 1 - score
        place = self.places.setdefault((side, other), len(self.ends))
        if place == len(self.ends):
            self.members.extend((*side, *(-1 - number for number in other)))
            self.ends.append(len(self.members))
            for sums in (self.scores, self.played, self.drawn):
                sums.append(0.0)
        self.scores[place] += score * weight
        self.played[place] += weight
        self.drawn[place] += weight * (score == 0.5)

    def met(self, base: int) -> MetSides:
        sums = self.scores[:], self.played[:], self.drawn[:]
        return MetSides(self.first - base, self.members[:], self.ends[:], *sums)


class ResultCounts:
    """The results of a ladder so far. Additions take a time that does not grow with their number."""

    def __init__(self) -> None:
        self._seasons = [_SeasonCounts(0)]
        self._last: dict[Player, tuple[int, int]] = {}
        """Season and number of each player when it played last."""
        self._versions: dict[str, Player] = {}
        """The version of each bot that played last."""

    @property
    def current(self) -> int:
        """Number of the current season."""
        return len(self._seasons)

    def add(self, event: MatchRated | SeasonStarted, corrected: MatchCorrected | None = None) -> None:
        """Add an event of the log. `corrected`: the correction of the match that counts."""
        if isinstance(event, SeasonStarted):
            former = self._seasons[-1]
            self._seasons.append(_SeasonCounts(former.first + len(former.players)))
            return
        rated = counted_match(event, corrected)
        if rated is None:
            return
        current, finish = self._seasons[-1], rated.finish
        numbers = {player: self._number(player) for player in finish.players}
        for player, number in numbers.items():  # After all have one: versions of a bot may meet in their first match.
            current.matches[number] += 1
            self._last[player], self._versions[player.bot] = (self.current, number), player
        weight = rated.weight * pair_weight(len(finish.sides))
        for side, other, score in finish.side_pairs():
            current.add(tuple(numbers[each] for each in side), tuple(numbers[each] for each in other), score, weight)

    def size(self, number: int) -> int:
        """Return the number of players on which the estimates of a season depend."""
        return sum(len(each.players) for each in self._seasons[max(0, number - SEASONS) : number])

    def season(self, number: int) -> FieldOfPlayers:
        """Return what the estimates of a season, from 1, follow from."""
        seasons = self._seasons[max(0, number - SEASONS) : number]
        base = seasons[0].first
        former = array("q", (max(-1, player - base) for each in seasons for player in each.former))
        deviations = array("d", (deviation for each in seasons for deviation in each.deviations))
        return FieldOfPlayers(former, deviations, tuple(each.met(base) for each in seasons))

    def ratings(self, number: int, estimates: JointEstimates) -> dict[Player, SkillRating]:
        """Return the estimates of a season by player, without those of players that were added since then.

        Players that have not played in the season have those of the last one, as uncertain as new seasons make them.
        """
        found: dict[Player, SkillRating] = {}
        begin = 0
        for each in self._seasons[max(0, number - SEASONS) : number]:
            found = {player: rating.for_new_season() for player, rating in found.items()}
            of_season = zip(each.players, estimates.values[begin:], estimates.deviations[begin:], strict=False)
            found |= {player: _rounded(value, deviation) for player, value, deviation in of_season}
            begin += len(each.players)
        return found

    def _number(self, player: Player) -> int:
        """Return the number of a player in the current season, which it gets with its first match."""
        current = self._seasons[-1]
        if player not in current.players:
            former, deviation = self._start(player, self.current)
            current.players[player] = len(current.players)
            current.former.append(former)
            current.deviations.append(deviation)
            current.matches.append(0)
        return current.players[player]

    def _start(self, player: Player, season: int) -> tuple[int, float]:
        """Return the number of the player near whom a player starts, among those of all seasons, and how near."""
        former = player if player in self._last else self._versions.get(player.bot)
        if former is None:
            return -1, 0.0
        then, number = self._last[former]
        before = self._seasons[then - 1]
        variance = (season - then) * SEASON_DEVIATION**2
        if former != player:
            variance += VERSION_DEVIATION**2 * min(1.0, before.matches[number] / SETTLED_MATCHES)
        return before.first + number, sqrt(variance)


def _rounded(value: float, deviation: float) -> SkillRating:
    """Return the estimate to a hundredth of an Elo, so that players with equal results have equal values."""
    return SkillRating(round(value, 2), round(deviation, 2))


def estimate_seasons(
    events: Iterable[MatchRated | SeasonStarted], corrections: Mapping[str, MatchCorrected]
) -> list[dict[Player, SkillRating]]:
    """Return the final estimates of each season of a ladder, given its matches and the corrections that count."""
    counts = ResultCounts()
    for event in events:
        counts.add(event, corrections.get(event.match_id) if isinstance(event, MatchRated) else None)
    return [counts.ratings(number, fit_field(counts.season(number))) for number in range(1, counts.current + 1)]
