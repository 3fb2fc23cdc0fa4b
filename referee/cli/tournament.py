"""`referee tournament`: manage the tournaments of a running referee, or run one on this machine."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click
from referee_api.conversion import to_message
from referee_api.v1 import tournament_pb2
from referee_client import Organiser
from referee_values import (
    Bot,
    ByeKind,
    CorrectionKind,
    Entrant,
    ExportFormat,
    Policies,
    Tournament,
    TournamentPhase,
)

from referee.accounts.names import natural_key
from referee.cli import CommandGroup
from referee.cli._shared.account_tables import print_bots
from referee.cli._shared.client_options import organiser_command, words
from referee.cli._shared.game_options import GameCommand
from referee.cli._shared.output import STATUSES, page_option, write
from referee.cli._shared.report_text import standings_text
from referee.cli._shared.shared_contest_commands import REASON, add_correction_commands, out_option, publish_contest
from referee.local.contest_file import read_tournament
from referee.local.trf_plan import plan_of_report
from referee.show.collector import tournament_report
from referee.show.formatting import local_moment
from referee.show.publication import publish_tournament
from referee.show.table import Table, number
from referee.show.value_conversion import bots_text, entry_line, pairing_text, rules_text, unix_ms
from referee.show.words import format_text

BYES: dict[str, ByeKind] = {"half": "half_point", "zero": "zero_point", "none": "none"}
RECORD = "record"
"""Format of `referee tournament export`, besides those of the server's export."""
MAX_ROUND = 1_000_000


@click.group(cls=CommandGroup)
def tournament() -> None:
    """Manage the tournaments of a running referee, or run one on this machine."""


@organiser_command(tournament)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--entrants-of", "former", metavar="NAME", help="Enter the entrants of this tournament.")
@click.option(
    "--best", type=click.IntRange(1), metavar="N", help="Enter only the first N of them in its final standings. [all]"
)
def create(organiser: Organiser, file: Path, former: str | None, best: int | None) -> None:
    """Create a tournament from a TOML file with its game, clock and format. Its bots connect by themselves.

    Of a former tournament, those who have withdrawn are left out. The others enter in the order of its standings, or
    before its start in the order of entry.
    """
    plan = read_tournament(file, Policies())
    if best and not former:
        raise click.UsageError("--best needs --entrants-of")
    if plan.entrants and former:
        raise click.UsageError("the file has entrants of its own; remove them, or do without --entrants-of")
    if plan.bots:
        raise click.UsageError(
            "bots connect to a running referee by themselves: use entrants = [...] instead of [bots]"
        )
    entrants = _former_entrants(organiser, former, best) if former else plan.entrants
    _print(organiser.tournaments.create(plan.name, entrants=entrants, title=plan.title, plan=plan.terms))


def _former_entrants(organiser: Organiser, name: str, best: int | None) -> list[Entrant]:
    """Return those who have not withdrawn, the best first. Raises ClickException if that is not known yet."""
    held = organiser.tournaments.get(name)
    if best and held.phase != "finished":
        raise click.ClickException(f"the tournament {name} is not finished, so its best entrants are not known")
    entrants = {entrant.name: entrant for entrant in held.entrants}
    ranked = list(entrants)
    if held.start_time:
        ranked = [standing.entrant for standing in organiser.tournaments.standings(name)]
    remaining = [entrants[entrant] for entrant in ranked if entrant not in held.withdrawn_entrants]
    return remaining[:best]


@organiser_command(tournament)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
def enter(organiser: Organiser, name: str, who: str) -> None:
    """Add an entrant.

    ENTRANT is a bot (anna or anna/1.4) or a team (reds=anna,bert). Default: the bot that the token belongs to.
    """
    _print(organiser.tournaments.enter(name, who))


@organiser_command(tournament)
@click.argument("name")
@click.argument("who", metavar="[ENTRANT]", default="")
@click.option("--message", default="", help="One sentence for the other entrants.")
def withdraw(organiser: Organiser, name: str, who: str, message: str) -> None:
    """Withdraw an entrant."""
    _print(organiser.tournaments.withdraw(name, who, message))


@organiser_command(tournament)
@click.argument("name")
@click.argument("number", metavar="ROUND", type=click.IntRange(1, MAX_ROUND))
@click.argument("who", metavar="[ENTRANT]", default="")
@click.option("--points", type=click.Choice(list(BYES)), default="zero", help="What it gets; none: it plays. [zero]")
def bye(organiser: Organiser, name: str, number: int, who: str, points: str) -> None:
    """Request a bye for an entrant in a round that is not paired yet, or cancel the request."""
    _print(organiser.tournaments.request_bye(name, number, BYES[points], who))


