"""How far a contest has come: a bar with the time to go on a terminal, a line a match elsewhere."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import click

from referee.arena.conductor import Done
from referee.cli.contest_words import told

BAR_CHARS = 24
COUNTS_CHARS = 27
"""How many matches, of how many, and how long it will take."""


@contextmanager
def progress(matches: int) -> Iterator[Callable[[Done], None]]:
    """Tell it of every match that is done."""
    if sys.stdout.isatty():
        with _bar(matches) as bar:
            yield lambda done: bar.update(1, done)
    else:
        yield _lines(matches)


def _bar(matches: int) -> AbstractContextManager[Any]:  # click does not name the class.
    room = max(0, shutil.get_terminal_size().columns - BAR_CHARS - COUNTS_CHARS)
    return click.progressbar(
        length=matches,
        show_pos=True,
        show_percent=False,
        item_show_func=lambda done: told(done)[:room] if done else None,
        width=BAR_CHARS,
        fill_char="━",
        empty_char="─",
        bar_template="%(bar)s  %(info)s",
    )


def _lines(matches: int) -> Callable[[Done], None]:
    number = 0

    def tell(done: Done) -> None:
        nonlocal number
        number += 1
        click.echo(f"{number:{len(str(matches))}}/{matches}  {told(done)}")

    return tell
