"""Bot programs on a real server, and an organiser beside them."""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from referee_client import Organiser, Terms

from tests.e2e.server import WITHIN_S, Running, organiser

CLOCK = "1h"
"""Suffices for everybody."""


HASTY = ("--ping-every-ms", "1000", "--gone-after-ms", "6000")
"""Flags of a server that notices a broken connection soon, and whose bots do too."""


class Program:
    """A bot program, and what it tells on stderr. Somebody always listens."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.told = ""
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()

    def tells(self, word: str) -> str:
        """The next line with that word in it."""
        while (line := self._lines.get(timeout=WITHIN_S)) is not None:
            if word in line:
                return line
        raise AssertionError(f"{word!r} was never told, but:\n{self.told}")

    def status(self) -> int:
        """When it has ended by itself."""
        return self.process.wait(WITHIN_S)

    def stopped(self, by: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(by)
        return self.status()

    def ends(self) -> None:
        self.process.kill()
        self.process.wait(WITHIN_S)
        self._listening.join(WITHIN_S)
        assert self.process.stderr
        self.process.stderr.close()

    def _listen(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.told += line
            self._lines.put(line)
        self._lines.put(None)


@contextmanager
def started(
    command: Sequence[str], server: Running, secret: str, folder: Path | None = None, **told: str
) -> Iterator[Program]:
    """A bot program that finds its way to the server; `told` is in its environment too. Gone afterwards."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("BOT_")}
    environment |= {"BOT_REFEREE": server.address, "BOT_TOKEN": secret, "BOT_MATCHES_AT_MOST": "8", **told}
    running = Program(subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True))
    try:
        yield running
    finally:
        running.ends()


def program(server: Running, secret: str, *words: str, **told: str) -> AbstractContextManager[Program]:
    """`python -m referee_client` with these words, or the script that the first of them names."""
    runner = () if Path(words[0]).suffix == ".py" else ("-m", "referee_client")
    return started([sys.executable, *runner, *words], server, secret, None, **told)


@contextmanager
def organising(server: Running, token: str = "") -> Iterator[Organiser]:
    """An organiser of its own, or the one with that token."""
    with server.channel() as channel:
        token = token or organiser(channel, server.admin_token)
    with Organiser(server.address, token, patience_s=WITHIN_S) as ours:
        yield ours


def long(game: str) -> Terms:
    """A match that no clock and no machine that is busy elsewhere decides."""
    return Terms(game, clock=CLOCK, start_within="10m")
