"""`referee admin tokens`, `bots` and `quota`: who may use a running server, and how much of it."""

from datetime import UTC, datetime, timedelta

import click
from referee_api.v1 import bot_pb2, quota_pb2
from referee_client import Organiser
from referee_client.organiser.administration import ROLES

from referee.cli._shared.account_tables import NONE, print_bots, print_secret, print_tokens, time_of
from referee.cli._shared.client_options import (
    ClientCommand,
    json_option,
    print_json,
    to_dict,
    why_option,
    with_organiser,
)
from referee.cli._shared.output import text_table
from referee.cli.bot import list_bots, register, update

MS_US = 1_000
LIMITS = (
    ("matches in play", "max_matches", "matches"),
    ("open streams", "max_streams", "streams"),
    ("calls a minute", "max_calls_per_minute", "calls"),
    ("bots", "max_bots", "bots"),
    ("active tokens", "max_tokens", "tokens"),
    ("bytes of stored terms", "max_stored_bytes", "stored_bytes"),
    ("invited authors", "max_authors", "authors"),
)
"""Label of each limit, with the contract's field names of the limit and of its usage."""


@click.group()
def tokens() -> None:
    """Manage tokens."""


@tokens.command(cls=ClientCommand)
@click.argument("role", type=click.Choice([*ROLES]))
@click.argument("holder", default="")
@click.option("--bot", default="", help="With role bot: the bot's name. The holder is by default its owner.")
@click.option("--label", default="", help="Description.")
@click.option("--days", type=click.IntRange(1), help="Days until it expires. [never]")
@with_organiser
@json_option
def make(organiser: Organiser, role: str, holder: str, bot: str, label: str, days: int | None, as_json: bool) -> None:
    """Create a token for a HOLDER, the person or team responsible for it.

    The token is printed once, alone on standard output, so that it can be redirected to a file.
    """
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    made = organiser.administration.make_token(role, holder, bot=bot, label=label, expires_at=expires_at)
    print_secret(made, as_json)


@tokens.command("list", cls=ClientCommand)
@click.option("--holder", default="", help="Only tokens of this holder.")
@click.option("--all", "include_inactive", is_flag=True, help="Include revoked and expired tokens.")
@with_organiser
@json_option
def list_tokens(organiser: Organiser, holder: str, include_inactive: bool, as_json: bool) -> None:
    """List tokens, newest first, without their secrets."""
    print_tokens(list(organiser.administration.tokens(holder, include_inactive)), as_json)


@tokens.command(cls=ClientCommand)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@with_organiser
@json_option
def revoke(organiser: Organiser, ids: tuple[str, ...], as_json: bool) -> None:
    """Revoke tokens and close the streams opened with them."""
    print_tokens([organiser.administration.revoke_token(token_id) for token_id in ids], as_json)


@click.group()
def bots() -> None:
    """Manage bots."""


bots.add_command(register)
bots.add_command(update)
bots.add_command(list_bots)


@bots.command(cls=ClientCommand)
@with_organiser
@json_option
def sessions(organiser: Organiser, as_json: bool) -> None:
    """List the open sessions of all bots."""
    found = [(bot.name, session) for bot in organiser.bots(online_only=True) for session in bot.presence.sessions]
    if as_json:
        print_json([{"bot": name, **to_dict(session)} for name, session in found])
        return
    heading = ("session", "bot", "version", "max matches", "round trip", "since")
    click.echo(text_table(heading, [_session_row(name, session) for name, session in found]))


@bots.command(cls=ClientCommand)
@click.argument("bot")
@why_option
@with_organiser
@json_option
def pause(organiser: Organiser, bot: str, why: str, as_json: bool) -> None:
    """Start no new matches for a bot. Its matches in play continue."""
    print_bots([organiser.administration.pause_bot(bot, why)], as_json)


@bots.command(cls=ClientCommand)
@click.argument("bot")
@with_organiser
@json_option
def resume(organiser: Organiser, bot: str, as_json: bool) -> None:
    """Resume a paused bot, whoever paused it."""
    print_bots([organiser.administration.resume_bot(bot)], as_json)


def _session_row(bot: str, session: bot_pb2.Session) -> tuple[str, ...]:
    limit, path = str(session.max_matches), f"{session.round_trip_us / MS_US:.1f} ms"
    return session.id, bot, session.version, limit, path, time_of(session, "open_time")


@click.group()
def quota() -> None:
    """Manage quotas."""


@quota.command("show", cls=ClientCommand)
@click.argument("holder", default="")
@with_organiser
@json_option
def show_quota(organiser: Organiser, holder: str, as_json: bool) -> None:
    """Show the limits and usage of a holder; without a holder, the default limits."""
    response = organiser.administration.quota(holder)
    if as_json:
        print_json(to_dict(response))
    else:
        _print_quota(response.quota, response.usage if holder else None)


@quota.command("set", cls=ClientCommand)
@click.argument("holder")
@click.option("--matches", "max_matches", type=click.IntRange(0), default=0, help="Matches in play.")
@click.option("--streams", "max_streams", type=click.IntRange(0), default=0, help="Open streams.")
@click.option("--calls", "max_calls_per_minute", type=click.IntRange(0), default=0, help="Calls a minute.")
@click.option("--bots", "max_bots", type=click.IntRange(0), default=0, help="Bots.")
@click.option("--tokens", "max_tokens", type=click.IntRange(0), default=0, help="Active tokens.")
@click.option("--stored-bytes", "max_stored_bytes", type=click.IntRange(0), default=0, help="Bytes of stored terms.")
@click.option("--authors", "max_authors", type=click.IntRange(0), default=0, help="Invited authors.")
@with_organiser
@json_option
def set_quota(organiser: Organiser, /, holder: str, as_json: bool, **limits: int) -> None:
    """Set all limits of a holder. A limit that is 0 or not given is the default.

    Usage above a new limit is not cut off; it only blocks further use.
    """
    quota = organiser.administration.set_quota(holder, quota_pb2.Quota(**limits))
    if as_json:
        print_json(to_dict(quota))
    else:
        _print_quota(quota, None)


def _print_quota(quota: quota_pb2.Quota, used: quota_pb2.QuotaUsage | None) -> None:
    rows = [
        (what, str(getattr(quota, limit)), str(getattr(used, use)) if used else NONE) for what, limit, use in LIMITS
    ]
    click.echo(text_table(("limit", "maximum", "used"), rows))