@organiser_command(tournament)
@click.argument("name")
def start(organiser: Organiser, name: str) -> None:
    """Start a tournament."""
    _print(organiser.tournaments.start(name))


@organiser_command(tournament)
@click.argument("name")
@click.option("--message", default="", help="One sentence for the entrants.")
def cancel(organiser: Organiser, name: str, message: str) -> None:
    """Cancel a tournament."""
    _print(organiser.tournaments.cancel(name, message))


@organiser_command(tournament)
@click.argument("name")
@click.argument("number", metavar="ROUND", type=click.IntRange(1, MAX_ROUND))
@click.argument("pairings", metavar="PAIRING...", nargs=-1, required=True)
@REASON
def pair(organiser: Organiser, name: str, number: int, pairings: tuple[str, ...], message: str) -> None:
    """Pair by hand what has not begun of the last round of a Swiss tournament.

    PAIRING is anna,bert with anna in the first seat, or carl for a bye.
    """
    split = [pairing.split(",") for pairing in pairings]
    for pairing in organiser.tournaments.pair_round(name, number, split, message):
        click.echo(pairing_text(pairing))


@organiser_command(tournament)
@click.argument("name")
@click.argument("pairing")
@click.argument("until", metavar="TIME")
@REASON
def postpone(organiser: Organiser, name: str, pairing: str, until: str, message: str) -> None:
    """Let the next matches of a pairing start no earlier than at TIME.

    TIME is 2026-12-01T18:00 in your zone, or with a zone: 2026-12-01T18:00Z.
    """
    try:
        moment = datetime.fromisoformat(until).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise click.UsageError(f"{until!r} is no time; write it as 2026-12-01T18:00 or 2026-12-01T18:00Z") from None
    click.echo(pairing_text(organiser.tournaments.postpone(name, pairing, moment, message)))


@organiser_command(tournament)
@click.argument("name")
@click.argument("pairing")
@REASON
def reopen(organiser: Organiser, name: str, pairing: str, message: str) -> None:
    """Set the result of a pairing aside and play it again."""
    click.echo(pairing_text(organiser.tournaments.reopen(name, pairing, message)))


@organiser_command(tournament)
@click.argument("name")
@click.argument("pairing")
@click.argument("entrants", metavar="ENTRANT...", nargs=-1, required=True)
@REASON
def absent(organiser: Organiser, name: str, pairing: str, entrants: tuple[str, ...], message: str) -> None:
    """Let entrants lose a pairing by absence at once."""
    click.echo(pairing_text(organiser.tournaments.declare_absent(name, pairing, entrants, message)))


