"""Bot programs connected to a real server, with an organiser."""

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

from tests.e2e.server import TIMEOUT_S, ServerProcess, create_organiser_token

CLOCK = "1h"
"""Main time that no match in these tests uses up."""


SHORT_GAMES = {"toc": {"max_turns": "250"}}
"""Limit for random players, who need more than a thousand turns to bring all their pawns home."""

SHORT_HEARTBEAT = ("--ping-interval-ms", "1000", "--heartbeat-timeout-ms", "6000")
"""Flags that make the server and its bots detect a broken connection quickly."""


class BotProgram:
    """A running bot program and its standard error, which a thread reads all the time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._output: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def wait_for(self, text: str) -> str:
        """Return the next line that contains `word`. Raises AssertionError if the output ends before."""
        while (line := self._lines.get(timeout=TIMEOUT_S)) is not None:
            if text in line:
                return line
        raise AssertionError(f"{text!r} was never written, but:\n{self.output()}")

    def exit_status(self) -> int:
        """Wait until the program ends by itself, and return its exit status."""
        return self.process.wait(TIMEOUT_S)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(by)
        return self.exit_status()

    def output(self) -> str:
        """End the program if it still runs, and return all that it has written."""
        self.process.kill()
        self.process.wait(TIMEOUT_S)
        self._reader.join(TIMEOUT_S)
        assert not self._reader.is_alive(), "another process still holds the program's standard error"
        return "".join(self._output)

    def close(self) -> None:
        self.output()
        assert self.process.stderr
        self.process.stderr.close()

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self._output.append(line)
            self._lines.put(line)
        self._lines.put(None)


@contextmanager
def run_program(
    command: Sequence[str], server: ServerProcess, secret: str, folder: Path | None = None, **variables: str
) -> Iterator[BotProgram]:
    """Run a bot program that connects to the server; `variables` are added to its environment. It is killed on exit."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("BOT_")}
    environment |= {"BOT_REFEREE": server.address, "BOT_TOKEN": secret, "BOT_MAX_MATCHES": "8", **variables}
    running = BotProgram(subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True))
    try:
        yield running
    finally:
        running.close()


def run_bot(
    server: ServerProcess, secret: str, *arguments: str, **variables: str
) -> AbstractContextManager[BotProgram]:
    """Run `python -m referee_client` with these arguments, or the script named by the first argument."""
    runner = () if Path(arguments[0]).suffix == ".py" else ("-m", "referee_client")
    return run_program([sys.executable, *runner, *arguments], server, secret, None, **variables)


@contextmanager
def connect_organiser(server: ServerProcess, token: str = "") -> Iterator[Organiser]:
    """Connect as the organiser with this token, or as a new one."""
    with server.channel() as channel:
        token = token or create_organiser_token(channel, server.admin_token)
    with Organiser(server.address, token, patience_s=TIMEOUT_S) as organiser:
        yield organiser


def long_match(game: str) -> Terms:
    """Terms of a match that is not decided by the clock, even on a busy machine."""
    return Terms(game, options=SHORT_GAMES.get(game, {}), clock=CLOCK, start_within="10m")
