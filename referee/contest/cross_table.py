"""What everybody scored against everybody."""

from collections.abc import Sequence

from referee.contest.encounters import How, Table, exact

Cell = float | None
"""Points against one opponent; None if they have not met."""


def cross_table(table: Table, order: Sequence[str]) -> list[list[Cell]]:
    """A row and a column for each entrant of `order`."""
    return [[_scored(table, name, other) for other in order] for name in order]


def _scored(table: Table, name: str, other: str) -> Cell:
    met = [
        points
        for encounter in table[name]
        if encounter.how in {How.PLAYED, How.UNOPPOSED, How.ABSENT}
        for opponent, points in encounter.against
        if opponent == other
    ]
    return exact(sum(met)) if met else None
