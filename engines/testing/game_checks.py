"""Properties of a game as a whole: what it says about itself, its options, and the texts that it reads."""

import random
import time
from collections.abc import Callable, Sequence

from jsonschema import Draft202012Validator

from engines.api import Game, Position
from engines.game_errors import BadOption, IllegalMove, MalformedMove, MalformedPosition, UnknownOption, UnknownPreset
from engines.options import Option, Settings
from engines.testing.failure import locate, require, require_error
from engines.testing.random_games import mutated, settings_of

CHARS = 400_000
MAX_CPU_S = 1.0
"""A quadratic parser needs four seconds."""


def check_description(game: Game) -> None:
    """Check the name, the rules, the notation, the schema of views and the table. Raises CheckFailure."""
    require(game.name and game.name == game.name.lower(), f"the name {game.name!r} is not lower case")
    require(not set(game.name) & set(" \t\n/:"), f"the name {game.name!r} contains a blank, a slash or a colon")
    require(game.version >= 1, "the version is not a number from 1 on")
    Draft202012Validator.check_schema(game.view_schema)
    require(game.title.strip() and game.rules.strip(), "the title or the rules are empty")
    require(game.notation.move.strip(), "the notation of moves is empty")
    require(game.notation.position.strip(), "the notation of positions is empty")
    table = game.table(game.settings())
    seats = sorted(seat for side in table.sides for seat in side)
    require(seats == list(range(len(table.seats))), f"the sides do not contain each seat once: {table.sides}")


def check_options(game: Game) -> None:
    """Check that options and presets are described, and that errors list what is known. Raises CheckFailure."""
    declared = game.options.declared
    Draft202012Validator.check_schema(game.options.schema())
    unknown = require_error(
        (UnknownOption,), lambda: game.settings({"no_such_option": "1"}), "an unknown option is accepted"
    )
    preset = require_error(
        (UnknownPreset,), lambda: game.settings({}, "no_such_preset"), "an unknown preset is accepted"
    )
    require(
        all(option.name in unknown.details["known"] for option in declared), "UnknownOption does not list all options"
    )
    require(
        all(known.name in preset.details["known"] for known in game.options.presets),
        "UnknownPreset does not list all presets",
    )
    for option in declared:
        _check_option(game, option)
    for known in game.options.presets:
        require(known.meaning.endswith("."), f"the meaning of preset {known.name} does not end with a full stop")
        game.settings({}, known.name)
    late = [option.late for option in declared]
    require(late == sorted(late), "late options are declared after all others, or old records would not verify")
    whole = game.settings()
    before = Settings(whole.values[: late.count(False)])
    require(game.options.completed(before) == whole, "settings without the late options have not their defaults")


def _check_option(game: Game, option: Option) -> None:
    validator = Draft202012Validator(game.options.schema())
    name = f"option {option.name}"
    require(option.meaning.endswith("."), f"the meaning of {name} does not end with a full stop")
    require(option.examples[0] == option.default, f"the first example of {name} is not its default")
    for value in option.examples:
        require(validator.is_valid({option.name: value}), f"{name}: the schema refuses {value!r}")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        require(option.parse(text) == value == option.parse(value), f"{name}: {value!r} is read as another value")
    bad = "no such value" * 10_000
    error = require_error((BadOption,), lambda: game.settings({option.name: bad}), f"{name} takes any value")
    require(error.details["known"] == option.known, f"{name}: BadOption does not list what is known")


def check_settings_differ(game: Game, rng: random.Random) -> None:
    """Check that positions with different settings are never equal. Raises CheckFailure."""
    starts = [game.start(settings, b"") for settings in settings_of(game, 0, rng)]
    require(len(set(starts)) == len(starts), "two first positions with different settings are equal")
    require(starts[0] != str(starts[0]), "a position is equal to its text")
    require(str(starts[0]) in repr(starts[0]), "the repr of a position does not contain its text")


def check_broken_texts(game: Game, settings: Settings, texts: Sequence[str], rng: random.Random) -> None:
    """Check that a mutated position is parsed as what it says, or refused, and that it never causes a crash."""
    for text in texts:
        mangled = mutated(text, rng)
        with locate(settings, mangled):
            try:
                position = game.read(mangled, settings)
            except MalformedPosition:
                continue
            require(game.read(str(position), settings) == position, f"it is read as {position!s}, which is another one")
    for nonsense in ("", " ", "x", "?", "\n", texts[0] + "\n", " " + texts[0], texts[0] + " ", "٣", "9" * 5000):
        check_unreadable(game, settings, nonsense)


def check_unreadable(game: Game, settings: Settings, text: str) -> None:
    """Check that a text is refused as a position. Raises CheckFailure."""
    with locate(settings, ascii(text[:80])):
        require_error((MalformedPosition,), lambda: game.read(text, settings), "this is read as a position")


def check_long_texts(
    start: Position,
    game: Game,
    pieces: Sequence[str],
    clock: Callable[[], float] = time.thread_time,
) -> None:
    """Check that texts of 400 000 characters, made of these pieces, are refused in linear time. Raises CheckFailure."""
    tail = str(start)
    for first in pieces:
        for more in pieces:
            long = first + more * (CHARS // len(more))
            began_s = clock()
            with locate(position=start, move=long):
                _check_unplayable(start, long)
            inside = tail.replace(" ", f" {long} ", 1) if " " in tail else tail[:1] + long + tail[1:]
            for text in (long, f"{long} {tail}", f"{tail} {long}", inside):
                check_unreadable(game, start.settings, text)
            with locate(position=start, move=long):
                wrong = f"{CHARS} characters, {first!r} and then many {more!r}, take more than {MAX_CPU_S} s to refuse"
                require(clock() - began_s < MAX_CPU_S, wrong)


def _check_unplayable(start: Position, long: str) -> None:
    kinds = (MalformedMove, IllegalMove)
    require_error(kinds, lambda: start.play(start.owing[0], long), f"a move of {CHARS} characters is accepted")
