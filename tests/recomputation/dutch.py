"""Pairs a round of a Swiss tournament by FIDE's Dutch system (C.04.3, in force since 1 February 2026).

It covers tournaments with an even number of players who play every round. The pairs of each bracket come from matchings
of maximum weight: all criteria are the digits of one large number, the most important one first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import networkx  # type: ignore[import-untyped]

BASE = 1 << 14
"""Base of the digits of a weight. The sum of one digit over all pairs stays far below it."""
UP, DOWN, LEVEL = 1, -1, 0


@dataclass
class SwissPlayer:
    name: str
    number: int
    """Pairing number, from 1."""
    points: float = 0.0
    colours: list[int] = field(default_factory=list)
    """0 for the first move (white), by round."""
    opponents: list[str] = field(default_factory=list)
    floats: list[int] = field(default_factory=list)

    @property
    def rank(self) -> tuple[float, int]:
        """Sort key, the highest player first."""
        return -self.points, self.number

    @property
    def difference(self) -> int:
        """The colour difference: how often white, less how often black."""
        return len(self.colours) - 2 * sum(self.colours)

    @property
    def repeats(self) -> int | None:
        """The colour of the last two rounds, if it was the same."""
        return self.colours[-1] if len(self.colours) > 1 and self.colours[-1] == self.colours[-2] else None

    @property
    def preference(self) -> int | None:
        if self.repeats is not None and abs(self.difference) < 2:
            return 1 - self.repeats
        if self.difference:
            return 1 if self.difference > 0 else 0
        return 1 - self.colours[-1] if self.colours else None

    @property
    def strength(self) -> int:
        """3 for an absolute preference, 2 for a strong one, 1 for a mild one."""
        if abs(self.difference) > 1 or self.repeats is not None:
            return 3
        return 2 if self.difference else 1 if self.colours else 0

    def floated(self, rounds_ago: int) -> int:
        return self.floats[-rounds_ago] if len(self.floats) >= rounds_ago else LEVEL


class Incomplete(Exception):
    """No pairing of the round satisfies the absolute criteria."""


Pair = tuple[SwissPlayer, SwissPlayer]
"""The higher player first."""


class Round:
    """The pairing of one round."""

    def __init__(self, players: Iterable[SwissPlayer], rounds: int) -> None:
        self.players = sorted(players, key=lambda player: player.rank)
        played = len(self.players[0].colours)
        self.topscorers = {who.name for who in self.players if played == rounds - 1 and who.points > played / 2}
        self.pairs: list[Pair] = []
        self.left = list(self.players)
        """Players that are not paired yet."""

    def pair(self) -> list[Pair]:
        moved_down: list[SwissPlayer] = []
        groups = [list(group) for _, group in groupby(self.players, lambda player: player.points)]
        for place, residents in enumerate(groups):
            below = groups[place + 1] if place + 1 < len(groups) else []
            before = len(self.pairs)
            Bracket(self, moved_down, residents, below).pair()
            paired = {player.name for pair in self.pairs[before:] for player in pair}
            moved_down = [player for player in (*moved_down, *residents) if player.name not in paired]
        return self.pairs

    def may_meet(self, player: SwissPlayer, other: SwissPlayer) -> bool:
        """C.1 and C.3."""
        if other.name in player.opponents:
            return False
        both_absolute = player.strength == other.strength == 3 and player.preference == other.preference
        return not both_absolute or not self.topscorers.isdisjoint({player.name, other.name})

    def remove(self, pair: Pair) -> None:
        self.pairs.append(pair)
        self.left = [player for player in self.left if player not in pair]


class Bracket:
    def __init__(
        self, of: Round, moved_down: list[SwissPlayer], residents: list[SwissPlayer], below: list[SwissPlayer]
    ) -> None:
        self.round = of
        self.moved_down, self.residents, self.below = moved_down, residents, below
        self.inside = {player.name for player in (*moved_down, *residents)}
        self.resident_names = {player.name for player in residents}
        self.next_names = {player.name for player in below}
        self.scores = sorted({player.points for player in (*moved_down, *residents, *below)}, reverse=True)
        self.forbidden: set[tuple[str, str]] = set()
        self.bonus: dict[tuple[str, str], tuple[int, ...]] = {}
        """Digits below all criteria, by pair."""

    def pair(self) -> None:
        """Find the pairs of this bracket."""
        self._pair_moved_down()
        remainder = [player for player in self.residents if player in self.round.left]
        self._choose_leaders(remainder)
        for player in remainder:
            if player in self.round.left and self._leads(player):
                self._pair_with_first(player, remainder)

    # The matching.

    def _digits(self, player: SwissPlayer, other: SwissPlayer) -> list[int]:
        """Return how much a pair contributes to each criterion, the most important one first."""
        inside = player.name in self.inside and other.name in self.resident_names
        in_next = other.name in self.next_names and player.name in self.inside | self.next_names
        meets_lower = player.points > other.points
        counts: list[int] = []
        distances: list[int] = []
        for ago in (1, 2):
            again_up = meets_lower and other.floated(ago) == UP
            again_down = [who for who in (player, other) if who.floated(ago) == DOWN]
            counts += [sum(who.name in self.resident_names for who in again_down), -int(again_up)]  # C.14 to C.17
            distances += self._by_score(who for who in again_down if who.name not in self.resident_names)  # C.18, C.20
            distances += [-count for count in self._by_score([player] if again_up else [])]  # C.19, C.21
        inner = [*self._colours(player, other), *counts, *distances]
        return [
            int(inside),  # C.6
            *self._by_score((player, other) if inside else ()),  # C.7
            int(in_next),  # C.8
            *self._by_score(who for who in (player, other) if in_next),
            *(inner if inside else [0] * len(inner)),
        ]

    def _by_score(self, players: Iterable[SwissPlayer]) -> list[int]:
        points = [player.points for player in players]
        return [points.count(score) for score in self.scores]

    @staticmethod
    def _colours(player: SwissPlayer, other: SwissPlayer) -> list[int]:
        """C.10 to C.13, as what is lost."""
        if player.preference is None or player.preference != other.preference:
            return [0, 0, 0, 0]
        both_absolute = player.strength == other.strength == 3
        unbalanced = both_absolute and abs(player.difference) > 1 and abs(other.difference) > 1
        loser = min(player, other, key=lambda who: abs(who.difference))
        if abs(player.difference) == abs(other.difference):
            third = both_absolute and player.repeats is not None and player.repeats == other.repeats
        else:
            third = both_absolute and loser.repeats is not None and loser.repeats != player.preference
        strong = player.strength > 1 and other.strength > 1 and not both_absolute
        return [-int(unbalanced), -int(third), -1, -int(strong)]

    def _solve(self) -> dict[str, SwissPlayer]:
        """Return the partner of each player that is left, in the best matching."""
        graph = networkx.Graph()
        width = max((len(extra) for extra in self.bonus.values()), default=0)
        left = self.round.left
        for place, player in enumerate(left):
            for other in left[place + 1 :]:
                if self._is_allowed(player, other):
                    digits = [*self._digits(player, other), *self.bonus.get((player.name, other.name), (0,) * width)]
                    graph.add_edge(player.name, other.name, weight=_number(digits))
        by_name = {player.name: player for player in left}
        found = networkx.max_weight_matching(graph, maxcardinality=True)
        partners = {name: by_name[other] for pair in found for name, other in (pair, pair[::-1])}
        if len(partners) < len(left):
            raise Incomplete
        return partners

    def _is_allowed(self, player: SwissPlayer, other: SwissPlayer) -> bool:
        both_moved = {player.name, other.name} <= self.inside - self.resident_names
        return not both_moved and (player.name, other.name) not in self.forbidden and self.round.may_meet(player, other)

    # The order of the candidates.

    def _pair_moved_down(self) -> None:
        """Pair as many moved-down players as are paired in the best candidates: the highest, with the first."""
        chosen: list[SwissPlayer] = []
        for player in self.moved_down:
            self.bonus = {(earlier.name, other.name): (1, 0) for earlier in chosen for other in self.residents}
            self.bonus |= {(player.name, other.name): (0, 1) for other in self.residents}
            if self._solve()[player.name].name in self.resident_names:
                chosen.append(player)
        for player in chosen:
            rest = chosen[chosen.index(player) + 1 :]
            self._pair_with_first(player, self.residents, rest)
        self.bonus = {}
        for player in self.moved_down:
            if player in self.round.left:
                self.forbidden |= {(player.name, other.name) for other in self.residents}

    def _pair_with_first(
        self, player: SwissPlayer, others: Sequence[SwissPlayer], chosen: Sequence[SwissPlayer] = ()
    ) -> None:
        """Pair a player with the first one with whom all else remains as good; `chosen` are to be paired here too."""
        open_ones = [other for other in others if other in self.round.left and other is not player]
        self.bonus = {(later.name, other.name): (1, 0) for later in chosen for other in self.residents}
        self.bonus |= {(player.name, other.name): (1, len(open_ones) - place) for place, other in enumerate(open_ones)}
        partner = self._solve()[player.name]
        self.bonus = {}
        self.round.remove((player, partner))

    def _choose_leaders(self, remainder: list[SwissPlayer]) -> None:
        """Decide who is the higher player of a pair: the upper half, or else by the least exchanges (D.2).

        What is decided is fixed by forbidding all other pairs.
        """
        names = {player.name for player in remainder}
        partners = self._solve()
        pairs = sum(partners[player.name].name in names for player in remainder) // 2
        upper, lower = remainder[:pairs], remainder[pairs:]

        def leading(extra: dict[str, int]) -> dict[str, bool]:
            """Return who leads a pair in the best candidate; `extra` are wishes below the number of exchanges."""
            self.bonus = {
                (player.name, other.name): (int(player in upper), -place, extra.get(player.name, 0))
                for place, player in enumerate(remainder)
                for other in remainder[place + 1 :]
            }
            found = self._solve()
            return {who.name: found[who.name].name in names and found[who.name].rank > who.rank for who in remainder}

        wishes: dict[str, int] = {}
        leads = leading({})
        for player in [*reversed(upper), *lower]:
            if sum(not leads[who.name] for who in upper) == 0:
                break
            wish = -1 if player in upper else 1
            if leads[player.name] == (wish < 0):
                tried = leading({**wishes, player.name: wish})
                if tried[player.name] == (wish > 0):
                    leads = tried
            self._fix(player, leads[player.name], remainder)
        for player in remainder:
            self._fix(player, leads[player.name], remainder)
        self.bonus = {}
        self.leads = leads

    def _fix(self, player: SwissPlayer, leads: bool, remainder: list[SwissPlayer]) -> None:
        """Allow only pairs in which the player leads, or only others."""
        for other in remainder:
            if (other.rank > player.rank) != leads and other is not player:
                self.forbidden.add((player.name, other.name) if other.rank > player.rank else (other.name, player.name))

    def _leads(self, player: SwissPlayer) -> bool:
        return self.leads[player.name]


def _number(digits: Sequence[int]) -> int:
    number = 0
    for digit in digits:
        number = number * BASE + digit
    return number


def seat(pair: Pair, first_colour: int) -> tuple[str, str]:
    """Return who has the first move, and who has not (E). `first_colour`: 0 if the first player prefers it."""
    higher, other = pair
    return (higher.name, other.name) if _colour_of(higher, other, first_colour) == 0 else (other.name, higher.name)


def _colour_of(higher: SwissPlayer, other: SwissPlayer, first_colour: int) -> int:
    """Return the colour of the higher player."""
    if higher.preference is None and other.preference is None:
        return first_colour if higher.number % 2 else 1 - first_colour
    if higher.preference is None or other.preference is None or higher.preference != other.preference:
        return higher.preference if higher.preference is not None else 1 - int(other.preference or 0)
    mine = (higher.strength, abs(higher.difference) if higher.strength == 3 else 0)
    its = (other.strength, abs(other.difference) if other.strength == 3 else 0)
    if mine != its:
        return higher.preference if mine > its else 1 - higher.preference
    for last, last_other in zip(reversed(higher.colours), reversed(other.colours), strict=True):
        if last != last_other:
            return 1 - last
    return higher.preference


def board_order(pair: Pair) -> tuple[float, float, int]:
    """Sort key of boards: the points of the higher player, the sum of the points, the number of the higher player."""
    higher, other = pair
    return -higher.points, -(higher.points + other.points), higher.number
