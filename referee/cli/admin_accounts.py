"""`referee admin tokens` and `bots`: who may use a running server."""

from datetime import UTC, datetime, timedelta

import click
from referee_api.v1 import bot_pb2
from referee_client import Organiser
from referee_values import Role, Session

from referee.accounts.names import natural_key
from referee.cli import CommandGroup
from referee.cli._shared.account_tables import print_bots, print_secret, print_tokens, time_of
from referee.cli._shared.client_options import (
    organiser_command,
    print_json,
    to_dict,
    why_option,
    words,
)
from referee.show.table import Table

MS_US = 1_000


@click.group(cls=CommandGroup)
def tokens() -> None:
    """Manage tokens."""


@organiser_command(tokens, has_json=True)
@click.argument("role", type=click.Choice(words(Role)))
@click.argument("holder", default="")
@click.option("--bot", default="", help="With role bot: the bot's name. The holder is by default its owner.")
@click.option("--label", default="", help="Description.")
@click.option("--days", type=click.IntRange(1), help="Days until it expires. [never]")
def make(organiser: Organiser, role: Role, holder: str, bot: str, label: str, days: int | None, as_json: bool) -> None:
    """Create a token for a HOLDER, the person or team responsible for it.

    The token is printed once, alone on standard output, so that it can be redirected to a file.
    """
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    made = organiser.administration.make_token(role, holder, bot=bot, label=label, expires_at=expires_at)
    print_secret(made, as_json)


@organiser_command(tokens, "list", has_json=True)
@click.option("--holder", default="", help="Only tokens of this holder.")
@click.option("--all", "include_inactive", is_flag=True, help="Include revoked and expired tokens.")
def list_tokens(organiser: Organiser, holder: str, include_inactive: bool, as_json: bool) -> None:
    """List tokens, newest first, without their secrets."""
    print_tokens(list(organiser.administration.tokens(holder, include_inactive)), as_json)


@organiser_command(tokens, has_json=True)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def revoke(organiser: Organiser, ids: tuple[str, ...], as_json: bool) -> None:
    """Revoke tokens and close the streams opened with them."""
    print_tokens([organiser.administration.revoke_token(token_id) for token_id in ids], as_json)


@click.group(cls=CommandGroup)
def bots() -> None:
    """List the sessions of bots, pause bots and resume them."""


@organiser_command(bots, has_json=True)
def sessions(organiser: Organiser, as_json: bool) -> None:
    """List the open sessions of all bots."""
    online = sorted(organiser.bots(online_only=True), key=lambda bot: natural_key(bot.name))
    found = [(bot.name, session) for bot in online for session in bot.presence.sessions]
    if as_json:
        print_json([{"bot": name, **to_dict(session, bot_pb2.Session)} for name, session in found])
        return
    heading = ("session", "bot", "version", "max matches", "round trip", "since")
    click.echo(Table(heading, [_session_row(name, session) for name, session in found]).to_text())


@organiser_command(bots, has_json=True)
@click.argument("bot")
@why_option
def pause(organiser: Organiser, bot: str, why: str, as_json: bool) -> None:
    """Start no new matches for a bot. Its matches in play continue."""
    print_bots([organiser.administration.pause_bot(bot, why)], as_json)


@organiser_command(bots, has_json=True)
@click.argument("bot")
def resume(organiser: Organiser, bot: str, as_json: bool) -> None:
    """Resume a paused bot, whoever paused it."""
    print_bots([organiser.administration.resume_bot(bot)], as_json)


def _session_row(bot: str, session: Session) -> tuple[str, ...]:
    limit, path = str(session.max_matches), f"{session.round_trip_us / MS_US:.1f} ms"
    return session.id, bot, session.version, limit, path, time_of(session.open_time)
