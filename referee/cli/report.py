"""What a ladder or a tournament has come to, as one page or as text."""

import sys
from pathlib import Path

import click
from referee_client import Organiser, Refused

from referee.cli.calling import Calling, calling, referee_options
from referee.cli.report_text import report_text
from referee.reporting.gathering import ladder_report, tournament_report
from referee.reporting.kept import NothingKept, kept_report
from referee.reporting.page import page
from referee.reporting.report import Report


@click.command(cls=Calling)
@click.argument("what", metavar="ID")
@click.option("--html", is_flag=True, help="One page that needs nothing else, instead of text.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="[standard output]")
@click.option("--ladder", "kind", flag_value="ladder", help="It is a ladder. [a tournament, if there is one]")
@referee_options
def report(
    what: str, html: bool, output: Path | None, kind: str | None, at: str | None, token: str | None, ca: Path | None
) -> None:
    """Tell of a ladder or a tournament: table with error bars, ratings, cross table, time used, ends.

    ID is the name of a ladder or a tournament on a running referee, or the folder of a `referee tournament run`.
    """
    told = _kept(Path(what)) if Path(what).is_dir() else _asked(what, kind, at, token, ca)
    text = page(told) if html else f"{report_text(told)}\n"
    write(output, text)


def _kept(folder: Path) -> Report:
    try:
        return kept_report(folder)
    except NothingKept as why:
        raise click.ClickException(str(why)) from None


def _asked(name: str, kind: str | None, at: str | None, token: str | None, ca: Path | None) -> Report:
    with calling(at, token, ca) as organiser:
        return ladder_report(organiser, name, progress=_progress) if kind else _either(organiser, name)


def _progress(done: int, of: int) -> None:
    """On a terminal, in one line of standard error, which is gone when all is read."""
    if sys.stderr.isatty():
        text = f"records read: {done} of {of}"
        click.echo(f"\r{text if done < of else ' ' * len(text)}\r", err=True, nl=False)


def _either(organiser: Organiser, name: str) -> Report:
    try:
        return tournament_report(organiser, name, progress=_progress)
    except Refused as refused:
        if refused.reason != "NO_SUCH_TOURNAMENT":
            raise
    try:
        return ladder_report(organiser, name, progress=_progress)
    except Refused as refused:
        if refused.reason != "NO_SUCH_LADDER":
            raise
        raise click.ClickException(f"there is neither a tournament nor a ladder called {name!r}") from None


def write(file: Path | None, text: str) -> None:
    """To a file, or to standard output."""
    if file is None:
        click.echo(text, nl=False)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from None
