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


def walk_obstacle(track: Track, colour: int, start: int, to: int) -> Reason:
    """Return why the pawn on `start` cannot walk forward to `to`, given that the count is right."""
    if to >= H1:
        return _into_corridor(track, colour, start, to)
    walker = Walker(track, colour)
    steps = steps_between(track, colour, start, to)
    if walker.along(start, steps) == to:
        return "home_entry", f"the pawn must enter the corridor: to {NAMES[walker.home(start, steps)]}"
    return _landing(track, colour, walker, to) or _passing(start, to)


def back_obstacle(track: Track, colour: int, start: int, to: int) -> Reason:
    """Return why a 4 cannot move the pawn on `start` to `to`."""
    if start >= H1 or to >= H1:
        return "TC-9", "a 4 moves back on the ring only, not into, within or out of a corridor"
    if to != BACK[start]:
        return "TC-9", f"a 4 moves {STEPS_BACK} cells back, here to {NAMES[BACK[start]]}"
    return _landing(track, colour, Walker(track, colour), to) or _passing(start, to)


def _landing(track: Track, colour: int, walker: Walker, to: int) -> Reason | None:
    bit = BITS[to]
    if not bit & walker.barred:
        return None
    if bit & track.fresh:
        return "TC-7", f"the pawn on {NAMES[to]} is fresh, and no pawn may land on it"
    if bit & track.pawns[colour]:
        return "land_on_own", f"there is a pawn of the same colour on {NAMES[to]}"
    return "land_on_partner", f"there is a pawn of the partner on {NAMES[to]}"


def _passing(start: int, to: int) -> Reason:
    return "fresh_blocks", f"there is a fresh pawn between {NAMES[start]} and {NAMES[to]}, and no pawn may pass it"


def _into_corridor(track: Track, colour: int, start: int, to: int) -> Reason:
    walker = Walker(track, colour)
    if start < H1:
        wrong = _at_the_branch(track, walker, start, to)
        if wrong:
            return wrong
    elif not track.rules.inner:
        return "home_inner", "a pawn in the corridor may not move"
    first = max(start + 1, H1)
    if walker.own & (BITS[to] * 2 - BITS[first]):
        return (
            "TC-10",
            f"in the corridor no pawn may be passed or landed on, and there is one on {NAMES[to]} or before it",
        )
    return "home_fill", f"a pawn must move as deep into the corridor as it can, here beyond {NAMES[to]}"


def _at_the_branch(track: Track, walker: Walker, start: int, to: int) -> Reason | None:
    if BITS[start] & track.fresh:
        return "TC-10", f"the pawn on {NAMES[start]} is fresh and must complete a lap before it may enter the corridor"
    if BITS[start] & track.short:
        rule = "back_shortcut" if track.rules.counts_laps else "overshoot"
        return rule, f"the pawn on {NAMES[start]} must complete a lap before it may enter the corridor"
    if walker.blocks & WAY[walker.to_branch[start]][start]:
        return _passing(start, to)
    return None
