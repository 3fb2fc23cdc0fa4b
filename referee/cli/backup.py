"""Commands that copy the data directory: back it up, restore it, and archive old matches."""

import sys
import time
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from engines.registry import find, games
from referee.cli._shared.maintenance_options import MaintenanceCommand, counted, memory_options
from referee.maintenance.archive import ArchiveResult
from referee.maintenance.archive import archive as archived
from referee.maintenance.backup import Manifest, Restored, back_up
from referee.maintenance.backup import restore as restored
from referee.maintenance.integrity_check import MatchCheck
from referee.server.settings_reader import LoadedSettings

UNPROVEN = 3
"""Exit status if everything was done but something could not be verified."""

MIB = 1024 * 1024


@click.command(cls=MaintenanceCommand)
@click.argument("to", type=click.Path(path_type=Path))
@memory_options
def backup(in_force: LoadedSettings, to: Path) -> None:
    """Back up the data directory to the folder TO, which must be new or empty; the server may be running.

    TO then holds the database, the key that signs records, and a manifest with their checksums. Only its owner can
    read it, because it contains the seeds of matches in play.
    """
    manifest = back_up(in_force.settings.data_dir, to, time.time_ns() // 1_000_000)
    click.echo(f"backed up to {click.format_filename(to)}: {_content(manifest)}")


@click.command(cls=MaintenanceCommand)
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path))
@memory_options
@click.pass_context
def restore(context: click.Context, in_force: LoadedSettings, source: Path) -> None:
    """Restore the backup FROM into an empty data directory, and verify it by replaying every match.

    Nothing is restored if a checksum of the backup differs. Matches that cannot be verified (for example because
    their game is not installed), and ladders and tournaments whose logs cannot be replayed, are restored unchanged
    and listed; the exit status is then 3.
    """
    data_dir = in_force.settings.data_dir
    with _bar("replaying matches") as bar:

        def show_progress(manifest: Manifest, _: MatchCheck) -> None:
            bar.length = manifest.matches
            bar.update(1)

        done = restored(source, data_dir, games(), show_progress)
    click.echo(f"restored to {click.format_filename(data_dir)}: {_content(done.manifest)}")
    click.echo(_proof(done))
    for one in done.unverified:
        click.echo(f"{one.match_id} could not be verified: {one.problem}", err=True)
    for damaged in done.damaged:
        click.echo(f"{damaged.contest} is damaged: {damaged.why}", err=True)
    context.exit(UNPROVEN if done.unverified or done.damaged else 0)


@click.command(cls=MaintenanceCommand)
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    required=True,
    help="Archive matches that ended before this time, in UTC.",
)
@click.option("--to", type=click.Path(path_type=Path), required=True, help="Folder for the records.")
@memory_options
@click.pass_context
def archive(context: click.Context, in_force: LoadedSettings, before: datetime, to: Path) -> None:
    """Write old matches as signed records, verify these, and delete the matches; the server may be running.

    Later requests for such a match are answered with an error that says it is archived. Ratings and standings do not
    change, because ladders and tournaments have logs of their own. Matches that cannot be archived are listed; the
    exit status is then 3.
    """
    before_ms = int(before.replace(tzinfo=UTC).timestamp() * 1000)
    done = archived(in_force.settings.data_dir, before_ms, to, find)
    click.echo(f"{counted(done.removed, 'match', 'matches')} archived as records in {click.format_filename(to)}")
    for one in done.kept:
        click.echo(f"{one.match_id} was not archived: {one.kept_because}", err=True)
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
