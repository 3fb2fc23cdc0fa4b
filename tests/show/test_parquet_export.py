"""`referee export`: tables of matches, and the questions of docs/parquet.md answered from them."""

import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.contests.ladder.events import MatchRated
from referee.records.packed_records import PackedRecords
from referee.show import parquet_export
from referee.show.parquet_export import COLUMNS
from tests.hosting.ladder_harness import ladder_terms
from tests.records.contests import contest_record, played_ladder
from tests.records.contests import run as played_contest
from tests.records.forgery import record_of
from tests.records.matches import find_game, random_match, short_match

PAGE = (Path(__file__).parents[2] / "docs" / "parquet.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
NAMES = ("a", "b", "c")


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def rows(sql: str) -> list[tuple[Any, ...]]:
    found = duckdb.sql(sql)
    assert found is not None
    return found.fetchall()


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A folder with one record as a file and two packed ones."""
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(record_of(short_match(match_id="a")))
    with PackedRecords(folder / "more.pack") as packed:
        for name in NAMES[1:]:
            packed.append(record_of(short_match(match_id=name)))
    return folder


@pytest.fixture
def tables(records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tables = tmp_path / "tables"
    result = run("export", records, "-o", tables)
    assert result.output.splitlines() == [
        f"{tables / 'matches.parquet'}: 3 rows",
        f"{tables / 'moves.parquet'}: 9 rows",
        f"{tables / 'clock_charges.parquet'}: 9 rows",
        f"{tables / 'ratings.parquet'}: 0 rows",
    ]
    monkeypatch.chdir(tables)
    return tables


@pytest.mark.usefixtures("tables")
def test_the_tables_say_what_the_records_say() -> None:
    assert rows("SELECT match, game, bots, versions, plies, kind, ranks, scores FROM 'matches.parquet' ORDER BY 1") == [
        (name, "nim", ["ada", "bob"], ["1", "2"], 3, "played", [1, 2], [1.0, 0.0]) for name in NAMES
    ]
    assert rows("SELECT ply, seat, bot, move, source, at_us FROM 'moves.parquet' WHERE match = 'b' ORDER BY 1") == [
        (0, 0, "ada", "1", "bot", 1_010),
        (1, 1, "bob", "2", "bot", 3_010),
        (2, 0, "ada", "2", "bot", 9_010),
    ]
    charges = rows(
        "SELECT ply, asked_us, arrived_us, network_us, stall_us FROM 'clock_charges.parquet' WHERE match = 'c'"
    )
    assert sorted(charges) == [(0, 10, 1_010, 0, 0), (1, 1_010, 3_000, 500, 0), (2, 3_010, 9_000, 0, 200)]


@pytest.mark.usefixtures("tables")
def test_the_queries_of_the_page_answer_its_questions() -> None:
    first_move, time, openings = map(rows, QUERIES)
    assert first_move == [("nim", 0, 3, 1.0), ("nim", 1, 3, 0.0)]
    assert [(bot, ply, answers) for bot, ply, answers, *_ in time] == [("ada", 0, 6), ("bob", 0, 3)]
    assert openings == [("1", 3, 1.0)]


def test_the_page_lists_the_columns_of_each_table() -> None:
    listed = dict(re.findall(r"^\| `(\w+)` \|.*\| (`.*) \|$", PAGE, re.MULTILINE))
    assert {name: tuple(re.findall(r"`(\w+)`", columns)) for name, columns in listed.items()} == {
        name: tuple(columns) for name, columns in COLUMNS.items()
    }


def test_one_table_is_chosen_by_the_name_of_the_file(records: Path, tmp_path: Path) -> None:
    file = tmp_path / "moves.parquet"
    assert run("export", records, "-o", file).output == f"{file}: 9 rows\n"
    assert rows(f"SELECT count(*) FROM '{file}'") == [(9,)]
    wrong = run("export", records, "-o", tmp_path / "turns.parquet")
    assert wrong.exit_code == 2
    assert "tables: matches, moves, clock_charges, ratings" in " ".join(wrong.output.split())


def test_an_unknown_ending_is_refused_unless_it_is_that_of_a_folder(records: Path, tmp_path: Path) -> None:
    output = tmp_path / "games.sgf"
    refused = run("export", records, "-o", output)
    assert refused.exit_code == 2
    assert "unknown ending '.sgf'; known: .parquet, .pgn, or the name of a folder" in refused.output
    assert not output.exists()
    output.mkdir()
    assert run("export", records, "-o", output).exit_code == 0
    assert (output / "moves.parquet").exists()


def test_rows_are_written_in_groups(records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_export, "ROWS", 4)
    file = tmp_path / "moves.parquet"
    run("export", records, "-o", file)
    groups = rows(f"SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata('{file}') ORDER BY 1")
    assert groups == [(0, 4), (1, 4), (2, 1)]


def test_records_that_are_not_valid_are_left_out_and_named(records: Path, tmp_path: Path) -> None:
    (records / "bad.jsonl").write_bytes(record_of(short_match()).replace(b'"ada"', b'"eva"'))
    (records / "cut.pack").write_bytes((records / "more.pack").read_bytes()[:-1])
    file = tmp_path / "matches.parquet"
    result = run("export", records, "-o", file)
    assert result.exit_code == 3
    assert f"{records / 'bad.jsonl'} is left out: line 2 is not what was hashed" in result.output
    assert f"{records / 'cut.pack'} is left out: its last " in result.output
    assert rows(f"SELECT match FROM '{file}' ORDER BY 1") == [("a",), ("b",), ("c",)]


def test_rating_changes_come_from_the_record_of_a_ladder(tmp_path: Path) -> None:
    ladder = played_contest(played_ladder(ladder_terms()))
    file = tmp_path / "ladder.jsonl"
    file.write_bytes(contest_record(ladder.entries))
    table = tmp_path / "ratings.parquet"
    assert run("export", file, "-o", table).exit_code == 0
    expected = [
        (entry.contest, entry.number, event.match_id, who.player.bot, who.before.rating.value, who.after.rating.value)
        for entry in ladder.entries
        if isinstance(event := entry.event, MatchRated)
        for who in event.changes
    ]
    assert expected
    found = rows(f"SELECT contest, entry, match, bot, value_before, value_after FROM '{table}'")
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("seed", range(20))
def test_random_matches_with_all_that_can_happen_are_exported(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    file.write_bytes(record_of(random_match(find_game("fingers"), seed)))
    assert run("export", file, "-o", tmp_path / "tables").exit_code == 0


def test_without_the_package_the_command_that_installs_it_is_named(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("export", records, "-o", tmp_path / "tables")
    assert result.exit_code == 1
    assert "Parquet files require the package pyarrow: pip install 'referee[parquet]'" in result.output
