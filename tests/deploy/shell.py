"""A shell that runs one command after another, so that variables and the working folder persist."""

import os
import signal
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4


class Shell:
    """A bash process. On exit, it is killed together with everything that it has started."""

    TIMEOUT_S = 300

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, command: str) -> tuple[int, str]:
        """Return the exit status and the output of a command. Raises AssertionError if it takes too long."""
        end = f"end {uuid4()} "
        self._write(f"{{\n{command}\n}} </dev/null\nprintf '\\n%s%s\\n' '{end}' $?\n")
        watchdog = threading.Timer(self.TIMEOUT_S, self._kill)
        watchdog.start()
        lines: list[str] = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(end):
                watchdog.cancel()
                return int(line.removeprefix(end)), "".join(lines).removesuffix("\n")
            lines.append(line)
        watchdog.cancel()
        raise AssertionError(f"the shell has ended, or the command took too long:\n{command}\n{''.join(lines)}")

    def start(self, command: str) -> None:
        """Start a command that runs until the shell is closed."""
        self._write(f"{command} </dev/null >output 2>&1 &\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()
        with self._process:
            pass

    def _write(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text)
        self._process.stdin.flush()

    def _kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
