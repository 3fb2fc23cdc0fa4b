"""`referee admin quota`: show and set the quotas of token holders."""

import click
from referee_api.v1 import quota_pb2
from referee_client import Organiser

from referee.cli._shared.client_options import ClientCommand
from referee.cli.admin.admin_client import NONE, print_json, print_table, to_dict, with_organiser

LIMITS = (
    ("matches in play", "max_matches", "matches"),
    ("open streams", "max_streams", "streams"),
    ("calls a minute", "max_calls_per_minute", "calls"),
    ("bots", "max_bots", "bots"),
    ("active tokens", "max_tokens", "tokens"),
    ("bytes of stored terms", "max_stored_bytes", "stored_bytes"),
)
"""Label of each limit, with the contract's field names of the limit and of its usage."""


@click.group()
def quota() -> None:
    """Manage quotas."""


@quota.command(cls=ClientCommand)
@click.argument("holder", default="")
@with_organiser
def show(organiser: Organiser, as_json: bool, holder: str) -> None:
    """Show the limits and usage of a holder; without a holder, the default limits."""
    response = organiser.administration.quota(holder)
    if as_json:
        print_json(to_dict(response))
    else:
        _print(response.quota, response.usage if holder else None)


@quota.command(name="set", cls=ClientCommand)
@click.argument("holder")
@click.option("--matches", "max_matches", type=click.IntRange(0), default=0, help="Matches in play.")
@click.option("--streams", "max_streams", type=click.IntRange(0), default=0, help="Open streams.")
@click.option("--calls", "max_calls_per_minute", type=click.IntRange(0), default=0, help="Calls a minute.")
@click.option("--bots", "max_bots", type=click.IntRange(0), default=0, help="Bots.")
@click.option("--tokens", "max_tokens", type=click.IntRange(0), default=0, help="Active tokens.")
@click.option("--stored-bytes", "max_stored_bytes", type=click.IntRange(0), default=0, help="Bytes of stored terms.")
@with_organiser
def set_quota(organiser: Organiser, as_json: bool, /, holder: str, **limits: int) -> None:
    """Set all limits of a holder. A limit that is 0 or not given is the default.

    Usage above a new limit is not cut off; it only blocks further use.
    """
    quota = organiser.administration.set_quota(holder, quota_pb2.Quota(**limits))
    if as_json:
        print_json(to_dict(quota))
    else:
        _print(quota, None)


def _print(quota: quota_pb2.Quota, used: quota_pb2.QuotaUsage | None) -> None:
    rows = [
        (what, str(getattr(quota, limit)), str(getattr(used, use)) if used else NONE) for what, limit, use in LIMITS
    ]
    print_table(("limit", "maximum", "used"), rows)
