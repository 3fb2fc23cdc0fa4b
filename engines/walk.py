"""Walking through a game: every line to some depth, or one line to its end."""

from collections.abc import Iterator
from dataclasses import dataclass

from engines.api import Position, Seat
from engines.chance import Chance


@dataclass(frozen=True)
class Step:
    """A move that was played, and the position it led to."""

    seat: Seat
    move: str
    position: Position


def perft(position: Position, depth: int) -> int:
    """How many lines of `depth` moves there are. Where several seats owe, the first moves first."""
    if depth == 0:
        return 1
    if not position.owing:
        return 0
    seat = position.owing[0]
    moves = position.moves(seat)
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(seat, move), depth - 1) for move in moves)


def playout(position: Position, chance: Chance) -> Iterator[Step]:
    """One game to its end, each move drawn from `chance`."""
    while position.owing:
        seat = position.owing[0]
        moves = position.moves(seat)
        pick, chance = chance.below(len(moves))
        position = position.play(seat, moves[pick])
        yield Step(seat, moves[pick], position)
