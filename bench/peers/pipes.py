"""A plain referee on pipes, like those that match chess programs: a process per bot, one line in each direction.

Every move is checked and played by the same rules, and written to a file; there are no clocks, tokens or remote bots,
and nothing survives a power failure. `python -m bench.peers.pipes GAMES FOLDER` plays the recorded games of the file
one after the other, as many moves as each line of input says, and answers with its CPU microseconds per move.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, TextIO

from engines.api import Game
from engines.registry import find
from referee.match.setup import game_seed, match_chance

BOT = Path(__file__).with_name("pipe_bot.py")


def play(game: Game, recorded: dict[str, Any], moves: int, log: TextIO) -> float:
    """Return the CPU microseconds per move; starting the bots is not counted."""
    bots = [_bot(of_seat) for of_seat in recorded["moves"]]
    seed = game_seed(match_chance(bytes.fromhex(recorded["seed"]), [b""] * len(bots)))
    position, asked = game.start(game.settings(), seed), [0] * len(bots)
    begun = time.process_time()
    for _ in range(moves):
        seat = position.owing[0]
        move = _ask(bots[seat], f"{asked[seat]} {position.text(seat)}\n")
        position = position.play(seat, move)
        asked[seat] += 1
        log.write(json.dumps([seat, move]) + "\n")
        log.flush()
    used = time.process_time() - begun
    for bot in bots:
        bot.communicate()
    return used / moves * 1e6


def _bot(moves: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(BOT), " ".join(moves)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _ask(bot: subprocess.Popen[str], line: str) -> str:
    assert bot.stdin
    assert bot.stdout
    bot.stdin.write(line)
    bot.stdin.flush()
    return bot.stdout.readline().rstrip()


def main() -> None:
    games, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    with (folder / "pipes.log").open("w") as log:
        for number, line in enumerate(sys.stdin):
            recorded = games["recorded"][number % len(games["recorded"])]
            sys.stdout.write(f"{play(find(games['game']), recorded, int(line), log)}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
