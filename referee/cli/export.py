"""`referee export`: the matches of records as tables, in Parquet files."""

from collections.abc import Mapping
from pathlib import Path

import click

from referee.cli._shared.output import counted
from referee.cli._shared.record_files import PackedCommand
from referee.records.describe_event import escape_unprintable
from referee.records.packed_reader import read_records
from referee.records.record_reader import RecordInvalid
from referee.reporting.parquet_export import COLUMNS, export_tables

SKIPPED = 3
"""Exit status if everything else was done, and some records were not valid."""
ENDING = ".parquet"


@click.command(cls=PackedCommand)
@click.argument("sources", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FOLDER", help="See above.")
@click.pass_context
def export(context: click.Context, sources: tuple[Path, ...], output: Path) -> None:
    """Write matches, moves, clock charges and ratings as Parquet files, for DuckDB, pandas and others.

    FILE is a record of a match, ladder or tournament, a file of packed records, or a folder with any of these. FOLDER
    gets one file for each table; with a name such as `moves.parquet`, only that table is written, to that file.

    Existing files are replaced. Records that are not valid are left out and named; the exit status is then 3.
    """
    skipped: list[str] = []

    def skip(name: str, trouble: RecordInvalid) -> None:
        skipped.append(name)
        click.echo(f"{click.format_filename(name)} is left out: {escape_unprintable(str(trouble))}", err=True)

    files = _files(output)
    try:
        rows = export_tables(read_records(sources), files, skip)
    except OSError as error:
        raise click.ClickException(f"cannot write {click.format_filename(output)}: {error.strerror or error}") from None
    for name, path in files.items():
        click.echo(f"{click.format_filename(path)}: {counted(rows[name], 'row')}")
    context.exit(SKIPPED if skipped else 0)


def _files(output: Path) -> Mapping[str, Path]:
    if output.suffix != ENDING:
        output.mkdir(parents=True, exist_ok=True)
        return {name: output / f"{name}{ENDING}" for name in COLUMNS}
    if output.stem not in COLUMNS:
        raise click.BadParameter(f"no table is called {output.stem!r}; tables: {', '.join(COLUMNS)}", param_hint="-o")
    return {output.stem: output}
