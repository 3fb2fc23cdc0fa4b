"""The fast position: the men, and the moves they can make, as integers.

It is used by bots that search, and by `AlquerquePosition`. It has neither texts nor history: it does not know about
repetition, about the limit of plies without a capture, or what a draw is worth. A move is a path (see `geometry`):
`moves()` lists the moves, `play(move)` returns the men after one of them. If there are no moves, the game is over: the
mover has lost, or the game is drawn by `stalemate`.
"""

from typing import Final

from engines.alquerque.geometry import (
    BITS,
    BOARD,
    DIGIT_BITS,
    FLIPPED,
    LEFT,
    RIGHT,
    SIDEWAYS,
    TAKEN,
    Ways,
    jumps_from,
    ways,
)
from engines.options import Settings

Memory = tuple[int, ...]
NO_MEMORY: Final[Memory] = ()
EMPTY_MEMORY: Final[Memory] = (0,) * 26


class Paths:
    """The steps and jumps of one colour, as tables of the ways that shift bits left and of those that shift right."""

    __slots__ = ("jumps", "jumps_left", "jumps_right", "steps", "steps_left", "steps_right")

    def __init__(self, step_shifts: tuple[int, ...], jump_shifts: tuple[int, ...]) -> None:
        self.steps_left: Ways = ways(tuple(s for s in step_shifts if s > 0), 1)
        self.steps_right: Ways = ways(tuple(s for s in step_shifts if s < 0), 1)
        self.jumps_left: Ways = ways(tuple(s for s in jump_shifts if s > 0), 2)
        self.jumps_right: Ways = ways(tuple(s for s in jump_shifts if s < 0), 2)
        self.jumps = jumps_from(self.jumps_left + self.jumps_right)
        self.steps = {path for _, _, landings in self.steps_left + self.steps_right for path in landings.values()}


ALL: Final = LEFT + RIGHT
FORWARD: Final = ((*LEFT, -SIDEWAYS), (*RIGHT, SIDEWAYS))
"""Directions that do not lead backward, for White and for Black."""
PATHS_OF: Final = {
    "off": (Paths(ALL, ALL), Paths(ALL, ALL)),
    "all": (Paths(FORWARD[0], FORWARD[0]), Paths(FORWARD[1], FORWARD[1])),
    "moves": (Paths(FORWARD[0], ALL), Paths(FORWARD[1], ALL)),
}
"""The paths of White and of Black for each value of the option `no_backward`."""


class Rules:
    """The options in the form that the move generator needs: tables by mover, and booleans."""

    __slots__ = ("ever", "huff", "longest", "may_stop", "multi", "paths", "remembers", "short_huffed")

    def __init__(self, settings: Settings) -> None:
        most_wanted = settings.choice("capture_choice") == "max"
        self.multi = settings.flag("multi_pawn")
        self.huff = settings.flag("huff")
        self.short_huffed = most_wanted and self.huff and settings.choice("huff_short") == "huffable"
        """Whether capturing fewer men than the most is legal, and men that could have taken the most can be huffed."""
        self.longest = most_wanted and not self.short_huffed
        """Whether only chains that take the most men are legal."""
        self.may_stop = settings.choice("chain") == "may_stop"
        self.paths = PATHS_OF[settings.choice("no_backward")]
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
        paths = self.rules.paths[self.mover]
        own = self.own
        empty = BOARD & ~(own | self.enemy)
        for shift, starts, _ in paths.steps_left:
            if (own & starts) << shift & empty:
                return True
        for shift, starts, _ in paths.steps_right:
            if (own & starts) >> shift & empty:
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
        paths = self.rules.paths[self.mover]
        own = self.own
        enemy = self.enemy
        empty = BOARD & ~(own | enemy)
        first: list[int] = []
        for shift, starts, jumps in paths.jumps_left:
            landings = ((own & starts) << shift & enemy) << shift & empty
            while landings:
                to = landings & -landings
                landings ^= to
                first.append(jumps[to])
        for shift, starts, jumps in paths.jumps_right:
            landings = ((own & starts) >> shift & enemy) >> shift & empty
            while landings:
                to = landings & -landings
                landings ^= to
                first.append(jumps[to])
        return self._finished(first, empty) if first else first

    def _finished(self, first: list[int], empty: int) -> list[int]:
        """Return the chains that begin with these jumps."""
        jumps = self.rules.paths[self.mover].jumps
        found: list[int] = []
        for path in first:
            over = TAKEN[path]
            _chains(jumps, BITS[path & 31], path, self.enemy ^ over, empty ^ FLIPPED[path] | over, found)
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
        paths = self.rules.paths[self.mover]
        own = self.own
        empty = BOARD & ~(own | self.enemy)
        found: list[int] = []
        for shift, starts, steps in paths.steps_left:
            landings = (own & starts) << shift & empty
            while landings:
                to = landings & -landings
                landings ^= to
                found.append(steps[to])
        for shift, starts, steps in paths.steps_right:
            landings = (own & starts) >> shift & empty
            while landings:
                to = landings & -landings
                landings ^= to
                found.append(steps[to])
        if self.barred:
            barred = self.barred
            return [path for path in found if not barred[path >> DIGIT_BITS] & BITS[path & 31]]
        return found

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


def _chains(
    jumps: dict[int, tuple[tuple[int, int, int], ...]], at: int, path: int, enemy: int, empty: int, found: list[int]
) -> None:
    """Append to `found` every way to finish the chain `path`, which has reached the point `at`."""
    ended = True
    for over, to, number in jumps[at]:
        if over & enemy and to & empty:
            ended = False
            _chains(jumps, to, path << DIGIT_BITS | number, enemy ^ over, (empty | at | over) ^ to, found)
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
