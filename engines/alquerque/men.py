"""The fast position: who stands where and what may be played, in integers.

For bots that search, and for the contract's position, which stands on it. It has no texts and no
history: repetition, the limit of plies without a capture and what a draw is worth are not its
business. A move is a path (see `geometry`): `moves()` lists them, `play(move)` gives the men after
it. No moves means that the game is over: the mover has lost, or `stalemate` makes it a draw.
"""

from engines.alquerque.geometry import (
    ALL_WAYS,
    BITS,
    BOARD,
    DIGIT_BITS,
    FLIPPED,
    FORWARD_WAYS,
    TAKEN,
    Way,
    jumps_from,
)
from engines.options import Settings

Memory = tuple[int, ...]
NO_MEMORY: Memory = ()
EMPTY_MEMORY: Memory = (0,) * 26

JUMPS_ALL = jumps_from(ALL_WAYS)
JUMPS_FORWARD = (jumps_from(FORWARD_WAYS[0]), jumps_from(FORWARD_WAYS[1]))


class Rules:
    """The options as the generator wants them: tables by mover, and plain yes and no."""

    __slots__ = ("capture_ways", "ever", "huff", "jumps", "longest", "multi", "remembers", "step_ways")

    def __init__(self, settings: Settings) -> None:
        backward = settings.choice("no_backward")
        both: tuple[tuple[Way, ...], ...] = (ALL_WAYS, ALL_WAYS)
        self.longest = settings.choice("capture_choice") == "max"
        self.multi = settings.flag("multi_pawn")
        self.huff = settings.flag("huff")
        self.step_ways = both if backward == "off" else FORWARD_WAYS
        self.capture_ways = FORWARD_WAYS if backward == "all" else both
        self.jumps = JUMPS_FORWARD if backward == "all" else (JUMPS_ALL, JUMPS_ALL)
        self.remembers = settings.choice("no_return") != "off"
        self.ever = settings.choice("no_return") == "ever"


class Men:
    """The men on the board and who is to move: 0 is White, 1 is Black."""

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
        """The mover has just captured, and must capture once more."""
        self.huffable = huffable
        """The enemy men that could have captured and did not."""
        self.barred = barred
        """By number of point: where the man that stands there may not step back to."""

    def moves(self) -> list[int]:
        """Every move the mover may make, in no particular order, nothing twice."""
        rules = self.rules
        captures = self.captures()
        if not rules.huff:
            return captures or self._steps()
        if self.again:
            return captures
        huffs = [number for number in range(1, 26) if BITS[number] & self.huffable]
        return huffs + captures + self._steps()

    def captures(self) -> list[int]:
        """Every chain of jumps that the mover may make."""
        rules = self.rules
        own = self.own
        enemy = self.enemy
        empty = BOARD & ~(own | enemy)
        found: list[int] = []
        for way in rules.capture_ways[self.mover]:
            shift = way.shift
            if shift > 0:
                landings = ((own & way.starts) << shift & enemy) << shift & empty
            else:
                landings = ((own & way.starts) >> -shift & enemy) >> -shift & empty
            while landings:
                to = landings & -landings
                landings ^= to
                path = way.jumps[to]
                over = TAKEN[path]
                _chains(rules.jumps[self.mover], to, path, enemy ^ over, empty ^ FLIPPED[path] | over, found)
        if rules.longest and len(found) > 1:
            most = max(found)
            if most > 1023:
                # A path of more points is a larger number than any of fewer.
                least = 1 << (most.bit_length() - 1) // DIGIT_BITS * DIGIT_BITS
                return [path for path in found if path >= least]
        return found

    def play(self, move: int) -> "Men":
        """The men after one of `moves()`."""
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
        huffable = self._refused(move) if rules.huff and not taken else 0
        return Men(rules, 1 - self.mover, enemy, own, False, huffable, barred)

    def key(self) -> object:
        """What two positions share that count as the same one: all but history."""
        packed = self.own | self.enemy << 30 | self.huffable << 60 | self.mover << 90 | self.again << 91
        return (packed, self.barred) if self.barred else packed

    def _steps(self) -> list[int]:
        own = self.own
        empty = BOARD & ~(own | self.enemy)
        found: list[int] = []
        for way in self.rules.step_ways[self.mover]:
            shift = way.shift
            if shift > 0:
                landings = (own & way.starts) << shift & empty
            else:
                landings = (own & way.starts) >> -shift & empty
            steps = way.steps
            while landings:
                to = landings & -landings
                landings ^= to
                found.append(steps[to])
        if self.barred:
            barred = self.barred
            return [path for path in found if not barred[path >> DIGIT_BITS] & BITS[path & 31]]
        return found

    def _refused(self, step: int) -> int:
        """The men that could capture before `step` was made instead, where they stand after it."""
        men = 0
        for path in self.captures():
            men |= BITS[path >> (path.bit_length() - 1) // DIGIT_BITS * DIGIT_BITS]
        return men ^ FLIPPED[step] if men & BITS[step >> DIGIT_BITS] else men

    def _remembered(self, move: int, taken: int) -> Memory:
        """The barred points after a step or a capture."""
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
        """The barred points when the men at `gone` have left the board."""
        if not self.barred:
            return self.barred
        return tuple([0 if BITS[number] & gone else points for number, points in enumerate(self.barred)])


def _chains(
    jumps: dict[int, tuple[tuple[int, int, int], ...]], at: int, path: int, enemy: int, empty: int, found: list[int]
) -> None:
    """Append to `found` every way to finish the chain `path`, which has come to `at`."""
    ended = True
    for over, to, number in jumps[at]:
        if over & enemy and to & empty:
            ended = False
            _chains(jumps, to, path << DIGIT_BITS | number, enemy ^ over, (empty | at | over) ^ to, found)
    if ended:
        found.append(path)


def _trace(chain: int) -> tuple[int, int]:
    """A chain as what it changes: the mover's points, and the points it takes."""
    taken = 0
    last = chain & 31
    while chain > 31:
        taken |= TAKEN[chain & 1023]
        chain >>= DIGIT_BITS
    return BITS[chain] ^ BITS[last], taken
