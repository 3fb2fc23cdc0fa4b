"""Options that choose a game and its rules, and commands that print invalid input as usage errors."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from engines.api import Game
from engines.game_errors import DetailedError
from engines.options import Settings
from engines.registry import find

Command = TypeVar("Command", bound=Callable[..., object])


class GameCommand(click.Command):
    """A command that prints a DetailedError as one sentence, with exit status 2, instead of a traceback."""

    failures: tuple[type[Exception], ...] = ()
    """Other exceptions that are printed as one sentence, with exit status 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except DetailedError as error:
            raise click.UsageError(str(error), ctx) from None
        except self.failures as why:
            raise click.ClickException(str(why)) from None


def game_argument(command: Command) -> Command:
    return click.argument("game", metavar="GAME")(command)


def rule_options(command: Command) -> Command:
    """Add --option and --preset."""
    command = click.option("--preset", metavar="NAME", help="A named set of options; see `referee rules GAME`.")(
        command
    )
    return click.option(
        "--option",
        "-o",
        "chosen",
        multiple=True,
        metavar="NAME=VALUE",
        help="A rule option; NAME=@FILE reads the value from a file. Repeatable.",
    )(command)


def select_game(name: str, chosen: tuple[str, ...], preset: str | None) -> tuple[Game, Settings]:
    """Return a game and its settings. Raises DetailedError, which names valid values."""
    game = find(name)
    return game, game.settings(dict(map(_name_and_value, chosen)), preset)


def _name_and_value(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        raise click.UsageError(f"an option is written NAME=VALUE, and {word!r} has no '='")
    return name, _from_file(value[1:]) if value.startswith("@") else value


def _from_file(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"cannot read {path}: {error}") from None
