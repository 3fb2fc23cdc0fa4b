"""A bot that looks one move ahead and plays the move with the best immediate result.

Positions are evaluated by the game's own standing (men, pawns, chips, pawns at home), compared with the best other
side, plus a small bonus for each game. The bot needs the engines, which are part of the distribution `referee`.
"""

import random
from collections.abc import Callable
from math import inf

from engines.api import Position
from referee_client import Turn, local, run
from referee_client.notation import alquerque, toc, troke

FORWARD = {"red": (0, 1), "white": (0, -1), "blue": (1, 0), "yellow": (-1, 0)}
"""Forward direction of each colour of Troke, in files and ranks."""


def choose(turn: Turn) -> str:
    position = local.position(turn.game, turn.options, turn.position)
    sides = local.table(turn.game, turn.options).sides
    own_side = next(number for number, side in enumerate(sides) if turn.seat in side)
    bonus = BONUSES.get(turn.game)

    def evaluate(move: str) -> float:
        after = position.play(turn.seat, move)
        return lead(after, own_side) + (bonus(after, turn.seat) if bonus else 0.0)

    values = {move: evaluate(move) for move in turn.legal_moves}
    best = max(values.values())
    return random.choice([move for move, value in values.items() if value == best])


def lead(position: Position, own_side: int) -> float:
    """Return how far a side is ahead of the best other side; infinite if it has won or lost."""
    scores = position.outcome.side_scores if position.outcome else position.standing
    ahead = scores[own_side] - max(score for side, score in enumerate(scores) if side != own_side)
    if position.outcome:
        return inf if ahead > 0 else -inf if ahead < 0 else 0.0
    return ahead


def safety_bonus(position: Position, seat: int) -> float:
    """Bonus for Alquerque: minus the number of men that the other side can capture in reply."""
    replies = (alquerque.move(text).captures for other in position.owing for text in position.moves(other))
    return 0.0 if seat in position.owing else -float(max(replies, default=0))


def advance_bonus(position: Position, seat: int) -> float:
    """Bonus for Troke: a hundredth of a chip for each step that an own piece has gone forward."""
    colour = local.table("troke", position.settings.texts()).seats[seat]
    files, ranks = FORWARD[colour]
    return sum(
        (files * ord(circle[0]) + ranks * int(circle[1:])) / 100
        for circle, pieces in troke.position(position.text(seat)).circles.items()
        for owner in pieces.values()
        if owner == colour
    )


def ring_bonus(position: Position, seat: int) -> float:
    """Bonus for Toc: progress of the own team's pawns on the ring, minus that of the others.

    A lap counts almost as much as a pawn at home.
    """
    pawns = toc.position(position.text(seat)).pawns
    teams = [sum(_progress(pawn, owner) for owner in (team, team + 2) for pawn in pawns[owner]) for team in (0, 1)]
    return (teams[seat % 2] - teams[1 - seat % 2]) / (toc.RING + 1)


def _progress(pawn: toc.Pawn, owner: int) -> int:
    """Return the distance from the start in ring cells, plus one for having started."""
    return 0 if pawn.cell is None else 1 + (pawn.cell - owner * toc.RING // 4) % toc.RING


BONUSES: dict[str, Callable[[Position, int], float]] = {
    "alquerque": safety_bonus,
    "troke": advance_bonus,
    "toc": ring_bonus,
}


if __name__ == "__main__":
    run(choose)
