"""Perft: counts the lines of play of a game, so that two implementations of its rules can be compared."""

from engines.api import Position


def perft(position: Position, depth: int) -> int:
    """Return the number of lines of `depth` moves. If several seats are to move, the first moves first."""
    if depth == 0:
        return 1
    if not position.owing:
        return 0
    seat = position.owing[0]
    moves = position.moves(seat)
    if depth == 1:
        return len(moves)
    return sum(perft(position.play(seat, move), depth - 1) for move in moves)
