"""Line program that plays, or misbehaves in a given way: python line_program.py BEHAVIOUR [FILE]"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

BEHAVIOUR = sys.argv[1]
FILE = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(os.devnull)
FLOOD = b"x" * 65_000 + b"\n"


def main() -> None:
    if BEHAVIOUR == "reads_nothing":
        signal.pause()
    if BEHAVIOUR == "exits_at_start":
        sys.exit("no module named brain")
    if BEHAVIOUR == "logs_concurrently":
        threading.Thread(target=lambda: [sys.stderr.buffer.write(FLOOD) for _ in range(200)], daemon=True).start()
    if BEHAVIOUR == "forks":
        child = subprocess.Popen(["sleep", "1000"])
        FILE.write_text(f"{os.getpid()} {child.pid}")
    if BEHAVIOUR == "listens":
        with socket.create_server(("127.0.0.1", 0)) as server:
            print(server.getsockname()[1], flush=True)  # noqa: T201  # The test reads the port from standard output.
            with (
                server.accept()[0] as connection,
                connection.makefile("r") as lines,
                connection.makefile("w") as answers,
            ):
                play(lines, answers)
    else:
        play(sys.stdin, sys.stdout)


def play(lines: IO[str], answers: IO[str]) -> None:
    turns = 0
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            FILE.write_text("\n".join(os.environ)) if BEHAVIOUR == "stores_environment" else None
        if message["type"] != "turn":
            continue
        turns += 1
        answer = choose_answer(message, turns)
        if answer is not None:
            answers.write(answer + "\n")
            answers.flush()


def choose_answer(turn: dict[str, list[str]], turns: int) -> str | None:
    if BEHAVIOUR == "logs" and turns == 1:
        sys.stderr.write(f"about {turn['match']}\n" + "much " * 400_000)
        sys.stderr.flush()
    if BEHAVIOUR == "exits_at_fourth_turn" and turns > 3:
        sys.exit("enough")
    if BEHAVIOUR == "floods":
        while True:
            sys.stdout.buffer.write(b"noise\n" * 10_000)
    if BEHAVIOUR == "exits_at_first_turn":
        sys.exit("no weights in this place")
    if BEHAVIOUR == "allocates":
        bytearray(1 << 30)
    if BEHAVIOUR == "loops" and turns > 1:
        while True:
            pass
    if BEHAVIOUR == "stops_itself" and turns > 1:
        os.kill(os.getpid(), signal.SIGSTOP)
    return {
        "answers_nothing": None,
        "garbage": "not a move \x00\x1b[31m",
        "writes_long_lines": "m" * 100_000,
        "resigns": '{"resign":true}',
        "names_turns": json.dumps({"id": turn["id"], "move": turn["legal_moves"][0]}),
    }.get(BEHAVIOUR, turn["legal_moves"][0])


if __name__ == "__main__":
    main()
