"""The pawns on the track, as an immutable value, and how moves change them.

`pawns` has one set of places per colour; pawns that are missing from the four are in the reserve. A ring cell holds at
most one pawn, so the state of single pawns is stored as sets of ring cells too: `fresh` pawns; and, only if laps are
counted, `short` pawns, which must pass their branch cell once before they may enter, and `far` pawns, which have passed
it once and may go back behind it without loss (unless an overshoot costs a lap).
"""

from typing import Final

from engines.toc.cards import FOUR, SEVEN
from engines.toc.moves import (
    CARD_BITS,
    CARD_MASK,
    KILLS_SHIFT,
    PART_BITS,
    PARTS_MASK,
    PLACE_BITS,
    PLACE_MASK,
    SWAP,
)
from engines.toc.places import BACK, BITS, EVERYWHERE, H1, ON_RING, RESERVE, RING, STARTS, STEPS_BACK, WAY
from engines.toc.rules import Rules

Pawns = tuple[int, ...]
NO_PAWNS: Final[Pawns] = (0, 0, 0, 0)


class Track:
    """All pawns, and the sets of those that are fresh, short or far."""

    __slots__ = ("far", "fresh", "pawns", "rules", "short")

    def __init__(self, rules: Rules, pawns: Pawns = NO_PAWNS, fresh: int = 0, short: int = 0, far: int = 0) -> None:
        self.rules = rules
        self.pawns = pawns
        self.fresh = fresh
        self.short = short
        self.far = far

    def key(self) -> tuple[Pawns, int, int, int]:
        """Return a value that is the same for equal tracks."""
        return self.pawns, self.fresh, self.short, self.far

    def after(self, colour: int, move: int) -> "Track":
        """Return the track after `move`, a legal move with parts by pawns of `colour`."""
        rank = (move & CARD_MASK) >> 2
        parts = (move & PARTS_MASK) >> CARD_BITS
        start, to = parts >> PLACE_BITS, parts & PLACE_MASK
        if start == RESERVE:
            return self._started(colour)
        if start < RESERVE and move < SWAP:
            return self._gone_back(colour, start) if rank == FOUR else self.walked(colour, start, to, rank == SEVEN)
        if move & SWAP:
            return self._swapped(colour, BITS[start], BITS[to])
        track = self
        while parts:
            track = track.walked(colour, parts >> PLACE_BITS & PLACE_MASK, parts & PLACE_MASK, rank == SEVEN)
            parts >>= PART_BITS
        kills = move >> KILLS_SHIFT
        return track._without(kills) if kills else track

    def walked(self, colour: int, start: int, to: int, killing: bool) -> "Track":
        """Return the track after a pawn of `colour` has walked forward.

        If `killing`, it kills the pawns that a 7 kills in passing.
        """
        if start >= H1:
            return self._moved(colour, BITS[start], BITS[to], 0, 0)
        rules = self.rules
        killed = BITS[to] if to < H1 else 0
        laps = 0
        if killing or rules.keeps_laps:
            to_branch = rules.to_branch[colour][start]
            steps = to_branch if to >= H1 else (to - start) % RING
            if killing and not rules.seven_kills_optional:
                killed |= WAY[steps][start] & ~self.fresh & self._victims(colour)
            if steps > to_branch:
                laps = 1
        return self._moved(colour, BITS[start], BITS[to], killed, laps)

    def _gone_back(self, colour: int, start: int) -> "Track":
        to = BACK[start]
        laps = -1 if self.rules.to_branch[colour][to] < STEPS_BACK else 0
        return self._moved(colour, BITS[start], BITS[to], BITS[to], laps)

    def _started(self, colour: int) -> "Track":
        cell = BITS[STARTS[colour]]
        pawns = [theirs & ~cell for theirs in self.pawns]
        pawns[colour] |= cell
        short = self.short & ~cell | (cell if self.rules.starts_short else 0)
        return Track(self.rules, tuple(pawns), self.fresh | cell, short, self.far & ~cell)

    def _swapped(self, colour: int, mine: int, theirs: int) -> "Track":
        both = mine | theirs
        pawns = tuple([cells ^ both if cells & both else cells for cells in self.pawns])
        # A swapped pawn counts as having walked to its new cell from its start.
        return Track(self.rules, pawns, self.fresh & ~both, self.short & ~both, self.far & ~both)

    def passed_enemies(self, colour: int, parts: list[tuple[int, int]]) -> int:
        """Return the cells of the enemy pawns, except fresh ones, that these parts of a 7 pass but do not land on."""
        passed = ends = 0
        for start, to in parts:
            if start < H1:
                to_branch = self.rules.to_branch[colour][start]
                passed |= WAY[to_branch if to >= H1 else (to - start) % RING][start]
                ends |= BITS[to]
        return passed & ~ends & ~self.fresh & self._victims(colour)

    def _without(self, killed: int) -> "Track":
        """Return the track with the pawns on these ring cells moved to their reserves."""
        pawns = tuple([theirs & ~killed for theirs in self.pawns])
        return Track(self.rules, pawns, self.fresh, self.short & ~killed, self.far & ~killed)

    def _victims(self, colour: int) -> int:
        if self.rules.seven_kills_all:
            return ON_RING
        # Negative indices count from the end, so these are the two neighbouring seats.
        return self.pawns[colour - 1] | self.pawns[colour - 3]

    def _moved(self, colour: int, left: int, to: int, killed: int, laps: int) -> "Track":
        """Move one pawn from the cell `left`, update its laps, and send the pawns on `killed` to their reserves."""
        red, blue, green, yellow = self.pawns
        # Operations with large negative numbers are slow, so the complement is made without one.
        alive = EVERYWHERE ^ killed
        pawns = [red & alive, blue & alive, green & alive, yellow & alive]
        pawns[colour] = pawns[colour] & (EVERYWHERE ^ left) | to
        fresh = self.fresh and self.fresh & (EVERYWHERE ^ left)
        if not self.rules.keeps_laps:
            return Track(self.rules, tuple(pawns), fresh)
        counted = self._counted(left, laps)
        short = self.short & ~(left | killed) | (to & ON_RING if counted < 0 else 0)
        far = self.far & ~(left | killed) | (to & ON_RING if counted > 0 else 0)
        return Track(self.rules, tuple(pawns), fresh, short, far)

    def _counted(self, left: int, laps: int) -> int:
        """Return how many laps the pawn on `left` is ahead (positive) or short (negative) after `laps` more laps."""
        before = 1 if left & self.far else -1 if left & self.short else 0
        if not self.rules.new_lap:
            return before + laps
        if self.rules.counts_laps:
            return min(0, before + laps)  # Overshooting gains nothing: going back behind the branch cell costs a lap.
        if laps > 0:
            return 0 if left & self.fresh else 1
        return -1 if laps < 0 and before else before
