"""Programs of other projects, in a separate environment so that the project's own is not changed."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from bench.figures import Findings, NotMeasured

ROOT = Path(__file__).parents[1]
PINNED = ROOT / "requirements" / "bench.txt"
ALONE = ROOT / "requirements" / "bench_alone.txt"
"""Packages that are installed without their dependencies."""
ENVIRONMENT = ROOT / "build" / "bench" / "python"
INSTALLS_WITHIN_S = 300


class Beside:
    """A program that answers each line with numbers."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, line: str) -> float:
        return self.ask_all(line)[0]

    def ask_all(self, line: str) -> tuple[float, ...]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the program beside has ended, asked {line!r}")
        return tuple(map(float, answer.split()))


@contextmanager
def beside(program: Sequence[str], found: Findings) -> Iterator[Beside | None]:
    """Run a Python file with arguments as such a program. Yields None, and adds a note, if it cannot be installed."""
    try:
        python = other_python()
    except NotMeasured as why:
        found.notes.append(f"Not measured beside {program[0]}: {why}")
        yield None
        return
    command = [str(python), *program]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Beside(process)
        finally:
            process.kill()


@cache
def other_python() -> Path:
    """Return the interpreter of an environment with all pinned packages. Raises NotMeasured."""
    python, marker = ENVIRONMENT / "bin" / "python", ENVIRONMENT / ".ready"
    wanted = PINNED.read_text() + ALONE.read_text()
    if not marker.exists() or marker.read_text() != wanted:
        _run(sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT))
        install = (str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes")
        _run(*install, "-r", str(PINNED))
        _run(*install, "-r", str(ALONE))
        marker.write_text(wanted)
    return python


def _run(*command: str) -> None:
    done = subprocess.run(command, timeout=INSTALLS_WITHIN_S, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotMeasured(f"{' '.join(command[1:4])}: {done.stderr.strip()[-300:]}")
