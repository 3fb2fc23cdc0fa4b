"""`referee lab`: plan files, their results folder, and how a run is continued."""

import os
import re
import select
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from engines.registry import find
from referee.cli import main
from referee.lab.lab_contest import MAX_ATTEMPTS, AlwaysVoid, LabTournament
from referee.lab.lab_folder import LOCK
from referee.lab.lab_match import RESULT_DECODER, RESULT_ENCODER, LabMatch, LabResult
from referee.lab.lab_plan import read_lab_plan
from referee.match.result import EndCause, void_result
from referee.records.packed_reader import PackedFile
from referee.records.record_reader import read_record_history
from referee.storage.sqlite.database import DataDirLock
from tests.lab import bots

TIMEOUT_S = 60
ARENA = f"""
clock = "none"
rounds = 4

[bots]
drawn = "python:{bots.__file__}:drawn"
rita = "random"
rosa = "random"

[[games]]
game = "alquerque"

[[games]]
game = "troke"
label = "short"
options = {{ max_plies = 12 }}
"""
SPRT = """
game = "alquerque"
clock = "none"

[sprt]
elo0 = 0
elo1 = 50

[bots]
"""
GAUNTLET = """
game = "alquerque"
clock = "none"
gauntlet = { challengers = ["rita"], cycles = 2 }

[bots]
rita = "random"
rosa = "random"
ruth = "random"
"""


def plan(folder: Path, text: str) -> Path:
    file = folder / "plan.toml"
    file.write_text(text)
    return file


def lab(folder: Path, text: str, *options: str, out: str = "out") -> Result:
    arguments = ["lab", str(plan(folder, text)), "--out", str(folder / out), "--workers", "0", *options]
    return CliRunner().invoke(main, arguments)


def results(folder: Path, out: str = "out") -> list[LabResult]:
    lines = (folder / out / "results.jsonl").read_bytes()
    return sorted(RESULT_DECODER.decode_lines(lines), key=lambda result: result.number)


def test_all_matches_of_an_arena_are_played_and_summarised(tmp_path: Path) -> None:
    done = lab(tmp_path, ARENA)
    assert done.exit_code == 0, done.output
    played = results(tmp_path)
    assert [result.number for result in played] == list(range(1, 25))
    assert {result.label for result in played} == {"alquerque", "short"}
    assert "matches played: 24" in done.stdout
    assert "rosa, seat 0, no_men" in done.stdout


def test_an_interrupted_run_is_continued_with_the_same_results(tmp_path: Path) -> None:
    lab(tmp_path, ARENA)
    whole = results(tmp_path)
    file = tmp_path / "out" / "results.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:9]) + lines[9][:20])
    done = lab(tmp_path, ARENA)
    assert "9 matches are already played" in done.stdout
    assert results(tmp_path) == whole
    assert "24 matches are already played" in lab(tmp_path, ARENA).stdout
    assert results(tmp_path) == whole


def test_a_folder_belongs_to_one_plan_and_one_seed(tmp_path: Path) -> None:
    lab(tmp_path, GAUNTLET)
    for done in (lab(tmp_path, GAUNTLET, "--seed", "2"), lab(tmp_path, GAUNTLET.replace("cycles = 2", "cycles = 3"))):
        assert done.exit_code == 2
        assert "choose another folder with --out" in done.stderr
    assert lab(tmp_path, f"max_concurrent_matches = 3\n{GAUNTLET}").exit_code == 0


def test_only_one_run_at_a_time_uses_a_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with DataDirLock(tmp_path / "out", LOCK):
        done = lab(tmp_path, GAUNTLET)
    assert done.exit_code == 1
    assert f"out: process {os.getpid()} already uses it (lock file lab.lock)" in " ".join(done.stderr.split())
    assert not (tmp_path / "out" / "plan.json").exists()
    assert [lab(tmp_path, GAUNTLET).exit_code for _ in range(2)] == [0, 0]


