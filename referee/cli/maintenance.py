"""Commands for the data of a stopped or running server: backup, restore, archive, migrations, and recovery of lost
secrets.
"""

import sys
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from engines.registry import find, games
from referee.cli import CommandGroup
from referee.cli._shared.game_options import GameCommand
from referee.cli._shared.output import counted
from referee.cli.settings import options_of
from referee.server.maintenance.archive import ArchiveResult
from referee.server.maintenance.archive import archive as archived
from referee.server.maintenance.backup import Manifest, Restored, back_up
from referee.server.maintenance.backup import restore as restored
from referee.server.maintenance.data_dir import MaintenanceError, require_files
from referee.server.maintenance.integrity_check import MatchCheck
from referee.server.maintenance.migrate import MigrationPlan, plan_migration
from referee.server.maintenance.migrate import migrate as migrated
from referee.server.maintenance.token_recovery import create_admin_token, create_signing_key
from referee.server.setting_types import DATABASE_URL, DatabaseUrl
from referee.server.settings_reader import LoadedSettings
from referee.show.table import Table

data_dir_options = options_of("data_dir", "database", "database_password_file")
"""Options that say where the data is, as for `serve`."""
SHOWN_DIGITS = 16
"""Hexadecimal digits of a digest that are printed."""
UNPROVEN = 3
"""Exit status if everything was done but something could not be verified."""

MIB = 1024 * 1024
POSTGRES = ("postgres://", "postgresql://")
"""How the URL of a database begins."""


class MaintenanceCommand(GameCommand):
    failures = (MaintenanceError,)


@click.command(cls=MaintenanceCommand)
@click.argument("to", type=click.Path(path_type=Path))
@data_dir_options
def backup(in_force: LoadedSettings, to: Path) -> None:
    """Back up the data directory to the folder TO, which must be new or empty; the server may be running.

    TO then holds the database, the key that signs records, and a manifest with their checksums. Only its owner can
    read it, because it contains the seeds of matches in play.
    """
    require_files(in_force.settings, "back it up with pg_dump; the dump contains the key that signs records")
    manifest = back_up(in_force.settings.data_dir, to, time.time_ns() // 1_000_000)
    click.echo(f"backed up to {click.format_filename(to)}: {_content(manifest)}")


@click.command(cls=MaintenanceCommand)
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path))
@data_dir_options
@click.pass_context
def restore(context: click.Context, in_force: LoadedSettings, source: Path) -> None:
    """Restore the backup FROM into an empty data directory, and verify it by replaying every match.

    Nothing is restored if a checksum of the backup differs. Matches that cannot be verified (for example because
    their game is not installed), and ladders and tournaments whose logs cannot be replayed, are restored unchanged
    and listed; the exit status is then 3.
    """
    require_files(in_force.settings, "restore a dump into an empty database with pg_restore")
    data_dir = in_force.settings.data_dir
    with _bar("replaying matches") as bar:

        def show_progress(manifest: Manifest, _: MatchCheck) -> None:
            bar.length = manifest.matches
            bar.update(1)

        done = restored(source, data_dir, games(), show_progress)
    click.echo(f"restored to {click.format_filename(data_dir)}: {_content(done.manifest)}")
    click.echo(_proof(done))
    for unverified in done.unverified:
        click.echo(f"{unverified.match_id} could not be verified: {unverified.problem}", err=True)
    for damaged in done.damaged:
        click.echo(f"{damaged.contest} is damaged: {damaged.why}", err=True)
    context.exit(UNPROVEN if done.unverified or done.damaged else 0)


@click.group(cls=CommandGroup)
def data() -> None:
    """Archive old matches, migrate the database, or recover a lost token or key of a server."""


@data.command(cls=MaintenanceCommand)
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    required=True,
    help="Archive matches that ended before this time, in UTC.",
)
@click.option("--to", type=click.Path(path_type=Path), required=True, help="Folder for the records.")
@data_dir_options
@click.pass_context
def archive(context: click.Context, in_force: LoadedSettings, before: datetime, to: Path) -> None:
    """Write old matches as signed records, verify these, and delete the matches; the server may be running.

    Later requests for such a match are answered with an error that says it is archived. Ratings and standings do not
    change, because ladders and tournaments have logs of their own. Matches that cannot be archived are listed; the
    exit status is then 3.
    """
    require_files(in_force.settings, "matches can be archived from a data directory only")
    before_ms = int(before.replace(tzinfo=UTC).timestamp() * 1000)
    done = archived(in_force.settings.data_dir, before_ms, to, find)
    click.echo(f"{counted(done.removed, 'match', 'matches')} archived as records in {click.format_filename(to)}")
    for kept in done.kept:
        click.echo(f"{kept.match_id} was not archived: {kept.kept_because}", err=True)
    click.echo(_advice(done))
    context.exit(UNPROVEN if done.kept else 0)


def _bar(label: str) -> AbstractContextManager[Any]:  # click does not name the class.
    """Return a progress bar on standard error; if that is no terminal, only the label is printed."""
    return click.progressbar(length=1, label=label, file=sys.stderr, show_pos=True)


def _content(manifest: Manifest) -> str:
    at = datetime.fromtimestamp(manifest.at_ms / 1000, UTC)
    matches = counted(manifest.matches, "match", "matches")
    size = sum(note.size_bytes for note in manifest.files.values())
    return (
        f"{matches}, {manifest.unfinished} of them unfinished, {counted(manifest.entries, 'entry', 'entries')}, "
        f"{size / MIB:.1f} MiB, as of {at:%Y-%m-%d %H:%M:%S} UTC"
    )


