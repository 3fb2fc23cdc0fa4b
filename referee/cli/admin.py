"""`referee admin`: calls a running server as an administrator. Prints tables, or JSON with `--json`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import click
from msgspec import structs
from referee_api.v1 import bot_pb2, quota_pb2
from referee_api.v1.admin_service_pb2 import DrainResponse
from referee_client import Organiser
from referee_values import HolderQuota, Quota, QuotaUsage, Role, Session

from engines.game_errors import unknown
from referee.accounts.names import natural_key
from referee.cli import CommandGroup
from referee.cli._shared.account_tables import NONE, print_bots, print_secret, print_tokens, time_of
from referee.cli._shared.client_options import (
    organiser_command,
    print_json,
    print_values,
    to_dict,
    why_option,
    words,
)
from referee.show.table import Table

SECOND_MS = 1_000
MS_US = 1_000
MAX_VALUE = 2**63 - 1
OWN = "*"
"""Marks limits that were set for the holder."""


@click.group(cls=CommandGroup)
def admin() -> None:
    """Administer a running referee: tokens, pauses of bots, quotas and shutdown.

    BOT_TOKEN must be an administrator's token.
    """


@admin.group()
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


@admin.group()
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


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of a quota."""

    meaning: str
    field: str
    """Field of the limit in the contract."""
    usage: tuple[str, ...]
    """Fields of the usage in the contract. Several: the greatest counts."""
    max_value: int = 2**32 - 1


LIMITS: Mapping[str, Limit] = {
    "matches": Limit("matches in play", "max_matches", ("matches",)),
    "contests": Limit("ladders and tournaments that are not over", "max_contests", ("contests",)),
    "calls": Limit("calls a minute, of own tokens and of each bot", "max_calls_per_minute", ("calls", "bot_calls")),
    "received-bytes": Limit(
        "bytes received a minute, of own tokens and of each bot",
        "max_received_bytes",
        ("received_bytes",),
        MAX_VALUE,
    ),
    "streams": Limit("open streams of own tokens", "max_streams", ("streams",)),
    "bot-streams": Limit("open streams of each bot and kind", "max_bot_streams", ("bot_streams",)),
    "bots": Limit("bots", "max_bots", ("bots",)),
    "tokens": Limit("active tokens", "max_tokens", ("tokens",)),
    "authors": Limit("invited authors", "max_authors", ("authors",)),
    "stored-bytes": Limit("bytes of stored terms", "max_stored_bytes", ("stored_bytes",), MAX_VALUE),
}
"""Limits by the words that the commands use."""


@admin.group()
def quota() -> None:
    """Manage quotas."""


@organiser_command(quota, "list", has_json=True)
def list_quotas(organiser: Organiser, as_json: bool) -> None:
    """List all holders with how much of each limit they use.

    A star marks limits that were set for the holder; the others are defaults.
    """
    found = sorted(organiser.administration.quotas(), key=lambda holder_quota: natural_key(holder_quota.holder))
    print_values(found, quota_pb2.HolderQuota, ("holder", *LIMITS), _quota_row, as_json)


@organiser_command(quota, "show", has_json=True)
@click.argument("holder", default="")
def show_quota(organiser: Organiser, holder: str, as_json: bool) -> None:
    """Show the limits and usage of a holder; without a holder, the default limits."""
    found = organiser.administration.quota(holder)
    if as_json:
        answer = {name: value for name, value in to_dict(found, quota_pb2.HolderQuota).items() if name != "holder"}
        print_json(answer)
    else:
        _print_quota(found.quota, found.usage if holder else None)


@organiser_command(quota, "set", has_json=True, epilog=f"The limits are {', '.join(LIMITS)}.")
@click.argument("holder")
@click.argument("values", metavar="LIMIT=NUMBER...", nargs=-1, required=True)
def set_quota(organiser: Organiser, holder: str, values: tuple[str, ...], as_json: bool) -> None:
    """Set limits of a holder; the others stay. A limit that is 0 is the default.

    Usage above a new limit is not cut off; it only blocks further use.
    """
    changes = read_limits(values)
    own = organiser.administration.quota(holder).own_quota
    quota = organiser.administration.set_quota(holder, structs.replace(own, **changes))
    if as_json:
        print_json(to_dict(quota, quota_pb2.Quota))
    else:
        _print_quota(quota, None)


def read_limits(values: Sequence[str]) -> dict[str, int]:
    """Return the numbers by the fields of the contract. Raises click.BadParameter."""
    limits: dict[str, int] = {}
    for value in values:
        word, _, number = value.partition("=")
        limit = LIMITS.get(word)
        if limit is None:
            raise click.BadParameter(unknown("limit", word, LIMITS))
        if not (number.isascii() and number.isdecimal() and int(number[:30]) <= limit.max_value):
            raise click.BadParameter(f"{word} must be a number from 0 to {limit.max_value}, not {number!r}")
        limits[limit.field] = int(number)
    return limits


def _quota_row(holder_quota: HolderQuota) -> tuple[str, ...]:
    cells = []
    for limit in LIMITS.values():
        mark = OWN if getattr(holder_quota.own_quota, limit.field) else ""
        cells.append(f"{_used(holder_quota.usage, limit)}/{getattr(holder_quota.quota, limit.field)}{mark}")
    return holder_quota.holder, *cells


def _print_quota(quota: Quota, usage: QuotaUsage | None) -> None:
    rows = [
        (word, str(getattr(quota, limit.field)), str(_used(usage, limit)) if usage else NONE, limit.meaning)
        for word, limit in LIMITS.items()
    ]
    click.echo(Table(("limit", "maximum", "used", "meaning"), rows).to_text())


def _used(usage: QuotaUsage, limit: Limit) -> int:
    return max(int(getattr(usage, field)) for field in limit.usage)


@organiser_command(admin, has_json=True)
@click.option("--grace-s", type=click.IntRange(1), help="Time for turns in progress. [as in the settings]")
def drain(organiser: Organiser, grace_s: int | None, as_json: bool) -> None:
    """Shut down gracefully, as SIGTERM does: start no matches, wait for turns in progress, then exit."""
    response = organiser.administration.drain((grace_s or 0) * SECOND_MS)
    if as_json:
        print_json(to_dict(response, DrainResponse))
    else:
        click.echo(f"shutting down; matches to resume: {response.matches_in_play}, streams: {response.streams}")
