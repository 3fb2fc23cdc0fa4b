"""`referee admin quota`: the limits of holders, and how much of them they use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click
from msgspec import structs
from referee_api.v1 import quota_pb2
from referee_client import Organiser
from referee_values import HolderQuota, Quota, QuotaUsage

from engines.game_errors import unknown
from referee.accounts.names import natural_key
from referee.cli import CommandGroup
from referee.cli._shared.account_tables import NONE
from referee.cli._shared.client_options import organiser_command, print_json, to_dict
from referee.show.table import Table

MAX_VALUE = 2**63 - 1
OWN = "*"
"""Marks limits that were set for the holder."""


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


@click.group(cls=CommandGroup)
def quota() -> None:
    """Manage quotas."""


@organiser_command(quota, "list", has_json=True)
def list_quotas(organiser: Organiser, as_json: bool) -> None:
    """List all holders with how much of each limit they use.

    A star marks limits that were set for the holder; the others are defaults.
    """
    found = sorted(organiser.administration.quotas(), key=lambda holder_quota: natural_key(holder_quota.holder))
    if as_json:
        print_json([to_dict(holder_quota, quota_pb2.HolderQuota) for holder_quota in found])
        return
    click.echo(Table(("holder", *LIMITS), [_row(holder_quota) for holder_quota in found]).to_text())


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


def _row(holder_quota: HolderQuota) -> tuple[str, ...]:
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
