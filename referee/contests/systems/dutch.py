"""The Dutch engine of `caissify_pairings`, with matchings that are updated instead of computed from scratch.

For nearly every board, the library computes a matching of all entrants with networkx: O(n^4) in pure Python. Weights of
pairs (criteria C.5 to C.19) and everything else are left to the library; only the search of a bracket is replaced
(C.04.3, B.6 to B.8). It selects the same pairs, because they do not depend on which of several best matchings is found.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import combinations, groupby
from typing import Any

from caissify_pairings.engines.dutch import DutchEngine as LibraryEngine
from caissify_pairings.engines.dutch import DutchPlayer
from caissify_pairings.engines.dutch import logger as library_logger

from referee.contests.systems.matching import Matching

# The library warns of rounds without a solution. They are no fault: `swiss` checks every round, and the play ends.
library_logger.disabled = True

Pair = tuple[DutchPlayer, DutchPlayer]
Weights = dict[tuple[int, int], int]


class DutchEngine(LibraryEngine):
    """Pairs a round in O(n^3), as the library does, except for the order of two criteria."""

    forbidden: Collection[tuple[int, ...]] = ()
    """Pairs of numbers, the lower one first, that must not be paired although they have not met."""

    def _can_pair(self, p1: DutchPlayer, p2: DutchPlayer) -> bool:
        pair = (min(p1.id, p2.id), max(p1.id, p2.id))
        return pair not in self.forbidden and bool(super()._can_pair(p1, p2))

    def _pair_iterative_mwm(
        self, all_players: list[DutchPlayer], bye_candidates: set[int] | None = None
    ) -> tuple[list[Pair], list[DutchPlayer]]:
        """Return the pairs, and the players left without an opponent."""
        players = sorted(all_players, key=lambda it: (-it.score, it.pairing_number))
        search = _Search(self, players, bye_candidates or set())
        if not search.possible:
            found: tuple[list[Pair], list[DutchPlayer]] = super()._pair_iterative_mwm(all_players, bye_candidates)
            return found
        search.run()
        paired = {it for pair in search.pairs for it in pair}
        left = [player for number, player in enumerate(players) if number not in paired]
        return [(players[one], players[other]) for one, other in search.pairs], left


class _Search:
    """The search for the pairs of one round. Players are numbered by points, then by pairing number."""

    def __init__(self, engine: DutchEngine, players: Sequence[DutchPlayer], bye_candidates: set[int]) -> None:
        self.pairs: list[tuple[int, int]] = []
        """Pairs found so far, the higher player first."""
        self._engine = engine
        self._players = players
        self._bits = max(8, len(players).bit_length() + 3)
        """Width in bits of the fields of a weight that hold counts, as in the library."""
        self._groups = [list(group) for _, group in groupby(range(len(players)), lambda it: players[it].score)]
        self._terms = self._score_terms()
        if len(players) % 2:
            self._terms |= self._bye_terms(bye_candidates)
        weights = {pair: self._weight(*pair, False, False) for pair in combinations(range(len(players)), 2)}
        self._matching, self._forbidden = self._new_matching(weights)
        self._partner: dict[int, int] = self._matching.solve()
        self.possible = all(weights[pair] for pair in self._partner.items() if pair in weights)
        """Whether all players can be paired without breaking an absolute criterion."""
        self._decided: set[int] = set()
        """Players that are paired, or moved down to be paired in the current bracket."""
        self._base: Weights = {}
        """Weights in the current bracket by the criteria alone. 0: forbidden."""

    def run(self) -> None:
        """Find the pairs of one bracket after another."""
        moved_down: list[int] = []
        for residents, below in zip(self._groups, [*self._groups[1:], []], strict=True):
            self._weigh_bracket(moved_down, residents, below)
            self._choose_moved_down(moved_down, residents)
            for player in [it for it in moved_down if it in self._decided]:
                self._pair(player, residents, len(moved_down) + len(residents) + len(below))
            remainder = [it for it in residents if self._partner[it] not in moved_down]
            self._exchange(remainder, residents, below)
            for player in remainder:
                if self._leads(player, residents):
                    self._pair(player, remainder, 0)
            moved_down = [it for it in (*moved_down, *residents) if it not in self._decided]
            if len(self._players) % 2 and below:
                self._find_single_downfloater([*moved_down, *below], self._players[below[0]].score)

    # The weights of pairs.

    def _score_terms(self) -> dict[str, Any]:
        """Return the weight terms that separate score groups."""
        shifts: dict[float, int] = {}
        total = 0
        for group in reversed(self._groups):
            shifts[self._players[group[0]].score] = total
            total += len(group).bit_length()
        return {
            "score_group_shifts": shifts,
            "score_groups_shift": total,
            "score_group_size_bits": max(map(len, self._groups), default=1).bit_length(),
        }

    def _bye_terms(self, candidates: Collection[int]) -> dict[str, Any]:
        """Return the weight terms of the bye: the candidates (C.5) and their unplayed games (C.9)."""
        players, shifts = self._players, self._terms["score_group_shifts"]
        top = players[0].score
        weights: Weights = {}
        for pair in combinations(range(len(players)), 2):
            one, other = (players[it] for it in pair)
            weight = 1 + (one.id not in candidates) + (other.id not in candidates)
            weight = weight << self._terms["score_groups_shift"] | shifts[one.score] + shifts[other.score]
            weight = weight << self._terms["score_group_size_bits"] | (other.score >= top)
            weights[pair] = weight if self._engine._can_pair(one, other) else 0
        matching, _ = self._new_matching(weights)
        partner = matching.solve()
        points = players[partner[len(players)]].score
        floats = (players[partner[it]].score < top for it in self._groups[0] if partner[it] < len(players))
        games = sorted((len(it.opponents) for it in players if it.score == points), reverse=True)
        return {
            "bye_candidates": {it.id for it in players if it.id in candidates and it.score <= points},
            "bye_assignee_score": points,
            "is_single_downfloater_bye_assignee": points >= top and not any(floats),
            "unplayed_game_ranks": {count: rank for rank, count in enumerate(games)},
        }

    def _find_single_downfloater(self, left: Iterable[int], points: float) -> None:
        """Update the weight term for the case that only the player with the bye floats from the next bracket (C.9)."""
        partners = [self._partner[it] for it in left]
        floats = any(self._players[it].score < points for it in partners if it < len(self._players))
        here = self._terms["bye_assignee_score"] >= points
        self._terms["is_single_downfloater_bye_assignee"] = here and not floats

    def _weight(self, one: int, other: int, in_bracket: bool, in_next: bool) -> int:
        """Return how well a pair satisfies the criteria."""
        weight: int = self._engine._compute_bracket_edge_weight(
            self._players[one], self._players[other], bracket_score=0.0, n=len(self._players),
            s1_ids=set(), s2_ids=set(), s1_pos={}, s2_pos={}, s_len=0,
            in_current_bracket=in_bracket, in_next_bracket=in_next, **self._terms,
        )  # fmt: skip
        played = int(self._engine.round_number) - 1
        points_bits = int(self._terms["score_groups_shift"])
        return put_pairs_before_points(weight, played, self._bits, points_bits) if weight else weight

    # Matchings.

    def _new_matching(self, weights: Weights) -> tuple[Matching, int]:
        """Return a matching of all players, and the weight of forbidden pairs. The bye is a vertex of its own."""
        count = len(self._players)
        forbidden = -1 << max(weights.values(), default=0).bit_length() + self._bits
        matching = Matching(count + count % 2, forbidden)
        for (one, other), weight in weights.items():
            matching.set_weight(one, other, weight or forbidden)
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
        for _, group in groupby(moved_down, lambda it: self._players[it].score):
            players = list(group)
            to_pair = sum(self._partner[it] in residents for it in players)
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
        open_ones = [it for it in others if it > player and it not in self._decided and self._base[player, it]]
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
        half = sum(self._partner[it] < it for it in remainder)
        addends = [((rank < half) << 2 * self._bits) - rank << 1 for rank in range(len(remainder))]
        for rank, player in enumerate(remainder):
            self._add(player, remainder[rank + 1 :], addends[rank])
        self._solve()
        exchanges = sum(not self._leads(it, residents) for it in remainder[:half])
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
                for pair in (*((it, player) for it in remainder[:rank]), *((player, it) for it in below)):
                    self._base[pair] = 0
                    self._set_weight(*pair, 0)
            self._add(player, lower, addends[rank])


def put_pairs_before_points(weight: int, played: int, bits: int, points_bits: int) -> int:
    """Return the weight with the number of pairs in a bracket (C.6) above their points (C.7), and so in the next.

    The library has them the other way round: to pair a player moved down, it moves several others down.
    """
    later_bits = 9 * bits + 1 + min(played, 2) * 2 * (points_bits + bits)
    later = weight & (1 << later_bits) - 1
    fields = weight >> later_bits
    ordered, shift = 0, 0
    for _ in ("next bracket", "this bracket"):
        pairs = fields & (1 << bits) - 1
        points = fields >> bits & (1 << points_bits) - 1
        ordered |= (pairs << points_bits | points) << shift
        fields >>= bits + points_bits
        shift += bits + points_bits
    return (fields << shift | ordered) << later_bits | later
