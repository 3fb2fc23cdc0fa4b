"""Ladders of a referee that runs."""

from pathlib import Path

import click
from referee_api.v1 import ladder_pb2
from referee_client import Organiser

from referee.arena.contest_file import read_ladder
from referee.cli.calling import Calling, asking
from referee.cli.contest_entries import entry_line, pairing_text
from referee.cli.report_text import standings_text
from referee.cli.table import table
from referee.reporting.gathering import ladder_report
from referee.reporting.wire import rules_text
from referee.reporting.words import moment


@click.group()
def ladder() -> None:
    """Ladders: contests without an end, of a referee that runs."""


@ladder.command(cls=Calling)
@click.argument("file", type=click.Path(path_type=Path))
@asking
def create(organiser: Organiser, file: Path) -> None:
    """Make the ladder of a TOML file (docs/ladders.md)."""
    plan = read_ladder(file)
    made = organiser.ladders.create(plan.name, title=plan.title, plan=plan.terms)
    click.echo(f"{made.name} is open; bots come in by: referee ladder join {made.name}")


@ladder.command("list", cls=Calling)
@click.option("--game", default="", help="Of this game. [any]")
@click.option("--bot", default="", help="On which this bot plays. [any]")
@click.option("--closed", is_flag=True, help="Those that are closed, too.")
@asking
def list_all(organiser: Organiser, game: str, bot: str, closed: bool) -> None:
    """All ladders."""
    rows = [_row(one) for one in organiser.ladders.list(game, bot, closed)]
    click.echo(table(["ladder", "entrants", "season", "state", "game"], rows))


def _row(one: ladder_pb2.Ladder) -> list[str]:
    games = ", ".join(rules_text(terms.rules) for terms in one.terms.match_terms)
    state = "closed" if one.closed else "paused" if one.paused else "open"
    return [one.name, str(one.entrants), str(one.season), state, games]


@ladder.command(cls=Calling)
@click.argument("name")
@asking
def show(organiser: Organiser, name: str) -> None:
    """The table of a ladder."""
    told = ladder_report(organiser, name, whole=False)
    click.echo(f"{told.title}\n{', '.join(f'{word.lower()}: {said}' for word, said in told.facts)}\n")
    click.echo(standings_text(told))


@ladder.command(cls=Calling)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
@asking
def join(organiser: Organiser, name: str, who: str) -> None:
    """Take an entrant in.

    ENTRANT is a bot, as anna or anna/1.4, or partners, as reds=anna,bert. Without one: the bot whose token it is.
    """
    standing = organiser.ladders.join(name, who)
    rating = standing.rating
    click.echo(f"{standing.entrant.name} is in, with {rating.value:.0f} ± {2 * rating.deviation:.0f}")


@ladder.command(cls=Calling)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
@asking
def leave(organiser: Organiser, name: str, who: str) -> None:
    """Let an entrant go; matches in play are played to the end."""
    organiser.ladders.leave(name, who)
    click.echo(f"{who or 'your bot'} is out; its ratings are kept")


@ladder.command(cls=Calling)
@click.argument("name")
@click.argument("entrants", nargs=-1, required=True)
@asking
def challenge(organiser: Organiser, name: str, entrants: tuple[str, ...]) -> None:
    """Ask for a rated pairing of these ENTRANTS, the challenger first, as soon as all have room."""
    click.echo(pairing_text(organiser.ladders.challenge(name, entrants)))


@ladder.command(cls=Calling)
@click.argument("name")
@asking
def season(organiser: Organiser, name: str) -> None:
    """Begin a new season: ratings start again."""
    click.echo(f"season {organiser.ladders.start_season(name).season} begins")


@ladder.command(cls=Calling)
@click.argument("name")
@click.option("--message", default="", help="One sentence for its entrants.")
@asking
def pause(organiser: Organiser, name: str, message: str) -> None:
    """Begin no matches until the ladder is resumed; matches in play are played to the end."""
    organiser.ladders.pause(name, message)
    click.echo(f"{name} is paused; it goes on by: referee ladder resume {name}")


@ladder.command(cls=Calling)
@click.argument("name")
@asking
def resume(organiser: Organiser, name: str) -> None:
    """Let a paused ladder begin matches again."""
    organiser.ladders.resume(name)
    click.echo(f"{name} begins matches again")


@ladder.command(cls=Calling)
@click.argument("name")
@click.option("--message", default="", help="One sentence for its entrants.")
@asking
def close(organiser: Organiser, name: str, message: str) -> None:
    """Close a ladder for good; matches in play are played to the end."""
    organiser.ladders.close(name, message)
    click.echo(f"{name} pairs nobody any more")


@ladder.command(cls=Calling)
@click.argument("name")
@click.argument("bot")
@click.option("--version", default="", help="Of this version. [all]")
@asking
def history(organiser: Organiser, name: str, bot: str, version: str) -> None:
    """How the ratings of a BOT came to be what they are."""
    points = list(organiser.ladders.history(name, bot, version))
    rows = [
        [
            moment(point.at.ToMilliseconds()),
            f"{point.rating.value:.0f} ± {2 * point.rating.deviation:.0f}",
            point.version or "-",
            str(point.season),
            point.match_id,
        ]
        for point in points
    ]
    click.echo(table(["when", "rating", "version", "season", "match"], rows))


@ladder.command(cls=Calling)
@click.argument("name")
@click.option("--after", type=click.IntRange(0), default=0, help="Entries after this number. [all]")
@asking
def watch(organiser: Organiser, name: str, after: int) -> None:
    """Follow a ladder until it is closed. It goes on by itself when the referee was away."""
    for entry in organiser.ladders.watch(name, after):
        click.echo(f"{entry.number:6}  {moment(entry.at.ToMilliseconds())}  {entry_line(entry)}")
