"""Finds out why a well-formed move is illegal: the rule it breaks, and what would be legal instead."""

from itertools import pairwise

from engines.alquerque.geometry import BITS, FLIPPED, NAMES, TAKEN, points_of
from engines.alquerque.men import Men
from engines.alquerque.notation import COLOURS, move_text
from engines.game_errors import IllegalMove

MAX_LISTED = 4


def illegal(men: Men, path: int, text: str) -> IllegalMove:
    """Return the error for `path`, which must not be a legal move of `men`."""
    if path < 32:
        return _huff(men, path, text)
    first = BITS[points_of(path)[0]]
    if not first & men.own:
        return IllegalMove(text, "AQ-1", f"{COLOURS[men.mover]} has no man on {NAMES[points_of(path)[0]]}")
    return _capture(men, path, text) if "x" in text else _step(men, path, text)


def _huff(men: Men, path: int, text: str) -> IllegalMove:
    if not men.rules.huff:
        return IllegalMove(text, "huff", "huffing needs the option huff")
    return IllegalMove(text, "huff", f"no man on {NAMES[path]} could have captured and did not")


def _step(men: Men, path: int, text: str) -> IllegalMove:
    to = NAMES[path & 31]
    paths = men.rules.paths[men.mover]
    if not FLIPPED[path] or TAKEN[path]:
        return IllegalMove(text, "AQ-1", "a step must follow a line to an adjacent point")
    if BITS[path & 31] & (men.own | men.enemy):
        return IllegalMove(text, "AQ-1", f"{to} is not empty")
    if path not in paths.steps:
        return IllegalMove(text, "no_backward", "a man may not move backward")
    captures = men.captures()
    if captures and (men.again or not men.rules.huff):
        return IllegalMove(text, "AQ-4", f"a capture must be made: {_listed(captures)}")
    return IllegalMove(text, "no_return", f"this man has been on {to} and may not step back to it")


def _capture(men: Men, path: int, text: str) -> IllegalMove:
    own, enemy = men.own, men.enemy
    points = points_of(path)
    paths = men.rules.paths[men.mover]
    for start, end in pairwise(points):
        jump = start << 5 | end
        if not TAKEN[jump]:
            return IllegalMove(text, "AQ-2", f"there is no straight jump from {NAMES[start]} to {NAMES[end]}")
        if not TAKEN[jump] & enemy:
            return IllegalMove(text, "AQ-2", f"there is no enemy man between {NAMES[start]} and {NAMES[end]}")
        if BITS[end] & (own | enemy):
            return IllegalMove(text, "AQ-2", f"{NAMES[end]} is not empty")
        if jump not in paths.over.values():
            return IllegalMove(text, "no_backward", "a man may not move backward, not even to capture")
        own ^= FLIPPED[jump]
        enemy ^= TAKEN[jump]
    captures = men.captures()
    if not men.rules.may_stop and any(move_text(longer).startswith(f"{text}x") for longer in captures):
        return IllegalMove(text, "AQ-3", f"the chain must be continued: {_listed(captures)}")
    return IllegalMove(text, "AQ-4", f"a capture that takes the most men must be chosen: {_listed(captures)}")


def _listed(paths: list[int]) -> str:
    texts = sorted(map(move_text, paths))
    more = f" and {len(texts) - MAX_LISTED} more" if len(texts) > MAX_LISTED else ""
    return " ".join(texts[:MAX_LISTED]) + more
