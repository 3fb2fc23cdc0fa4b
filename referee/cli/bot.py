"""`referee bot`: commands for the owner of a bot on a running server; most of them work with the token of the bot."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
from msgspec import structs
from referee_api.v1 import bot_pb2
from referee_client import Organiser
from referee_values import (
    Bot,
    BotLogEntry,
    BotVersion,
    ClockCharge,
    Consent,
    ConsentScope,
    ErrorDetail,
    Forfeit,
    Notice,
    RejectedItem,
    SessionLost,
)

from engines.registry import find
from referee.accounts.names import natural_key
from referee.cli import CommandGroup
from referee.cli._shared.account_tables import NONE, print_bots, print_secret, print_tokens, time_of
from referee.cli._shared.client_options import Command, organiser_command, print_json, print_values, to_dict
from referee.records.describe_event import escape_unprintable
from referee.records.verify import verify
from referee.show.formatting import plain

bot_argument = click.argument("name", metavar="BOT")
SCOPES: dict[str, ConsentScope] = {"own": "own", "contests": "own_and_contests", "anyone": "anyone"}
MAX_MS = 2**32 - 1
STOPPED = "it was stopped, its connection broke, or it sent no pong"
"""A program that is stopped cancels its call, which looks to the referee like a broken connection."""


def consent_options(command: Command) -> Command:
    """Add the options. The command receives the values that are given, and passes them to `merge_consent`."""
    options = (
        click.option("--accept", type=click.Choice([*SCOPES]), help="From whom it takes matches. [contests]"),
        click.option("--game", "games", multiple=True, help="A game that it plays for others. Repeatable. [all]"),
        click.option(
            "--min-first-move-ms", type=click.IntRange(0, MAX_MS), help="Least time of the first move. [1000]"
        ),
        click.option("--min-move-ms", type=click.IntRange(0, MAX_MS), help="Least time of every move. [0]"),
        click.option("--odds/--no-odds", "accept_odds", default=None, help="Whether it takes matches at odds. [no]"),
        click.option(
            "--matches-per-maker",
            "max_matches_per_maker",
            type=click.IntRange(1, 1000),
            help="Unfinished matches of the same other holder. [2]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def merge_consent(consent: Consent, accept: str | None, games: tuple[str, ...], **conditions: Any) -> Consent:
    """Return the consent with the values of the options that are given."""
    given = {field: value for field, value in conditions.items() if value is not None}
    return structs.replace(
        consent, scope=SCOPES[accept] if accept else consent.scope, games=games or consent.games, **given
    )


@click.group(cls=CommandGroup)
def bot() -> None:
    """Manage your bots on a running referee: registration, log, records, versions and tokens."""


@organiser_command(bot, has_json=True)
@bot_argument
@click.option("--description", default="", help="Description that everybody can see.")
@consent_options
def register(organiser: Organiser, /, name: str, description: str, as_json: bool, **consent: Any) -> None:
    """Register a bot that belongs to the caller. An organiser's token suffices.

    The options from --accept on say from whom it takes matches. The bot's token is printed once, alone on standard
    output, so that it can be redirected to a file.
    """
    secret = organiser.register_bot(name, description, merge_consent(Consent(), **consent))
    if as_json:
        print_json({"bot": name, "secret": secret})
        return
    click.echo(secret)
    click.echo(f"This is the token of {name} (BOT_TOKEN); it is shown only once.", err=True)


@organiser_command(bot, "list", has_json=True)
@click.option("--owner", default="", help="Only bots of this owner.")
@click.option("--present", is_flag=True, help="Only bots that are online.")
def list_bots(organiser: Organiser, owner: str, present: bool, as_json: bool) -> None:
    """List bots, with their sessions and the reasons of pauses."""
    print_bots(sorted(organiser.bots(owner, present), key=lambda bot: natural_key(bot.name)), as_json)


@organiser_command(bot, has_json=True)
@bot_argument
def show(organiser: Organiser, name: str, as_json: bool) -> None:
    """Show a bot."""
    _print_bot(organiser.accounts.get(name), as_json)


@organiser_command(bot, has_json=True)
@bot_argument
@click.option("--description", help="New description that everybody can see.")
@consent_options
def update(organiser: Organiser, /, name: str, description: str | None, as_json: bool, **consent: Any) -> None:
    """Change the description of a bot, or from whom it takes matches. What is not given stays."""
    new_consent = merge_consent(organiser.accounts.get(name).consent, **consent)
    _print_bot(organiser.accounts.update(name, description, new_consent), as_json)


@organiser_command(bot, "return", has_json=True)
@bot_argument
def reinstate(organiser: Organiser, name: str, as_json: bool) -> None:
    """Resume a bot that was paused for its faults."""
    _print_bot(organiser.accounts.reinstate(name), as_json)


def _print_bot(bot: Bot, as_json: bool) -> None:
    if as_json:
        print_json(to_dict(bot, bot_pb2.Bot))
        return
    print_bots([bot], as_json)
    if bot.description:
        click.echo(f"\n{bot.description}")


@organiser_command(bot, has_json=True)
@bot_argument
@click.option("--version", default="", help="Only entries of this version. [all]")
@click.option("--match", "match_id", default="", help="Only entries about this match. [all]")
@click.option("--after", type=click.IntRange(0), default=0, help="Only entries after this number. [all]")
def log(organiser: Organiser, name: str, version: str, match_id: str, after: int, as_json: bool) -> None:
    """Show the private log of a bot: errors, forfeits, lost sessions and notices, oldest first."""
    entries = organiser.bot_log(name, after, version, match_id)
    print_values(entries, bot_pb2.BotLogEntry, ("number", "when", "version", "match", "event"), _log_row, as_json)


def _log_row(entry: BotLogEntry) -> tuple[str, ...]:
    return (
        str(entry.number),
        time_of(entry.create_time),
        entry.version or NONE,
        entry.match_id or NONE,
        event_text(entry),
    )


def event_text(entry: BotLogEntry) -> str:
    """Return an entry in words."""
    match entry.event:
        case RejectedItem(move=move, error=ErrorDetail(reason=reason, message=message)):
            return f"rejected: {f'{move}: ' if move else ''}{message} ({reason})"
        case ClockCharge():
            return "the clock expired"
        case Forfeit(cause=cause):
            return f"forfeited: {plain(cause)}"
        case SessionLost(reason=reason):
            return f"session lost: {STOPPED if reason == 'HEARTBEAT_LOST' else plain(reason.lower())}"
        case Notice(message=message):
            return message
    return "unknown event; this program is older than the referee"


@organiser_command(bot, has_json=True)
@click.argument("match_id", metavar="MATCH")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Output file. [MATCH.jsonl]")
def record(organiser: Organiser, match_id: str, output: Path | None, as_json: bool) -> None:
    """Download the record of a finished match and verify it; the exit status is that of `referee verify`."""
    target = output or Path(f"{match_id}.jsonl")
    try:
        file = organiser.record(match_id, target)
    except OSError as error:
        raise click.ClickException(f"cannot write {target}: {error.strerror}") from None
    verdict = verify(file, None, find)
    if as_json:
        print_json({"file": str(file), "status": verdict.status.name.lower(), "verdict": str(verdict)})
    else:
        click.echo(f"{click.format_filename(file)}: {escape_unprintable(str(verdict))}")
    click.get_current_context().exit(verdict.status)


@organiser_command(bot, "leave-match")
@bot_argument
@click.argument("match_id", metavar="MATCH")
def leave_match(organiser: Organiser, name: str, match_id: str) -> None:
    """Take a bot out of an unrated match: its seat becomes open, or it forfeits if play has begun."""
    organiser.withdraw_bot(match_id, name)
    click.echo(f"{name} has left match {match_id}.")


@bot.group()
def versions() -> None:
    """Manage the versions of a bot."""


@organiser_command(versions, "list", has_json=True)
@bot_argument
def list_versions(organiser: Organiser, name: str, as_json: bool) -> None:
    """List the versions of a bot, newest first."""
    _print_versions(list(organiser.accounts.versions(name)), as_json)


@organiser_command(versions, "register", has_json=True)
@bot_argument
@click.argument("version")
@click.option("--note", default="", help="Release notes.")
def register_version(organiser: Organiser, name: str, version: str, note: str, as_json: bool) -> None:
    """Register a version of a bot, as its first connection with this version would."""
    _print_versions([organiser.accounts.register_version(name, version, note)], as_json)


def _print_versions(versions: list[BotVersion], as_json: bool) -> None:
    heading = ("version", "registered", "note")
    print_values(
        versions,
        bot_pb2.BotVersion,
        heading,
        lambda known: (known.version, time_of(known.create_time), known.note),
        as_json,
    )


@bot.group()
def tokens() -> None:
    """Manage the tokens of a bot."""


@organiser_command(tokens, "make", has_json=True)
@bot_argument
@click.option("--label", default="", help="Description.")
@click.option("--days", type=click.IntRange(1, 36_500), help="Days until it expires. [never]")
def make_token(organiser: Organiser, name: str, label: str, days: int | None, as_json: bool) -> None:
    """Create another token of a bot.

    The token is printed once, alone on standard output, so that it can be redirected to a file.
    """
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    print_secret(organiser.accounts.make_token(name, label, expires_at), as_json)


@organiser_command(tokens, "list", has_json=True)
@bot_argument
def list_tokens(organiser: Organiser, name: str, as_json: bool) -> None:
    """List the tokens of a bot, newest first, without their secrets."""
    print_tokens(organiser.accounts.tokens(name), as_json)


@organiser_command(tokens, "revoke", has_json=True)
@bot_argument
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def revoke_tokens(organiser: Organiser, name: str, ids: tuple[str, ...], as_json: bool) -> None:
    """Revoke tokens of a bot and close the streams opened with them."""
    print_tokens([organiser.accounts.revoke_token(name, token_id) for token_id in ids], as_json)
