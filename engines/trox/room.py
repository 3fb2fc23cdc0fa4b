"""The room for pieces: what is laid around each spot, and so where a piece may be laid, whatever its colours."""

from itertools import repeat
from operator import or_

from engines.trox.pieces import COVERED, FIRST, NEAR, orientation


class Room:
    """The room that some pieces leave. It is immutable."""

    __slots__ = ("fits", "rings", "spots")

    def __init__(self, fits: bytes, rings: dict[int, int], spots: list[int]) -> None:
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
    return Room(fits, {}, [FIRST])


def room_beside(before: Room, laid: int) -> Room:
    """Return the room after a piece has been laid on an allowed spot."""
    # A piece affects 79 spots, so most is done by functions that need no Python code for each spot.
    covered, distances, seen = NEAR[orientation(laid)]
    near = [laid + far for far in distances]
    rings = list(map(or_, map(before.rings.get, near, repeat(0)), seen))
    felt = dict(zip(near, rings, strict=True))
    felt.update(dict.fromkeys([laid + far for far in covered], COVERED))
    spots = [spot for spot in before.spots if spot not in felt]
    fits = before.fits
    spots += [spot for spot, ring in zip(near, rings, strict=True) if fits[ring]]
    return Room(fits, before.rings | felt, spots)
