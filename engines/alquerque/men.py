"""The fast position: the men, and the moves they can make, as integers.

It is used by bots that search, and by `AlquerquePosition`. It has neither texts nor history: it does not know about
repetition, about the limit of plies without a capture, or what a draw is worth. A move is a path (see `geometry`):
`moves()` lists the moves, `play(move)` returns the men after one of them. If there are no moves, the game is over: the
mover has lost, or the game is drawn by `stalemate`.
"""

from typing import Final

from engines.alquerque.geometry import BITS, BOARD, DIGIT_BITS, FLIPPED, TAKEN
from engines.alquerque.paths import (
    MIDDLE,
    TOP,
    TWO_RANKS,
    Jump,
    Several,
    jumps_by_direction,
    jumps_in_lanes,
    paths_of,
    squares_of,
    steps_by_men,
    steps_by_square,
)
from engines.form import is_compiled
from engines.options import Settings

COMPILED: Final = is_compiled(__file__)
Memory = tuple[int, ...]
NO_MEMORY: Final[Memory] = ()
EMPTY_MEMORY: Final[Memory] = (0,) * 26


class Rules:
    """The options in the form that the move generator needs: tables by mover, and booleans."""

    __slots__ = ("ever", "huff", "longest", "may_stop", "multi", "paths", "remembers", "short_huffed", "squares")

    def __init__(self, settings: Settings) -> None:
        most_wanted = settings.choice("capture_choice") == "max"
        self.multi = settings.flag("multi_pawn")
        self.huff = settings.flag("huff")
        self.short_huffed = most_wanted and self.huff and settings.choice("huff_short") == "huffable"
        """Whether capturing fewer men than the most is legal, and men that could have taken the most can be huffed."""
        self.longest = most_wanted and not self.short_huffed
        """Whether only chains that take the most men are legal."""
        self.may_stop = settings.choice("chain") == "may_stop"
        self.paths = paths_of(settings.choice("no_backward"))
        self.squares = squares_of(settings.choice("no_backward")) if COMPILED else ()
        self.remembers = settings.choice("no_return") != "off"
        self.ever = settings.choice("no_return") == "ever"


