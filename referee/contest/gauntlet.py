"""Some meet all the others, who do not meet each other."""

from collections.abc import Collection, Sequence

from referee.contest.pairing import Pairing


def gauntlet(entrants: Sequence[str], challengers: Collection[str], number: int) -> list[Pairing]:
    """Return the pairings of a round. Rounds count from 1. Seats alternate, and every second cycle exchanges them.

    In a round each challenger meets another of the others; with more challengers than others, those wait who find
    no free place.
    """
    running = [name for name in entrants if name in challengers]
    others = [name for name in entrants if name not in challengers]
    rounds = rounds_of_a_cycle(len(entrants), len(running))
    cycle, in_cycle = divmod(number - 1, rounds)
    return [
        Pairing(f"{number}.{board + 1}", number, board + 1, seats if (in_cycle + cycle) % 2 == 0 else seats[::-1])
        for board, challenger in enumerate(running)
        if (place := (in_cycle + board) % rounds) < len(others)
        for seats in [(challenger, others[place])]
    ]


def rounds_of_a_cycle(many: int, challengers: int) -> int:
    return max(challengers, many - challengers)
