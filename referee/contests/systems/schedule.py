"""Schedules: pairings of a round robin or a gauntlet, which are known from the start.

A round robin uses the Berger tables as printed by FIDE (C.05, annex 1): the last of an even number of entrants keeps
its place while the others rotate. Over a cycle nobody moves first more than once more often than second. Every second
cycle is played with the seats exchanged.
"""

from collections.abc import Collection, Sequence

from referee.contests.pairing import Pairing


def round_robin_pairings(entrants: Sequence[str], number: int) -> list[Pairing]:
    """Return the pairings of a round. Rounds count from 1. An entrant without an opponent scores nothing."""
    cycle, in_cycle = divmod(number - 1, round_robin_cycle_length(len(entrants)))
    return [
        Pairing(f"{number}.{board}", number, board, _seats(entrants, first, second, exchanged=cycle % 2 == 1))
        for board, (first, second) in enumerate(berger_pairs(len(entrants), in_cycle + 1), start=1)
    ]


def round_robin_cycle_length(count: int) -> int:
    return count - 1 + count % 2


def berger_pairs(count: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round in a cycle, the first player first. Entrants and rounds count from 1."""
    return [pair for pair in _round(count + count % 2, number) if max(pair) <= count]


def _round(last: int, number: int) -> list[tuple[int, int]]:
    rotating = last - 1
    pivot = (number - 1) * (last // 2) % rotating + 1
    top = (pivot, last) if number % 2 else (last, pivot)
    others = [((pivot + step - 1) % rotating + 1, (pivot - step - 1) % rotating + 1) for step in range(1, last // 2)]
    return [top, *others]


def _seats(entrants: Sequence[str], first: int, second: int, *, exchanged: bool) -> tuple[str, str]:
    one, other = entrants[first - 1], entrants[second - 1]
    return (other, one) if exchanged else (one, other)


def gauntlet_pairings(entrants: Sequence[str], challengers: Collection[str], number: int) -> list[Pairing]:
    """Return the pairings of a round. Rounds count from 1. Seats alternate, and every second cycle exchanges them.

    In each round every challenger meets another opponent. If there are more challengers than opponents, the challengers
    without a free place wait.
    """
    challenging = [name for name in entrants if name in challengers]
    opponents = [name for name in entrants if name not in challengers]
    rounds = gauntlet_cycle_length(len(entrants), len(challenging))
    cycle, in_cycle = divmod(number - 1, rounds)
    return [
        Pairing(f"{number}.{board + 1}", number, board + 1, seats if (in_cycle + cycle) % 2 == 0 else seats[::-1])
        for board, challenger in enumerate(challenging)
        if (place := (in_cycle + board) % rounds) < len(opponents)
        for seats in [(challenger, opponents[place])]
    ]


def gauntlet_cycle_length(many: int, challengers: int) -> int:
    return max(challengers, many - challengers)
