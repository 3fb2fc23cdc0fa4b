"""What everybody scored against everybody."""

from collections import defaultdict
from collections.abc import Sequence

from referee.contest.encounters import Encounter, How, Table, exact

Cell = float | None
"""Points against one opponent; None if they have not met."""

MET = {How.PLAYED, How.UNOPPOSED, How.ABSENT}


def cross_table(table: Table, order: Sequence[str]) -> list[list[Cell]]:
    """A row and a column for each entrant of `order`."""
    rows = [_scored(table[name]) for name in order]
    return [[row.get(other) for other in order] for row in rows]


def _scored(encounters: Sequence[Encounter]) -> dict[str, float]:
    """Points of one entrant against each that it met."""
    met: defaultdict[str, list[float]] = defaultdict(list)
    for encounter in encounters:
        if encounter.how in MET:
            for opponent, points in encounter.against:
                met[opponent].append(points)
    return {opponent: exact(sum(points)) for opponent, points in met.items()}
