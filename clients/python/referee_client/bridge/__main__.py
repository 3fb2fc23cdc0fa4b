"""Command line: `referee-bridge [OPTIONS] -- COMMAND...` runs a program that reads and writes lines as a bot."""

import argparse
import asyncio
import shutil
import sys
from pathlib import Path

from referee_client.bridge.bot import LineBot
from referee_client.bridge.player import Player, Restart
from referee_client.bridge.programs import Command, Limits, Listening, Program
from referee_client.bridge.sandbox import sandboxed
from referee_client.bridge.talk import ProgramGone
from referee_client.errors import Misconfigured
from referee_client.playing import play, until_stopped

MIB = 1 << 20


def main() -> None:
    given = _parser().parse_args()
    try:
        program = _program(given)
    except Misconfigured as why:
        sys.stderr.write(f"{why}\n")
        sys.exit(2)
    until_stopped(_bridged(given, program))


async def _bridged(given: argparse.Namespace, program: Program) -> None:
    def new_player() -> Player:
        return Player(program, Restart(given.restart), given.view, given.stderr_dir)

    bot = LineBot(new_player, given.per_match)
    try:
        await bot.rehearse()
        playing = asyncio.create_task(
            play(
                bot,
                version=given.version,
                games=given.games,
                max_matches=given.max_matches,
                verdicts_with_turns=given.verdicts_with_turns,
            )
        )
        bot.mute.add_done_callback(lambda _: playing.cancel())
        await playing
    except ProgramGone as gone:
        raise Misconfigured(f"the program would not start: {gone}") from None
    except asyncio.CancelledError:
        if bot.mute.done():
            raise Misconfigured(f"the program never wrote anything: {bot.mute.result()}") from None
        raise
    finally:
        await asyncio.shield(bot.end())


def _program(given: argparse.Namespace) -> Program:
    """Return the program that the arguments describe. Raises Misconfigured."""
    if bool(given.command) == bool(given.tcp):
        raise Misconfigured("a program is given either by its command, after --, or by --tcp HOST:PORT")
    if given.tcp:
        host, _, port = given.tcp.rpartition(":")
        if not host or not port.isdecimal():
            raise Misconfigured(f"--tcp takes HOST:PORT, not {given.tcp!r}")
        return Listening(host, int(port))
    command = tuple(given.command)
    if shutil.which(command[0]) is None:
        if Path(command[0]).is_file():
            raise Misconfigured(f"{command[0]!r} is not executable; `chmod +x {command[0]}` makes it so")
        raise Misconfigured(f"there is no program {command[0]!r}")
    if given.sandbox:
        command = sandboxed(command, Path.cwd())
    return Command(command, Limits(given.cpu_seconds, given.memory_mb * MIB))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="referee-bridge",
        description="Lets a program compete that reads lines and writes lines. Where the referee is, and the bot's "
        "token, stands in BOT_REFEREE and BOT_TOKEN; the program itself is not told.",
    )
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the program, after --")
    parser.add_argument("--tcp", metavar="HOST:PORT", help="talk to a program that listens there")
    parser.add_argument("--per-match", action="store_true", help="a program for each match and seat, not one for all")
    parser.add_argument(
        "--restart",
        choices=[policy.value for policy in Restart],
        default=Restart.ALWAYS.value,
        help="how often a program that has ended is started again (default: always)",
    )
    parser.add_argument("--view", action="store_true", help="every turn carries the position as JSON, too")
    parser.add_argument("--stderr-dir", type=Path, metavar="DIR", help="keep its standard error here, a file a match")
    parser.add_argument("--cpu-seconds", type=int, default=0, metavar="N", help="processor time of a program, in all")
    parser.add_argument("--memory-mb", type=int, default=0, metavar="N", help="memory of a program")
    parser.add_argument("--sandbox", action="store_true", help="no network, no private files (needs bubblewrap)")
    parser.add_argument("--version", help="the version it plays as (default: BOT_VERSION)")
    parser.add_argument("--games", nargs="+", default=(), metavar="GAME", help="the games it plays (default: all)")
    parser.add_argument("--max-matches", type=int, metavar="N", help="at once (default: BOT_MAX_MATCHES, or 1)")
    parser.add_argument(
        "--verdicts-with-turns",
        action="store_true",
        default=None,
        help="accept the verdict on a move with the next turn (default: BOT_VERDICTS_WITH_TURNS)",
    )
    return parser


if __name__ == "__main__":
    main()
