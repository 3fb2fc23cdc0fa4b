"""Everybody meets everybody: the tables of Berger, as FIDE prints them (C.05, annex 1).

The last of an even number stays where it is, the others go round. Colours come out even: over a cycle nobody
has first move more than once more often than second. Every second cycle is played with the seats exchanged.
"""

from collections.abc import Sequence

from referee.contest.pairing import Pairing


def round_robin(entrants: Sequence[str], number: int) -> list[Pairing]:
    """Return the pairings of a round. Rounds count from 1. An entrant without an opponent scores nothing."""
    cycle, in_cycle = divmod(number - 1, rounds_of_a_cycle(len(entrants)))
    return [
        Pairing(f"{number}.{board}", number, board, _seats(entrants, first, second, exchanged=cycle % 2 == 1))
        for board, (first, second) in enumerate(berger(len(entrants), in_cycle + 1), start=1)
    ]


def rounds_of_a_cycle(many: int) -> int:
    return many - 1 + many % 2


def berger(many: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of one round of a cycle, who moves first named first. Entrants and rounds count from 1."""
    return [pair for pair in _round(many + many % 2, number) if max(pair) <= many]


def _round(last: int, number: int) -> list[tuple[int, int]]:
    going_round = last - 1
    pivot = (number - 1) * (last // 2) % going_round + 1
    top = (pivot, last) if number % 2 else (last, pivot)
    others = [
        ((pivot + step - 1) % going_round + 1, (pivot - step - 1) % going_round + 1) for step in range(1, last // 2)
    ]
    return [top, *others]


def _seats(entrants: Sequence[str], first: int, second: int, *, exchanged: bool) -> tuple[str, str]:
    one, other = entrants[first - 1], entrants[second - 1]
    return (other, one) if exchanged else (one, other)
