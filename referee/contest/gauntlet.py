"""Some meet all the others, who do not meet each other."""

from collections.abc import Collection, Sequence

from referee.contest.pairing import Pairing


def gauntlet(entrants: Sequence[str], challengers: Collection[str], cycles: int) -> list[Pairing]:
    """All pairings. Everybody's seats alternate, and every second cycle is played with them exchanged.

    In a round each challenger meets another of the others; with more challengers than others, those wait who find
    no free place.
    """
    running = [name for name in entrants if name in challengers]
    others = [name for name in entrants if name not in challengers]
    rounds = max(len(running), len(others))
    return [
        _pairing(cycle * rounds + number + 1, board + 1, seats if (number + cycle) % 2 == 0 else seats[::-1])
        for cycle in range(cycles)
        for number in range(rounds)
        for board, challenger in enumerate(running)
        if (place := (number + board) % rounds) < len(others)
        for seats in [(challenger, others[place])]
    ]


def _pairing(number: int, board: int, seats: tuple[str, str]) -> Pairing:
    return Pairing(f"{number}.{board}", number, board, seats)
