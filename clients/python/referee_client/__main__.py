"""Command line: `python -m referee_client BOT` runs a bot.

BOT is `module:Name`, `file.py:Name`, or the name of a sample bot.
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from referee_client.playing import run

SAMPLES = {
    "random": "referee_client.bots.random:choose",
    "greedy": "referee_client.bots.greedy:choose",
    "search": "referee_client.bots.search:SearchBot",
}


def load_bot(text: str) -> Any:
    """Return the bot that BOT names. Raises ValueError, ImportError or AttributeError."""
    module, colon, name = SAMPLES.get(text, text).rpartition(":")
    if not colon:
        raise ValueError(f"{text!r} is neither module:Name nor file.py:Name, nor one of {', '.join(SAMPLES)}")
    if module.endswith(".py"):
        # Import a file by its folder and module name, so that a worker process can import it too.
        file = Path(module).resolve()
        sys.path.insert(0, str(file.parent))
        module = file.stem
    return getattr(import_module(module), name)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="referee-bot",
        description="Runs a bot. BOT_REFEREE is the address of the referee, BOT_TOKEN the bot's token.",
    )
    parser.add_argument("bot", help=f"module:Name, file.py:Name, or a sample: {', '.join(SAMPLES)}")
    parser.add_argument("--version", help="the version to play as (default: BOT_VERSION)")
    parser.add_argument("--games", nargs="+", default=(), metavar="GAME", help="the games to play (default: all)")
    parser.add_argument(
        "--max-matches", type=int, metavar="N", help="concurrent matches (default: BOT_MAX_MATCHES, or 1)"
    )
    parser.add_argument(
        "--verdicts-with-turns",
        action="store_true",
        default=None,
        help="get the verdict on a move with the next turn (default: BOT_VERDICTS_WITH_TURNS)",
    )
    parser.add_argument(
        "--workers", type=int, default=0, metavar="N", help="run the bot in N processes (default: threads)"
    )
    arguments = parser.parse_args()
    try:
        bot = load_bot(arguments.bot)
    except (ValueError, ImportError, AttributeError) as error:
        parser.error(str(error))
    run(
        bot,
        version=arguments.version,
        games=arguments.games,
        max_matches=arguments.max_matches,
        workers=arguments.workers,
        verdicts_with_turns=arguments.verdicts_with_turns,
    )


if __name__ == "__main__":
    main()
