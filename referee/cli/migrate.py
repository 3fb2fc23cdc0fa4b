"""`referee migrate`: upgrade the database schema."""

import click

from referee.cli._shared.maintenance_options import MaintenanceCommand, memory_options
from referee.maintenance.migrate import MigrationPlan, plan_migration
from referee.maintenance.migrate import migrate as migrated
from referee.server.settings_reader import LoadedSettings


@click.command(cls=MaintenanceCommand)
@click.option("--dry-run", is_flag=True, help="Print the pending steps without taking them.")
@memory_options
def migrate(in_force: LoadedSettings, dry_run: bool) -> None:
    """Upgrade the database to the version of this release, while no server is running. Only a backup undoes this.

    The server does the same when it starts. All steps are taken in one transaction.
    """
    data_dir = in_force.settings.data_dir
    click.echo(_plan_text(plan_migration(data_dir) if dry_run else migrated(data_dir), dry_run))


def _plan_text(plan: MigrationPlan, dry_run: bool) -> str:
    if not plan.pending:
        return f"nothing to do: the database has version {plan.version}, the version of this release"
    done = "would be upgraded" if dry_run else "was upgraded"
    heading = f"the database {done} from version {plan.version} to {plan.known}:"
    return "\n".join([heading, *(f"  {step}" for step in plan.pending)])
