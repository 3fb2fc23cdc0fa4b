"""Maximum-weight perfect matchings, updated while weights change: Edmonds' blossom algorithm.

A Swiss round computes many matchings in sequence, each with some weights changed. The dual solution is kept between
them, so that only vertices freed by a change are matched again: O(n^2) for each two of them, instead of O(n^3) for a
matching from scratch. Weights are integers of any size. No library offers both.

The dual solution has a number (`dual`) for each vertex, and a non-negative one for each blossom of several vertices.
The slack of an edge between two outermost blossoms is the sum of the duals of its vertices less twice its weight. It is
never negative, and it is 0 (the edge is "tight") for matched edges and for those that link the children of a blossom.
"""

from collections.abc import Iterable
from enum import Enum, auto
from itertools import chain


class _Label(Enum):
    """State of an outermost blossom in the search for an augmenting path."""

    FREE = auto()
    """Not reached."""
    OUTER = auto()
    """Reached at an even distance from an unmatched vertex."""
    INNER = auto()
    """Reached at an odd distance."""


_Edge = tuple[int, int]


class _Blossom:
    """A vertex, or an odd cycle of blossoms in which all vertices but the base are matched with one another."""

    __slots__ = ("base", "children", "dual", "entry", "label", "leaves", "links", "parent")

    def __init__(self, base: int, children: "list[_Blossom]", links: list[_Edge]) -> None:
        self.base = base
        self.children = children
        """Children in the order of the cycle, from the one that contains the base. None: a vertex."""
        self.links = links
        """Edges from each child to the next, and from the last to the first."""
        self.leaves: list[int] = [leaf for child in children for leaf in child.leaves] or [base]
        """All its vertices."""
        self.dual = 0
        self.parent: _Blossom | None = None
        self.label = _Label.FREE
        self.entry: _Edge | None = None
        """Edge by which the search reached it, from outside to inside. None: an unmatched root."""

    def path_to_base(self, at: int) -> list[_Edge]:
        """Return the even number of links from a child to the one that contains the base. The first one is matched."""
        if at % 2:
            return self.links[at:]
        return [(inside, outside) for outside, inside in reversed(self.links[:at])]


