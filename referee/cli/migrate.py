"""The command that brings a database up to date."""

import click

from referee.cli.operating import Operating, memory_options
from referee.operating.migrating import Plan, planned
from referee.operating.migrating import migrate as migrated
from referee.settings.reading import InForce


@click.command(cls=Operating)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@memory_options
def migrate(in_force: InForce, dry_run: bool) -> None:
    """Bring the database up to date for this release, while no server runs; there is no way back but a backup.

    The server would do the same when it starts. All steps are taken, or none.
    """
    data_dir = in_force.settings.data_dir
    click.echo(_told(planned(data_dir) if dry_run else migrated(data_dir), dry_run))


def _told(plan: Plan, dry_run: bool) -> str:
    if not plan.steps:
        return f"nothing to do: the database has version {plan.version}, as this release wants it"
    done = "would go" if dry_run else "went"
    heading = f"the database {done} from version {plan.version} to {plan.known}:"
    return "\n".join([heading, *(f"  {step}" for step in plan.steps)])
