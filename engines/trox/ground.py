"""The ground: the pieces that have been laid, and everything that is computed from them.

A ground is immutable; `lay` returns a new one and recomputes only what the new piece changes. The cells of the ground
are numbered by colour and piece, and sets of them are integers (see `cellsets`).
"""

from engines.trox.cellsets import CELLS
from engines.trox.lattice import cell_name, neighbours
from engines.trox.pieces import COLOURS_OF, FIRST, NEAR, PIECES, cells_of, orientation
from engines.trox.supply import Supply

Triangle = tuple[int, int]
"""A centre and its three corners, each as a set of cells."""


class Ground:
    """The pieces on the table, and the supply."""

    __slots__ = ("fits", "links", "names", "numbers", "pieces", "rings", "spots", "supply", "triangles")

    def __init__(self, fits: bytes, supply: Supply) -> None:
        """Create an empty ground. `fits` is the table of the hole rule."""
        self.fits = fits
        self.supply = supply
        self.pieces: tuple[tuple[int, int], ...] = ()
        """The spot and kind of each piece."""
        self.numbers: dict[int, int] = {}
        """Number of each cell."""
        self.names = [""] * CELLS
        """Name of each cell, by number."""
        self.links = [0] * CELLS
        """Set of neighbours of each cell, by number."""
        self.triangles: tuple[Triangle, ...] = ()
        """All triangles whose four cells are on the ground."""
        self.rings: dict[int, int] = {}
        """What is laid around or on each spot (see `holes`). Spots that no piece affects are omitted."""
        self.spots = [FIRST]
        """The spots where a piece may be laid."""

    def allows(self, spot: int) -> bool:
        """Return whether a piece may be laid on this spot."""
        return self.fits[self.rings.get(spot, 0)] == 1 if self.pieces else spot == FIRST

    def lay(self, spot: int, kind: int) -> "Ground":
        """Return the ground with one more piece, of a kind that is left, on a spot that is allowed."""
        ground = Ground(self.fits, self.supply.without(kind))
        ground.pieces = (*self.pieces, (spot, kind))
        ground._link(self, cells_of(spot), kind)
        ground._find_spots(self, spot)
        return ground

    def _link(self, before: "Ground", cells: tuple[int, int, int], kind: int) -> None:
        """Number the new cells and link them to their neighbours; a cell that now has three neighbours is a centre."""
        piece = len(before.pieces)
        self.numbers = numbers = before.numbers.copy()
        self.names = before.names.copy()
        self.links = links = before.links.copy()
        triangles: list[Triangle] = []
        for cell, colour in zip(cells, COLOURS_OF[kind], strict=True):
            number = PIECES * colour + piece
            for neighbour in neighbours(cell):
                other = numbers.get(neighbour)
                if other is not None:
                    links[number] |= 1 << other
                    links[other] |= 1 << number
                    triangles += [(1 << n, links[n]) for n in (number, other) if links[n].bit_count() == 3]
            numbers[cell] = number
            self.names[number] = cell_name(cell)
        self.triangles = (*before.triangles, *triangles)

    def _find_spots(self, before: "Ground", laid: int) -> None:
        """Recompute the spots that the new piece affects; all others are unchanged."""
        fits = self.fits
        seen_before = before.rings.get
        felt = {laid + far: seen_before(laid + far, 0) | seen for far, seen in NEAR[orientation(laid)]}
        self.rings = before.rings | felt
        self.spots = [spot for spot in before.spots if spot not in felt]
        self.spots += [spot for spot, ring in felt.items() if fits[ring]]
