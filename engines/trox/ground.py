"""The ground: the pieces that have been laid, and everything that is computed from them.

A ground is immutable; `lay` returns a new one and recomputes only what the new piece changes. The cells of the ground
are numbered by colour and piece, and sets of them are integers (see `cellsets`).
"""

from engines.trox.cellsets import CELLS, OF_A_PIECE, numbers_in
from engines.trox.lattice import AROUND, cell_name
from engines.trox.pieces import COLOURS_OF, PIECES, cells_of
from engines.trox.room import Room, room_beside
from engines.trox.supply import Supply

Triangle = tuple[int, int]
"""A centre and its three corners, each as a set of cells."""


class Ground:
    """The pieces on the table, and the supply."""

    __slots__ = (
        "_names",
        "cells",
        "links",
        "numbers",
        "pieces",
        "room",
        "supply",
        "touching",
        "triangles",
    )

    def __init__(self, room: Room, supply: Supply) -> None:
        """Create an empty ground."""
        self.supply = supply
        self.pieces: tuple[tuple[int, int], ...] = ()
        """The spot and kind of each piece."""
        self.numbers: dict[int, int] = {}
        """Number of each cell."""
        self._names: list[str] = []
        self.links = [0] * CELLS
        """Set of neighbours of each cell, by number."""
        self.triangles: tuple[Triangle, ...] = ()
        """All triangles whose four cells are on the ground."""
        self.touching: list[tuple[int, ...]] = [()] * CELLS
        """The triangles that each cell belongs to, by number, as sets of four cells."""
        self.cells = 0
        """Set of all cells."""
        self.room = room
        """Where a piece may be laid, until all pieces are laid."""

    def allows(self, spot: int) -> bool:
        """Return whether a piece may be laid on this spot."""
        return self.room.allows(spot)

    def lay(self, spot: int, kind: int) -> "Ground":
        """Return the ground with one more piece, of a kind that is left, on a spot that is allowed."""
        ground = Ground(self.room, self.supply.without(kind))
        ground.pieces = (*self.pieces, (spot, kind))
        ground.cells = self.cells | OF_A_PIECE << len(self.pieces)
        ground._link(self, cells_of(spot), kind)
        if len(ground.pieces) < PIECES:
            ground.room = room_beside(self.room, spot)
        return ground

    def names(self) -> list[str]:
        """Return the name of each cell, by number. They are made when they are first asked for."""
        if not self._names:
            self._names = [""] * CELLS
            for cell, number in self.numbers.items():
                self._names[number] = cell_name(cell)
        return self._names

    def _link(self, before: "Ground", cells: tuple[int, int, int], kind: int) -> None:
        """Number the new cells and link them to their neighbours; a cell that now has three neighbours is a centre."""
        self.numbers = numbers = before.numbers.copy()
        self.links = links = before.links.copy()
        self.touching = touching = before.touching.copy()
        triangles = before.triangles
        for cell, colour in zip(cells, COLOURS_OF[kind], strict=True):
            number = PIECES * colour + len(before.pieces)
            first, second, third = AROUND[cell & 1]
            for neighbour in (cell + first, cell + second, cell + third):
                if neighbour in numbers:
                    other = numbers[neighbour]
                    links[number] |= 1 << other
                    links[other] |= 1 << number
                    for centre in (number, other):
                        if links[centre].bit_count() == 3:
                            triangles += ((1 << centre, links[centre]),)
                            whole = 1 << centre | links[centre]
                            for touched in numbers_in(whole):
                                touching[touched] += (whole,)
            numbers[cell] = number
        self.triangles = triangles
