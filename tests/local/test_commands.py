"""`referee match` and `referee arena` as a person runs them: real processes, real bots."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TIMEOUT_S = 300
REFEREE = (sys.executable, "-m", "referee")
ADDRESS = re.compile(r"refereed on (\S+), with metrics on (\S+)")


BOT = Path(__file__).with_name("bot.py")


def bot(name: str, behaviour: str = "honest") -> str:
    return f"{name}={program(behaviour)}"


def program(behaviour: str = "honest") -> str:
    return f"grpc:{sys.executable} {BOT} {behaviour}"


def referee(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*REFEREE, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@contextmanager
def start_referee(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*REFEREE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def bot_processes_of(address: str) -> list[str]:
    """Return the ids of the processes whose referee has this address."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"BOT_REFEREE={address}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:  # The process has ended, or belongs to another user.
            continue
    return found


def record_files(out: Path) -> list[str]:
    return sorted(file.name for file in out.glob("**/records/*"))


def table_row(screen: str, name: str) -> list[str]:
    """Return the cells of a bot in the first table, without its name."""
    line = next(line for line in screen.splitlines() if line.startswith(f"{name} "))
    return line.split()[1:]


def test_a_match_is_played_in_all_seats_and_its_records_are_valid(tmp_path: Path) -> None:
    completed = referee("match", bot("anna"), bot("bert"), "--games", "2", "--out", str(tmp_path))
    assert completed.returncode == 0, completed.stderr
    assert record_files(tmp_path) == ["1.1.1.jsonl", "2.1.1.jsonl"]
    verdict = referee("verify", *map(str, tmp_path.glob("records/*")))
    assert verdict.returncode == 0, verdict.stdout
    assert table_row(completed.stdout, "anna")[0] == "2"
    assert (tmp_path / "bots" / "anna.log").exists()
    assert "1.1: anna " in completed.stdout
    assert "2.1: bert " in completed.stdout


def test_a_match_is_reported_whatever_authority_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_CA", str(tmp_path / "authority-of-another-server.pem"))
    completed = referee("match", "random", "random", "--game", "trox", "--out", str(tmp_path))
    assert (completed.returncode, "matches played: 1" in completed.stdout) == (0, True), completed.stderr
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("behaviour", "clock", "faults"),
    [("silent", "5", ["2", "-", "-"]), ("illegal", "60", ["-", "2", "-"]), ("dies", "600", ["-", "-", "2"])],
)
def test_a_fault_of_a_bot_loses_the_match_and_sets_the_exit_status(
    tmp_path: Path, behaviour: str, clock: str, faults: list[str]
) -> None:
    completed = referee(
        "match", bot("anna"), bot("bad", behaviour), "--games", "2", "--clock", clock, "--out", str(tmp_path)
    )
    assert completed.returncode == 3, completed.stderr
    assert table_row(completed.stdout, "anna")[:2] == ["2", "2"]
    assert table_row(completed.stdout, "bad")[-3:] == faults
    assert f"its output: {tmp_path}/bots/bad.log" in completed.stdout
    assert ("bad illegal: 'nonsense': " in completed.stdout) == (behaviour == "illegal")
    log = (tmp_path / "bots" / "bad.log").read_text(encoding="utf-8")
    assert ("the process has ended: exit status" in log) == (behaviour == "dies")