class Matching:
    """A perfect matching of an even number of vertices."""

    def __init__(self, vertices: int, missing: int) -> None:
        """All edges start with the weight `missing`, which must be so low that they are used only as a last resort."""
        self._mate: list[int | None] = [None] * vertices
        self._doubled = [[2 * missing] * vertices for _ in range(vertices)]
        """Weights times two."""
        self._dual = [missing] * vertices
        self._alone = [_Blossom(vertex, [], []) for vertex in range(vertices)]
        self._outermost = self._alone.copy()
        self._vertices = list(range(vertices))
        self._changed: dict[_Edge, None] = {}
        self._queue: list[int] = []
        """Outer vertices whose edges have not been scanned."""
        self._moved = 0
        """Sum of all changes of the dual solution in this search."""
        self._reachable: dict[int, tuple[int, int]] = {}
        """For vertices not reached: `_moved` when the first edge from an outer vertex becomes tight; that vertex."""
        self._joinable: dict[int, tuple[int, int]] = {}
        """For outer vertices: the same for an edge to another outer blossom."""

    def set_weight(self, vertex: int, other: int, weight: int) -> None:
        """Change the weight of an edge.

        If several edges at one vertex gain weight, it is faster to pass that vertex as `vertex`.
        """
        if self._doubled[vertex][other] != 2 * weight:
            self._doubled[vertex][other] = self._doubled[other][vertex] = 2 * weight
            self._changed[vertex, other] = None

    def remove(self, end: int, other: int) -> None:
        """Exclude two vertices that are matched with each other from now on."""
        for vertex in (end, other):
            self._isolate(vertex)
            self._vertices.remove(vertex)
            self._mate[vertex] = None
        self._changed = {edge: None for edge in self._changed if not {end, other} & {*edge}}

    def solve(self) -> dict[int, int]:
        """Return the partner of each vertex in a matching of maximum weight."""
        for end, other in self._changed:
            self._restore(end, other)
        self._changed = {}
        for vertex in self._unmatched():
            self._isolate(vertex)
        free = self._unmatched()
        for vertex in free:
            # With one parity for all roots the slack between any two outer vertices is even, so duals stay integers.
            self._dual[vertex] += (self._dual[vertex] - self._dual[free[0]]) % 2
        for _ in range(len(free) // 2):
            self._augment()
        return {vertex: mate for vertex in self._vertices if (mate := self._mate[vertex]) is not None}

    def _unmatched(self) -> list[int]:
        return [vertex for vertex in self._vertices if self._mate[vertex] is None]

    def _restore(self, vertex: int, other: int) -> None:
        """Make the dual solution valid again for an edge whose weight has changed."""
        while self._outermost[vertex] is self._outermost[other]:
            self._dissolve(self._outermost[vertex])
        slack = self._slack(vertex, other)
        if slack < 0:
            self._isolate(vertex)
            self._unmatch(vertex)
            self._dual[vertex] += max(0, -self._slack(vertex, other))
        elif slack > 0 and self._mate[vertex] == other:
            self._unmatch(vertex)

    def _slack(self, vertex: int, other: int) -> int:
        return self._dual[vertex] + self._dual[other] - self._doubled[vertex][other]

    def _isolate(self, vertex: int) -> None:
        """Dissolve all blossoms around a vertex."""
        while self._outermost[vertex].children:
            self._dissolve(self._outermost[vertex])

    def _dissolve(self, blossom: _Blossom) -> None:
        """Make the children outermost. The dual moves to the vertices, so only the edge at the base gains slack."""
        if blossom.dual:
            self._unmatch(blossom.base)
            for leaf in blossom.leaves:
                self._dual[leaf] += blossom.dual // 2
        self._release(blossom)

    def _release(self, blossom: _Blossom) -> None:
        for child in blossom.children:
            child.parent = None
            self._cover(child)

    def _cover(self, blossom: _Blossom) -> None:
        """Make a blossom the outermost one of its vertices."""
        for leaf in blossom.leaves:
            self._outermost[leaf] = blossom

    def _unmatch(self, vertex: int) -> None:
        mate = self._mate[vertex]
        if mate is not None:
            self._mate[vertex] = self._mate[mate] = None

    def _augment(self) -> None:
        """Match two more vertices along the first path of tight edges between unmatched ones."""
        self._moved, self._reachable, self._joinable, self._queue = 0, {}, {}, []
        blossoms = self._blossoms()
        for blossom in blossoms:
            blossom.label, blossom.entry = _Label.FREE, None
        for blossom in blossoms:
            if self._mate[blossom.base] is None:
                self._make_outer(blossom, None)
        while not (self._scan(self._queue.pop()) if self._queue else self._change_duals()):
            pass

    def _blossoms(self) -> Iterable[_Blossom]:
        """Return all outermost blossoms."""
        return dict.fromkeys(self._outermost[vertex] for vertex in self._vertices)

    def _make_outer(self, blossom: _Blossom, entry: _Edge | None) -> None:
        blossom.label, blossom.entry = _Label.OUTER, entry
        self._queue += blossom.leaves

    def _scan(self, outer: int) -> bool:
        """Scan all edges of an outer vertex. Return whether two more vertices were matched."""
        row, dual, duals, outermost = self._doubled[outer], self._dual[outer], self._dual, self._outermost
        own, reachable, moved = outermost[outer], self._reachable, self._moved
        free, inner = _Label.FREE, _Label.INNER
        least, nearest = 0, outer
        for vertex in self._vertices:
            there = outermost[vertex]
            label = there.label
            if there is own or label is inner:
                continue
            slack = dual + duals[vertex] - row[vertex]
            if label is free:
                if not slack:
                    self._grow(outer, vertex)
                elif vertex not in reachable or slack + moved < reachable[vertex][0]:
                    reachable[vertex] = slack + moved, outer
            elif not slack:
                if self._join(outer, vertex):
                    return True
                own = outermost[outer]
            elif nearest == outer or slack < least:
                least, nearest = slack, vertex
        self._joinable[outer] = least // 2 + moved, nearest
        return False

    def _grow(self, outer: int, vertex: int) -> None:
        """Reach a matched blossom, and the one that it is matched with."""
        inner = self._outermost[vertex]
        inner.label, inner.entry = _Label.INNER, (outer, vertex)
        mate = self._mate[inner.base]
        assert mate is not None
        self._make_outer(self._outermost[mate], (inner.base, mate))

    def _join(self, end: int, other: int) -> bool:
        """Follow a tight edge between two outer blossoms. Return whether two more vertices were matched."""
        here, there = (self._trail(self._outermost[vertex]) for vertex in (end, other))
        if here[-1] is not there[-1]:
            self._flip(end, other)
            self._flip(other, end)
            return True
        while len(here) > 1 and len(there) > 1 and here[-2] is there[-2]:
            here.pop()
            there.pop()
        self._shrink(here[::-1], there[:-1], (end, other))
        return False

    def _trail(self, outer: _Blossom) -> list[_Blossom]:
        """Return all blossoms from an outer one to its root."""
        trail = [outer]
        while entry := trail[-1].entry:
            trail.append(self._outermost[entry[0]])
        return trail

    def _shrink(self, down: list[_Blossom], up: list[_Blossom], edge: _Edge) -> None:
        """Form an outer blossom from the trails of both ends of an edge."""
        links = [blossom.entry for blossom in down[1:] if blossom.entry]
        links += [edge, *((inside, outside) for blossom in up if blossom.entry for outside, inside in [blossom.entry])]
        blossom = _Blossom(down[0].base, down + up, links)
        for child in blossom.children:
            child.parent = blossom
            if child.label is _Label.INNER:
                self._queue += child.leaves
        blossom.label, blossom.entry = _Label.OUTER, down[0].entry
        self._cover(blossom)

    def _flip(self, vertex: int, partner: int) -> None:
        """Match a vertex of an outer blossom with a partner, and re-match the trail to its root accordingly."""
        outer = self._outermost[vertex]
        trail = self._trail(outer)
        self._match_within(outer, vertex)
        self._mate[vertex] = partner
        for inner, above in zip(trail[1::2], trail[2::2], strict=True):
            assert inner.entry
            vertex, partner = inner.entry
            self._match_within(inner, partner)
            self._match_within(above, vertex)
            self._mate[vertex], self._mate[partner] = partner, vertex

    def _match_within(self, blossom: _Blossom, base: int) -> None:
        """Match all vertices of a blossom with one another, except its new base."""
        if blossom.base == base:
            return
        at = blossom.children.index(self._child(blossom, base))
        self._match_within(blossom.children[at], base)
        for edge in blossom.path_to_base(at)[1::2]:
            for vertex, partner in (edge, edge[::-1]):
                self._match_within(self._child(blossom, vertex), vertex)
                self._mate[vertex] = partner
        blossom.base = base
        blossom.children = blossom.children[at:] + blossom.children[:at]
        blossom.links = blossom.links[at:] + blossom.links[:at]

    def _child(self, blossom: _Blossom, vertex: int) -> _Blossom:
        """Return the child of a blossom that contains a vertex."""
        child = self._alone[vertex]
        while child.parent is not blossom:
            assert child.parent
            child = child.parent
        return child

    def _change_duals(self) -> bool:
        """Change duals as far as slack allows, and follow the edge that becomes tight.

        Return whether two more vertices were matched.
        """
        stale = [end for end, (_, other) in self._joinable.items() if self._outermost[end] is self._outermost[other]]
        if stale:
            for vertex in stale:
                del self._joinable[vertex]
            self._queue += stale
            return False
        near = (
            (at, (outer, vertex))
            for vertex, (at, outer) in self._reachable.items()
            if self._outermost[vertex].label is _Label.FREE
        )
        apart = ((at, (outer, vertex)) for outer, (at, vertex) in self._joinable.items())
        at, edge = min(chain(near, apart))
        ripe = min(
            (blossom for blossom in self._blossoms() if blossom.label is _Label.INNER and blossom.children),
            key=lambda blossom: blossom.dual,
            default=None,
        )
        if ripe and self._moved + ripe.dual // 2 < at:
            self._move(ripe.dual // 2)
            self._expand(ripe)
            return False
        self._move(at - self._moved)
        if self._outermost[edge[1]].label is _Label.FREE:
            self._grow(*edge)
            return False
        self._queue.append(edge[0])
        return self._join(*edge)

    def _move(self, step: int) -> None:
        """Change the dual solution: edges within trees stay tight, and edges that lead out of trees lose slack."""
        self._moved += step
        for blossom in self._blossoms() if step else ():
            if blossom.label is not _Label.FREE:
                change = step if blossom.label is _Label.INNER else -step
                blossom.dual -= 2 * change if blossom.children else 0
                for leaf in blossom.leaves:
                    self._dual[leaf] += change

    def _expand(self, inner: _Blossom) -> None:
        """Replace an inner blossom whose dual is 0 by its children. Those on the path through it stay reached."""
        assert inner.entry
        self._release(inner)
        for child in inner.children:
            child.label, child.entry = _Label.FREE, None
        first = self._outermost[inner.entry[1]]
        first.label, first.entry = _Label.INNER, inner.entry
        for number, edge in enumerate(inner.path_to_base(inner.children.index(first))):
            child = self._outermost[edge[1]]
            if number % 2:
                child.label, child.entry = _Label.INNER, edge
            else:
                self._make_outer(child, edge)
        outer = [vertex for vertex in self._vertices if self._outermost[vertex].label is _Label.OUTER]
        for leaf in (leaf for child in inner.children if child.label is _Label.FREE for leaf in child.leaves):
            slack, nearest = min((self._slack(vertex, leaf), vertex) for vertex in outer)
            self._reachable[leaf] = slack + self._moved, nearest
