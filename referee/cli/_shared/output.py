"""What commands print: progress, counts, and whole files.

Progress is a bar with the estimated time left on a terminal, and one line per step otherwise.
"""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from referee.cli._shared.signals import until_stopped

if TYPE_CHECKING:
    from referee.server.referee_server import ServerInfo

BAR_CHARS = 24
COUNTS_CHARS = 27
"""Width of the counts and the estimated time."""

STATUSES = """\b
Exit status:
    0  finished, and no match was forfeited
    1  the referee could not start
    2  invalid input
    3  a bot forfeited a match: late, illegal, absent
    4  a bot could not be started
    5  a match was void again and again: the rules failed
  130  Ctrl-C (143: SIGTERM); finished matches are kept
"""
"""The end of the help of commands that run a contest on this machine."""

page_option = click.option(
    "--page", is_flag=True, help="Show it on a web page, which stays until Ctrl-C; needs referee[site]."
)


def echo_start(server: "ServerInfo", notice: str) -> None:
    """Say where a local contest can be watched, after a notice for its operator if there is any."""
    if notice:
        click.echo(notice, err=True)
    click.echo(f"refereed on {server.grpc}, with metrics on http://{server.http}/metrics")
    if server.site:
        click.echo(f"watch it at http://{server.site}")


async def keep_page(server: "ServerInfo", summarise: Callable[[], None]) -> None:
    """If a finished local contest has a web page, summarise the contest, and keep the page until SIGINT or SIGTERM."""
    if server.site:
        summarise()
        click.echo(f"\nthe page stays at http://{server.site} until Ctrl-C")
        await until_stopped()


class Show(Protocol):
    def __call__(self, text: str, steps: int = 1, of: int | None = None) -> None:
        """Add `steps` with a text; `of` updates the expected total."""


@contextmanager
def progress(steps: int) -> Iterator[Show]:
    """Yield a callable to report each finished step to."""
    done, total = 0, steps

    def show_line(text: str, steps: int = 1, of: int | None = None) -> None:
        nonlocal done, total
        done, total = done + steps, total if of is None else of
        click.echo(f"{done:{len(str(total))}}/{total}  {text}")

    if not sys.stdout.isatty():
        yield show_line
        return
    with _progress_bar(steps) as bar:

        def move_bar(text: str, steps: int = 1, of: int | None = None) -> None:
            bar.length = bar.length if of is None else of
            bar.update(steps, text)

        yield move_bar


def _progress_bar(steps: int) -> Any:  # click does not name the class.
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


def counted(number: int, thing: str, things: str = "") -> str:
    return f"{number} {thing if number == 1 else things or thing + 's'}"


def write(file: Path | None, text: str) -> None:
    """Write to a file, or to standard output if None. Raises ClickException."""
    if file is None:
        click.echo(text, nl=False)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from None
