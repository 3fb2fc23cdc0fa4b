"""`referee records pack` and `unpack`: many records of matches in one compressed file, and out of it again."""

from pathlib import Path

import click

from referee.cli import CommandGroup
from referee.cli._shared.output import counted
from referee.cli._shared.record_files import PackedCommand
from referee.records.describe_event import escape_unprintable
from referee.records.packed_reader import ENDING, PackedFile, read_records, torn
from referee.records.packed_records import NotPackable, PackedRecords
from referee.records.record_reader import RecordInvalid

SKIPPED = 3
"""Exit status if everything else was done, and something could not be packed or read."""
MAX_EXPANSION = 200
"""Limit of the bytes of unpacked records, as a multiple of the bytes of the packed file."""
ALWAYS_UNPACKED = 1 << 30
"""Bytes of records that are unpacked in any case."""


@click.group(cls=CommandGroup)
def records() -> None:
    """Pack the records of many matches into one compressed file, or unpack it."""


@records.command(cls=PackedCommand)
@click.argument("sources", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--append", is_flag=True, help="Add to a file of packed records that exists.")
@click.pass_context
def pack(context: click.Context, sources: tuple[Path, ...], output: Path, append: bool) -> None:
    """Pack records of matches into one file, of which `verify`, `replay`, `explain` and `rerun` read each.

    FILE is a record, a file of packed records, or a folder, of which all records are packed. Records of ladders and
    tournaments, and files that are no records, are left out and named; the exit status is then 3.
    """
    if output.exists() and not append:
        raise click.UsageError(f"{click.format_filename(output)} exists; use --append to add to it")
    try:
        with PackedRecords(output) as packed:
            if packed.dropped_bytes:
                click.echo(f"{packed.dropped_bytes} bytes at the end were not written completely: removed", err=True)
            before = len(packed)
            skipped = sum(not _add(packed, name, record) for name, record in read_records(sources))
            click.echo(f"{counted(len(packed) - before, 'record')} packed into {click.format_filename(output)}")
    except RecordInvalid as trouble:
        raise click.ClickException(f"{click.format_filename(output)}: {trouble}") from None
    except OSError as error:
        raise click.ClickException(f"cannot write {click.format_filename(output)}: {error.strerror or error}") from None
    context.exit(SKIPPED if skipped else 0)


def _add(packed: PackedRecords, name: str, record: bytes | RecordInvalid) -> bool:
    try:
        if isinstance(record, RecordInvalid):
            raise NotPackable(str(record))
        packed.append(record)
    except NotPackable as why:
        click.echo(f"{click.format_filename(name)} is left out: {escape_unprintable(str(why))}", err=True)
        return False
    return True


@records.command(cls=PackedCommand)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER")
@click.pass_context
def unpack(context: click.Context, file: Path, output: Path) -> None:
    """Write each of the packed records to a file of its own, FOLDER/MATCH.jsonl, byte for byte as it was.

    Existing files are not replaced. The exit status is 3 if FILE ends with records that were not written completely.
    """
    limit, written, count = max(ALWAYS_UNPACKED, MAX_EXPANSION * file.stat().st_size), 0, 0
    try:
        output.mkdir(parents=True, exist_ok=True)
        with file.open("rb") as source:
            packed = PackedFile(source)
            for match_id, record in packed.records():
                written += len(record)
                if written > limit:
                    raise click.ClickException(f"{file} has more than {limit} bytes of records; the rest is left out")
                with (output / f"{match_id}{ENDING}").open("xb") as target:
                    target.write(record)
                count += 1
            click.echo(f"{counted(count, 'record')} unpacked to {click.format_filename(output)}")
            if packed.torn_bytes:
                click.echo(f"{click.format_filename(file)}: {torn(packed)}", err=True)
    except RecordInvalid as trouble:
        click.echo(f"{counted(count, 'record')} unpacked to {click.format_filename(output)}")
        raise click.ClickException(f"{click.format_filename(file)}: {trouble}") from None
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from None
    context.exit(SKIPPED if packed.torn_bytes else 0)
