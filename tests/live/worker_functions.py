"""Functions that workers run in tests. This module imports little, so that a worker starts quickly."""

import os
import signal
import time
from pathlib import Path

from engines.game_errors import IllegalMove


def add(left: int, right: int) -> int:
    return left + right


def process_id() -> int:
    return os.getpid()


def loop_forever() -> None:
    while True:
        pass


def raise_game_error() -> None:
    raise IllegalMove("a1-a2", "AQ-1", "there is no line")


def raise_bug() -> None:
    raise LookupError("a bug")


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def print_and_return() -> str:
    os.write(1, b"this is no reply")
    return "a reply"


def wait_for(path: Path) -> None:
    while not path.exists():
        time.sleep(0.005)
