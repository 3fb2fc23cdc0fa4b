"""Equals meet equals, nobody twice: the Dutch system of FIDE (C.04.3, the edition in force since 1 February 2026).

The pairs are found by `dutch`; here a table is converted to its terms and its answer is checked, because where no
round is left to pair, the library hands out byes that nobody may have. `colours` decides who has the first move.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from referee.contest import colours
from referee.contest.dutch import DutchEngine
from referee.contest.encounters import Encounter, How, Table, score
from referee.contest.pairing import Pairing

SIDES = ("white", "black")


class Unpairable(Exception):
    """No round is left in which nobody would meet anybody twice, or have a second bye."""


def swiss_round(
    table: Table, there: Collection[str], rounds: int, *, first_has_first_move: bool = True
) -> list[Pairing]:
    """The pairings of the next round, the top board first, a bye last.

    The table is in the order of seeds, and holds everybody who ever was in; `there` are those to be paired.
    Raises Unpairable.
    """
    numbers = {name: number for number, name in enumerate(table, start=1)}
    number = 1 + len(next(iter(table.values())))
    met = {
        (min(pair), max(pair))
        for name in table
        for encounter in table[name]
        if encounter.how is How.PLAYED
        for pair in [(numbers[name], numbers[encounter.opponents[0]])]
    }
    engine = DutchEngine(
        players=[_player(table, name, numbers[name]) for name in table if name in there],
        previous_pairings=met,
        round_number=number,
        total_rounds=rounds,
        initial_color=SIDES[not first_has_first_move],
    )
    found = [(pair["white_id"], pair["black_id"]) for pair in engine.generate_pairings()]
    names = list(table)
    odd_seat = 0 if first_has_first_move else 1
    boards = [_seated([names[it - 1] for it in pair if it], table, numbers, odd_seat) for pair in found]
    if not _allowed(boards, table):
        raise Unpairable
    boards.sort(key=lambda seats: _board_order(seats, table, numbers))
    return [Pairing(f"{number}.{board}", number, board, seats) for board, seats in enumerate(boards, start=1)]


def _seated(pair: Sequence[str], table: Table, numbers: Mapping[str, int], odd_seat: int) -> tuple[str, ...]:
    players = [
        colours.Player(score(table[name]), numbers[name], [it.seat for it in table[name] if it.seat is not None])
        for name in pair
    ]
    exchanged = len(pair) == 2 and not colours.first_moves(players[0], players[1], odd_seat)
    return tuple(reversed(pair)) if exchanged else tuple(pair)


def _allowed(boards: Sequence[tuple[str, ...]], table: Table) -> bool:
    """Nobody twice, one bye at most, and not to who has had the points of a win for nothing."""
    byes = [seats[0] for seats in boards if len(seats) == 1]
    again = any(
        it.how is How.PLAYED and it.opponents[0] == seats[1]
        for seats in boards
        if len(seats) == 2
        for it in table[seats[0]]
    )
    return not again and len(byes) < 2 and not any(_given(it) for name in byes for it in table[name])


def _given(encounter: Encounter) -> bool:
    return encounter.how in {How.BYE, How.UNOPPOSED}


def _board_order(seats: Sequence[str], table: Table, numbers: Mapping[str, int]) -> tuple[bool, float, float, int]:
    """FIDE's: the points of the better, then of both, then the number of the better; the bye last (C.04.3, D.9)."""
    points = sorted((-score(table[name]), numbers[name]) for name in seats)
    return len(seats) == 1, points[0][0], sum(it for it, _ in points), points[0][1]


def _player(table: Table, name: str, number: int) -> dict[str, Any]:
    """An entrant, in the library's words."""
    encounters = table[name]
    return {
        "id": number,
        "name": name,
        "score": score(encounters),
        "starting_number": number,
        "pairing_number": number,
        "color_hist": [SIDES[it.seat] for it in encounters if it.seat is not None],
        "float_history": [_float(table, name, played) for played in range(len(encounters))],
        "bye_count": sum(it.how is How.BYE for it in encounters),
        "forfeit_win_count": sum(it.how is How.UNOPPOSED for it in encounters),
    }


def _float(table: Table, name: str, played: int) -> str:
    """Whether the entrant met somebody with fewer points, or more; points for nothing count as fewer (A.4)."""
    encounter = table[name][played]
    if encounter.how is not How.PLAYED:
        return "down" if encounter.points > 0 else "none"
    mine, theirs = score(table[name][:played]), score(table[encounter.opponents[0]][:played])
    return "down" if mine > theirs else "up" if mine < theirs else "none"
