"""Options that say with which positions matches begin, and when the terms end them."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec
from referee_values import Adjudication

from engines.api import Game, Table
from engines.options import Settings
from referee.local.entrant import Entrant
from referee.local.opening_book import FORMATS, MAX_ENTRIES, MAX_PLIES, ORDERS, OpeningBook, read_openings
from referee.match.adjudication import LIMITS, check_adjudication, check_sides

Command = TypeVar("Command", bound=Callable[..., object])

BOOK_OPTIONS = (
    click.option(
        "--openings",
        type=click.Path(path_type=Path),
        help="Book of openings, each played in all orders of the bots: one position per line, or EPD, PGN or moves.",
    ),
    click.option("--opening-format", type=click.Choice(list(FORMATS)), help="Format of the book. [by its name]"),
    click.option("--opening-plies", type=click.IntRange(1, MAX_PLIES), help="Moves of each opening, at most. [all]"),
    click.option(
        "--opening-order", type=click.Choice(ORDERS), default=ORDERS[0], show_default=True, help="Order of openings."
    ),
    click.option(
        "--opening-start",
        type=click.IntRange(1, MAX_ENTRIES),
        default=1,
        show_default=True,
        help="Number of the first opening.",
    ),
    click.option("--opening-seed", default="0", show_default=True, help="Seed of a random order."),
)
ADJUDICATE = click.option(
    "--adjudicate",
    multiple=True,
    metavar="NAME=NUMBER",
    help="When a match ends before its game: max_plies, resign_score and resign_moves, draw_score, draw_moves and "
    "draw_after_ply. Repeatable.",
)


def play_options(command: Command) -> Command:
    """Add the options of openings, and --adjudicate. The command gets them by their names."""
    for option in (ADJUDICATE, *reversed(BOOK_OPTIONS)):
        command = option(command)
    return command


def plan_keys(
    chosen: Mapping[str, Any], game: Game, settings: Settings, clock: str, bots: Iterable[Entrant], parallel: int
) -> dict[str, Any]:
    """Return the keys of a tournament's file that say who plays what, and when matches end. Raises a DetailedError."""
    names = []
    for bot in bots:
        bot.check_game(game.name)
        names.append(bot.name)
    adjudication = _read_chosen_adjudication(chosen, game.table(settings))
    return {
        "game": game.name,
        "options": settings.texts(),
        "clock": clock,
        "adjudication": msgspec.to_builtins(adjudication) if adjudication else {},
        "entrants": names,
        "max_concurrent_matches": parallel,
        "matches_a_bot": parallel,
    }


def read_chosen_openings(chosen: Mapping[str, Any], game: Game, settings: Settings) -> tuple[str, ...]:
    """Return the openings by the options; empty: there is no book. Raises BadPlan."""
    if chosen["openings"] is None:
        return ()
    book = OpeningBook(
        chosen["openings"],
        chosen["opening_format"] or "",
        chosen["opening_plies"] or 0,
        chosen["opening_order"],
        chosen["opening_start"],
        chosen["opening_seed"],
    )
    return read_openings(book, game, settings)


def _read_chosen_adjudication(chosen: Mapping[str, Any], table: Table) -> Adjudication | None:
    """Raises UsageError or BadSetup."""
    if not chosen["adjudicate"]:
        return None
    adjudication = Adjudication(**dict(map(_name_and_number, chosen["adjudicate"])))
    check_adjudication(adjudication)
    check_sides(adjudication, table)
    return adjudication


def _name_and_number(word: str) -> tuple[str, int]:
    name, _, number = word.partition("=")
    if name not in LIMITS or not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise click.UsageError(f"--adjudicate takes NAME=NUMBER, not {word!r}; names: {', '.join(LIMITS)}")
    return name, int(number)
