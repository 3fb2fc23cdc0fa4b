"""Triangles: who is captured by them, and who has won.

Everything here is a set of cells on one ground, as an integer. `full` are the triangles whose four
cells all have pawns on them; no other can capture or win.
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
    """The pawns after an action, and who has won by it: NOBODY, MOVER or OTHER."""

    own: int
    enemy: int
    neutral: int
    winner: int


def full_triangles(triangles: Sequence[Triangle], pawns: int) -> list[Triangle]:
    return [(centre, corners) for centre, corners in triangles if centre & pawns and corners & pawns == corners]


def captured(full: Sequence[Triangle], victims: int, captors: int, neutrals_capture: bool) -> int:
    """The victims that stand among captors and neutral pawns; at least one is a captor unless `neutrals_capture`."""
    taken = 0
    for centre, corners in full:
        if centre & victims and not corners & victims and (corners & captors or neutrals_capture):
            taken |= centre
    return taken


def wins(full: Sequence[Triangle], own: int, enemy: int, neutrals_capture: bool) -> bool:
    """Has `own` a pawn among pawns of its own and neutral ones, at least one of them its own if `neutrals_capture`?"""
    for centre, corners in full:
        if centre & own and not corners & enemy and (corners & own or not neutrals_capture):
            return True
    return False


def judged(
    full: Sequence[Triangle], own: int, enemy: int, neutral: int, at_risk: int, neutrals_capture: bool
) -> Judgement:
    """What an action leads to, in the order of TX-11. `own` are the pawns of who acted.

    `at_risk` is the pawn just played, or no pawn where the rules spare it.
    """
    # Once is enough for "again and again": a captured pawn has no friend beside it whom its turning exposes.
    taken = captured(full, enemy, own, neutrals_capture)
    enemy ^= taken
    neutral |= taken
    if wins(full, own, enemy, neutrals_capture):
        return Judgement(own, enemy, neutral, MOVER)
    taken = captured(full, own, enemy, neutrals_capture) & at_risk
    own ^= taken
    neutral |= taken
    return Judgement(own, enemy, neutral, OTHER if wins(full, enemy, own, neutrals_capture) else NOBODY)
