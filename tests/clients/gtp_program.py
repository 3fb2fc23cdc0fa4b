"""Small GTP engine that plays by chance, or misbehaves in a given way: python gtp_program.py BEHAVIOUR [FILE]"""

import random
import sys
from pathlib import Path

from engines.api import Position
from engines.go import GAME

BEHAVIOUR = sys.argv[1]
FILE = Path(sys.argv[2]) if len(sys.argv) > 2 else None
COMMANDS = "protocol_version list_commands boardsize komi clear_board fixed_handicap play genmove quit"


class Board:
    """The engine's own board."""

    def __init__(self) -> None:
        self.options: dict[str, str] = {"ko": "simple"}
        self.position: Position = self.cleared()

    def cleared(self) -> Position:
        return GAME.start(GAME.settings(self.options), b"")

    def answer(self, command: str, *words: str) -> str:
        if command in ("boardsize", "komi", "fixed_handicap"):
            self.options[{"boardsize": "size", "fixed_handicap": "handicap"}.get(command, command)] = words[0]
        if command in ("boardsize", "clear_board", "fixed_handicap"):
            self.position = self.cleared()
        if command == "play":
            self.play("BW".index(words[0]), words[1])
        if command == "genmove":
            return self.choose("BW".index(words[0]))
        return {"protocol_version": "2", "list_commands": COMMANDS.replace(" ", "\n")}.get(command, "")

    def play(self, seat: int, move: str) -> None:
        self.let_play(seat)
        self.position = self.position.play(seat, move)

    def let_play(self, seat: int) -> None:
        """Pass for the other seat if it is its turn: the stones of an opening come in the order of the board."""
        if not self.position.moves(seat):
            self.position = self.position.play(1 - seat, "pass")

    def choose(self, seat: int) -> str:
        self.let_play(seat)
        stones = [move for move in self.position.moves(seat) if move != "pass"]
        enough = not stones or str(self.position).count("b") > 8
        move = "pass" if enough else random.choice(stones)
        self.position = self.position.play(seat, move)
        return move.lower()


def main() -> None:
    board = Board()
    for line in sys.stdin:
        words = line.split()
        number = words.pop(0) if words[0].isdigit() else ""
        command = words.pop(0)
        if command == "genmove" and BEHAVIOUR != "good":
            misbehave(number)
        else:
            write(f"={number} {board.answer(command, *words)}\n\n")
        if command == "quit":
            if FILE:
                FILE.write_text("quit", encoding="utf-8")
            break


def misbehave(number: str) -> None:
    if BEHAVIOUR == "crashes":
        sys.exit("no memory")
    if BEHAVIOUR == "chatters":
        while True:
            write("info\n" * 1000)
    if BEHAVIOUR == "replies without end":
        write(f"={number} D4\n")
        while True:
            write("and so on\n" * 1000)
    if BEHAVIOUR != "hangs":
        write(
            {"nonsense": f"={number} Z0\n\n", "error": f"?{number} no\n\n", "resigns": f"={number} resign\n\n"}[
                BEHAVIOUR
            ]
        )


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


main()