def test_a_run_holds_the_lock_of_its_folder(tmp_path: Path) -> None:
    """A bot that looks for the lock finds it held."""
    (tmp_path / "looking.py").write_text(
        f"""
from pathlib import Path
from referee.lab.lab_folder import LOCK
from referee.storage.sqlite.database import DataDirLock

def choose(turn):
    DataDirLock(Path({str(tmp_path / "out")!r}), LOCK)
"""
    )
    done = lab(tmp_path, GAUNTLET.replace('rita = "random"', 'rita = "python:looking.py:choose"'))
    assert "rita failed: referee.storage.sqlite.database.DataDirLocked: process" in done.stderr


def test_a_damaged_line_of_the_results_is_an_error(tmp_path: Path) -> None:
    lab(tmp_path, GAUNTLET)
    file = tmp_path / "out" / "results.jsonl"
    file.write_bytes(b"{}\n" + file.read_bytes())
    done = lab(tmp_path, GAUNTLET)
    assert done.exit_code == 1
    assert "a line that is no result" in done.stderr


def unpacked(folder: Path, out: str = "out") -> dict[str, Path]:
    """Return the records of a run by the names of their matches, each in a file of its own."""
    to = folder / f"{out}-records"
    done = CliRunner().invoke(main, ["records", "unpack", str(folder / out / "records.pack"), "-o", str(to)])
    assert done.exit_code == 0, done.output
    return {result.name: to / f"{result.match_id}.jsonl" for result in results(folder, out)}


def packed_ids(file: Path) -> list[str]:
    with file.open("rb") as packed:
        return [match_id for match_id, _ in PackedFile(packed).records()]


def test_records_are_packed_if_wanted_and_can_be_verified_and_replayed(tmp_path: Path) -> None:
    done = lab(tmp_path, ARENA, "--records")
    packed = tmp_path / "out" / "records.pack"
    assert sorted(packed_ids(packed)) == sorted(result.match_id for result in results(tmp_path))
    verified = CliRunner().invoke(main, ["verify", str(packed)])
    assert (verified.exit_code, "24 records: 24 fine" in verified.stdout) == (0, True), verified.stdout
    named = done.stdout.rpartition("replay ")[2].strip()
    assert named.startswith(f"{packed}#m")
    assert CliRunner().invoke(main, ["replay", named]).exit_code == 0
    lost = next(line for line in done.stdout.splitlines() if line.startswith("rosa, seat 0, no_men"))
    first, record = lost.split()[5].rstrip(","), lost.split()[-1]
    by_name = {result.name: result.match_id for result in results(tmp_path)}
    assert record == f"{packed}#{by_name[first]}"
    assert (tmp_path / "out" / "lab.key").exists()


def test_without_the_library_each_record_is_a_file_and_the_command_says_what_packs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    done = lab(tmp_path, GAUNTLET, "--records")
    assert "pip install 'referee[packed]'" in done.stderr
    records = sorted(map(str, (tmp_path / "out" / "records").glob("*.jsonl")))
    assert len(records) == 4
    assert not (tmp_path / "out" / "records.pack").exists()
    assert CliRunner().invoke(main, ["verify", *records]).exit_code == 0
    assert done.stdout.rpartition("replay ")[2].strip() in records


@pytest.mark.parametrize("kept", [0, 9, 23, 24])
def test_a_continued_run_loses_no_record_and_has_none_twice(tmp_path: Path, kept: int) -> None:
    lab(tmp_path, ARENA, "--records")
    file, packed = tmp_path / "out" / "results.jsonl", tmp_path / "out" / "records.pack"
    whole, lines = packed_ids(packed), file.read_bytes().splitlines(keepends=True)
    with packed.open("rb") as opened:
        before = dict(PackedFile(opened).records())
    file.write_bytes(b"".join(lines[:kept]) + (lines[kept][:20] if kept < 24 else b""))
    with packed.open("ab") as opened:
        opened.write(packed.read_bytes()[:50])  # The run was killed while it wrote a group.
    assert lab(tmp_path, ARENA, "--records").exit_code == 0
    assert sorted(packed_ids(packed)) == sorted(whole)
    ids = [result.match_id for result in RESULT_DECODER.decode_lines(b"".join(lines[:kept]))]
    with packed.open("rb") as opened:
        after = dict(PackedFile(opened).records())
    assert {match_id: after[match_id] for match_id in ids} == {match_id: before[match_id] for match_id in ids}


