"""`referee export`: the matches of records as tables, in Parquet files, or those of chess as PGN."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from engines.registry import find
from referee.cli._shared.output import counted
from referee.cli._shared.record_files import PackedCommand
from referee.records.describe_event import escape_unprintable
from referee.records.packed_reader import read_records
from referee.records.record_reader import RecordInvalid
from referee.show.parquet_export import COLUMNS, export_tables

SKIPPED = 3
"""Exit status if everything else was done, and some records were not valid."""
ENDING = ".parquet"
PGN_ENDING = ".pgn"


@click.command(cls=PackedCommand)
@click.argument("sources", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), metavar="FOLDER", help="See above.")
@click.pass_context
def export(context: click.Context, sources: tuple[Path, ...], output: Path) -> None:
    """Write matches, moves, clock charges and ratings as Parquet files, or matches of chess as PGN.

    FILE is a record of a match, ladder or tournament, a file of packed records, or a folder with any of these. FOLDER
    gets one file for each table; with a name such as `moves.parquet`, only that table is written, to that file. With a
    name such as `games.pgn`, the matches of chess are written to that file. Names with other endings are rejected,
    unless they are those of existing folders.

    Existing files are replaced. Records that are not valid are left out and named; the exit status is then 3.
    """
    skipped: list[str] = []

    def skip(name: str, trouble: RecordInvalid) -> None:
        skipped.append(name)
        click.echo(f"{click.format_filename(name)} is left out: {escape_unprintable(str(trouble))}", err=True)

    try:
        for path, amount in _export(sources, output, skip):
            click.echo(f"{click.format_filename(path)}: {amount}")
    except OSError as error:
        raise click.ClickException(f"cannot write {click.format_filename(output)}: {error.strerror or error}") from None
    context.exit(SKIPPED if skipped else 0)


def _export(
    sources: Sequence[Path], output: Path, skip: Callable[[str, RecordInvalid], None]
) -> Iterator[tuple[Path, str]]:
    """Write the files, and yield each with what is in it. Raises BadParameter, PackageMissing or OSError."""
    if output.suffix == PGN_ENDING:
        yield output, counted(_export_games(sources, output, skip), "game")
        return
    files = _files(output)
    rows = export_tables(read_records(sources), files, skip)
    yield from ((path, counted(rows[name], "row")) for name, path in files.items())


def _export_games(sources: Sequence[Path], output: Path, skip: Callable[[str, RecordInvalid], None]) -> int:
    find("chess")  # Without the extra, the error says how to install it.
    from referee.show.pgn import export_games  # noqa: PLC0415  # It imports python-chess, which is an extra.

    return export_games(read_records(sources), output, skip)


def _files(output: Path) -> Mapping[str, Path]:
    if output.suffix not in {"", ENDING} and not output.is_dir():
        sentence = f"unknown ending {output.suffix!r}; known: {ENDING}, {PGN_ENDING}, or the name of a folder"
        raise click.BadParameter(sentence, param_hint="-o")
    if output.suffix != ENDING:
        output.mkdir(parents=True, exist_ok=True)
        return {name: output / f"{name}{ENDING}" for name in COLUMNS}
    if output.stem not in COLUMNS:
        raise click.BadParameter(f"no table is called {output.stem!r}; tables: {', '.join(COLUMNS)}", param_hint="-o")
    return {output.stem: output}
