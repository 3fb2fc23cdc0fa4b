"""`make cluster` shows that nothing was lost, and leaves no process behind, also after Ctrl-C."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from deploy.cluster_demo import __main__ as demonstration
from deploy.cluster_demo.postgres_server import PostgresMissing, find_programs
from tests.e2e.server import TIMEOUT_S

LINES = (
    r"All nodes are ready, and node 1 is the coordinator\.",
    r"Node 1, the coordinator, is killed with SIGKILL\. \d+ matches are in play\.",
    r"Node [23] has become the coordinator, [\d.]+ s after the kill\.",
    r"Node 1 was started again",
    r"The last match is over\.",
    r"node 1 +[1-9]\d* +0 +0 +[1-9]\d* +\d+\n",
    r"(\d+) of the \1 matches that were in play at the kill were finished\.",
    r"All \d+ moves that were accepted, as the bots were told, are in the records\.",
    r"All \d+ records of matches and the record of the ladder are valid\.",
    r"Matches: \d+ played, \d+ void, 0 forfeited, 0 not over\.",
    r"greedy-1 ",
    r"The logs are .*/\*\.log",
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Yield a folder whose name is in the environment or the arguments of every process of the demonstration."""
    try:
        find_programs()
    except PostgresMissing as why:
        if "CI" in os.environ:
            raise
        pytest.skip(str(why))
    created = Path(tempfile.mkdtemp(prefix="referee-demonstration-"))
    created.chmod(0o711)  # PostgreSQL runs as another user if the test runs as root.
    yield created
    shutil.rmtree(created)


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "deploy.cluster_demo", "--moves", "40", "--out", str(folder / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )


def processes_of(folder: Path) -> list[str]:
    """Return the command lines of the processes that know the folder."""
    found, name = [], str(folder).encode()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            if name in command or name in (process / "environ").read_bytes():
                found.append(command.replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # It has ended, or belongs to somebody else.
            continue
    return found


@pytest.mark.slow
def test_the_demonstration_loses_nothing(folder: Path) -> None:
    with start(folder) as process:
        output, _ = process.communicate(timeout=5 * TIMEOUT_S)
    assert process.returncode == 0, output
    assert [line for line in LINES if not re.search(line, output)] == [], output
    assert processes_of(folder) == []
    assert list(folder.glob("referee-postgres-*")) == []


@pytest.mark.slow
@pytest.mark.parametrize("line", ["Starting", "killed"])
def test_ctrl_c_ends_all_processes(folder: Path, line: str) -> None:
    with start(folder) as process:
        assert process.stdout
        seen = next((text for text in process.stdout if line in text), None)
        assert seen, "the demonstration has ended by itself"
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == demonstration.INTERRUPTED, output
    assert processes_of(folder) == []
    assert list(folder.glob("referee-postgres-*")) == []


def test_a_missing_program_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PostgresMissing("PostgreSQL is not installed")

    monkeypatch.setattr(demonstration, "PrivatePostgres", refuse)
    monkeypatch.setattr(demonstration, "_on_signals", threading.Event)
    result = CliRunner().invoke(demonstration.main, ["--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "PostgreSQL is not installed; install it with: sudo apt-get install postgresql" in result.output
