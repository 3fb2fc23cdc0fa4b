"""The processes that record histories, and what they have announced so far."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.history import History, read_history
from tests.e2e.server import TIMEOUT_S


class Recorders:
    """One process of recording bots or watchers. Other threads may wait for what it announces."""

    def __init__(self, folder: Path, module: str, secrets: str, *arguments: str) -> None:
        """`secrets` is the first line of its input, so that no secret is in the list of processes."""
        folder.mkdir()
        self.folder = folder
        self._errors = folder / "errors.log"
        command = [sys.executable, "-m", f"tests.cluster.{module}", str(folder), *arguments]
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
            )
        self._announced: dict[str, list[str]] = {}
        self._ended = False
        self._changed = threading.Condition()
        self._send(secrets)
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def connect_to(self, addresses: Sequence[str]) -> None:
        """Let every recorder use these addresses from its next connection on."""
        self._send(json.dumps(addresses))

    def announced(self, event: str) -> list[str]:
        """Return what was announced about this kind of event so far, in order."""
        with self._changed:
            return list(self._announced.get(event, ()))

    def wait_until(self, fulfilled: Callable[[], bool], timeout_s: float = TIMEOUT_S) -> bool:
        """Wait until this is true after some announcement; return whether it has become true.

        Raises AssertionError if the process has ended.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._ended or fulfilled(), timeout_s)
        assert not self._ended, f"a process of recorders has ended: {self._errors.read_text()[-4000:]}"
        return fulfilled()

    def stop(self) -> list[History]:
        """End the process, and return what it has recorded."""
        self.kill()
        return [read_history(file) for file in sorted(self.folder.glob("*.jsonl"))]

    def kill(self) -> None:
        self._process.kill()
        self._process.wait(TIMEOUT_S)
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe and not pipe.closed:
                pipe.close()

    def _send(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            event, _, about = line.rstrip("\n").partition(" ")
            with self._changed:
                self._announced.setdefault(event, []).append(about)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


@contextmanager
def run_bots(folder: Path, secrets: Mapping[str, str], think_ms: float) -> Iterator[Recorders]:
    recorders = Recorders(folder, "recording_bots", json.dumps(dict(secrets)), str(think_ms))
    try:
        yield recorders
    finally:
        recorders.kill()


@contextmanager
def run_watchers(folder: Path, secret: str, ladder: str, count: int) -> Iterator[Recorders]:
    recorders = Recorders(folder, "recording_watchers", secret, ladder, str(count))
    try:
        yield recorders
    finally:
        recorders.kill()