def _proof(done: Restored) -> str:
    proven = done.matches - len(done.unverified)
    return f"{proven} of {counted(done.matches, 'match', 'matches')} verified; {done.unfinished} unfinished will resume"


def _advice(done: ArchiveResult) -> str:
    free = f"{done.free_bytes / MIB:.1f} MiB in the file of the database are free for reuse"
    return f"{free}; to shrink the file, run VACUUM while no server is running"


@data.command(cls=MaintenanceCommand)
@click.option("--dry-run", is_flag=True, help="Print the pending steps without taking them.")
@data_dir_options
def migrate(in_force: LoadedSettings, dry_run: bool) -> None:
    """Upgrade the database to the version of this release, while no server is running. Only a backup undoes this.

    The server does the same when it starts. All steps are taken in one transaction. In PostgreSQL, nodes of a cluster
    may be running.
    """
    settings = in_force.settings
    if settings.database:
        postgres = _postgres_module("postgres_upkeep")
        plan = postgres.plan_migration(settings) if dry_run else postgres.migrate(settings)
    else:
        plan = plan_migration(settings.data_dir) if dry_run else migrated(settings.data_dir)
    click.echo(_plan_text(plan, dry_run))


def _plan_text(plan: MigrationPlan, dry_run: bool) -> str:
    if not plan.pending:
        release = "the version of this release" if plan.version == plan.known else "which this release can use"
        return f"nothing to do: the database has version {plan.version}, {release}"
    done = "would be upgraded" if dry_run else "was upgraded"
    heading = f"the database {done} from version {plan.version} to {plan.known}:"
    return "\n".join([heading, *(f"  {step}" for step in plan.pending)])


@data.command("migrate-to", cls=MaintenanceCommand)
@click.argument("to")
@click.option(
    "--to-password-file",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the password for TO, if that is a URL without one.",
)
@data_dir_options
def migrate_to(in_force: LoadedSettings, to: str, to_password_file: Path | None) -> None:
    """Copy everything from the data directory to PostgreSQL, or back, while no server is running.

    TO is the URL of an empty database (postgres://…), to which the data directory is copied; or, if the setting
    `database` is in force, a new or empty folder, to which that database is copied. All of it is copied or nothing, and
    every table is read back and compared. The source does not change.
    """
    settings = in_force.settings
    migration = _postgres_module("store_migration")
    if not to.startswith(POSTGRES):
        if not settings.database:
            raise MaintenanceError(f"{to} is a folder: use `referee backup`, or say which database with --database")
        digests = migration.migrate_to_folder(settings, Path(to), _show_progress)
        copied, shown = str(settings.database), click.format_filename(to)
    elif settings.database:
        raise MaintenanceError("the data is in PostgreSQL (setting database) already: copy it with pg_dump")
    else:
        target = replace(settings, database=_database_url(to), database_password_file=to_password_file)
        digests = migration.migrate_to_postgres(settings.data_dir, target, _show_progress)
        copied, shown = click.format_filename(settings.data_dir), str(target.database)
    rows = [(digest.table, str(digest.rows), digest.sha256[:SHOWN_DIGITS]) for digest in digests]
    click.echo(Table(("table", "rows", "SHA-256 begins with"), rows).to_text())
    click.echo(f"copied {copied} to {shown}; all tables were read back and are equal")
    click.echo(f"{copied} is unchanged: start no server on it any more, or both would play the same matches", err=True)


def _database_url(text: str) -> DatabaseUrl:
    try:
        return DATABASE_URL.read(text)
    except ValueError:  # Not shown: it may contain a password.
        raise click.BadParameter(f"expected {DATABASE_URL.takes}", param_hint="TO") from None


def _show_progress(line: str) -> None:
    click.echo(line, err=True)


@data.group()
def recover() -> None:
    """Replace a lost administrator's token or a lost signing key, while no server is running."""


@recover.command("admin-token", cls=MaintenanceCommand)
@click.option("--revoke-others", is_flag=True, help="Revoke all other administrators' tokens.")
@data_dir_options
def admin_token(in_force: LoadedSettings, revoke_others: bool) -> None:
    """Create an administrator's token and print it once."""
    settings, now_ms = in_force.settings, time.time_ns() // 1_000_000
    if settings.database:
        click.echo(_postgres_module("postgres_upkeep").create_admin_token(settings, now_ms, revoke_others))
    else:
        click.echo(create_admin_token(settings.data_dir, now_ms, revoke_others))


@recover.command("signing-key", cls=MaintenanceCommand)
@data_dir_options
def signing_key(in_force: LoadedSettings) -> None:
    """Create a key for signing records if the old one is missing, and print its fingerprint.

    All records written from now on, including those of earlier matches, verify against the new public key only.
    Publish it, and say why it changed.
    """
    settings = in_force.settings
    created = (
        _postgres_module("postgres_upkeep").create_signing_key(settings)
        if settings.database
        else create_signing_key(settings.data_dir)
    )
    click.echo(f"new records are signed by {created}")


def _postgres_module(name: str) -> ModuleType:
    """Return a module of `referee.server.maintenance`. Raises MaintenanceError if the optional package is missing."""
    try:
        return import_module(f"referee.server.maintenance.{name}")
    except ImportError as why:
        raise MaintenanceError(f"database requires the package {why.name}: pip install 'referee[cluster]'") from None
