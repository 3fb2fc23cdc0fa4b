"""Tournaments of a referee that runs; `run` holds one on this machine."""

from pathlib import Path

import click
from referee_api.v1 import tournament_pb2
from referee_client import Organiser
from referee_client.organiser.tournaments import FORMATS, PHASES

from referee.arena.contest_file import read_tournament
from referee.cli.calling import Calling, asking
from referee.cli.contest_entries import entry_line
from referee.cli.report import write
from referee.cli.report_text import standings_text
from referee.cli.table import table
from referee.cli.tournament_run import run
from referee.core.policy import Policies
from referee.reporting.gathering import tournament_report
from referee.reporting.wire import chosen_text, rules_text
from referee.reporting.words import moment

WORD_OF = {number: word for word, number in PHASES.items()}


@click.group()
def tournament() -> None:
    """Tournaments: on this machine, or of a referee that runs."""


tournament.add_command(run)


@tournament.command(cls=Calling)
@click.argument("file", type=click.Path(path_type=Path))
@asking
def create(organiser: Organiser, file: Path) -> None:
    """Make the tournament of a TOML file (docs/tournaments.md); its bots come by themselves."""
    plan = read_tournament(file, Policies())
    if plan.bots:
        raise click.UsageError("the bots of a referee that runs come by themselves: name them in entrants = [...]")
    made = organiser.tournaments.create(plan.name, entrants=plan.entrants, title=plan.title, plan=plan.terms)
    _say(made)


@tournament.command(cls=Calling)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
@asking
def enter(organiser: Organiser, name: str, who: str) -> None:
    """Take an entrant in.

    ENTRANT is a bot, as anna or anna/1.4, or partners, as reds=anna,bert. Without one: the bot whose token it is.
    """
    _say(organiser.tournaments.enter(name, who))


@tournament.command(cls=Calling)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
@click.option("--message", default="", help="One sentence for the others.")
@asking
def withdraw(organiser: Organiser, name: str, who: str, message: str) -> None:
    """Withdraw an entrant."""
    _say(organiser.tournaments.withdraw(name, who, message))


@tournament.command(cls=Calling)
@click.argument("name")
@asking
def start(organiser: Organiser, name: str) -> None:
    """Start a tournament."""
    _say(organiser.tournaments.start(name))


@tournament.command(cls=Calling)
@click.argument("name")
@click.option("--message", default="", help="One sentence for its entrants.")
@asking
def cancel(organiser: Organiser, name: str, message: str) -> None:
    """Call a tournament off."""
    _say(organiser.tournaments.cancel(name, message))


@tournament.command(cls=Calling)
@click.argument("name")
@asking
def show(organiser: Organiser, name: str) -> None:
    """How a tournament stands."""
    held = organiser.tournaments.get(name)
    told = tournament_report(organiser, name, whole=False) if held.HasField("started_at") else None
    _say(held)
    click.echo(standings_text(told) if told else "\n".join(one.name for one in held.entrants))


@tournament.command("list", cls=Calling)
@click.option("--game", default="", help="Of this game. [any]")
@click.option("--bot", default="", help="In which this bot plays. [any]")
@click.option("--phase", type=click.Choice(list(PHASES)), default=None, help="[any]")
@asking
def list_all(organiser: Organiser, game: str, bot: str, phase: str | None) -> None:
    """All tournaments, the newest first."""
    held = list(organiser.tournaments.list(game, bot, phase or ""))
    rows = [
        [
            one.name,
            str(len(one.entrants)),
            WORD_OF.get(one.phase, "?"),
            _progress(one),
            chosen_text(one.terms),
            rules_text(one.terms.match_terms.rules),
        ]
        for one in held
    ]
    click.echo(table(["tournament", "entrants", "phase", "pairings", "format", "game"], rows))


@tournament.command(cls=Calling)
@click.argument("name")
@click.argument("form", metavar="FORMAT", type=click.Choice(list(FORMATS)))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="[standard output]")
@asking
def export(organiser: Organiser, name: str, form: str, output: Path | None) -> None:
    """The tournament as a file: csv, json or trf."""
    write(output, organiser.tournaments.export(name, form))


@tournament.command(cls=Calling)
@click.argument("name")
@click.option("--after", type=click.IntRange(0), default=0, help="Entries after this number. [all]")
@asking
def watch(organiser: Organiser, name: str, after: int) -> None:
    """Follow a tournament to its end. It goes on by itself when the referee was away."""
    for entry in organiser.tournaments.watch(name, after):
        click.echo(f"{entry.number:6}  {moment(entry.at.ToMilliseconds())}  {entry_line(entry)}")


def _say(held: tournament_pb2.Tournament) -> None:
    """In one line how far it is."""
    click.echo(
        f"{held.name}: {WORD_OF.get(held.phase, '?')}, {len(held.entrants)} entrants, {_progress(held)} pairings"
    )


def _progress(held: tournament_pb2.Tournament) -> str:
    return f"{held.pairings_done}/{held.pairings_planned or '?'}"
