"""Everybody meets everybody: the tables of Berger, as FIDE prints them (C.05, annex 1).

The last of an even number stays where it is, the others go round. Colours come out even: over a cycle nobody
has first move more than once more often than second. Every second cycle is played with the seats exchanged.
"""

from collections.abc import Sequence

from referee.contest.pairing import Pairing


def round_robin(entrants: Sequence[str], cycles: int) -> list[Pairing]:
    """All pairings. With an odd number somebody is free each round, which scores nothing."""
    rounds = berger(len(entrants))
    return [
        Pairing(
            f"{cycle * len(rounds) + number}.{board}",
            cycle * len(rounds) + number,
            board,
            _seats(entrants, first, second, exchanged=cycle % 2 == 1),
        )
        for cycle in range(cycles)
        for number, pairs in enumerate(rounds, start=1)
        for board, (first, second) in enumerate(pairs, start=1)
    ]


def berger(many: int) -> list[list[tuple[int, int]]]:
    """Round by round, who has the first move against whom, as numbers from 1. Nobody is to meet whom nobody is."""
    last = many + many % 2
    return [[pair for pair in _round(last, number) if max(pair) <= many] for number in range(1, last)]


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
