"""`referee ladder`: manage the ladders of a running referee."""

from pathlib import Path

import click
from referee_client import Organiser
from referee_values import CorrectionKind, Ladder

from referee.cli import CommandGroup
from referee.cli._shared.client_options import organiser_command
from referee.cli._shared.output import write
from referee.cli._shared.report_text import findings_text, standings_text
from referee.cli._shared.shared_contest_commands import (
    add_correction_commands,
    out_option,
    publish_contest,
    show_progress,
)
from referee.local.contest_file import read_ladder
from referee.show.arranged_results import find_arranged
from referee.show.collector import ladder_report, ladder_review
from referee.show.formatting import moment
from referee.show.publication import publish_ladder
from referee.show.table import Table, number
from referee.show.value_conversion import entry_line, pairing_text, rules_text, unix_ms


@click.group(cls=CommandGroup)
def ladder() -> None:
    """Manage the ladders of a running referee."""


@organiser_command(ladder)
@click.argument("file", type=click.Path(path_type=Path))
def create(organiser: Organiser, file: Path) -> None:
    """Create a ladder from a TOML file with its game, clock and rules."""
    plan = read_ladder(file)
    made = organiser.ladders.create(plan.name, title=plan.title, plan=plan.terms)
    click.echo(f"{made.name} is open; bots join with: referee ladder join {made.name} BOT")


@organiser_command(ladder, "list")
@click.option("--game", default="", help="Only ladders of this game. [any]")
@click.option("--bot", default="", help="Only ladders with this bot. [any]")
@click.option("--closed", is_flag=True, help="Include closed ladders.")
def list_all(organiser: Organiser, game: str, bot: str, closed: bool) -> None:
    """List ladders."""
    rows = [_row(listed) for listed in organiser.ladders.list(game, bot, closed)]
    click.echo(Table(("ladder", number("entrants"), number("season"), "state", "game"), rows).to_text())


def _row(listed: Ladder) -> list[str]:
    games = ", ".join(rules_text(terms.rules) for terms in listed.terms.match_terms)
    state = "closed" if listed.closed else "paused" if listed.paused else "open"
    return [listed.name, str(listed.entrant_count), str(listed.season), state, games]


@organiser_command(ladder)
@click.argument("name")
def show(organiser: Organiser, name: str) -> None:
    """Show the standings of a ladder."""
    report = ladder_report(organiser, name, full=False)
    click.echo(f"{report.title}\n{', '.join(f'{word.lower()}: {text}' for word, text in report.facts)}\n")
    click.echo(standings_text(report))


@organiser_command(ladder)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
def join(organiser: Organiser, name: str, who: str) -> None:
    """Add an entrant.

    ENTRANT is a bot (anna or anna/1.4) or a team (reds=anna,bert). Default: the bot that the token belongs to.
    """
    standing = organiser.ladders.join(name, who)
    rating = standing.rating
    click.echo(f"{standing.entrant.name} joined, rated {rating.value:.0f} ± {2 * rating.deviation:.0f}")


@organiser_command(ladder)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
def leave(organiser: Organiser, name: str, who: str) -> None:
    """Remove an entrant. Its matches in play continue."""
    organiser.ladders.leave(name, who)
    click.echo(f"{who or 'your bot'} left; its ratings are kept")


@organiser_command(ladder)
@click.argument("name")
@click.argument("entrants", nargs=-1, required=True)
def challenge(organiser: Organiser, name: str, entrants: tuple[str, ...]) -> None:
    """Request a rated pairing of ENTRANTS, the challenger first, to start when all are available."""
    click.echo(pairing_text(organiser.ladders.challenge(name, entrants)))


@organiser_command(ladder)
@click.argument("name")
def season(organiser: Organiser, name: str) -> None:
    """Start a new season: ratings keep their values but become uncertain again."""
    click.echo(f"season {organiser.ladders.start_season(name).season} started")


@organiser_command(ladder)
@click.argument("name")
@click.option("--message", default="", help="One sentence for the entrants.")
def pause(organiser: Organiser, name: str, message: str) -> None:
    """Start no new matches until the ladder is resumed. Matches in play continue."""
    organiser.ladders.pause(name, message)
    click.echo(f"{name} is paused; resume it with: referee ladder resume {name}")


@organiser_command(ladder)
@click.argument("name")
def resume(organiser: Organiser, name: str) -> None:
    """Resume a paused ladder."""
    organiser.ladders.resume(name)
    click.echo(f"{name} is resumed")


@organiser_command(ladder)
@click.argument("name")
@click.option("--message", default="", help="One sentence for the entrants.")
def close(organiser: Organiser, name: str, message: str) -> None:
    """Close a ladder permanently. Matches in play continue."""
    organiser.ladders.close(name, message)
    click.echo(f"{name} is closing: no new pairings")


def _correct(
    organiser: Organiser, name: str, match_id: str, kind: CorrectionKind, message: str, ranks: tuple[int, ...]
) -> str:
    organiser.ladders.correct(name, match_id, kind, message, ranks)
    return f"{match_id} is {kind}; the ratings of {name} were computed again"


add_correction_commands(ladder, _correct)


@organiser_command(ladder)
@click.argument("name")
@click.argument("bot")
@click.option("--version", default="", help="Only this version. [all]")
def history(organiser: Organiser, name: str, bot: str, version: str) -> None:
    """Show the rating history of a BOT."""
    points = list(organiser.ladders.history(name, bot, version))
    rows = [
        [
            moment(unix_ms(point.match_end_time)),
            f"{point.rating.value:.0f} ± {2 * point.rating.deviation:.0f}",
            point.version or "-",
            str(point.season),
            point.match_id,
        ]
        for point in points
    ]
    click.echo(Table(("when", number("rating"), "version", number("season"), "match"), rows).to_text())


@organiser_command(ladder)
@click.argument("name")
def review(organiser: Organiser, name: str) -> None:
    """List results that look arranged, and how rarely they happen by chance. None of them is proof."""
    matches = ladder_review(organiser, name, show_progress)
    click.echo(findings_text(find_arranged(matches), len(matches)))


@organiser_command(ladder)
@click.argument("name")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Output file. [standard output]")
def export(organiser: Organiser, name: str, output: Path | None) -> None:
    """Export the signed record of a ladder that is over, to check it with: referee verify."""
    write(output, organiser.ladders.record(name))


@organiser_command(ladder)
@click.argument("name")
@out_option
def publish(organiser: Organiser, name: str, out: Path | None) -> None:
    """Write a closed ladder as one archive: site, records, tables, log, key, and how to check them."""
    publish_contest(publish_ladder, organiser, name, out)


@organiser_command(ladder)
@click.argument("name")
@click.option("--after", type=click.IntRange(0), default=0, help="Only entries after this number. [all]")
def watch(organiser: Organiser, name: str, after: int) -> None:
    """Print the events of a ladder until it is closed. Reconnects when the referee restarts."""
    for entry in organiser.ladders.watch(name, after):
        click.echo(f"{entry.number:6}  {moment(unix_ms(entry.create_time))}  {entry_line(entry)}")
