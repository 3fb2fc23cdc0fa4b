"""Command line: `referee-bridge [OPTIONS] -- COMMAND...` runs a program that reads and writes lines as a bot."""

import argparse
import asyncio
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from referee_client.bridge.bot import LineBot
from referee_client.bridge.player import Player, Restart
from referee_client.bridge.program_lines import ProgramUnavailable
from referee_client.bridge.programs import Command, Limits, Program, TcpProgram
from referee_client.bridge.protocol_options import ProtocolOptions, choose_protocol, find_only_game
from referee_client.bridge.sandbox import sandboxed
from referee_client.bridge.stderr_log import create_stderr_log
from referee_client.errors import Misconfigured
from referee_client.playing import play, run_until_stopped

MIB = 1 << 20


def main() -> None:
    arguments = _parser().parse_args()
    try:
        program = _program(arguments)
    except Misconfigured as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    run_until_stopped(_play(arguments, program))


async def _play(arguments: argparse.Namespace, program: Program) -> None:
    def new_player() -> Player:
        return Player(program, Restart(arguments.restart), create_stderr_log(arguments.stderr_dir))

    bot = LineBot(new_player, arguments.per_match)
    try:
        await bot.check_start()
        playing = asyncio.create_task(
            play(
                bot,
                version=arguments.version,
                games=_games(arguments),
                max_matches=arguments.max_matches,
                verdicts_with_turns=arguments.verdicts_with_turns,
                full_history=arguments.uci or arguments.gtp,
            )
        )
        bot.unusable.add_done_callback(lambda _: playing.cancel())
        await playing
    except ProgramUnavailable as unavailable:
        raise Misconfigured(f"the program cannot be started: {unavailable}") from None
    except asyncio.CancelledError:
        if bot.unusable.done():
            raise Misconfigured(f"the program never wrote anything: {bot.unusable.result()}") from None
        raise
    finally:
        await asyncio.shield(bot.stop())


def _program(arguments: argparse.Namespace) -> Program:
    """Return the program that the arguments describe. Raises Misconfigured."""
    _games(arguments)
    if bool(arguments.command) == bool(arguments.tcp):
        raise Misconfigured("specify a program either by its command, after --, or by --tcp HOST:PORT")
    if arguments.tcp:
        host, _, port = arguments.tcp.rpartition(":")
        if not host or not port.isdecimal():
            raise Misconfigured(f"--tcp takes HOST:PORT, not {arguments.tcp!r}")
        return TcpProgram(host, int(port), choose_protocol(arguments))
    command = tuple(arguments.command)
    if shutil.which(command[0]) is None:
        if Path(command[0]).is_file():
            raise Misconfigured(f"{command[0]!r} is not executable; run `chmod +x {command[0]}`")
        raise Misconfigured(f"there is no program {command[0]!r}")
    if arguments.sandbox:
        command = sandboxed(command, Path.cwd())
    return Command(command, Limits(arguments.cpu_seconds, arguments.memory_mb * MIB), choose_protocol(arguments))


def _games(arguments: argparse.Namespace) -> Sequence[str]:
    """Return the games to play; none: all. Raises Misconfigured if an engine cannot play one of them."""
    engine = find_only_game(arguments)
    if engine and set(arguments.games) - {engine}:
        raise Misconfigured(f"an engine of this kind plays only {engine}, not {' '.join(arguments.games)}")
    return (engine,) if engine else arguments.games


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="referee-bridge",
        parents=[ProtocolOptions()],
        description="Connects a program that reads and writes lines to the referee. BOT_REFEREE is the address of the "
        "referee, BOT_TOKEN the bot's token; the program itself does not get them.",
    )
    parser.add_argument("command", nargs="*", metavar="COMMAND", help="the program, after --")
    parser.add_argument("--tcp", metavar="HOST:PORT", help="connect to a program that listens there")
    parser.add_argument(
        "--per-match", action="store_true", help="run one program per match and seat (default: one for all)"
    )
    parser.add_argument(
        "--restart",
        choices=[policy.value for policy in Restart],
        default=Restart.ALWAYS.value,
        help="how often a program that has ended is started again (default: always)",
    )
    parser.add_argument(
        "--stderr-dir", type=Path, metavar="DIR", help="write its standard error here, one file per match"
    )
    parser.add_argument("--cpu-seconds", type=int, default=0, metavar="N", help="limit of the CPU time of a program")
    parser.add_argument("--memory-mb", type=int, default=0, metavar="N", help="limit of the memory of a program")
    parser.add_argument("--sandbox", action="store_true", help="without network and private files (needs bubblewrap)")
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
    return parser


if __name__ == "__main__":
    main()
