"""Bots of the tests. As a program, this file reads and writes lines: `python bots.py BEHAVIOUR`."""

import hashlib
import json
import os
import random
import sys
import time
from typing import Any

from referee_client import Choice


def fixed(turn: Any) -> str:
    """Return a move that follows from what the seat sees."""
    seen = f"{turn.ply} {turn.position} {[played.move for played in turn.history]} {turn.simultaneous}"
    return str(turn.legal_moves[_number(seen) % turn.legal_moves_count])


def last(turn: Any) -> str:
    return str(turn.legal_moves[-1])


def drawn(turn: Any) -> str:
    return str(random.choice(turn.legal_moves))


def winning(turn: Any) -> Choice:
    return Choice(last(turn), score=500)


def losing(turn: Any) -> Choice:
    return Choice(last(turn), score=-500)


def illegal(_: Any) -> str:
    return "a1-a1"


def failing(_: Any) -> str:
    raise ZeroDivisionError("it divides by zero")


def endless(_: Any) -> str:
    sys.stderr.write("thinking\n")
    sys.stderr.flush()
    time.sleep(3600)
    return ""


async def asynchronous(turn: Any) -> str:
    return str(turn.legal_moves[0])


class AsynchronousObject:
    async def __call__(self, turn: Any) -> str:
        return await asynchronous(turn)


class Remembering:
    """Plays a move that follows from how many turns it has had since the start of the match."""

    def __init__(self) -> None:
        self.turns = 0
        self.game = ""

    def started(self, match: Any, seat: int) -> None:
        self.game = f"{match.terms.rules.game} {match.seats[seat].bot}"

    def choose(self, turn: Any) -> str:
        self.turns += 1
        return str(turn.legal_moves[_number(f"{self.game} {self.turns}") % len(turn.legal_moves)])

    def ended(self, end: Any) -> None:
        assert end.result.seats[end.seat].rank in (1, 2)


def naming_process(turn: Any) -> str:
    sys.stderr.write(f"process {os.getpid()}\n")
    return endless(turn)


def exiting(_: Any) -> str:
    os._exit(1)


class FailingAtStart:
    def started(self, match: Any, seat: int) -> None:
        raise ZeroDivisionError("it divides at the start")

    def choose(self, turn: Any) -> str:
        return last(turn)


class FailingAtEnd:
    def choose(self, turn: Any) -> str:
        return last(turn)

    def ended(self, end: Any) -> None:
        raise ZeroDivisionError("it divides at the end")


class Stopping(BaseException):
    """No subclass of Exception."""


def stopping(_: Any) -> str:
    raise Stopping("it stops")


def interrupting(_: Any) -> str:
    raise KeyboardInterrupt


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def main(behaviour: str) -> None:
    for line in sys.stdin:
        fields = json.loads(line)
        if fields["type"] != "turn":
            continue
        if behaviour == "dies":
            sys.stderr.write("I have seen enough\n")
            sys.exit(7)
        if behaviour == "silent":
            time.sleep(3600)
        if behaviour == "deaf":
            sys.stdout.write("x" * 100_000)
        moves = fields["legal_moves"]
        answer = {"resign": True} if behaviour == "resigns" else {"id": fields["id"], "move": moves[-1]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