class Men:
    """The men on the board, and the side to move: 0 is White, 1 is Black."""

    __slots__ = ("again", "barred", "enemy", "huffable", "mover", "own", "rules")

    def __init__(
        self,
        rules: Rules,
        mover: int,
        own: int,
        enemy: int,
        again: bool = False,
        huffable: int = 0,
        barred: Memory = NO_MEMORY,
    ) -> None:
        self.rules = rules
        self.mover = mover
        self.own = own
        self.enemy = enemy
        self.again = again
        """Whether the mover has just captured and must capture again."""
        self.huffable = huffable
        """The enemy men that could have captured and did not."""
        self.barred = barred
        """The points to which the man on each point may not step back, by number of point."""

    def moves(self) -> list[int]:
        """Return all legal moves, in no particular order and without duplicates."""
        rules = self.rules
        captures = self.captures()
        if not rules.huff:
            return captures or self._steps()
        if self.again:
            return captures
        huffs = [number for number in range(1, 26) if BITS[number] & self.huffable]
        return huffs + captures + self._steps()

    def can_move(self) -> bool:
        """Return whether there is a legal move, without listing the moves if looking at the board is sufficient.

        Speed matters because this is called for every position.
        """
        if self.again or self.huffable or self.barred:
            return bool(self.moves())
        empty = BOARD & ~(self.own | self.enemy)
        for near, _ in self._several():
            if near & empty:
                return True
        return bool(self.captures())

    def allows(self, move: int) -> bool:
        """Return whether a path is one of `moves()`, examining only this path where possible."""
        if move < 32:
            return not self.again and self.huffable & BITS[move] != 0
        if move > 1023 or TAKEN[move]:
            return move in self.captures()
        if self.again or not self._allows_step(move):
            return False
        return self.rules.huff or not self.captures()

    def captures(self) -> list[int]:
        """Return all legal chains of jumps of the mover."""
        own = self.own
        enemy = self.enemy
        paths = self.rules.paths[self.mover]
        empty = BOARD & ~(own | enemy)
        jumps = jumps_by_direction(paths, own, enemy, empty) if COMPILED else jumps_in_lanes(paths, own, enemy, empty)
        return self._finished(jumps, empty) if jumps else jumps

    def _finished(self, first: list[int], empty: int) -> list[int]:
        """Return the chains that begin with these jumps."""
        jumps = self.rules.paths[self.mover].jumps
        found: list[int] = []
        for path in first:
            over = TAKEN[path]
            _chains(jumps, path & 31, path, self.enemy ^ over, empty ^ FLIPPED[path] | over, found)
        if self.rules.longest:
            return _longest(found) if len(found) > 1 else found
        return _stopped(found) if self.rules.may_stop else found

    def play(self, move: int) -> "Men":
        """Return the men after one of `moves()`."""
        if move < 32:
            return Men(self.rules, self.mover, self.own, self.enemy ^ BITS[move], barred=self._forgotten(BITS[move]))
        rules = self.rules
        if move < 1024:
            flipped = FLIPPED[move]
            taken = TAKEN[move]
        else:
            flipped, taken = _trace(move)
        own = self.own ^ flipped
        enemy = self.enemy ^ taken
        barred = self._remembered(move, taken) if rules.remembers else NO_MEMORY
        if taken and rules.multi:
            men = Men(rules, self.mover, own, enemy, True, 0, barred)
            if men.captures():
                return men
        huffable = self._refused(move) if rules.huff and (not taken or rules.short_huffed) else 0
        return Men(rules, 1 - self.mover, enemy, own, False, huffable, barred)

    def key(self) -> object:
        """Return a value that is the same for positions that count as the same one: everything except history."""
        packed = self.own | self.enemy << 30 | self.huffable << 60 | self.mover << 90 | self.again << 91
        return (packed, self.barred) if self.barred else packed

    def _steps(self) -> list[int]:
        empty = BOARD & ~(self.own | self.enemy)
        rules, mover, own = self.rules, self.mover, self.own
        found = (
            steps_by_square(rules.squares[mover], own, empty)
            if COMPILED
            else steps_by_men(rules.paths[mover], own, empty)
        )
        if self.barred:
            barred = self.barred
            return [path for path in found if not barred[path >> DIGIT_BITS] & BITS[path & 31]]
        return found

    def _several(self) -> Several:
        """Return what is known about each man of the mover."""
        paths = self.rules.paths[self.mover]
        own = self.own
        return paths.low[own & TWO_RANKS] + paths.middle[own >> MIDDLE & TWO_RANKS] + paths.top[own >> TOP]

    def _allows_step(self, step: int) -> bool:
        """Return whether a step is legal if nothing has to be captured."""
        start, to = BITS[step >> DIGIT_BITS], BITS[step & 31]
        if not start & self.own or to & (self.own | self.enemy) or step not in self.rules.paths[self.mover].steps:
            return False
        return not self.barred or not self.barred[step >> DIGIT_BITS] & to

    def _refused(self, move: int) -> int:
        """Return the men that should have captured when `move` was made instead, as a set of where they stand after it.

        The set is empty if `move` was one of the captures that they should have made.
        """
        wanted = self.captures()
        if self.rules.short_huffed and wanted:
            wanted = _longest(wanted)
        if move in wanted:
            return 0
        men = 0
        for path in wanted:
            men |= BITS[_start(path)]
        start = BITS[_start(move)]
        return men & ~start | BITS[move & 31] if men & start else men

    def _remembered(self, move: int, taken: int) -> Memory:
        """Return the barred points after a step or a capture."""
        points = []
        path = move
        while path:
            points.append(path & 31)
            path >>= DIGIT_BITS
        last, first = points[0], points[-1]
        barred = list(self._forgotten(taken))
        left = BITS[first]
        if self.rules.ever:
            left |= barred[first]
            for number in points[1:-1]:
                left |= BITS[number]
        barred[first] = 0
        barred[last] = left & ~BITS[last]
        return tuple(barred)

    def _forgotten(self, gone: int) -> Memory:
        """Return the barred points after the men at `gone` have left the board."""
        if not self.barred:
            return self.barred
        return tuple([0 if BITS[number] & gone else points for number, points in enumerate(self.barred)])


def _chains(jumps: list[tuple[Jump, ...]], at: int, path: int, enemy: int, empty: int, found: list[int]) -> None:
    """Append to `found` every way to finish the chain `path`, which has reached the point with the number `at`."""
    ended = True
    for over, to, number, changed in jumps[at]:
        if over & enemy and to & empty:
            ended = False
            _chains(jumps, number, path << DIGIT_BITS | number, enemy ^ over, empty ^ changed, found)
    if ended:
        found.append(path)


def _longest(chains: list[int]) -> list[int]:
    """Return those of the given chains that take the most men."""
    most = max(chains)
    if most < 1024:
        return chains
    # A path of more points is always a larger number.
    least = 1 << (most.bit_length() - 1) // DIGIT_BITS * DIGIT_BITS
    return [path for path in chains if path >= least]


def _stopped(chains: list[int]) -> list[int]:
    """Return the chains and all their shorter beginnings, without duplicates."""
    found = set(chains)
    for chain in chains:
        path = chain
        while path > 1023:
            path >>= DIGIT_BITS
            found.add(path)
    return list(found)


def _start(path: int) -> int:
    """Return the number of the point where a path begins."""
    return path >> (path.bit_length() - 1) // DIGIT_BITS * DIGIT_BITS


def _trace(chain: int) -> tuple[int, int]:
    """Return the mover's points that a chain changes, and the points that it captures, both as sets."""
    taken = 0
    last = chain & 31
    while chain > 31:
        taken |= TAKEN[chain & 1023]
        chain >>= DIGIT_BITS
    return BITS[chain] ^ BITS[last], taken
