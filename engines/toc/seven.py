"""The divided seven: seven steps shared out among two or more pawns of one colour.

What counts is which pawn takes how many steps; in what order they take them matters only where pawns
are in each other's way. So each share-out is listed once, in the order of the smallest text, if its
parts do not touch each other; else its orders are tried one by one, the smallest text first, and one
is listed for each position that they lead to.
"""

from itertools import permutations
from typing import Final

from engines.toc.moves import PLACE_BITS, PLACE_MASK, divided_way
from engines.toc.places import BITS, H1, NAMES, ON_RING, WAY
from engines.toc.track import Track
from engines.toc.walker import Walker

STEPS: Final = 7
ALWAYS: Final = 1 << 80
"""A place that is none: a part that touches it has its orders tried in any case."""
TEXT_RANK: Final = {
    place: rank for rank, place in enumerate(sorted(range(len(NAMES)), key=lambda place: f"{NAMES[place]}>"))
}

Part = tuple[int, int, int, int]
"""A pawn's share: the part of the move, its steps, where it ends and what it touches, both as sets of places."""
NO_PARTS: Final[tuple[Part, ...]] = ()


def divided(track: Track, colour: int, places: list[int]) -> list[int]:
    """Every divided seven of the pawns of `colour`, who stand on `places`."""
    if len(places) < 2:
        return []
    sharing = Sharing(track, colour, sorted(places, key=TEXT_RANK.__getitem__))
    sharing.share_out(0, STEPS, NO_PARTS, 0, False)
    return sharing.found


class Sharing:
    """One search for divided sevens."""

    __slots__ = ("_colour", "_movable", "_own", "_parts", "_spares_own", "_track", "found")

    def __init__(self, track: Track, colour: int, places: list[int]) -> None:
        self.found: list[int] = []
        self._track = track
        self._colour = colour
        self._own = track.pawns[colour]
        self._spares_own = not track.rules.seven_kills_all and not track.rules.kills_own
        self._movable = _movable(track, colour)
        walker = Walker(_lifted(track, colour, self._movable), colour)
        fresh = track.fresh & track.pawns[colour]
        self._parts: list[list[list[Part]]] = [
            [[], *(_parts(walker, track, place, steps, fresh) for steps in range(1, STEPS)), []] for place in places
        ]

    def share_out(self, at: int, left: int, chosen: tuple[Part, ...], ends: int, tangled: bool) -> None:
        """Find every way for the pawns from the one numbered `at` to take the steps that are `left`."""
        shares = self._parts[at]
        last = at == len(self._parts) - 1
        if not last:
            self.share_out(at + 1, left, chosen, ends, tangled)
        for steps in range(left if last else 1, left + 1):
            for part in shares[steps]:
                # Who touches where an own pawn stands, or where an earlier part ends, may have to wait or go first.
                meets = tangled or part[3] & (self._movable | ends) != 0
                if steps == left:
                    self._list((*chosen, part), meets)
                else:
                    self.share_out(at + 1, left - steps, (*chosen, part), ends | part[2], meets)

    def _list(self, chosen: tuple[Part, ...], tangled: bool) -> None:
        if not tangled:
            self.found.append(divided_way([part[0] for part in chosen]))
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
        """The first order that can be walked. Where no own pawn can be killed all orders lead to one position."""
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
        """The track when the parts have been taken in this order; None if they cannot be."""
        track = self._track
        ended = 0
        for part, steps, end, _ in order:
            start, to = part >> PLACE_BITS, part & PLACE_MASK
            # A pawn that was killed is not there; nor may the one that killed it go on in its stead.
            if not BITS[start] & track.pawns[self._colour] & ~ended:
                return None
            if to not in part_ends(Walker(track, self._colour), track, start, steps):
                return None
            track = track.walked(self._colour, start, to, True)
            ended |= end
        return track


def part_ends(walker: Walker, track: Track, place: int, steps: int) -> list[int]:
    """Every place where the pawn on `place` may end as part of a divided seven."""
    rules = track.rules
    if place >= H1:
        return walker.ends(place, steps) if rules.split_moves_home else []
    if rules.split_enters:
        return walker.ends(place, steps)
    along = walker.along(place, steps)
    return [along] if along >= 0 else []


def _movable(track: Track, colour: int) -> int:
    """The places whose pawns may be gone when a later part is taken, and with them the reason why it was illegal."""
    rules = track.rules
    movable = track.pawns[colour] | ALWAYS
    if rules.seven_kills_all and not rules.kills_partner:
        movable |= track.pawns[colour - 2] & ON_RING
    return movable


def _lifted(track: Track, colour: int, movable: int) -> Track:
    """The track without the pawns that may be gone, but for what they themselves remember."""
    pawns = tuple([cells & ~movable for cells in track.pawns])
    fresh = track.fresh & track.pawns[colour]
    # A fresh pawn may not enter the corridor, no more than a short one.
    return Track(track.rules, pawns, track.fresh & ~fresh, track.short | fresh)


def _parts(walker: Walker, track: Track, place: int, steps: int, fresh: int) -> list[Part]:
    """What the pawn on `place` may do with so many steps if no movable pawn is in its way."""
    rules = track.rules
    found = []
    gate = walker.gate(place, steps) if _corridor_open(track, place) else -1
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


def _corridor_open(track: Track, place: int) -> bool:
    rules = track.rules
    return rules.split_moves_home if place >= H1 else rules.split_enters


def _touched(track: Track, cell: int, steps: int, fresh: int) -> int:
    """The cells passed where it matters whether an own pawn stands on them."""
    if track.rules.seven_kills_all:
        return WAY[steps][cell]
    return WAY[steps][cell] & fresh if track.rules.fresh_blocks else 0
