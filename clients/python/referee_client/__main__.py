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


def found(place: str) -> Any:
    """Return the bot that BOT names. Raises ValueError, ImportError or AttributeError."""
    module, colon, name = SAMPLES.get(place, place).rpartition(":")
    if not colon:
        raise ValueError(f"{place!r} is neither module:Name nor file.py:Name, nor one of {', '.join(SAMPLES)}")
    if module.endswith(".py"):
        # Import a file by its folder and module name, so that a worker process can import it too.
        file = Path(module).resolve()
        sys.path.insert(0, str(file.parent))
        module = file.stem
    return getattr(import_module(module), name)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="referee-bot",
        description="Runs a bot. Where the referee is, and the bot's token, stands in BOT_REFEREE and BOT_TOKEN.",
    )
    parser.add_argument("bot", help=f"module:Name, file.py:Name, or a sample: {', '.join(SAMPLES)}")
    parser.add_argument("--version", help="the version it plays as (default: BOT_VERSION)")
    parser.add_argument("--games", nargs="+", default=(), metavar="GAME", help="the games it plays (default: all)")
    parser.add_argument("--max-matches", type=int, metavar="N", help="at once (default: BOT_MAX_MATCHES, or 1)")
    parser.add_argument(
        "--verdicts-with-turns",
        action="store_true",
        default=None,
        help="accept the verdict on a move with the next turn (default: BOT_VERDICTS_WITH_TURNS)",
    )
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="think in N processes (default: threads)")
    given = parser.parse_args()
    try:
        bot = found(given.bot)
    except (ValueError, ImportError, AttributeError) as why:
        parser.error(str(why))
    run(
        bot,
        version=given.version,
        games=given.games,
        max_matches=given.max_matches,
        workers=given.workers,
        verdicts_with_turns=given.verdicts_with_turns,
    )


if __name__ == "__main__":
    main()
