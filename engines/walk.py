"""Counting the lines of a game: the figure by which two programs compare their rules."""

from engines.api import Position


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
