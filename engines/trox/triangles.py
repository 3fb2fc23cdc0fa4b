"""Triangles: which pawns they capture, and which seat has won.

Sets of cells of one ground are integers here. `full` is the list of triangles whose four cells all have pawns; no other
triangles can capture or win.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from engines.trox.ground import Triangle

NOBODY: Final = -1
MOVER: Final = 0
OTHER: Final = 1


@dataclass(slots=True)
class Judgement:
    """The pawns after an action, and the seat that has won by it: NOBODY, MOVER or OTHER."""

    own: int
    enemy: int
    neutral: int
    winner: int


def full_triangles(triangles: Sequence[Triangle], pawns: int) -> list[Triangle]:
    return [(centre, corners) for centre, corners in triangles if centre & pawns and corners & pawns == corners]


def captured(full: Sequence[Triangle], victims: int, captors: int, neutrals_capture: bool) -> int:
    """Return the victims that stand among captors and neutral pawns.

    At least one of these must be a captor, unless `neutrals_capture`.
    """
    taken = 0
    for centre, corners in full:
        if centre & victims and not corners & victims and (corners & captors or neutrals_capture):
            taken |= centre
    return taken


def wins(full: Sequence[Triangle], own: int, enemy: int, neutrals_capture: bool) -> bool:
    """Return whether a pawn of `own` stands among own and neutral pawns; one must be own if `neutrals_capture`."""
    for centre, corners in full:
        if centre & own and not corners & enemy and (corners & own or not neutrals_capture):
            return True
    return False


def judged(
    full: Sequence[Triangle], own: int, enemy: int, neutral: int, at_risk: int, neutrals_capture: bool
) -> Judgement:
    """Return the result of an action, in the order of TX-11. `own` are the pawns of the seat that acted.

    `at_risk` is the pawn just played, or no pawn where the rules spare it.
    """
    # One pass is sufficient: a captured pawn had no pawn of its own side next to it that its capture could expose.
    taken = captured(full, enemy, own, neutrals_capture)
    enemy ^= taken
    neutral |= taken
    if wins(full, own, enemy, neutrals_capture):
        return Judgement(own, enemy, neutral, MOVER)
    taken = captured(full, own, enemy, neutrals_capture) & at_risk
    own ^= taken
    neutral |= taken
    return Judgement(own, enemy, neutral, OTHER if wins(full, enemy, own, neutrals_capture) else NOBODY)