def test_a_damaged_packed_file_is_an_error(tmp_path: Path) -> None:
    lab(tmp_path, GAUNTLET, "--records")
    (tmp_path / "out" / "records.pack").write_bytes(b"no packed records")
    done = lab(tmp_path, GAUNTLET, "--records")
    assert (done.exit_code, "records.pack" in done.stderr) == (1, True)


def test_the_page_of_a_test_shows_its_course_and_a_repeated_run_writes_the_same(tmp_path: Path) -> None:
    text = f"{SPRT}drawn = 'python:{bots.__file__}:drawn'\nrita = 'random'\n".replace(
        "elo1 = 50", "elo1 = 50\nmax_matches = 40"
    )
    lab(tmp_path, text)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Lead of drawn over rita in Elo" in page
    (tmp_path / "out" / "report.html").unlink()
    lab(tmp_path, text)
    assert (tmp_path / "out" / "report.html").read_text() == page


def test_a_finished_test_shows_all_its_results_again(tmp_path: Path) -> None:
    text = f'{SPRT}new = "greedy"\nold = "random"\n'
    lab(tmp_path, text)
    file = tmp_path / "out" / "results.jsonl"
    last = results(tmp_path)[-1]
    more = structs.replace(last, number=last.number + 1, name="9999.1.1")  # In play when the test ended.
    file.write_bytes(file.read_bytes() + RESULT_ENCODER.encode_lines([more]))
    done = lab(tmp_path, text)
    assert f"matches played: {more.number}," in done.stdout
    assert (done.exit_code, "passed: +" in done.stdout) == (0, True)


def test_a_bot_against_itself_plays_both_matches_of_a_pair_alike(tmp_path: Path) -> None:
    drawn = f"python:{bots.__file__}:drawn"
    text = f"{SPRT}one = '{drawn}'\nother = '{drawn}'\n".replace("elo1 = 50", "elo1 = 50\nmax_matches = 8")
    lab(tmp_path, text)
    digests = {result.name: result.digest for result in results(tmp_path)}
    assert len(digests) >= 8
    assert all(digests[f"{pair}.1.1"] == digests[f"{pair}.1.2"] for pair in range(1, 5))
    assert len(set(digests.values())) >= 4


@pytest.mark.parametrize(("first", "second", "status"), [("greedy", "random", 0), ("random", "greedy", 6)])
def test_a_test_ends_with_its_verdict(tmp_path: Path, first: str, second: str, status: int) -> None:
    done = lab(tmp_path, f'{SPRT}new = "{first}"\nold = "{second}"\n')
    assert done.exit_code == status, done.output
    assert ("passed: +" if status == 0 else "failed: −") in done.stdout


@pytest.mark.slow
def test_verdict_and_counted_matches_of_a_test_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    text = f'{SPRT}new = "python:{bots.__file__}:drawn"\nold = "random"\n'.replace("elo1 = 50", "elo1 = 150")
    told = {
        line
        for workers in ("0", "2")
        for line in lab(tmp_path, text, "--workers", workers, out=workers).stdout.splitlines()
        if line.startswith(("passed", "failed", "undecided"))
    }
    assert len(told) == 1


def test_a_bot_that_forfeits_or_fails_is_reported(tmp_path: Path) -> None:
    faulty = ARENA.replace('rita = "random"', f'rita = "python:{bots.__file__}:illegal"')
    done = lab(tmp_path, faulty.replace('rosa = "random"', f'rosa = "python:{bots.__file__}:failing"'))
    assert done.exit_code == 3
    assert "rita illegal at ply 0" in done.stderr
    assert "rosa failed: ZeroDivisionError: it divides by zero" in done.stderr
    assert 'raise ZeroDivisionError("it divides by zero")' in (tmp_path / "out" / "bots" / "rosa.log").read_text()


