"""The uses of a card: every way to use a rank for the pawns of one colour, as moves without a card."""

from typing import Final

from engines.toc.cards import ACE, COUNTS, FOUR, JACK, KING, RANKS, SEVEN
from engines.toc.moves import CARD_BITS, KILLS_SHIFT, PLACE_BITS, SWAP, parts_of, way
from engines.toc.places import AHEAD, BACK, BITS, H1, ON_RING, RESERVE, START_CELLS, STARTS, WAY, places_in, reserve
from engines.toc.seven import divided
from engines.toc.track import Track
from engines.toc.walker import Walker

ONLY_COUNTS: Final = tuple(rank not in (ACE, SEVEN, JACK, KING) for rank in range(len(RANKS)))
"""Whether cards of a rank are only used to go forward, by rank."""


class Ways:
    """The ways to use each rank on a given track."""

    __slots__ = ("_colour", "_places", "_track", "_walker")

    def __init__(self, track: Track, colour: int) -> None:
        self._track = track
        self._colour = colour
        self._places = places_in(track.pawns[colour])
        self._walker = Walker(track, colour)

    def of(self, rank: int) -> list[int]:
        """Return every way to use a card of this rank, without duplicates."""
        if rank == FOUR:
            return self._four_back()
        found = self._forward(COUNTS[rank])
        if ONLY_COUNTS[rank]:
            return found
        if rank == SEVEN:
            found += divided(self._track, self._colour, self._places)
            if self._track.rules.seven_kills_optional:
                found = [killing for use in found for killing in self._killing(use)]
        elif rank == JACK:
            found += self._swaps()
        elif self._may_start():
            found.append(way(RESERVE, STARTS[self._colour]))
        return found

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
        others = ON_RING & ~START_CELLS if track.rules.spares_all_starts else ON_RING
        found = 0
        for colour, pawns in enumerate(track.pawns):
            if colour != self._colour:
                found |= pawns & ~BITS[STARTS[colour]] if track.rules.spares_own_start else pawns
        return found & others & ~track.fresh

    def _forward(self, counts: tuple[int, ...]) -> list[int]:
        walker = self._walker
        to_branch, barred, blocks = walker.to_branch, walker.barred, walker.blocks
        found: list[int] = []
        for steps in counts:
            ahead, over = AHEAD[steps], WAY[steps - 1]
            for place in self._places:
                if place >= H1 or steps > to_branch[place]:
                    found += [way(place, to) for to in walker.ends(place, steps)]
                else:
                    # The same as `ends`, written out because most pawns are far from their corridor.
                    to = ahead[place]
                    if not (BITS[to] & barred or blocks & over[place]):
                        found.append((place << PLACE_BITS | to) << CARD_BITS)
        return found

    def _four_back(self) -> list[int]:
        return [way(place, BACK[place]) for place in self._places if place < H1 and self._walker.back(place) >= 0]

    def _swaps(self) -> list[int]:
        targets = places_in(self._targets())
        mine = self.swappable()
        return [SWAP | way(place, other) for place in mine for other in targets]

    def swappable(self) -> list[int]:
        """Return the own pawns that a jack may swap."""
        track, rules = self._track, self._track.rules
        mine = track.pawns[self._colour] & ON_RING
        if not rules.jack_from_start:
            spared = START_CELLS if rules.spares_all_starts else BITS[STARTS[self._colour]]
            mine &= ~(spared if rules.spares_all_starts or rules.spares_own_start else track.fresh)
        return places_in(mine)
