"""Quotas: how much a holder may use."""

import click
from referee_api.v1 import quota_pb2
from referee_client import Organiser

from referee.cli.admin.asking import NONE, asking, plain, say_json, say_table
from referee.cli.calling import Calling

LIMITS = (
    ("matches in play", "matches_at_most", "matches"),
    ("open streams", "streams_at_most", "streams"),
    ("calls a minute", "calls_per_minute", "calls"),
    ("bots", "bots_at_most", "bots"),
    ("good tokens", "tokens_at_most", "tokens"),
    ("bytes of stored terms", "stored_bytes_at_most", "stored_bytes"),
)
"""What is limited, and the contract's names of the limit and of what is used of it."""


@click.group()
def quota() -> None:
    """How much a holder may use."""


@quota.command(cls=Calling)
@click.argument("holder", default="")
@asking
def show(organiser: Organiser, as_json: bool, holder: str) -> None:
    """Show the limits of a holder, and what it uses of them; without a holder, those of all who have no own."""
    told = organiser.administration.quota(holder)
    if as_json:
        say_json(plain(told))
    else:
        _say(told.quota, told.used if holder else None)


@quota.command(name="set", cls=Calling)
@click.argument("holder")
@click.option("--matches", "matches_at_most", type=click.IntRange(0), default=0, help="Matches in play.")
@click.option("--streams", "streams_at_most", type=click.IntRange(0), default=0, help="Open streams.")
@click.option("--calls", "calls_per_minute", type=click.IntRange(0), default=0, help="Calls a minute.")
@click.option("--bots", "bots_at_most", type=click.IntRange(0), default=0, help="Bots.")
@click.option("--tokens", "tokens_at_most", type=click.IntRange(0), default=0, help="Good tokens.")
@click.option(
    "--stored-bytes", "stored_bytes_at_most", type=click.IntRange(0), default=0, help="Bytes of stored terms."
)
@asking
def set_quota(organiser: Organiser, as_json: bool, /, holder: str, **limits: int) -> None:
    """Set all limits of a holder; those that are not given, or 0, are as for everybody.

    What is in use beyond them stays until it ends by itself.
    """
    quota = organiser.administration.set_quota(holder, quota_pb2.Quota(**limits))
    if as_json:
        say_json(plain(quota))
    else:
        _say(quota, None)


def _say(quota: quota_pb2.Quota, used: quota_pb2.QuotaUse | None) -> None:
    rows = [
        (what, str(getattr(quota, limit)), str(getattr(used, use)) if used else NONE) for what, limit, use in LIMITS
    ]
    say_table(("limit", "at most", "used"), rows)
