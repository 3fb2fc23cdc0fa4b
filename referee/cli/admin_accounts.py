"""`referee admin tokens`, `bots` and `quota`: who may use a running server, and how much of it."""

from datetime import UTC, datetime, timedelta

import click
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import bot_pb2, quota_pb2, token_pb2
from referee_client import Organiser
from referee_client.organiser.administration import ROLES, role_word

from referee.cli._shared.client_options import ClientCommand, json_option, print_json, to_dict, with_organiser
from referee.cli._shared.output import text_table

NONE = "-"
MS_US = 1_000
why_option = click.option("--why", required=True, metavar="SENTENCE", help="One sentence that the affected users see.")
MS_US = 1_000
LIMITS = (
    ("matches in play", "max_matches", "matches"),
    ("open streams", "max_streams", "streams"),
    ("calls a minute", "max_calls_per_minute", "calls"),
    ("bots", "max_bots", "bots"),
    ("active tokens", "max_tokens", "tokens"),
    ("bytes of stored terms", "max_stored_bytes", "stored_bytes"),
)
"""Label of each limit, with the contract's field names of the limit and of its usage."""


def _moment(message: Message, field: str) -> str:
    """Format a timestamp field to the minute in UTC; a dash if it is not set."""
    if not message.HasField(field):
        return NONE
    timestamp: Timestamp = getattr(message, field)
    return f"{timestamp.ToDatetime():%Y-%m-%d %H:%M}"


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
    if as_json:
        print_json(to_dict(made))
        return
    click.echo(made.secret)
    click.echo(f"The token is shown only once; its ID is {made.token.id}.", err=True)


@tokens.command("list", cls=ClientCommand)
@click.option("--holder", default="", help="Only tokens of this holder.")
@click.option("--all", "include_inactive", is_flag=True, help="Include revoked and expired tokens.")
@with_organiser
@json_option
def list_tokens(organiser: Organiser, holder: str, include_inactive: bool, as_json: bool) -> None:
    """List tokens, newest first, without their secrets."""
    _print_tokens(list(organiser.administration.tokens(holder, include_inactive)), as_json)


@tokens.command(cls=ClientCommand)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@with_organiser
@json_option
def revoke(organiser: Organiser, ids: tuple[str, ...], as_json: bool) -> None:
    """Revoke tokens and close the streams opened with them."""
    _print_tokens([organiser.administration.revoke_token(token_id) for token_id in ids], as_json)


def _print_tokens(tokens: list[token_pb2.Token], as_json: bool) -> None:
    if as_json:
        print_json([to_dict(token) for token in tokens])
        return
    click.echo(
        text_table(
            ("token", "role", "holder", "bot", "created", "expires", "last used", "label"), [*map(_token_row, tokens)]
        )
    )


def _token_row(token: token_pb2.Token) -> tuple[str, ...]:
    return (
        token.id,
        role_word(token.role),
        token.holder,
        token.bot or NONE,
        _moment(token, "create_time"),
        "revoked" if token.revoked else _moment(token, "expire_time"),
        _moment(token, "last_use_time"),
        token.label,
    )


@click.group()
def bots() -> None:
    """Manage bots."""


@bots.command(cls=ClientCommand)
@click.argument("name")
@with_organiser
@json_option
def register(organiser: Organiser, name: str, as_json: bool) -> None:
    """Register a bot that belongs to the caller. An organiser's token suffices.

    The bot's token is printed once, alone on standard output, so that it can be redirected to a file.
    """
    secret = organiser.register_bot(name)
    if as_json:
        print_json({"bot": name, "secret": secret})
        return
    click.echo(secret)
    click.echo(f"This is the token of {name} (BOT_TOKEN); it is shown only once.", err=True)


@bots.command("list", cls=ClientCommand)
@click.option("--owner", default="", help="Only bots of this owner.")
@click.option("--present", is_flag=True, help="Only bots that are online.")
@with_organiser
@json_option
def list_bots(organiser: Organiser, owner: str, present: bool, as_json: bool) -> None:
    """List bots, with their sessions and the reasons of pauses."""
    _print_bots(list(organiser.bots(owner, present)), as_json)


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
    _print_bots([organiser.administration.pause_bot(bot, why)], as_json)


@bots.command(cls=ClientCommand)
@click.argument("bot")
@with_organiser
@json_option
def resume(organiser: Organiser, bot: str, as_json: bool) -> None:
    """Resume a paused bot, whoever paused it."""
    _print_bots([organiser.administration.resume_bot(bot)], as_json)


def _print_bots(bots: list[bot_pb2.Bot], as_json: bool) -> None:
    if as_json:
        print_json([to_dict(bot) for bot in bots])
        return
    click.echo(text_table(("bot", "owner", "version", "sessions", "playing", "paused"), [*map(_bot_row, bots)]))


def _bot_row(bot: bot_pb2.Bot) -> tuple[str, ...]:
    presence = bot.presence
    paused = bot.pause.message or "yes" if bot.HasField("pause") else NONE
    sessions, playing = str(len(presence.sessions)), str(presence.matches_in_play)
    return bot.name, bot.owner, bot.latest_version or NONE, sessions, playing, paused


def _session_row(bot: str, session: bot_pb2.Session) -> tuple[str, ...]:
    limit, path = str(session.max_matches), f"{session.round_trip_us / MS_US:.1f} ms"
    return session.id, bot, session.version, limit, path, _moment(session, "open_time")


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
