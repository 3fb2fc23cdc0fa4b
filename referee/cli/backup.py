"""Commands that copy a referee's memory: away while it serves, back into an empty folder, and old matches out of it."""

import sys
import time
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from engines.registry import find, games
from referee.cli.operating import Operating, counted, memory_options
from referee.operating.archiving import Archived
from referee.operating.archiving import archive as archived
from referee.operating.backup import back_up
from referee.operating.manifest import Manifest
from referee.operating.proving import Proven
from referee.operating.restore import Restored
from referee.operating.restore import restore as restored
from referee.settings.reading import InForce

UNPROVEN = 3
"""The exit status where all was done, and something could not be proven."""

MIB = 1024 * 1024


@click.command(cls=Operating)
@click.argument("to", type=click.Path(path_type=Path))
@memory_options
def backup(in_force: InForce, to: Path) -> None:
    """Copy everything into the folder TO, which is made, or empty; the server may go on meanwhile.

    TO then holds the database, the key that signs records, and a manifest with their checksums. Nobody else may read
    it: the seeds of matches that are being played are in it.
    """
    manifest = back_up(in_force.settings.data_dir, to, time.time_ns() // 1_000_000)
    click.echo(f"backed up to {click.format_filename(to)}: {_content(manifest)}")


@click.command(cls=Operating)
@click.argument("source", metavar="FROM", type=click.Path(path_type=Path))
@memory_options
@click.pass_context
def restore(context: click.Context, in_force: InForce, source: Path) -> None:
    """Put the backup FROM into an empty data directory, and prove it: every match is played again.

    Nothing is restored from a backup that is not whole, byte by byte. Matches that cannot be proven, for want of
    their game for instance, are restored as they were, and named, and so are ladders and tournaments whose logs
    cannot be followed; then the exit status is 3.
    """
    data_dir = in_force.settings.data_dir
    with _bar("playing every match again") as bar:

        def proving(manifest: Manifest, _: Proven) -> None:
            bar.length = manifest.matches
            bar.update(1)

        done = restored(source, data_dir, games(), proving)
    click.echo(f"restored to {click.format_filename(data_dir)}: {_content(done.manifest)}")
    click.echo(_proof(done))
    for one in done.doubtful:
        click.echo(f"{one.match_id} is not proven: {one.doubt}", err=True)
    for damaged in done.damaged:
        click.echo(f"{damaged.contest} is damaged: {damaged.why}", err=True)
    context.exit(UNPROVEN if done.doubtful or done.damaged else 0)


@click.command(cls=Operating)
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    required=True,
    help="Matches that were over before this moment, in UTC.",
)
@click.option("--to", type=click.Path(path_type=Path), required=True, help="The folder of records; made if needed.")
@memory_options
@click.pass_context
def archive(context: click.Context, in_force: InForce, before: datetime, to: Path) -> None:
    """Write old matches as signed records, verify them, and then remove them; the server may go on meanwhile.

    Whoever asks the server for such a match is told that it is archived. Ratings and standings stay as they are:
    ladders and tournaments have logs of their own. Matches that cannot leave are named; then the exit status is 3.
    """
    before_ms = int(before.replace(tzinfo=UTC).timestamp() * 1000)
    done = archived(in_force.settings.data_dir, before_ms, to, find)
    click.echo(f"{counted(done.left, 'match', 'matches')} archived as records in {click.format_filename(to)}")
    for one in done.stayed:
        click.echo(f"{one.match_id} stays: {one.stays}", err=True)
    click.echo(_advice(done))
    context.exit(UNPROVEN if done.stayed else 0)


def _bar(label: str) -> AbstractContextManager[Any]:  # click does not name the class.
    """Where standard error is no terminal, it says the label alone."""
    return click.progressbar(length=1, label=label, file=sys.stderr, show_pos=True)


def _content(manifest: Manifest) -> str:
    at = datetime.fromtimestamp(manifest.at_ms / 1000, UTC)
    matches = counted(manifest.matches, "match", "matches")
    size = sum(note.size_bytes for note in manifest.files.values())
    return (
        f"{matches}, {manifest.unfinished} of them not over, {counted(manifest.entries, 'entry', 'entries')}, "
        f"{size / MIB:.1f} MiB, as of {at:%Y-%m-%d %H:%M:%S} UTC"
    )


def _proof(done: Restored) -> str:
    proven = done.matches - len(done.doubtful)
    return f"{proven} of {counted(done.matches, 'match', 'matches')} proven; {done.unfinished} will go on"


def _advice(done: Archived) -> str:
    free = f"{done.free_bytes / MIB:.1f} MiB in the file of the database are free for what comes"
    return f"{free}; VACUUM, while no server runs, would give them back to the disk"
