"""Programs on pipes: their lines, their clocks, and what follows if they end, hang or write too much."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from referee_client.bridge.program_lines import MAX_EXTRA_BYTES
from referee_client.turn import Turn

from referee import lab
from referee.lab import line_program
from referee.lab.lab_match import LabResult
from referee.lab.line_program import LineProgram
from referee.lab.match_player import BotFailure, TimeOver
from referee.local.rotated_log import LOG_BYTES
from referee.match.result import EndCause
from tests.lab import bots

pytestmark = pytest.mark.slow


def program(behaviour: str) -> str:
    return f"{behaviour}={sys.executable} {bots.__file__} {behaviour}"


def play(behaviour: str, clock: str = "none", matches: int = 2) -> list[LabResult]:
    return list(lab.play([program(behaviour), bots.last], lab.terms("alquerque", clock=clock), matches, 0))


def children() -> set[str]:
    """Return the processes that this one has started."""
    return {file.parent.name for file in _stats() if file.read_text().rpartition(")")[2].split()[1] == str(os.getpid())}


def _stats() -> Iterator[Path]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            file.read_text()
        except OSError:
            continue
        yield file


def test_a_program_plays_the_same_matches_as_the_function_and_is_ended_with_the_run() -> None:
    before = children()
    by_program = [result.digest for result in play("plays")]
    by_function = [result.digest for result in lab.play([bots.last, bots.last], lab.terms("alquerque"), 2, 0)]
    assert by_program == by_function
    assert children() <= before


def test_a_program_may_resign() -> None:
    assert [result.result.cause for result in play("resigns")] == [EndCause.RESIGNATION] * 2


def test_a_program_that_ends_in_each_of_three_starts_resigns() -> None:
    first, second = play("dies")
    assert first.result.cause is second.result.cause is EndCause.RESIGNATION
    assert "it has ended 3 times during the same turn" in first.failures[0][1]


def test_a_program_that_writes_an_endless_line_resigns() -> None:
    (result,) = play("deaf", matches=1)
    assert "a line of more than 65536 bytes" in result.failures[0][1]


def test_a_program_that_does_not_answer_loses_on_time() -> None:
    (result,) = play("silent", clock="0.2", matches=1)
    assert [(forfeit.seat, forfeit.cause) for forfeit in result.result.forfeits] == [(0, "time")]


def test_the_answer_to_a_turn_whose_time_was_over_is_no_answer_to_the_next_one(tmp_path: Path) -> None:
    source = tmp_path / "late.py"
    source.write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    turn = json.loads(line)\n"
        "    if turn['type'] == 'turn':\n"
        "        time.sleep(1.5 * (turn['ply'] == 0))\n"
        "        print(turn['legal_moves'][-1] if turn['ply'] else 'late', flush=True)\n"
    )
    policies = {"timeout": "default_move"}
    terms: Any = lab.terms("alquerque", clock="1/move", policies=policies)
    (result,) = lab.play([f"{sys.executable} {source}", bots.last], terms, 1, 0)
    assert [seat for seat, _, _ in result.faults] == [0]
    assert all(fault == "time" for _, fault, _ in result.faults)


def turn(position: str = "", **fields: Any) -> Turn:
    return Turn("m", 0, "t", "alquerque", {}, 0, position, listed_moves=(), **fields)


def ask(source: str, turn: Turn, log: Path | None = None) -> Any:
    """Let a program of this source answer a turn."""
    asked = LineProgram((sys.executable, "-c", source), ".", os.environ, log)
    try:
        return asked.choose(turn)  # type: ignore[arg-type]  # It uses what all turns have.
    finally:
        asked.close()


def test_a_program_that_writes_empty_lines_resigns() -> None:
    with pytest.raises(BotFailure, match="it wrote more than 1048576 bytes that answer no turn"):
        ask("import sys; sys.stdout.write((' ' * 1023 + '\\n') * 1025)", turn())


def test_a_program_that_writes_without_reading_resigns() -> None:
    writes = f"import sys, time; sys.stdout.write('a line\\n' * {MAX_EXTRA_BYTES}); time.sleep(3600)"
    with pytest.raises(BotFailure, match="it wrote more than 1048576 bytes that answer no turn"):
        ask(writes, turn("x" * MAX_EXTRA_BYTES, time_left=60, arrived_at=time.monotonic()))


def test_the_time_of_a_program_that_writes_empty_lines_ends_before_all_of_them_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = count()
    clock = SimpleNamespace(monotonic=lambda: 0.0 if next(looks) < 10_000 else 1_000.0)
    monkeypatch.setattr(line_program, "time", clock)
    writes = "import os, sys; sys.stdin.readline(); sys.stdin.readline(); os.write(1, b'\\n' * 500_000 + b'a\\n')"
    with pytest.raises(TimeOver):
        ask(writes, turn(time_left=1, arrived_at=0.0))


def test_the_log_of_a_program_keeps_the_latest_lines_of_its_standard_error(tmp_path: Path) -> None:
    writes = (
        f"import sys; sys.stderr.write('a line\\n' * {LOG_BYTES // 2}); sys.stderr.write('the last\\n'); print('a')"
    )
    assert ask(writes, turn(), tmp_path / "bot.log") == "a"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bot.log", "bot.log.1"]
    assert all(file.stat().st_size <= LOG_BYTES + 200 for file in tmp_path.iterdir())
    lines = (tmp_path / "bot.log").read_text().splitlines()
    assert lines[0].startswith("(log rotated: earlier output is in bot.log.1")
    assert lines[-1] == "the last"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")
def test_processes_that_have_left_the_group_of_a_program_end_with_it(tmp_path: Path) -> None:
    source = (
        "import os, subprocess, sys, time\n"
        "child = subprocess.Popen(['sleep', '3600'], start_new_session=True)\n"
        "daemon = os.fork()\n"
        "if daemon == 0:\n"
        "    os.setsid()\n"
        "    time.sleep(3600)\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{child.pid}} {{daemon}}')\n"
        "print('a', flush=True)\n"
        "sys.stdin.read()\n"
    )
    assert ask(source, turn()) == "a"
    alive = [pid for pid in (tmp_path / "pids").read_text().split() if Path("/proc", pid).exists()]
    for pid in alive:
        os.kill(int(pid), signal.SIGKILL)
    assert alive == []


def test_a_program_that_closes_its_output_but_runs_on_is_started_again_and_resigns() -> None:
    with pytest.raises(BotFailure, match="it closed its output; it has ended 3 times"):
        ask("import os, sys; os.close(1); sys.stdin.read()", turn())
