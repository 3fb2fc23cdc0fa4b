"""Random settings, random games and texts that are no moves, for checks."""

import random
import string
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from engines.api import Game, Position
from engines.game_errors import BadOption
from engines.options import Settings, Value
from engines.testing.failure import CheckFailure, locate

MAX_PLIES = 60_000
NONSENSE = [
    "",
    " ",
    "pass",
    "PASS",
    "a1",
    "a1-a1",
    "-",
    "x",
    "=",
    "٣",
    "a1-b2\n",
    "0" * 5000,
    "\x00",
    "é",
    "💥",
    "=?",
    "R",
]


def settings_of(game: Game, random_ones: int, rng: random.Random) -> list[Settings]:
    """Return the defaults, each preset, each value of each option alone, and some random combinations."""
    choices: list[tuple[dict[str, Value], str | None]] = [({}, None)]
    choices += [({}, preset.name) for preset in game.options.presets]
    choices += [({option.name: value}, None) for option in game.options.declared for value in option.examples]
    choices += [(any_choice(game, rng), None) for _ in range(random_ones)]
    found = {}
    for chosen, preset in choices:
        try:
            found[game.settings(chosen, preset)] = True
        except BadOption:
            continue  # The game does not allow this combination.
    return list(found)


def any_choice(game: Game, rng: random.Random) -> dict[str, Value]:
    return {option.name: rng.choice(option.examples) for option in game.options.declared}


def game_path(game: Game, settings: Settings, rng: random.Random) -> Iterator[Position]:
    """Yield the positions of a random game, from the first until one with an outcome. Fails after too many plies."""
    with locate(settings):
        position = game.start(settings, rng.randbytes(32))
    yield position
    for _ in range(MAX_PLIES):
        with locate(position=position):
            if not position.owing:
                return
            seat = rng.choice(position.owing)
            move = rng.choice(position.moves(seat))
        with locate(position=position, seat=seat, move=move):
            position = position.play(seat, move)
        yield position
    with locate(position=position):
        raise CheckFailure(f"a random game has not ended after {MAX_PLIES} moves")


def some_positions(path: list[Position], many: int, rng: random.Random) -> list[Position]:
    """Return the first and the last position of a game, and some between."""
    between = path[1:-1]
    return [path[0], *rng.sample(between, min(many, len(between))), path[-1]]


def beginning(game: Game, settings: Settings, rng: random.Random, plies: int) -> list[Position]:
    """Return the first positions of a random game."""
    return list(islice(game_path(game, settings, rng), plies))


def mutated(text: str, rng: random.Random) -> str:
    """Return the text with one character changed, inserted or removed."""
    at = rng.randrange(len(text) + 1)
    letter = rng.choice(string.ascii_letters + string.digits + "-x>@./:,+=! ")
    return rng.choice([text[:at] + letter + text[at:], text[:at] + text[at + 1 :], text[:at] + letter + text[at + 1 :]])


def is_endless(settings: Settings) -> bool:
    """Return whether everything that would end a game of moves to and fro is switched off."""
    limits: Mapping[str, Any] = settings.texts()
    return all(limits.get(name, "0") == "0" for name in ("repetition", "no_capture_plies", "max_plies", "max_turns"))
