"""Games that were played beforehand, for a crowd to play again: it needs to know no rules then."""

import json
import random
from pathlib import Path

from engines.api import Game, Position, Seat
from engines.registry import find
from referee.core.fair import game_seed, match_chance

GAMES = 8
"""So many different ones; more matches play the same again."""
PLIES = 128
"""Long enough for some rounds, and no match ends in it."""
LOOKED_AT = 4
"""Moves to choose from."""


def recorded_games(folder: Path, game: str, whole: bool = False) -> Path:
    """A file of games, recorded up to a ply that none of them ends before; `whole`: to the end, as they come."""
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
    """One game; None: it ended before enough was played."""
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
    """A move that takes nothing and leaves little to take, where captures are written with an x. So a game lasts."""
    moves = position.moves(seat)
    tried = rng.sample(moves, min(LOOKED_AT, len(moves)))
    return min(tried, key=lambda move: ("x" in move, _captures(position.play(seat, move))))


def _captures(position: Position) -> int:
    if position.outcome is not None:
        return PLIES
    return sum("x" in move for move in position.moves(position.owing[0]))