WORKERS = ["0", pytest.param("1", marks=pytest.mark.slow)]


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("FailingAtStart", "ZeroDivisionError: it divides at the start"),
        ("stopping", "Stopping: it stops"),
        ("interrupting", "KeyboardInterrupt"),
    ],
)
def test_a_bot_that_fails_in_any_way_resigns_and_the_others_play(
    tmp_path: Path, workers: str, bot: str, why: str
) -> None:
    text = GAUNTLET.replace('rita = "random"', f'rita = "python:{bots.__file__}:{bot}"')
    done = lab(tmp_path, text, "--workers", workers)
    assert done.exit_code == 0, done.output
    assert [result.result.cause for result in results(tmp_path)] == [EndCause.RESIGNATION] * 4
    assert re.search(f"rita failed: .*{why}", done.stderr)
    assert why in (tmp_path / "out" / "bots" / "rita.log").read_text()


def test_a_bot_that_fails_after_the_end_keeps_its_result_and_its_log_has_the_error(tmp_path: Path) -> None:
    text = GAUNTLET.replace('rita = "random"', f'rita = "python:{bots.__file__}:FailingAtEnd"')
    assert lab(tmp_path, text).exit_code == 0
    assert EndCause.RESIGNATION not in {result.result.cause for result in results(tmp_path)}
    assert (tmp_path / "out" / "bots" / "rita.log").read_text().count("it divides at the end\n") == 4


@pytest.mark.slow
def test_a_bot_that_ends_its_worker_ends_the_run_with_the_results_so_far(tmp_path: Path) -> None:
    text = GAUNTLET.replace('rita = "random"', f'rita = "python:{bots.__file__}:exiting"')
    done = lab(tmp_path, text, "--workers", "1")
    assert done.exit_code == 1
    assert "Error: a worker process has ended unexpectedly, in one of the matches 1.1.1" in done.stderr
    assert "of the bots rita, rosa, ruth" in done.stderr
    assert "matches played: 0" in done.stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"sandbox = true\n{ARENA}", "sandbox: the lab has none"),
        (f'ladder = "main"\n{GAUNTLET}', "ladder: the lab has none"),
        (f'entrants = ["anna"]\n{GAUNTLET}', "'anna' is not in the table `bots`"),
        (ARENA.replace('"random"', '"tcp:127.0.0.1:7"'), "not programs with a network"),
        (GAUNTLET.replace('["rita"]', '["nobody"]'), "unknown entrant 'nobody'"),
        (GAUNTLET.replace("alquerque", "chequers"), "chequers"),
        (GAUNTLET.replace('clock = "none"', 'clock = "soon"'), "clock"),
    ],
)
def test_a_plan_that_the_lab_cannot_play_is_rejected(tmp_path: Path, text: str, why: str) -> None:
    done = lab(tmp_path, text)
    assert done.exit_code == 2
    assert why in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()


def test_a_tournament_whose_match_is_always_void_is_given_up(tmp_path: Path) -> None:
    tournament = read_lab_plan(plan(tmp_path, GAUNTLET)).source("0")
    assert isinstance(tournament, LabTournament)
    names = []
    for _ in range(MAX_ATTEMPTS - 1):
        match = tournament.take(1)[0]
        names.append(match.name)
        tournament.record(void(match))
    (again,) = (match for match in tournament.take(100) if match.name.startswith(names[0]))
    with pytest.raises(AlwaysVoid, match="broken"):
        tournament.record(void(again))
    assert [*names, again.name] == ["1.1.1", "1.1.1-2", "1.1.1-3"]


