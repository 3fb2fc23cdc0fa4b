"""Tables of many matches as Parquet files, for DuckDB, pandas and the like (see `docs/parquet.md`).

Rows are written in row groups as the records are read, so memory does not grow with the number of matches.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from msgspec import UNSET

from referee.contests.ladder.events import MatchRated
from referee.live.ports import Entry
from referee.match.events import FlagFell, MatchCreated, MovePlayed, PlayEnded, PlayStarted
from referee.match.setup import Player, Setup
from referee.records.contest_record import decode_contest_event
from referee.records.packed_format import PackageMissing
from referee.records.record_format import FIRST_BYTES, MAX_CONTEST_LINE_BYTES, ContestHeader, parse_header, split_line
from referee.records.record_reader import (
    LineReader,
    MatchRecord,
    RecordInvalid,
    RecordStatus,
    read_raw_lines,
    read_record,
)

ROWS = 20_000
"""Rows of a row group."""

Row: TypeAlias = Sequence[object]

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "matches": {
        "match": "string",
        "game": "string",
        "game_version": "int32",
        "bots": "strings",
        "versions": "strings",
        "opening": "string",
        "created_ms": "int64",
        "ended_ms": "int64",
        "duration_us": "int64",
        "plies": "int32",
        "kind": "string",
        "cause": "string",
        "reason": "string",
        "ranks": "ints",
        "scores": "floats",
    },
    "moves": {
        "match": "string",
        "ply": "int32",
        "seat": "int16",
        "bot": "string",
        "move": "string",
        "source": "string",
        "at_us": "int64",
        "score": "int32",
    },
    "clock_charges": {
        "match": "string",
        "ply": "int32",
        "seat": "int16",
        "bot": "string",
        "asked_us": "int64",
        "arrived_us": "int64",
        "network_us": "int64",
        "network_credit_us": "int64",
        "stall_us": "int64",
        "charged_us": "int64",
        "left_before_us": "int64",
        "left_after_us": "int64",
        "late": "bool",
    },
    "ratings": {
        "contest": "string",
        "entry": "int32",
        "match": "string",
        "rated_ms": "int64",
        "bot": "string",
        "version": "string",
        "value_before": "float64",
        "deviation_before": "float64",
        "value_after": "float64",
        "deviation_after": "float64",
        "matches": "int32",
    },
}
"""Columns of each table, with their types."""


def match_rows(record: MatchRecord) -> Iterator[tuple[str, Row]]:
    """Yield the rows of one match, each with its table."""
    created, ended = record.entries[0], record.entries[-1]
    if not isinstance(created.event, MatchCreated) or not isinstance(ended.event, PlayEnded):
        raise RecordInvalid(RecordStatus.RULES_DIFFER, "its entries do not begin and end a match")
    setup, players, ply = created.event.setup, created.event.setup.players, 0
    for entry in record.entries:
        event = entry.event
        if isinstance(event, PlayStarted):
            players = event.seated
        if isinstance(event, MovePlayed | FlagFell):
            bot = players[event.seat].bot if 0 <= event.seat < len(players) else ""
            if event.row:
                charge = event.row
                measured = (charge.asked_us, charge.arrived_us, charge.network_us, charge.network_credit_us)
                clock = (charge.stall_us, charge.charged_us, charge.before.left_us, charge.after.left_us, charge.late)
                yield "clock_charges", (setup.match_id, ply, event.seat, bot, *measured, *clock)
            if isinstance(event, MovePlayed):
                score = None if event.score is UNSET else event.score
                yield (
                    "moves",
                    (setup.match_id, ply, event.seat, bot, event.move, event.source.value, event.at_us, score),
                )
                ply += 1
    yield "matches", _match_row(setup, players, created, ended, ended.event, ply)


def _match_row(
    setup: Setup, players: Sequence[Player], created: Entry, ended: Entry, end: PlayEnded, plies: int
) -> Row:
    result = end.result
    who = ([player.bot for player in players], [player.version for player in players])
    times = (created.at_ms, ended.at_ms, end.at_us)
    outcome = (result.kind.value, result.cause.value, result.reason, list(result.ranks), list(result.scores))
    return (setup.match_id, setup.terms.game, setup.game_version, *who, setup.opening, *times, plies, *outcome)


def rating_rows(record: bytes) -> Iterator[tuple[str, Row]]:
    """Yield the rating changes in the record of a ladder; none of a tournament. Raises RecordInvalid."""
    reader = LineReader(MAX_CONTEST_LINE_BYTES)
    for raw in read_raw_lines(BytesIO(record), MAX_CONTEST_LINE_BYTES):
        line = reader.take(raw)
        if line is None or not isinstance(reader.header, ContestHeader):
            continue
        event = reader.event_of(line, decode_contest_event)
        if not isinstance(event, MatchRated):
            continue
        for change in event.changes:
            before, after = change.before.rating, change.after.rating
            rated = (reader.header.contest, line.number, event.match_id, event.at_ms or line.at_ms)
            values = (before.value, before.deviation, after.value, after.deviation, change.after.matches)
            yield "ratings", (*rated, change.player.bot, change.player.version, *values)
    reader.finish()


def record_rows(record: bytes) -> list[tuple[str, Row]]:
    """Return the rows of the record of a match or of a contest. Raises RecordInvalid."""
    first = split_line(BytesIO(record).readline(MAX_CONTEST_LINE_BYTES)) if record.startswith(FIRST_BYTES) else None
    if first and isinstance(parse_header(first.body), ContestHeader):
        return list(rating_rows(record))
    return list(match_rows(read_record(BytesIO(record))))


def export_tables(
    records: Iterable[tuple[str, bytes | RecordInvalid]],
    files: Mapping[str, Path],
    skip: Callable[[str, RecordInvalid], None],
) -> dict[str, int]:
    """Write the tables named in `files`, and return their numbers of rows.

    `skip` is called for each record that is not valid, of which nothing is written. Form, hashes and signature of all
    are checked, and no match is replayed. Raises PackageMissing or OSError.
    """
    with ExitStack() as closing:
        tables = {name: closing.enter_context(_TableWriter(path, COLUMNS[name])) for name, path in files.items()}
        for name, record in records:
            try:
                if isinstance(record, RecordInvalid):
                    raise record
                rows = record_rows(record)
            except RecordInvalid as trouble:
                skip(name, trouble)
                continue
            for table, row in rows:
                if table in tables:
                    tables[table].add(row)
    return {name: table.rows for name, table in tables.items()}


class _TableWriter:
    """One table, which is complete in its file when the `with` block is left without an error."""

    def __init__(self, path: Path, columns: Mapping[str, str]) -> None:
        self._library = _pyarrow()
        parquet = import_module("pyarrow.parquet")
        self._schema = self._library.schema([(name, self._type(kind)) for name, kind in columns.items()])
        self._path, self._part = path, path.with_name(f"{path.name}.part")
        self._file: Any = parquet.ParquetWriter(self._part, self._schema, compression="zstd")
        self._pending: list[Row] = []
        self.rows = 0

    def add(self, row: Row) -> None:
        self._pending.append(row)
        self.rows += 1
        if len(self._pending) == ROWS:
            self._flush()

    def _flush(self) -> None:
        columns = list(zip(*self._pending, strict=True)) or [()] * len(self._schema)
        arrays = [self._library.array(values, field.type) for values, field in zip(columns, self._schema, strict=True)]
        self._file.write_table(self._library.Table.from_arrays(arrays, schema=self._schema))
        self._pending = []

    def _type(self, kind: str) -> object:
        lists = {"strings": "string", "ints": "int32", "floats": "float64"}
        if kind in lists:
            return self._library.list_(self._library.type_for_alias(lists[kind]))
        return self._library.type_for_alias(kind)

    def __enter__(self) -> "_TableWriter":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None and (self._pending or not self.rows):
            self._flush()
        self._file.close()
        if error is None:
            self._part.replace(self._path)
        else:
            self._part.unlink()


def _pyarrow() -> ModuleType:
    try:
        return import_module("pyarrow")
    except ImportError as why:
        raise PackageMissing("Parquet files", why.name or "pyarrow", "parquet") from None
