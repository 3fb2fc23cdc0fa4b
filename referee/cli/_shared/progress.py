"""Progress: a bar with the estimated time left on a terminal, one line per step otherwise."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import click

BAR_CHARS = 24
COUNTS_CHARS = 27
"""Width of the counts and the estimated time."""


class Show(Protocol):
    def __call__(self, text: str, steps: int = 1, of: int | None = None) -> None:
        """Add `steps` with a text; `of` updates the expected total."""


@contextmanager
def progress(steps: int) -> Iterator[Show]:
    """Yield a callable to report each finished step to."""
    if sys.stdout.isatty():
        with _bar(steps) as bar:
            yield _Bar(bar)
    else:
        yield _Lines(steps)


def _bar(steps: int) -> Any:  # click does not name the class.
    room = max(0, shutil.get_terminal_size().columns - BAR_CHARS - COUNTS_CHARS)
    return click.progressbar(
        length=steps,
        show_pos=True,
        show_percent=False,
        item_show_func=lambda text: str(text)[:room] if text else None,
        width=BAR_CHARS,
        fill_char="━",
        empty_char="─",
        bar_template="%(bar)s  %(info)s",
    )


class _Bar:
    def __init__(self, bar: Any) -> None:
        self._bar = bar

    def __call__(self, text: str, steps: int = 1, of: int | None = None) -> None:
        if of is not None:
            self._bar.length = of
        self._bar.update(steps, text)


class _Lines:
    def __init__(self, of: int) -> None:
        self._done = 0
        self._of = of

    def __call__(self, text: str, steps: int = 1, of: int | None = None) -> None:
        self._done += steps
        self._of = self._of if of is None else of
        click.echo(f"{self._done:{len(str(self._of))}}/{self._of}  {text}")