@tournament.command(cls=GameCommand, epilog=STATUSES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Results folder. [referee-tournament/NAME OF THE FILE]")
@page_option
@click.pass_context
def run(context: click.Context, file: Path, out: Path | None, page: bool) -> None:
    """Run the tournament of FILE on this machine, with its bots and an embedded referee.

    FILE is a TOML file with bots, game, clock and format. Running the same command again skips the matches that have
    been played.
    """
    # The other commands do without the embedded referee, whose import takes as long as all of theirs.
    from referee.cli._shared.tournament_runner import run_tournament  # noqa: PLC0415

    context.exit(run_tournament(file, out, page))


def _correct(
    organiser: Organiser, name: str, match_id: str, kind: CorrectionKind, message: str, ranks: tuple[int, ...]
) -> str:
    named = _match_of_pairing(organiser, name, match_id) if "." in match_id else match_id
    return pairing_text(organiser.tournaments.correct(name, named, kind, message, ranks))


def _match_of_pairing(organiser: Organiser, name: str, pairing_id: str) -> str:
    """Return the only match of a pairing that is not void. Raises ClickException."""
    found = [pairing for pairing in organiser.tournaments.pairings(name) if pairing.id == pairing_id]
    if not found:
        raise click.ClickException(
            f"{name} has no pairing {pairing_id}; `referee tournament pairings {name}` lists them"
        )
    ids = found[0].match_ids
    # A void match is replayed at once, so the last one is not void if only one is left.
    if len(ids) - found[0].void_matches != 1:
        known = ", ".join(ids) or "it has none"
        raise click.ClickException(f"pairing {pairing_id} has not exactly one match; name a match: {known}")
    return ids[-1]


add_correction_commands(
    tournament, _correct, "MATCH is the id of a match, or that of a pairing with one match, as 1.1."
)


@organiser_command(tournament)
@click.argument("name")
def show(organiser: Organiser, name: str) -> None:
    """Show the standings of a tournament."""
    held = organiser.tournaments.get(name)
    report = tournament_report(organiser, name, full=False) if held.start_time else None
    _print(held)
    if held.terms.freeze_versions:
        click.echo(f"frozen versions: {', '.join(map(bots_text, held.entrants))}")
    click.echo(standings_text(report) if report else "\n".join(entrant.name for entrant in held.entrants))


@organiser_command(tournament, has_json=True)
@click.argument("name")
@click.option("--absent", is_flag=True, help="Only bots that are offline or paused.")
def entrants(organiser: Organiser, name: str, absent: bool, as_json: bool) -> None:
    """List the bots of the entrants who have not withdrawn, with their owners, sessions and pauses."""
    held = organiser.tournaments.get(name)
    remaining = (entrant for entrant in held.entrants if entrant.name not in held.withdrawn_entrants)
    entered = {ref.bot for entrant in remaining for ref in entrant.bots}
    bots = [bot for bot in organiser.bots() if bot.name in entered and (not absent or _is_absent(bot))]
    print_bots(sorted(bots, key=lambda bot: natural_key(bot.name)), as_json)


def _is_absent(bot: Bot) -> bool:
    return not bot.presence.sessions or bot.pause is not None


@organiser_command(tournament)
@click.argument("name")
@click.option("--round", "number", type=click.IntRange(1, MAX_ROUND), default=None, help="Only this round. [all]")
@click.option("--entrant", default="", help="Only pairings of this entrant. [any]")
def pairings(organiser: Organiser, name: str, number: int | None, entrant: str) -> None:
    """List the pairings of a tournament by round and board, each with its id and the ids of its matches."""
    for pairing in organiser.tournaments.pairings(name, number or 0, entrant):
        click.echo(pairing_text(pairing))
        corrections = {change.match_id: f"  {change.kind}: {change.message}" for change in pairing.corrections}
        for match_id in pairing.match_ids:
            click.echo(f"     {match_id}{corrections.get(match_id, '')}")


@organiser_command(tournament, "list")
@click.option("--game", default="", help="Only tournaments of this game. [any]")
@click.option("--bot", default="", help="Only tournaments with this bot. [any]")
@click.option("--phase", type=click.Choice(words(TournamentPhase)), default=None, help="Only this phase. [any]")
def list_all(organiser: Organiser, game: str, bot: str, phase: TournamentPhase | None) -> None:
    """List tournaments, newest first."""
    found = list(organiser.tournaments.list(game, bot, phase or ""))
    rows = [
        [
            held.name,
            str(len(held.entrants)),
            held.phase,
            _progress(held),
            format_text(to_message(held.terms, tournament_pb2.TournamentTerms)),
            rules_text(held.terms.match_terms.rules),
        ]
        for held in found
    ]
    columns = ("tournament", number("entrants"), "phase", number("pairings"), "format", "game")
    click.echo(Table(columns, rows).to_text())


@organiser_command(tournament)
@click.argument("name")
@click.argument("form", metavar="FORMAT", type=click.Choice([*words(ExportFormat), RECORD]))
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Output file. [standard output]")
def export(organiser: Organiser, name: str, form: ExportFormat | Literal["record"], output: Path | None) -> None:
    """Export a tournament as csv, json or trf, or as its signed record, to check it with: referee verify."""
    tournaments = organiser.tournaments
    write(output, tournaments.record(name) if form == "record" else tournaments.export(name, form))


@tournament.command("import", cls=GameCommand)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", required=True, help="The game to play.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Output file. [standard output]")
def import_report(file: Path, game: str, output: Path | None) -> None:
    """Turn a tournament report of FIDE (TRF) into a TOML file for `create`, without its results."""
    write(output, plan_of_report(file, game))


@organiser_command(tournament)
@click.argument("name")
@out_option
def publish(organiser: Organiser, name: str, out: Path | None) -> None:
    """Write a finished tournament as one archive: site, records, tables, log, key, and how to check them."""
    publish_contest(publish_tournament, organiser, name, out)


@organiser_command(tournament)
@click.argument("name")
@click.option("--after", type=click.IntRange(0), default=0, help="Only entries after this number. [all]")
def watch(organiser: Organiser, name: str, after: int) -> None:
    """Print the events of a tournament until its end. Reconnects when the referee restarts."""
    for entry in organiser.tournaments.watch(name, after):
        click.echo(f"{entry.number:6}  {local_moment(unix_ms(entry.create_time))}  {entry_line(entry)}")


def _print(held: Tournament) -> None:
    """Print phase, entrants and progress in one line."""
    click.echo(f"{held.name}: {held.phase}, {len(held.entrants)} entrants, {_progress(held)} pairings")
    if held.phase == "entry":
        for what, when in (("entries close", held.terms.entries_close_at), ("starts", held.terms.starts_at)):
            if when:
                click.echo(f"{what} at {local_moment(unix_ms(when))}")


def _progress(held: Tournament) -> str:
    return f"{held.completed_pairings}/{held.total_pairings or '?'}"
