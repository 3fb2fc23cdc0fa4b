"""Small UCI engine that plays by chance, or misbehaves in a given way: python uci_program.py BEHAVIOUR [FILE]"""

import random
import sys
from pathlib import Path

from chess import Board

BEHAVIOUR = sys.argv[1]
FILE = Path(sys.argv[2]) if len(sys.argv) > 2 else None


def main() -> None:
    board = Board()
    for line in sys.stdin:
        words = line.split()
        if words[0] == "uci":
            write("option name Hash type spin default 16")
            write("uciok")
        elif words[0] == "isready":
            write("readyok")
        elif words[0] == "position":
            board = board_of(words)
        elif words[0] == "go":
            search(board)
        elif words[0] == "quit":
            if FILE and BEHAVIOUR == "good":
                FILE.write_text("quit", encoding="utf-8")
            break


def board_of(words: list[str]) -> Board:
    board = Board(" ".join(words[2:8]), chess960=True)
    for move in words[9:]:
        board.push_uci(move)
    return board


def search(board: Board) -> None:
    if BEHAVIOUR == "crashes once" and FILE and not FILE.exists() and board.fullmove_number > 2:
        FILE.write_text("crashed", encoding="utf-8")
        sys.exit("no memory")
    if BEHAVIOUR == "crashes" and board.fullmove_number > 2:
        sys.exit("no memory")
    if BEHAVIOUR != "hangs":
        write("info depth 1 score cp 0")
        write(
            "bestmove a1a1"
            if BEHAVIOUR == "nonsense"
            else f"bestmove {board.uci(random.choice(list(board.legal_moves)), chess960=board.chess960)}"
        )


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


main()
