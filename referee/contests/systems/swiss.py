"""Pairs a round of a Swiss tournament by FIDE's Dutch system (C.04.3, in force since 1 February 2026).

`dutch` finds the pairs by the weights of `criteria`. This module converts a table for it, allocates seats (article E,
seat 0 is white), and orders the boards.
"""

from collections.abc import Collection, Mapping

from msgspec import Struct

from referee.contests.pairing import Pairing
from referee.contests.systems.criteria import FIRST, SECOND, DutchPlayer, Float, RoundRules
from referee.contests.systems.dutch import pair_players
from referee.contests.tables.round_result import ResultKind, RoundResults, total_points


class Acceleration(Struct, frozen=True, gc=False):
    """Acceleration of a Swiss tournament by the Baku method (FIDE handbook, C.04.5.1).

    The players of the upper half have virtual points in the first half of the rounds, so that strong players meet
    sooner. Virtual points count only for pairing: one in the first half of the accelerated rounds, then half a point.
    """

    upper: frozenset[str]
    """Players with virtual points."""
    rounds: int
    """Number of rounds of the tournament."""

    def virtual_points(self, name: str, number: int) -> float:
        """Return the virtual points of a player in a round."""
        accelerated = _half(self.rounds)
        if name not in self.upper or number > accelerated:
            return 0.0
        return 1.0 if number <= _half(accelerated) else 0.5


NO_ACCELERATION = Acceleration(frozenset(), 0)


def upper_half(players: int) -> int:
    """Return the size of the upper half, rounded up to an even number."""
    return 2 * -(-players // 4)


def _half(number: int) -> int:
    return -(-number // 2)


def _seat_of_higher(higher: DutchPlayer, lower: DutchPlayer, odd_seat: int) -> int:
    """Return the seat of the higher player. `odd_seat` is the one drawn for seeds of odd number."""
    if higher.preference is None or lower.preference is None or higher.preference != lower.preference:
        if higher.preference is not None:
            return higher.preference
        if lower.preference is not None:
            return 1 - lower.preference
        return odd_seat if higher.number % 2 else 1 - odd_seat
    claims = [(player.strength, abs(player.surplus)) for player in (higher, lower)]
    if claims[0] != claims[1]:
        return higher.preference if claims[0] > claims[1] else 1 - lower.preference
    differing = next(
        ((mine, theirs) for mine, theirs in zip(higher.seats[::-1], lower.seats[::-1], strict=False) if mine != theirs),
        None,
    )
    return higher.preference if differing is None else 1 - differing[0]


def pair_swiss_round(
    table: RoundResults,
    active: Collection[str],
    rounds: int,
    *,
    first_has_first_move: bool = True,
    acceleration: Acceleration = NO_ACCELERATION,
    forbidden: Collection[frozenset[str]] = (),
) -> list[Pairing]:
    """Return the pairings of the next round, the top board first and a bye last. Raises Unpairable.

    The table contains all entrants that ever entered, in the order of seeds. `active` are those to be paired.
    `forbidden` pairs are not paired, as if they had met.
    """
    scores = PairingScores(table, acceleration)
    numbers = {name: number for number, name in enumerate(table, start=1)}
    played = len(next(iter(table.values())))
    rules = RoundRules(
        played,
        is_last=played + 1 >= rounds,
        forbidden={tuple(sorted(numbers[name] for name in names)) for names in forbidden if names <= {*numbers}},
    )
    boards = pair_players([_player(scores, name, numbers) for name in table if name in active], rules)
    boards.sort(key=_board_order)
    names, odd_seat = list(table), FIRST if first_has_first_move else SECOND
    seated = [tuple(names[player.number - 1] for player in _seat(board, odd_seat)) for board in boards]
    number = played + 1
    return [Pairing(f"{number}.{board}", number, board, seats) for board, seats in enumerate(seated, start=1)]


class PairingScores(Struct, frozen=True, gc=False):
    """Scores by which players are paired: their points, and virtual points in accelerated rounds."""

    table: RoundResults
    acceleration: Acceleration

    def before(self, name: str, played: int | None = None) -> float:
        """Return the score with which a player was paired after that many rounds. None: is to be paired now."""
        results = self.table[name] if played is None else self.table[name][:played]
        return total_points(results) + self.acceleration.virtual_points(name, len(results) + 1)


def _seat(board: tuple[DutchPlayer, ...], odd_seat: int) -> tuple[DutchPlayer, ...]:
    """Return the players of a board, of whom the higher one is first, in the order of seats."""
    return board[::-1] if len(board) == 2 and _seat_of_higher(*board, odd_seat) == SECOND else board


def _board_order(board: tuple[DutchPlayer, ...]) -> tuple[bool, float, float, int]:
    """Sort key of boards (C.04.3, D.9): higher score, sum of scores, number of the higher player. A bye is last."""
    return len(board) == 1, -board[0].points, -sum(player.points for player in board), board[0].number


def _player(scores: PairingScores, name: str, numbers: Mapping[str, int]) -> DutchPlayer:
    results = scores.table[name]
    return DutchPlayer(
        scores.before(name),
        numbers[name],
        [result.seat for result in results if result.seat is not None],
        [_floated(scores, name, played) for played in range(len(results))],
        {numbers[result.opponents[0]] for result in results if result.kind is ResultKind.PLAYED},
        may_have_bye=not any(result.kind in {ResultKind.BYE, ResultKind.UNOPPOSED} for result in results),
    )


def _floated(scores: PairingScores, name: str, played: int) -> Float:
    """Return whether the entrant met one with fewer points or more; unearned points count as down (A.4)."""
    result = scores.table[name][played]
    if result.kind is not ResultKind.PLAYED:
        return Float.DOWN if result.points > 0 else Float.LEVEL
    own, opposing = scores.before(name, played), scores.before(result.opponents[0], played)
    return Float.DOWN if own > opposing else Float.UP if own < opposing else Float.LEVEL
