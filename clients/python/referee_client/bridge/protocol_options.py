"""The options of the bridge that say which protocol a program speaks. Local matches and the lab use the same."""

import argparse
from functools import partial
from typing import NoReturn

from referee_client.bridge import gtp_protocol, uci_protocol
from referee_client.bridge.gtp_protocol import GtpProtocol
from referee_client.bridge.line_protocol import LineProtocol
from referee_client.bridge.program_lines import NewLines
from referee_client.bridge.uci_protocol import UciProtocol
from referee_client.errors import Misconfigured

ENGINE_GAMES = {"uci": uci_protocol.GAME, "gtp": gtp_protocol.GAME}
"""The only game of the engines that a protocol is for, by the option."""


class ProtocolOptions(argparse.ArgumentParser):
    """Parser of these options only, and parent of that of the bridge. Raises Misconfigured instead of exiting."""

    def __init__(self) -> None:
        super().__init__(add_help=False)
        self.add_argument("--uci", action="store_true", help="the program is a chess engine that speaks UCI")
        self.add_argument("--gtp", action="store_true", help="the program is a Go engine that speaks GTP")
        self.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="set an option of the UCI engine"
        )
        self.add_argument(
            "--movetime",
            type=int,
            default=uci_protocol.UNTIMED_MS,
            metavar="MS",
            help="how long the UCI engine thinks in a match without clocks (default: %(default)s)",
        )
        self.add_argument("--view", action="store_true", help="add the position as JSON to every turn")

    def error(self, message: str) -> NoReturn:
        raise Misconfigured(message)


def find_only_game(arguments: argparse.Namespace) -> str:
    """Return the only game that an engine of this kind plays. Empty: it may play all."""
    return next((game for option, game in ENGINE_GAMES.items() if getattr(arguments, option)), "")


def choose_protocol(arguments: argparse.Namespace) -> NewLines:
    """Return the protocol with the program. Raises Misconfigured."""
    if arguments.uci and arguments.gtp:
        raise Misconfigured("--uci and --gtp exclude each other")
    if not arguments.uci:
        if arguments.option:
            raise Misconfigured("--option sets an option of a UCI engine, and needs --uci")
        if arguments.gtp:
            return GtpProtocol
        return partial(LineProtocol, view=arguments.view)
    options = {}
    for option in arguments.option:
        name, equals, value = option.partition("=")
        if not name or not equals or not option.isprintable():
            raise Misconfigured(f"--option takes NAME=VALUE, not {option!r}")
        options[name] = value
    return partial(UciProtocol, options=options, untimed_ms=arguments.movetime)
