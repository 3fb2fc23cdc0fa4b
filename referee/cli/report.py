"""`referee report`: a report of a ladder or a tournament, as an HTML page or as text."""

from pathlib import Path

import click
from referee_client import Organiser, Refused

from referee.cli._shared.client_options import ClientCommand, open_organiser, referee_options
from referee.cli._shared.output import write
from referee.cli._shared.report_text import report_text
from referee.cli._shared.shared_contest_commands import show_progress
from referee.show.collector import ReportDataMissing, ladder_report, read_saved_report, tournament_report
from referee.show.page import page
from referee.show.report import Report


@click.command(cls=ClientCommand)
@click.argument("what", metavar="ID")
@click.option("--html", is_flag=True, help="Write one self-contained HTML page instead of text.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Output file. [standard output]")
@click.option("--ladder", "kind", flag_value="ladder", help="ID is a ladder. [a tournament if one exists]")
@referee_options
def report(
    what: str, html: bool, output: Path | None, kind: str | None, at: str | None, token: str | None, ca: Path | None
) -> None:
    """Report on a ladder or tournament: standings with error bars, ratings, cross table, time used, results.

    ID is the name of a ladder or tournament of a running referee, or the results folder of `referee tournament run`.
    """
    data = _saved_report(Path(what)) if Path(what).is_dir() else _fetch_report(what, kind, at, token, ca)
    text = page(data) if html else f"{report_text(data)}\n"
    write(output, text)


def _saved_report(folder: Path) -> Report:
    try:
        return read_saved_report(folder)
    except ReportDataMissing as why:
        raise click.ClickException(str(why)) from None


def _fetch_report(name: str, kind: str | None, at: str | None, token: str | None, ca: Path | None) -> Report:
    with open_organiser(at, token, ca) as organiser:
        return ladder_report(organiser, name, progress=show_progress) if kind else _fetch_either(organiser, name)


def _fetch_either(organiser: Organiser, name: str) -> Report:
    try:
        return tournament_report(organiser, name, progress=show_progress)
    except Refused as refused:
        if refused.reason != "NO_SUCH_TOURNAMENT":
            raise
    try:
        return ladder_report(organiser, name, progress=show_progress)
    except Refused as refused:
        if refused.reason != "NO_SUCH_LADDER":
            raise
        raise click.ClickException(f"there is neither a tournament nor a ladder called {name!r}") from None
