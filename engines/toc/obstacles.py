"""Finds out why a pawn cannot make a step: the rule, and the obstacle."""

from engines.toc.places import BACK, BITS, H1, NAMES, RING, STEPS_BACK, WAY
from engines.toc.track import Track
from engines.toc.walker import Walker

Reason = tuple[str, str]
"""The rule or option that a move breaks, and an explanation."""


def steps_between(track: Track, colour: int, start: int, to: int) -> int:
    """Return how many steps forward it is for a pawn of `colour` between two places; less than 1 if there is no way."""
    if start >= H1:
        return to - start
    if to >= H1:
        return track.rules.to_branch[colour][start] + to - H1 + 1
    return (to - start) % RING


def walking(track: Track, colour: int, start: int, to: int) -> Reason:
    """Return why the pawn on `start` cannot walk forward to `to`, given that the count is right."""
    if to >= H1:
        return _into_corridor(track, colour, start, to)
    walker = Walker(track, colour)
    steps = steps_between(track, colour, start, to)
    if walker.along(start, steps) == to:
        return "home_entry", f"the count fits the corridor, and must be used so: to {NAMES[walker.home(start, steps)]}"
    return _landing(track, colour, walker, to) or _passing(start, to)


def going_back(track: Track, colour: int, start: int, to: int) -> Reason:
    """Return why a 4 cannot move the pawn on `start` to `to`."""
    if start >= H1 or to >= H1:
        return "TC-9", "a 4 goes back on the ring only, never into, inside or out of a corridor"
    if to != BACK[start]:
        return "TC-9", f"a 4 goes {STEPS_BACK} cells back, here to {NAMES[BACK[start]]}"
    return _landing(track, colour, Walker(track, colour), to) or _passing(start, to)


def _landing(track: Track, colour: int, walker: Walker, to: int) -> Reason | None:
    bit = BITS[to]
    if not bit & walker.barred:
        return None
    if bit & track.fresh:
        return "TC-7", f"the pawn on {NAMES[to]} is fresh, and nobody lands on it"
    if bit & track.pawns[colour]:
        return "land_on_own", f"a pawn of the same colour stands on {NAMES[to]}"
    return "land_on_partner", f"a pawn of the partner stands on {NAMES[to]}"


def _passing(start: int, to: int) -> Reason:
    return "fresh_blocks", f"between {NAMES[start]} and {NAMES[to]} stands a fresh pawn, which nobody passes"


def _into_corridor(track: Track, colour: int, start: int, to: int) -> Reason:
    walker = Walker(track, colour)
    if start < H1:
        wrong = _at_the_branch(track, walker, start, to)
        if wrong:
            return wrong
    elif not track.rules.inner:
        return "home_inner", "a pawn in the corridor stays where it is"
    first = max(start + 1, H1)
    if walker.own & (BITS[to] * 2 - BITS[first]):
        return "TC-10", f"in the corridor nobody is passed or landed on, and a pawn stands before {NAMES[to]} or on it"
    return "home_fill", f"a pawn in the corridor goes as deep as it can, here past {NAMES[to]}"


def _at_the_branch(track: Track, walker: Walker, start: int, to: int) -> Reason | None:
    if BITS[start] & track.fresh:
        return "TC-10", f"the pawn on {NAMES[start]} is fresh, and must go round before it may enter"
    if BITS[start] & track.short:
        rule = "back_shortcut" if track.rules.counts_laps else "overshoot"
        return rule, f"the pawn on {NAMES[start]} has a whole lap to walk before it may enter"
    if walker.blocks & WAY[walker.to_branch[start]][start]:
        return _passing(start, to)
    return None
