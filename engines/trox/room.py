"""The room for pieces: what is laid around each spot, and so where a piece may be laid, whatever its colours."""

from engines.trox.pieces import COVERED, FIRST, NEAR, orientation


class Room:
    """The room that some pieces leave. It is immutable."""

    __slots__ = ("fits", "rings", "spots")

    def __init__(self, fits: bytes, rings: dict[int, int], spots: set[int]) -> None:
        self.fits = fits
        """The table of the hole rule (see `holes`)."""
        self.rings = rings
        """What is laid around or on each spot. Spots that no piece affects are omitted."""
        self.spots = spots
        """The spots where a piece may be laid."""

    def allows(self, spot: int) -> bool:
        """Return whether a piece may be laid on this spot."""
        return self.fits[self.rings.get(spot, 0)] == 1 if self.rings else spot == FIRST


def empty_room(fits: bytes) -> Room:
    """Return the room before the first piece is laid."""
    return Room(fits, {}, {FIRST})


def room_beside(before: Room, laid: int) -> Room:
    """Return the room after a piece has been laid on an allowed spot."""
    covered, near = NEAR[orientation(laid)]
    fits, rings, spots = before.fits, before.rings.copy(), before.spots.copy()
    for far, bits in near:
        spot = laid + far
        ring = rings.get(spot, 0) | bits
        rings[spot] = ring
        if fits[ring]:
            spots.add(spot)
        else:
            spots.discard(spot)
    for far in covered:
        spot = laid + far
        rings[spot] = COVERED
        spots.discard(spot)
    return Room(fits, rings, spots)
