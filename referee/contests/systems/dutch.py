"""The search for the pairs of a Swiss round by FIDE's Dutch system (C.04.3, B.6 to B.8).

All players are matched at once, by the weights of `criteria`, and so are those that remain after each bracket: what is
decided for a bracket never prevents the rest of the round (C.4). Matchings are updated, not computed from scratch.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, groupby

from referee.contests.systems.criteria import Bye, Criteria, DutchPlayer, RoundRules
from referee.contests.systems.matching import Matching

Weights = dict[tuple[int, int], int]


class Unpairable(Exception):
    """No round without a rematch or a second bye is left."""


def pair_players(players: Iterable[DutchPlayer], rules: RoundRules) -> list[tuple[DutchPlayer, ...]]:
    """Return the pairs, the higher player first, and a bye last. Raises Unpairable."""
    ranked = sorted(players, key=lambda player: (-player.points, player.number))
    pairs = _halves(ranked, rules)
    if pairs is None:
        search = _Search(ranked, rules)
        search.run()
        pairs = search.pairs
    paired = {number for pair in pairs for number in pair}
    byes = [player for number, player in enumerate(ranked) if number not in paired]
    if not all(player.may_have_bye for player in byes):
        raise Unpairable
    return [(ranked[higher], ranked[lower]) for higher, lower in pairs] + [(player,) for player in byes]


def _groups(ranked: Sequence[DutchPlayer]) -> list[list[int]]:
    """Return the numbers of players by points."""
    return [list(group) for _, group in groupby(range(len(ranked)), lambda number: ranked[number].points)]


def _halves(ranked: Sequence[DutchPlayer], rules: RoundRules) -> list[tuple[int, int]] | None:
    """Return the pairs of a first round, which no criterion changes: in each group, the upper half meets the lower one.

    The search would find the same, but its many equal weights make it slow. None: the round must be searched.
    """
    groups = _groups(ranked)
    if rules.played or rules.forbidden or any(len(group) % 2 for group in groups[:-1]):
        return None
    return [
        pair
        for group in groups
        for half in [len(group) // 2]
        for pair in zip(group[:half], group[half : 2 * half], strict=True)
    ]


class _Search:
    """The search for the pairs of one round. Players are numbered by points, then by pairing number."""

    def __init__(self, players: Sequence[DutchPlayer], rules: RoundRules) -> None:
        self.pairs: list[tuple[int, int]] = []
        """Pairs found so far, the higher player first."""
        self._players = players
        self._groups = _groups(players)
        self._criteria = Criteria(rules, [[players[number] for number in group] for group in self._groups])
        self._bits = self._criteria.count_bits
        self._criteria.bye = self._foreseen_bye() if len(players) % 2 else None
        weights = {pair: self._weight(*pair, False, False) for pair in combinations(range(len(players)), 2)}
        self._matching, self._forbidden = self._new_matching(weights)
        self._partner: dict[int, int] = self._matching.solve()
        if not all(weights[pair] for pair in self._partner.items() if pair in weights):
            raise Unpairable
        self._decided: set[int] = set()
        """Players that are paired, or moved down to be paired in the current bracket."""
        self._base: Weights = {}
        """Weights in the current bracket by the criteria alone. 0: forbidden."""

    def run(self) -> None:
        """Find the pairs of one bracket after another."""
        moved_down: list[int] = []
        for residents, below in zip(self._groups, [*self._groups[1:], []], strict=False):
            self._weigh_bracket(moved_down, residents, below)
            self._choose_moved_down(moved_down, residents)
            for player in [player for player in moved_down if player in self._decided]:
                self._pair(player, residents, len(moved_down) + len(residents) + len(below))
            remainder = [player for player in residents if self._partner[player] not in moved_down]
            self._exchange(remainder, residents, below)
            for player in remainder:
                if self._leads(player, residents):
                    self._pair(player, remainder, 0)
            moved_down = [player for player in (*moved_down, *residents) if player not in self._decided]
            if self._criteria.bye and below:
                self._foresee_floats(self._criteria.bye, [*moved_down, *below], self._players[below[0]].points)

    def _foreseen_bye(self) -> Bye:
        """Return the bye as a matching of the whole round gives it (C.5)."""
        players = self._players
        top = players[0].points
        pairs = combinations(range(len(players)), 2)
        weights = {(who, other): self._criteria.bye_weight(players[who], players[other], top) for who, other in pairs}
        partner = self._new_matching(weights)[0].solve()
        points = players[partner[len(players)]].points
        floats = (players[partner[player]].points < top for player in self._groups[0] if partner[player] < len(players))
        candidates = {player.number for player in players if player.may_have_bye and player.points <= points}
        return Bye(candidates, points, floats_alone=points >= top and not any(floats))

    def _foresee_floats(self, bye: Bye, left: Iterable[int], points: float) -> None:
        """Find out whether only the player with the bye floats down from the next bracket, which has these points."""
        partners = [self._partner[player] for player in left]
        floats = any(self._players[partner].points < points for partner in partners if partner < len(self._players))
        bye.floats_alone = bye.points >= points and not floats

    def _weight(self, player: int, other: int, in_bracket: bool, in_next: bool) -> int:
        players = self._players
        return self._criteria.weight(players[player], players[other], in_bracket=in_bracket, in_next=in_next)

    # Matchings.

    def _new_matching(self, weights: Weights) -> tuple[Matching, int]:
        """Return a matching of all players, and the weight of forbidden pairs. The bye is a vertex of its own."""
        count = len(self._players)
        forbidden = -1 << max(weights.values(), default=0).bit_length() + self._bits
        matching = Matching(count + count % 2, forbidden)
        for (vertex, other), weight in weights.items():
            matching.set_weight(vertex, other, weight or forbidden)
        for player in range(count) if count % 2 else ():
            matching.set_weight(player, count, 0)
        return matching, forbidden

    def _set_weight(self, player: int, other: int, weight: int) -> None:
        self._matching.set_weight(player, other, weight or self._forbidden)

    def _solve(self) -> None:
        self._partner |= self._matching.solve()

    def _leads(self, player: int, residents: Collection[int]) -> bool:
        """Return whether the player is matched with a lower one of the same score group."""
        return self._partner[player] > player and self._partner[player] in residents

    def _add(self, player: int, others: Iterable[int], addend: int) -> None:
        """Raise the weights of a player's pairs by a number smaller than any criterion."""
        for other in others:
            weight = self._base[player, other]
            self._set_weight(player, other, weight and weight + addend)

    # A bracket.

    def _weigh_bracket(self, moved_down: Sequence[int], residents: Sequence[int], below: Sequence[int]) -> None:
        self._base = {}
        bracket = [*moved_down, *residents]
        for others, in_next in ((residents, False), (below, True)):
            for other in others:
                for player in (*bracket, *(below if in_next else ())):
                    if player < other:
                        weight = self._weight(player, other, not in_next, in_next)
                        self._base[player, other] = weight
                        self._set_weight(player, other, weight)
        self._solve()

    def _choose_moved_down(self, moved_down: Sequence[int], residents: Sequence[int]) -> None:
        """Decide which players moved down are paired here: of equal points, the first ones for whom it is possible."""
        for _, group in groupby(moved_down, lambda player: self._players[player].points):
            players = list(group)
            to_pair = sum(self._partner[player] in residents for player in players)
            for number, player in enumerate(players):
                if to_pair == 0:
                    break
                if len(players) - number <= to_pair:
                    self._decided.add(player)
                    continue
                if self._partner[player] not in residents:
                    self._add(player, residents, 1)
                    self._solve()
                if self._partner[player] in residents:
                    self._decided.add(player)
                    to_pair -= 1
                    self._add(player, residents, len(residents) + 1)

    def _pair(self, player: int, others: Sequence[int], addend: int) -> None:
        """Pair a player with the first of the others that leaves everything else as good."""
        open_ones = [who for who in others if who > player and who not in self._decided and self._base[player, who]]
        if self._partner[player] != open_ones[0]:
            for more, other in enumerate(reversed(open_ones), start=addend):
                self._set_weight(player, other, self._base[player, other] + more)
            self._solve()
        partner = self._partner[player]
        self._decided |= {player, partner}
        self._matching.remove(player, partner)
        self.pairs.append((player, partner))

    def _exchange(self, remainder: Sequence[int], residents: Collection[int], below: Sequence[int]) -> None:
        """Decide which of the remainder is paired with a lower player: ideally, the upper half (B.6, D.2)."""
        half = sum(self._partner[player] < player for player in remainder)
        addends = [((rank < half) << 2 * self._bits) - rank << 1 for rank in range(len(remainder))]
        for rank, player in enumerate(remainder):
            self._add(player, remainder[rank + 1 :], addends[rank])
        self._solve()
        exchanges = sum(not self._leads(player, residents) for player in remainder[:half])
        self._exchange_down(remainder, residents, addends[:half], exchanges)
        self._exchange_up(remainder, residents, below, addends, half, exchanges)
        for player, other in combinations(remainder, 2):
            if not self._leads(player, residents) or self._leads(other, residents):
                self._base[player, other] = 0
            self._set_weight(player, other, self._base[player, other])

    def _exchange_down(
        self, remainder: Sequence[int], residents: Collection[int], addends: Sequence[int], exchanges: int
    ) -> None:
        """Decide which of the upper half gives up its place: the lowest ones for whom it is possible."""
        for rank in reversed(range(len(addends))):
            if not exchanges:
                break
            player, lower = remainder[rank], remainder[rank + 1 :]
            if self._leads(player, residents):
                self._add(player, lower, addends[rank] - 1)
                self._solve()
            if not self._leads(player, residents):
                exchanges -= 1
                self._base |= {(player, other): 0 for other in lower}
            self._add(player, lower, addends[rank])

    def _exchange_up(
        self,
        remainder: Sequence[int],
        residents: Collection[int],
        below: Sequence[int],
        addends: Sequence[int],
        half: int,
        exchanges: int,
    ) -> None:
        """Decide which of the lower half takes those places: the highest ones. The last one follows from the others."""
        for rank in range(half, len(remainder)):
            if exchanges < 2:
                break
            player, lower = remainder[rank], remainder[rank + 1 :]
            if not self._leads(player, residents):
                self._add(player, lower, addends[rank] + 1)
                self._solve()
            if self._leads(player, residents):
                exchanges -= 1
                for pair in (*((other, player) for other in remainder[:rank]), *((player, other) for other in below)):
                    self._base[pair] = 0
                    self._set_weight(*pair, 0)
            self._add(player, lower, addends[rank])
