"""Game engines that tests let play: those of Debian, and small scripted ones."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.local.test_commands import referee, table_row

PROGRAMS = Path(__file__).parents[1] / "clients"


def find_engine(name: str) -> str:
    """Return the path of an engine of Debian. The test is skipped if it is missing, but fails in CI."""
    found = shutil.which(name, path=f"{os.environ['PATH']}{os.pathsep}/usr/games")
    if found:
        return found
    why = f"{name} is not installed"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


def scripted_engine(protocol: str, name: str, *words: str) -> str:
    """Return the notation of a small engine, which speaks `uci` or `gtp` and behaves as the words say."""
    program = PROGRAMS / f"{protocol}_program.py"
    return f"{name}={protocol}:{shlex.join([sys.executable, str(program), *words])}"


def play_engines(first: str, second: str, clock: str, out: Path, *options: str) -> tuple[Path, str]:
    """Let two engines play a match on clocks. Check its record; return it, and how it is replayed."""
    completed = referee("match", first, second, *options, "--clock", clock, "--out", str(out))
    assert completed.returncode == 0, completed.stdout + completed.stderr
    (record,) = out.glob("records/*.jsonl")
    assert ": fine: match " in referee("verify", str(record)).stdout
    assert table_row(completed.stdout, first.partition("=")[0])[0] == "1"
    return record, referee("replay", str(record)).stdout


def check_opponent_result(
    protocol: str, behaviour: str, clock: str, status: int, reason: str, out: Path, *options: str
) -> None:
    """Let a faulty engine play a good one, which must get a result."""
    bad, good = scripted_engine(protocol, "bad", behaviour), scripted_engine(protocol, "good", "good")
    completed = referee("match", bad, good, *options, "--clock", clock, "--out", str(out))
    assert "bad 0, good 1" in completed.stdout, completed.stdout + completed.stderr
    (record,) = out.glob("records/*.jsonl")
    assert reason in completed.stdout + referee("verify", str(record)).stdout
    assert completed.returncode == status


def check_quit(protocol: str, opponent: str, folder: Path, *options: str) -> Path:
    """Let a good engine play, which must be asked to quit at the end; return the folder of the results."""
    told, out = folder / "told", folder / "out"
    engine = scripted_engine(protocol, "one", "good", str(told))
    completed = referee("match", engine, opponent, *options, "--no-clock", "--out", str(out))
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert told.read_text(encoding="utf-8") == "quit"
    return out


def check_contradiction(words: str, error: str, out: Path) -> None:
    """Check that the bridge refuses these options."""
    bridge = f"one=grpc:{sys.executable} -m referee_client.bridge {words} -- cat"
    completed = referee("match", bridge, "random", "--out", str(out))
    assert completed.returncode == 4
    assert error in completed.stdout + completed.stderr
