"""Commands that replace what an operator has lost."""

import time

import click

from referee.cli.operating import Operating, memory_options
from referee.operating.recovery import new_admin_token, new_signing_key
from referee.settings.reading import InForce


@click.group()
def recover() -> None:
    """Replace a lost administrator's token or a lost signing key, while no server runs."""


@recover.command("admin-token", cls=Operating)
@click.option("--revoke-others", is_flag=True, help="Revoke all other administrators' tokens.")
@memory_options
def admin_token(in_force: InForce, revoke_others: bool) -> None:
    """Make a new administrator's token and show it, once."""
    click.echo(new_admin_token(in_force.settings.data_dir, time.time_ns() // 1_000_000, revoke_others))


@recover.command("signing-key", cls=Operating)
@memory_options
def signing_key(in_force: InForce) -> None:
    """Make a new key for signing records, where the old one is missing, and show its fingerprint.

    Records that are written from now on, also of matches played before, verify against the new public key only:
    publish it, and say why it changed.
    """
    click.echo(f"records will be signed by {new_signing_key(in_force.settings.data_dir)}")