def test_the_log_of_a_bot_whose_code_fails_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def choose(turn):\n    raise ValueError('no idea')\n", encoding="utf-8")
    bad, out = f"bad=python:{tmp_path}/bad.py:choose", tmp_path / "out"
    completed = referee("match", bad, "random", "--games", "2", "--out", str(out))
    assert completed.returncode == 3, completed.stderr
    assert completed.stderr == f"\nbad failed and resigned, matches: 2; its output: {out}/bots/bad.log\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_contest_leaves_no_process_and_can_be_resumed(tmp_path: Path, number: signal.Signals) -> None:
    arguments = (
        "match",
        bot("anna", "parent"),
        bot("bert"),
        "--games",
        "30",
        "--parallel",
        "2",
        "--out",
        str(tmp_path),
    )
    with start_referee(*arguments) as process:
        assert process.stdout
        found = ADDRESS.match(process.stdout.readline())
        assert found, process.communicate()[1]
        assert process.stdout.readline().lstrip().startswith("1/30")
        assert len(bot_processes_of(found[1])) > 4
        process.send_signal(number)
        _, errors = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 128 + number, errors
        assert bot_processes_of(found[1]) == []
    records = {file: file.stat().st_mtime_ns for file in tmp_path.glob("records/*.jsonl")}
    assert 1 <= len(records) < 30
    resumed = referee(*arguments)
    assert resumed.returncode == 0, resumed.stderr
    before = re.search(r"^(\d+) of 30 pairings are already played$", resumed.stdout, re.MULTILINE)
    assert before
    assert len(records) <= int(before[1]) < 30
    assert {file: file.stat().st_mtime_ns for file in records} == records
    assert len(record_files(tmp_path)) == 30
    assert table_row(resumed.stdout, "anna")[0] == "30"


def test_all_bots_of_an_arena_add_to_the_seed_of_a_game_with_chance(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'rounds = 1\n[bots]\nanna = "random"\nbert = "random"\n'
        '[[games]]\ngame = "toc"\noptions = { max_turns = 30 }\nnonce_timeout_ms = 60_000\n'
    )
    completed = referee("arena", str(plan), "--out", str(tmp_path / "out"))
    assert completed.returncode == 0, completed.stderr + completed.stdout
    verdict = referee("verify", *map(str, (tmp_path / "out").glob("*/records/*")))
    assert "; seats 0, 1, 2, 3 of 4 added to its seed; " in verdict.stdout


def test_an_arena_can_be_played_in_sandboxes(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None and "CI" not in os.environ:
        pytest.skip("bubblewrap is not installed")
    plan = tmp_path / "plan.toml"
    tmp_path.chmod(0o755)  # If root runs this test, the bots run as another user.
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "my_bot.py").write_text("def choose(turn):\n    return turn.legal_moves[0]\n")
    bert = '{ run = "python:my_bot.py:choose", folder = "bert" }'
    arguments = ("arena", str(plan), "--out", str(tmp_path / "out"))
    plan.write_text(f'sandbox = true\nrounds = 1\n[bots]\nanna = "random"\nbert = {bert}\n[[games]]\ngame = "trox"\n')
    completed = referee(*arguments)
    assert completed.returncode == 0, completed.stderr + completed.stdout
    assert table_row(completed.stdout, "bert")[0] == "1"


def test_a_results_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    failed = referee("match", bot("anna"), bot("bert"), "--out", str(tmp_path / "file" / "out"))
    assert failed.returncode == 1
    assert f"Error: cannot write to {tmp_path}/file/out: Not a directory" in failed.stderr


def test_bots_and_games_that_are_added_to_an_arena_play_only_what_is_missing(tmp_path: Path) -> None:
    plan, out, shown = tmp_path / "plan.toml", tmp_path / "out", ""
    games = '[[games]]\ngame = "trox"\n'
    for names, more, records in (
        (("anna", "bert", "gone"), "", {"trox": 2}),
        (("anna", "bert", "carl", "dora"), "", {"trox": 2, "trox--2": 4, "trox--3": 6}),
        (("anna", "bert"), '[[games]]\ngame = "alquerque"\n', {"trox": 2, "trox--2": 4, "trox--3": 6, "alquerque": 2}),
    ):
        bots = "".join(f'{name} = "{"./none" if name == "gone" else program()}"\n' for name in names)
        plan.write_text(f"[bots]\n{bots}{games}{more}", encoding="utf-8")
        completed = referee("arena", str(plan), "--out", str(out))
        assert completed.returncode == (4 if "gone" in names else 0), completed.stderr + completed.stdout
        assert {folder.parent.name: len(list(folder.iterdir())) for folder in out.glob("*/records")} == records
        shown = completed.stdout
    assert table_row(shown, "anna")[0] == "8"
    assert "2 of 2 pairings are already played of trox" in shown
