"""Games recorded in advance, which the load generator replays without knowing any rules."""

import json
import random
from pathlib import Path

from engines.api import Game, Position, Seat
from engines.registry import find
from referee.match.setup import game_seed, match_chance

GAMES = 8
"""Number of different games; additional matches replay the same ones."""
PLIES = 128
"""Length of a recording: enough for several rounds, and shorter than any of the games."""
LOOKED_AT = 4
"""Number of moves to choose from."""


def recorded_games(folder: Path, game: str, whole: bool = False) -> Path:
    """Return a file of games that do not end within the recorded plies; with `whole`, of complete games."""
    path = folder / f"{game}{'-whole' if whole else ''}.json"
    if not path.exists():
        found, number = list[dict[str, object]](), 0
        seats = len(find(game).table(find(game).settings()).seats)
        while len(found) < GAMES:
            played = _played(find(game), seats, number, whole)
            found += [played] if played else []
            number += 1
        path.write_text(json.dumps({"game": game, "seats": seats, "recorded": found}))
    return path


def _played(game: Game, seats: int, number: int, whole: bool) -> dict[str, object] | None:
    """Return one game; None if it ended before enough was played."""
    rng = random.Random(number)
    seed = rng.randbytes(32)
    position, moves = (
        game.start(game.settings(), game_seed(match_chance(seed, [b""] * seats))),
        [list[str]() for _ in range(seats)],
    )
    for _ in range(10 * PLIES if whole else PLIES):
        seat = position.owing[0]
        move = rng.choice(position.moves(seat)) if whole else _quiet(position, seat, rng)
        moves[seat].append(move)
        position = position.play(seat, move)
        if position.outcome is not None:
            return {"seed": seed.hex(), "moves": moves, "whole": True} if whole else None
    return None if whole else {"seed": seed.hex(), "moves": moves, "whole": False}


def _quiet(position: Position, seat: Seat, rng: random.Random) -> str:
    """Return a move that captures nothing and leaves few captures, where captures are written with an x.

    This makes games long.
    """
    moves = position.moves(seat)
    tried = rng.sample(moves, min(LOOKED_AT, len(moves)))
    return min(tried, key=lambda move: ("x" in move, _captures(position.play(seat, move))))


def _captures(position: Position) -> int:
    if position.outcome is not None:
        return PLIES
    return sum("x" in move for move in position.moves(position.owing[0]))
