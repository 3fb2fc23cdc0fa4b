"""Chips that a turn earns: for captured pieces, for a castle, and for the fourth castle.

A bill lists the debt of each seat to the seat that has moved. The debt of that seat to itself has no effect, so it need
not be left out.
"""

from collections.abc import Sequence
from typing import Final

from engines.troke.rules import Rules

CASTLES: Final = 4


def standing_castles(rules: Rules, sets: Sequence[int], seat: int) -> int:
    """Return how many castles of its own a seat currently has on its goal row."""
    towers, walls, moats = sets[3 * seat : 3 * seat + 3]
    return (towers & walls & moats & rules.ways[seat].goal).bit_count()


def with_castle(
    rules: Rules, bill: list[int] | None, sets: list[int], castles: tuple[int, ...], seat: int
) -> list[int]:
    """Return the bill, if there is one, plus what is due for the last of the `castles` of `seat`."""
    due = _award(rules, castles, seat)
    bill = [debt + due for debt in bill or [0] * rules.seats]
    if castles[seat] == CASTLES and rules.end_bonus:
        bill = [debt + _unfinished(rules, sets, other) for other, debt in enumerate(bill)]
    return bill


def paid(rules: Rules, chips: tuple[int, ...], seat: int, bill: list[int]) -> tuple[int, ...]:
    """Return the chips after every seat has paid its debt to `seat`, or with `debt=cap` at most what it has."""
    if rules.race:
        return chips
    after = list(chips)
    for other, debt in enumerate(bill):
        if debt:
            given = min(debt, chips[other]) if rules.capped else debt
            after[other] -= given
            after[seat] += given
    return tuple(after)


def _award(rules: Rules, castles: tuple[int, ...], seat: int) -> int:
    mine = castles[seat]
    have_as_many = sum(theirs >= mine for theirs in castles)
    return 0 if rules.award_first_only and have_as_many > 1 else mine


def _unfinished(rules: Rules, sets: list[int], seat: int) -> int:
    """Return 2 for each piece of a seat that is not on its goal row, and 1 for each that is, but in no castle."""
    goal = rules.ways[seat].goal
    towers, walls, moats = sets[3 * seat : 3 * seat + 3]
    in_castles = towers & walls & moats & goal
    on_the_way = sum((pieces & ~goal).bit_count() for pieces in (towers, walls, moats))
    waiting = sum((pieces & goal & ~in_castles).bit_count() for pieces in (towers, walls, moats))
    return waiting + 2 * on_the_way
