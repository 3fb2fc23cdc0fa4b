"""`referee game`: tools for authors of games."""

import re
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from keyword import iskeyword
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Any

import click

from engines.api import Game
from engines.game_errors import unknown
from engines.registry import OURS, find
from engines.testing.second_engine import SecondEngine
from referee.cli import CommandGroup
from referee.cli._shared.game_options import GameCommand
from referee.cli.games import perft

if TYPE_CHECKING:
    from engines.testing.suite import Check, CheckResult

TEMPLATE_FOLDER = Path(__file__).parent / "new_game"
TEMPLATES = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "{name}.py": "game.py.txt",
    "test_{name}.py": "test_game.py.txt",
}
"""The files of a new game, and the files from which they are written."""
MISSING_PACKAGE = "the checks need one more package: pip install 'referee[kit]'"


@click.group(cls=CommandGroup)
def game() -> None:
    """Check a game of your own, begin a new one, or count lines of play."""


game.add_command(perft)


@game.command(cls=GameCommand)
@click.argument("name", metavar="GAME")
@click.option("--only", multiple=True, metavar="CHECK", help="Run only this check; repeatable.")
@click.option("--seed", default=0, show_default=True, help="Number from which all random games follow.")
@click.option("--against", metavar="MODULE:OBJECT", help="A second engine, whose answers must be the same.")
def check(name: str, only: tuple[str, ...], seed: int, against: str | None) -> None:
    """Check that GAME keeps the promises of a game: a name in `referee games`, or MODULE:OBJECT, such as my_game:GAME.

    Prints a line for each check. A check that fails shows where, and the command that shows it again; the exit status
    is then 1. MODULE may be in the current folder.
    """
    try:
        from engines.testing.suite import AGREEMENT, CHECKS, Suspect, run_checks  # noqa: PLC0415 - jsonschema is an extra.
    except ModuleNotFoundError:
        raise click.UsageError(MISSING_PACKAGE) from None
    suspect = Suspect(_find_game(name), seed, _load(against, SecondEngine) if against else None)
    failed = False
    for result in run_checks(suspect, _select([*CHECKS, AGREEMENT] if against else CHECKS, only)):
        again = ["referee", "game", "check", name, "--only", result.check.name, "--seed", str(seed)]
        again += ["--against", against] if against else []
        _show(result, join(again))
        failed |= result.failure is not None
    sys.exit(1 if failed else 0)


@game.command()
@click.argument("name")
def new(name: str) -> None:
    """Write a small complete game into a new folder NAME: rules, test, README and entry point. It passes all checks."""
    if not re.fullmatch("[a-z][a-z0-9_]{0,39}", name) or iskeyword(name) or name in OURS:
        raise click.UsageError(f"{name!r} is no free name of a module: lower-case letters, digits and _")
    folder = Path(name)
    try:
        folder.mkdir()
        for written, template in TEMPLATES.items():
            text = (TEMPLATE_FOLDER / template).read_text(encoding="utf-8").replace("$name", name)
            (folder / written.format(name=name)).write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {folder}: {error.strerror}") from None
    click.echo(f"{folder} is a game: cd {folder}, then referee game check {name}:GAME")


def _show(result: "CheckResult", again: str) -> None:
    failure = result.failure
    verdict = click.style("FAILED", fg="red") if failure else click.style("passed", fg="green")
    said = result.check.meaning if failure else f"{result.check.meaning} ({result.note})"
    click.echo(f"{verdict}  {result.check.name:14} {said}")
    for line in [failure.wrong, *failure.place, f"again: {again}"] if failure else []:
        click.echo(f"        {line}")


def _select(checks: "Sequence[Check]", only: tuple[str, ...]) -> "list[Check]":
    known = [each.name for each in checks]
    strangers = [name for name in only if name not in known]
    if strangers:
        raise click.UsageError(unknown("check", strangers[0], known))
    return [each for each in checks if not only or each.name in only]


def _find_game(name: str) -> Game:
    game: Game = _load(name, Game) if ":" in name else find(name)
    return game


def _load(place: str, kind: Any) -> Any:
    """Return an object of that class by module and name; the module may be in the current folder."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        loaded = EntryPoint(place, place, "").load()
    except (ImportError, AttributeError, ValueError) as error:
        raise click.UsageError(f"cannot import {place}: {error}") from None
    finally:
        sys.path.pop(0)
    if not isinstance(loaded, kind):
        raise click.UsageError(f"{place} is {type(loaded).__name__}, not a {kind.__name__}")
    return loaded
