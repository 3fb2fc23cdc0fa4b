"""`referee recover`: replace a lost administrator's token or signing key."""

import time

import click

from referee.cli._shared.maintenance_options import MaintenanceCommand, memory_options
from referee.maintenance.token_recovery import create_admin_token, create_signing_key
from referee.server.settings_reader import LoadedSettings


@click.group()
def recover() -> None:
    """Replace a lost administrator's token or a lost signing key, while no server is running."""


@recover.command("admin-token", cls=MaintenanceCommand)
@click.option("--revoke-others", is_flag=True, help="Revoke all other administrators' tokens.")
@memory_options
def admin_token(in_force: LoadedSettings, revoke_others: bool) -> None:
    """Create an administrator's token and print it once."""
    click.echo(create_admin_token(in_force.settings.data_dir, time.time_ns() // 1_000_000, revoke_others))


@recover.command("signing-key", cls=MaintenanceCommand)
@memory_options
def signing_key(in_force: LoadedSettings) -> None:
    """Create a key for signing records if the old one is missing, and print its fingerprint.

    All records written from now on, including those of earlier matches, verify against the new public key only.
    Publish it, and say why it changed.
    """
    click.echo(f"new records are signed by {create_signing_key(in_force.settings.data_dir)}")