def void(match: LabMatch) -> LabResult:
    result = void_result(EndCause.ENGINE_FAULT, "broken")
    return LabResult(match.number, match.name, match.label, match.bots, result, 0, "")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_run_although_a_bot_thinks(tmp_path: Path, number: signal.Signals, status: int) -> None:
    file = plan(tmp_path, ARENA.replace('"random"', f'"python:{bots.__file__}:endless"'))
    command = [sys.executable, "-m", "referee", "lab", str(file), "--out", str(tmp_path / "out"), "--workers", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            while process.stderr.readline() != "thinking\n":
                assert process.poll() is None
            process.send_signal(number)
            assert process.wait(120) == status
        finally:
            process.kill()


@pytest.mark.slow
def test_workers_end_when_the_command_is_killed(tmp_path: Path) -> None:
    file = plan(tmp_path, ARENA.replace('"random"', f'"python:{bots.__file__}:naming_process"'))
    command = [sys.executable, "-m", "referee", "lab", str(file), "--out", str(tmp_path / "out"), "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        while not (line := process.stderr.readline()).startswith("process "):
            assert process.poll() is None
        worker = os.pidfd_open(int(line.split()[1]))
        process.kill()
        try:
            assert select.select([worker], [], [], TIMEOUT_S)[0]
        finally:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(worker, signal.SIGKILL)
            os.close(worker)


BOOK_ARENA = """
clock = "none"
rounds = 4
adjudication = { max_plies = 1 }

[bots]
rita = "random"
rosa = "random"

[[games]]
game = "alquerque"
openings = { file = "book" }
"""
BOOK_SPRT = """
game = "alquerque"
clock = "none"
adjudication = { resign_score = 100, resign_moves = 1 }
duplicate_play = { openings = { file = "book" } }

[sprt]
elo1 = 400
max_matches = 4

[bots]
"""
BOOK = "3bb/5/5/5/w4 w 0\nbb3/5/5/5/4w w 0\n"


def test_an_arena_plays_openings_of_a_book_and_ends_matches_by_its_terms(tmp_path: Path) -> None:
    (tmp_path / "book").write_text(BOOK)
    assert lab(tmp_path, BOOK_ARENA, "--records").exit_code == 0
    found = results(tmp_path)
    assert [(result.moves, result.result.reason) for result in found] == [(1, "max_plies")] * 4
    records = unpacked(tmp_path)
    first = [read_record_history(records[result.name], find).first.setup.opening for result in found]
    assert first == [BOOK.splitlines()[number] for number in (0, 0, 1, 1)]
    assert CliRunner().invoke(main, ["verify", *map(str, records.values())]).exit_code == 0


def test_a_sequential_test_plays_openings_of_a_book_and_ends_matches_by_both_scores(tmp_path: Path) -> None:
    (tmp_path / "book").write_text(BOOK)
    text = f'{BOOK_SPRT}up = "python:{bots.__file__}:winning"\ndown = "python:{bots.__file__}:losing"\n'
    lab(tmp_path, text)
    found = results(tmp_path)
    assert {(result.moves, result.result.reason) for result in found} == {(2, "resign_score")}
    assert all(result.bots[result.result.ranks.index(1)] == "up" for result in found)


@pytest.mark.parametrize("text", [BOOK_ARENA, f'{BOOK_SPRT}rita = "random"\nrosa = "random"\n'])
def test_a_folder_belongs_to_the_openings_of_its_book(tmp_path: Path, text: str) -> None:
    (tmp_path / "book").write_text(BOOK)
    lab(tmp_path, text)
    (tmp_path / "book").write_text(BOOK.splitlines()[1])
    result = lab(tmp_path, text)
    assert result.exit_code == 2
    assert "another" in result.output


PAGE = (Path(__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^\$ referee (.*)$", PAGE, re.MULTILINE)


@pytest.mark.slow
def test_every_command_of_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES:
        Path(name).write_text(text)
    assert [name for name, _ in FILES] == ["v1.py", "v2.py", "plan.toml"]
    assert len(COMMANDS) == 5
    for command in COMMANDS:
        done = CliRunner().invoke(main, shlex.split(command))
        assert done.exit_code == 0, (command, done.output)
        if command.startswith("lab"):
            assert "passed: +" in done.stdout
            assert "v1, seat 0, no_men" in done.stdout
