"""The divided 7: seven steps divided among two or more pawns of one colour.

A division is determined by how many steps each pawn takes; the order matters only if pawns are in each other's way.
Therefore a division whose parts do not touch each other is listed once, in the order with the smallest text. For all
others, the orders are tried one by one, the smallest text first, and one order is listed for each resulting position.
"""

from itertools import permutations
from typing import Final

from engines.toc.moves import CARD_BITS, PART_BITS, PLACE_BITS, PLACE_MASK, divided_way
from engines.toc.places import AHEAD, AHEAD_BITS, BITS, H1, H4, NAMES, ON_RING, WAY
from engines.toc.track import Track
from engines.toc.walker import Walker

STEPS: Final = 7
ALWAYS: Final = 1 << 80
"""A bit that is no place: a part that touches it always has its orders tried."""
TEXT_RANK: Final = {
    place: rank for rank, place in enumerate(sorted(range(len(NAMES)), key=lambda place: f"{NAMES[place]}>"))
}

Part = tuple[int, int, int, int]
"""A pawn's share: the part of the move, its steps, where it ends, and what it touches, the last two as sets of places.
"""
NO_PARTS: Final[tuple[Part, ...]] = ()
Shares = list[tuple[Part, ...]]
"""The parts of one pawn, by number of steps."""
NO_SHARES: Final[Shares] = [NO_PARTS] * (STEPS + 1)
ALONG: Final = tuple(
    tuple(((cell << PLACE_BITS | to, steps, BITS[to], BITS[to]),) for cell, to in enumerate(ahead))
    for steps, ahead in enumerate(AHEAD)
)
"""The part forward on the ring, as the only one, by number of steps and ring cell."""


def divided(track: Track, colour: int, places: list[int]) -> list[int]:
    """Return every divided 7 for the pawns of `colour`, which stand on `places`."""
    if len(places) < 2:
        return []
    sharing = Sharing(track, colour, sorted(places, key=TEXT_RANK.__getitem__))
    if sharing.pawns > 1:
        sharing.share_out(0, STEPS, NO_PARTS, 0, 0, False)
    return sharing.found


class Sharing:
    """One search for divided 7s."""

    __slots__ = ("_colour", "_movable", "_own", "_parts", "_spares_own", "_track", "_walker", "found", "pawns")

    def __init__(self, track: Track, colour: int, places: list[int]) -> None:
        self.found: list[int] = []
        self._track = track
        self._colour = colour
        self._own = track.pawns[colour]
        self._spares_own = not track.rules.seven_kills_all and not track.rules.kills_own
        self._movable = _movable(track, colour)
        self._walker = Walker(track, colour)
        walker = Walker(_lifted(track, colour, self._movable), colour)
        fresh = track.fresh & track.pawns[colour]
        self._parts: list[Shares] = []
        for place in places:
            shares = _shares(walker, track, place, fresh)
            if shares != NO_SHARES:
                self._parts.append(shares)
        self.pawns = len(self._parts)
        """How many pawns can make a part."""

    def share_out(self, at: int, left: int, chosen: tuple[Part, ...], way: int, ends: int, tangled: bool) -> None:
        """Find every way in which the pawns from index `at` on can take the `left` remaining steps.

        There are at least two of these pawns. `way` has the parts that are `chosen`, in the same order.
        """
        shares, following = self._parts[at], self._parts[at + 1]
        are_last = at == self.pawns - 2
        shift = CARD_BITS + PART_BITS * len(chosen)
        touchy = self._movable | ends
        if are_last:
            for part in following[left]:
                self._list((*chosen, part), way | part[0] << shift, tangled or part[3] & touchy != 0)
        else:
            self.share_out(at + 1, left, chosen, way, ends, tangled)
        for steps in range(1, left + 1):
            for part in shares[steps]:
                # A part that touches the cell of an own pawn, or the end of an earlier part, may depend on the order.
                meets = tangled or part[3] & touchy != 0
                longer = way | part[0] << shift
                if steps == left:
                    self._list((*chosen, part), longer, meets)
                elif not are_last:
                    self.share_out(at + 1, left - steps, (*chosen, part), longer, ends | part[2], meets)
                else:
                    for last in following[left - steps]:
                        tied = meets or last[3] & (touchy | part[2]) != 0
                        self._list((*chosen, part, last), longer | last[0] << shift + PART_BITS, tied)

    def _list(self, chosen: tuple[Part, ...], way: int, tangled: bool) -> None:
        if not tangled:
            self.found.append(way)
            return
        if self._spares_own:
            order = self._first_order(chosen)
            if order:
                self.found.append(divided_way([part[0] for part in order]))
            return
        met = set()
        for order in permutations(chosen):
            after = self._taken(order)
            if after and after.key() not in met:
                met.add(after.key())
                self.found.append(divided_way([part[0] for part in order]))

    def _first_order(self, chosen: tuple[Part, ...]) -> tuple[Part, ...] | None:
        """Return the first order that is legal, or None.

        This is sufficient if no own pawn can be killed, because then all orders lead to the same position.
        """
        still, touched = self._own, 0
        for part, _, _, touch in chosen:
            still ^= BITS[part >> PLACE_BITS]
            touched |= touch
        if touched & still:
            return None
        for order in permutations(chosen):
            if self._taken(order):
                return order
        return None

    def _taken(self, order: tuple[Part, ...]) -> Track | None:
        """Return the track after the parts have been made in this order; None if that is illegal."""
        track, walker = self._track, self._walker
        ended = 0
        for part, steps, end, _ in order:
            start, to = part >> PLACE_BITS, part & PLACE_MASK
            # A killed pawn makes no further part, and the pawn that took its place does not move again.
            if not BITS[start] & track.pawns[self._colour] & ~ended:
                return None
            if ended:
                walker = Walker(track, self._colour)
            if to not in part_ends(walker, track, start, steps):
                return None
            track = track.walked(self._colour, start, to, True)
            ended |= end
        return track


