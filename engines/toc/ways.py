"""The uses of cards: every way to use those of a hand for the pawns of one colour."""

from typing import Final

from engines.toc.cards import ACE, COUNTS, FOUR, JACK, KING, RANKS, SEVEN
from engines.toc.moves import CARD_BITS, KILLS_SHIFT, START_SHIFT, SWAP, parts_of, way
from engines.toc.places import (
    AHEAD,
    AHEAD_BITS,
    BACK,
    BITS,
    CORRIDOR,
    DEPTH,
    H1,
    ON_RING,
    RESERVE,
    RING,
    START_CELLS,
    STARTS,
    WAY,
    places_in,
    reserve,
)
from engines.toc.seven import divided
from engines.toc.track import Track
from engines.toc.walker import Walker

ONLY_COUNTS: Final = tuple(rank not in (ACE, FOUR, SEVEN, JACK, KING) for rank in range(len(RANKS)))
"""Whether cards of a rank are only used to go forward, by rank."""
FORWARD: Final = tuple(tuple(way(cell, ahead[cell]) for cell in range(RING)) for ahead in AHEAD)
"""The way forward on the ring, by number of steps and ring cell."""
OFF_STARTS: Final = ON_RING & ~START_CELLS


class Ways:
    """The ways to use cards on a given track."""

    __slots__ = ("_cells", "_colour", "_inside", "_track", "_walker")

    def __init__(self, track: Track, colour: int) -> None:
        self._track = track
        self._colour = colour
        pawns = track.pawns[colour]
        self._cells = places_in(pawns & ON_RING)
        self._inside = pawns >> H1
        """The corridor places of the pawns in the corridor, as a set of which H1 is the lowest bit."""
        self._walker = Walker(track, colour)

    def of(self, hand: int) -> list[int]:
        """Return every way to use each card of a hand, without duplicates."""
        walker = self._walker
        to_branch, barred, blocks = walker.to_branch, walker.barred, walker.blocks
        cells = self._cells
        found: list[int] = []
        rank, begun, earlier = -1, 0, 0
        while hand:
            low = hand & -hand
            hand ^= low
            card = low.bit_length() - 1
            if card >> 2 == rank:
                # A card of the same rank has the same ways, with its own number in the lowest bits.
                other = earlier ^ card
                uses = found[begun:]
                begun, earlier = len(found), card
                found += [use ^ other for use in uses]
                continue
            rank, begun, earlier = card >> 2, len(found), card
            for steps in COUNTS[rank]:
                ahead, over, ways = AHEAD_BITS[steps], WAY[steps - 1], FORWARD[steps]
                for place in cells:
                    if 0 < steps - to_branch[place] <= DEPTH:
                        found += [way(place, to) | card for to in walker.ends(place, steps)]
                    # The same as `ends`, written out because most pawns are far from their corridor.
                    elif not (ahead[place] & barred or blocks & over[place]):
                        found.append(ways[place] | card)
                if self._inside and steps < DEPTH:
                    found += [use | card for use in self._deeper(steps)]
            if not ONLY_COUNTS[rank]:
                self._add_others(rank, card, found, begun)
        return found

    def _deeper(self, steps: int) -> list[int]:
        """Return the ways forward in the corridor."""
        ends = [(place, self._walker.home(place, steps)) for place in CORRIDOR[self._inside]]
        return [way(place, to) for place, to in ends if to >= 0]

    def _add_others(self, rank: int, card: int, found: list[int], begun: int) -> None:
        """Add the ways to use a card other than to go forward with one pawn, which are those from index `begun` on."""
        if rank == FOUR:
            found += [use | card for use in self._four_back()]
        elif rank == SEVEN:
            places = [*self._cells, *CORRIDOR[self._inside]]
            found += [use | card for use in divided(self._track, self._colour, places)]
            if self._track.rules.seven_kills_optional:
                found[begun:] = [killing for use in found[begun:] for killing in self._killing(use)]
        elif rank == JACK:
            found += [use | card for use in self._swaps()]
        elif self._may_start():
            found.append(way(RESERVE, STARTS[self._colour]) | card)

    def _killing(self, use: int) -> list[int]:
        """Return the same 7 with each choice of the enemy pawns that it passes."""
        found = [use]
        for place in places_in(self._track.passed_enemies(self._colour, parts_of(use))):
            found += [killing | BITS[place] << KILLS_SHIFT for killing in found]
        return found

    def _may_start(self) -> bool:
        """Return whether a pawn is in the reserve and may start, which does not depend on what landing kills."""
        track, colour = self._track, self._colour
        team = track.pawns[colour] | track.pawns[colour - 2]
        return reserve(track.pawns[colour]) > 0 and not team & BITS[STARTS[colour]]

    def _targets(self) -> int:
        """Return the ring cells whose pawns a jack may swap with."""
        track = self._track
        others = OFF_STARTS if track.rules.spares_all_starts else ON_RING
        found = 0
        for colour, pawns in enumerate(track.pawns):
            if colour != self._colour:
                found |= pawns & ~BITS[STARTS[colour]] if track.rules.spares_own_start else pawns
        return found & others & ~track.fresh

    def _four_back(self) -> list[int]:
        walker = self._walker
        return [way(place, BACK[place]) for place in self._cells if walker.back(place) >= 0]

    def _swaps(self) -> list[int]:
        mine = self.swappable()
        if not mine:
            return mine
        targets = [SWAP | other << CARD_BITS for other in places_in(self._targets())]
        return [place << START_SHIFT | target for place in mine for target in targets]

    def swappable(self) -> list[int]:
        """Return the own pawns that a jack may swap."""
        track, rules = self._track, self._track.rules
        mine = track.pawns[self._colour] & ON_RING
        if not rules.jack_from_start:
            spared = START_CELLS if rules.spares_all_starts else BITS[STARTS[self._colour]]
            mine &= ~(spared if rules.spares_all_starts or rules.spares_own_start else track.fresh)
        return places_in(mine)