def part_ends(walker: Walker, track: Track, place: int, steps: int) -> list[int]:
    """Return every place where the pawn on `place` may end as a part of a divided 7."""
    rules = track.rules
    if place >= H1:
        return walker.ends(place, steps) if rules.split_moves_home else []
    if rules.split_enters:
        return walker.ends(place, steps)
    along = walker.along(place, steps)
    return [along] if along >= 0 else []


def _movable(track: Track, colour: int) -> int:
    """Return the places whose pawns may be gone when a later part is made, so that they no longer make it illegal."""
    rules = track.rules
    movable = track.pawns[colour] | ALWAYS
    if rules.seven_kills_all and not rules.kills_partner:
        movable |= track.pawns[colour - 2] & ON_RING
    return movable


def _lifted(track: Track, colour: int, movable: int) -> Track:
    """Return the track without the pawns that may be gone, except for what is tracked about the own pawns."""
    pawns = tuple([cells & ~movable for cells in track.pawns])
    fresh = track.fresh & track.pawns[colour]
    # Like a short pawn, a fresh one may not enter the corridor.
    return Track(track.rules, pawns, track.fresh & ~fresh, track.short | fresh)


def _shares_inside(walker: Walker, track: Track, place: int, fresh: int) -> Shares:
    """Return the same for a pawn in the corridor."""
    shares = list(NO_SHARES)
    for steps in range(1, H4 + 1 - place):
        shares[steps] = tuple(_parts(walker, track, place, steps, fresh))
    return shares


def _shares(walker: Walker, track: Track, place: int, fresh: int) -> Shares:
    """Return, by number of steps, the parts of the pawn on `place` if no movable pawn is in its way.

    There are none for all seven steps: then the 7 is not divided.
    """
    rules = track.rules
    if place >= H1:
        return _shares_inside(walker, track, place, fresh) if rules.split_moves_home else NO_SHARES
    shares = list(NO_SHARES)
    if rules.split_enters and walker.to_branch[place] < STEPS:
        for steps in range(1, STEPS):
            shares[steps] = tuple(_parts(walker, track, place, steps, fresh))
        return shares
    barred, blocks = walker.barred, walker.blocks
    heeds_way = rules.seven_kills_all or rules.fresh_blocks
    for steps in range(1, STEPS):
        # The same as `along`, written out.
        if AHEAD_BITS[steps][place] & barred or blocks & WAY[steps - 1][place]:
            continue
        alone = ALONG[steps][place]
        if heeds_way:
            part, _, end, _ = alone[0]
            alone = ((part, steps, end, end | _touched(track, place, steps, fresh)),)
        shares[steps] = alone
    return shares


def _parts(walker: Walker, track: Track, place: int, steps: int, fresh: int) -> list[Part]:
    """Return the parts with `steps` steps of a pawn that may go on into the corridor, or within it."""
    rules = track.rules
    found = []
    gate = walker.gate(place, steps)
    if gate >= 0:
        before = max(place, H1 - 1)
        touch = (2 << gate) - (2 << before)
        if place < H1:
            touch |= _touched(track, place, walker.to_branch[place], fresh)
        if rules.deepest:
            touch |= ALWAYS
        found.append((place << PLACE_BITS | gate, steps, BITS[gate], touch))
    along = walker.along(place, steps) if place < H1 else -1
    if along >= 0:
        touch = BITS[along] | _touched(track, place, steps, fresh)
        if gate >= 0 and rules.entry_forced:
            touch |= ALWAYS
        found.append((place << PLACE_BITS | along, steps, BITS[along], touch))
    return found


def _touched(track: Track, cell: int, steps: int, fresh: int) -> int:
    """Return the passed cells on which an own pawn would matter."""
    if track.rules.seven_kills_all:
        return WAY[steps][cell]
    return WAY[steps][cell] & fresh if track.rules.fresh_blocks else 0
