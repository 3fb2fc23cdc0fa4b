"""Parse bots as given on the command line and in plan files: their names and commands.

    random, greedy, search   a built-in bot
    python:MODULE:NAME       a class or function, run by the Python client
    grpc:COMMAND             a program that speaks gRPC, and reads BOT_REFEREE and BOT_TOKEN_FILE
    uci:[OPTION=VALUE…] COMMAND  a chess engine that speaks UCI
    gtp:COMMAND              a Go engine that speaks GTP
    tcp:HOST:PORT            a program that listens there, and reads and writes lines
    COMMAND                  a program that reads and writes lines

`NAME=` before any of these gives the bot its name.
"""

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count, takewhile
from pathlib import PurePath
from typing import Any

from msgspec import Struct

from engines.game_errors import DetailedError, nearest, quoted
from referee.local.toml_validation import BadPlan, read

BUILT_IN = ("random", "greedy", "search")
CLIENT = (sys.executable, "-m", "referee_client")
BRIDGE = (sys.executable, "-m", "referee_client.bridge")

NAME_CHARS = 32
"""Less than the server allows, to leave room for the number of a further tournament of a game."""
NAME = re.compile(rf"(?=.{{1,{NAME_CHARS}}}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
NAME_RULE = f"up to {NAME_CHARS} lower-case letters, digits and single hyphens between them, the first a letter"
NAMED = re.compile(r"([A-Za-z][\w-]*)=(.+)", re.DOTALL)
OPTION = re.compile(r"[A-Za-z][^=/]*=.*", re.DOTALL)
"""An option of a UCI engine, in front of its command."""


class BotTable(Struct, frozen=True):
    """A bot of a plan file that is more than the text `run`."""

    run: str
    folder: str = "."
    env: tuple[str, ...] = ()


class BadEntrant(DetailedError):
    """Invalid notation of a bot."""

    def __init__(self, given: str, wrong: str) -> None:
        super().__init__(f"the bot {quoted(given)} {wrong}", given=given, wrong=wrong)


class WrongGame(DetailedError):
    def __init__(self, bot: str, only: str, game: str) -> None:
        super().__init__(f"the bot {bot} plays only {only}, not {game}", bot=bot, only=only, game=game)


@dataclass(frozen=True, slots=True)
class Entrant:
    """One bot of a local contest."""

    name: str
    command: tuple[str, ...]
    alone: bool = False
    """Whether it is a single program that someone else has started, so that it plays one match at a time."""
    folder: str = "."
    """Working directory, relative to the folder of the plan."""
    env: tuple[str, ...] = ()
    """Additional environment variables to pass on."""
    only_game: str = ""
    """The only game that it plays; empty: it says so when it connects."""

    @property
    def program(self) -> str:
        """The program that plays, which a bridge may start."""
        bridged = self.command[: len(BRIDGE)] == BRIDGE and "--" in self.command
        return self.command[self.command.index("--") + 1 if bridged else 0]

    def command_for(self, max_matches: int) -> tuple[str, ...]:
        """Return the command of a process that plays that many matches at once.

        A bridge then runs a program for each: one program would answer for one match while another's clock runs.
        """
        bridged = self.command[: len(BRIDGE)] == BRIDGE and not self.alone
        if max_matches == 1 or not bridged:
            return self.command
        return (*BRIDGE, "--per-match", *self.command[len(BRIDGE) :])

    def check_game(self, game: str) -> None:
        """Raise WrongGame if the bot does not play that game."""
        if self.only_game not in ("", game):
            raise WrongGame(self.name, self.only_game, game)


def read_entrant(given: str) -> Entrant:
    """Parse one bot. Raises BadEntrant."""
    named = NAMED.fullmatch(given)
    if not named:
        return _read(given)
    name, rest = named.groups()
    if not NAME.fullmatch(name):
        raise BadEntrant(given, f"has an invalid name; expected {NAME_RULE}")
    return replace(_read(rest), name=name)


def read_entrants(given: Iterable[str]) -> tuple[Entrant, ...]:
    """Parse several bots and number equal names. Raises BadEntrant."""
    entrants: dict[str, Entrant] = {}
    for entrant in map(read_entrant, given):
        names = (entrant.name if number == 1 else f"{entrant.name}-{number}" for number in count(1))
        name = next(name for name in names if name not in entrants)
        entrants[name] = replace(entrant, name=name)
    return tuple(entrants.values())


def read_bots(content: Mapping[str, Any]) -> tuple[Entrant, ...]:
    """Read the table `bots` of a plan file. Raises BadPlan or BadEntrant."""
    return bots_of(read("bots", content.get("bots", {}), Mapping[str, BotTable | str]))


def bots_of(given: Mapping[str, BotTable | str]) -> tuple[Entrant, ...]:
    """Raises BadPlan or BadEntrant."""
    return tuple(_bot(name, BotTable(bot) if isinstance(bot, str) else bot) for name, bot in given.items())


def _bot(name: str, table: BotTable) -> Entrant:
    if not NAME.fullmatch(name):
        raise BadPlan(f"bots.{name}", f"invalid name; expected {NAME_RULE}")
    return replace(read_entrant(table.run), name=name, folder=table.folder, env=table.env)


def _read(given: str) -> Entrant:
    if "\0" in given:
        raise BadEntrant(given, "contains a NUL character")
    if given in BUILT_IN:
        return Entrant(given, (*CLIENT, given))
    kind, colon, rest = given.partition(":")
    read = KINDS.get(kind) if colon else None
    return read(given, rest) if read else _lines(given)


def _python(given: str, place: str) -> Entrant:
    module, colon, name = place.rpartition(":")
    if not (module and colon and name):
        raise BadEntrant(given, "names no class or function; expected python:MODULE:NAME or python:FILE.py:NAME")
    return Entrant(
        _name(PurePath(module).stem if module.endswith(".py") else module.rpartition(".")[2]), (*CLIENT, place)
    )


def _grpc(given: str, command: str) -> Entrant:
    words = _words(given, command)
    return Entrant(_name(PurePath(words[0]).stem), words)


def _tcp(given: str, address: str) -> Entrant:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise BadEntrant(given, "has no address; expected tcp:HOST:PORT")
    return Entrant(_name(address), (*BRIDGE, "--tcp", address), alone=True)


def _lines(given: str) -> Entrant:
    words = _words(given, given)
    near = nearest(words[0], BUILT_IN)
    if near and "/" not in words[0] and shutil.which(words[0]) is None:
        raise BadEntrant(given, f"is neither a bot nor a program; did you mean {near}?")
    return Entrant(_name(PurePath(words[0]).stem), (*BRIDGE, "--", *words))


def _uci(given: str, command: str) -> Entrant:
    words = _words(given, command)
    options = tuple(takewhile(OPTION.fullmatch, words))
    program = words[len(options) :]
    if not program:
        raise BadEntrant(given, "names no engine; expected uci:COMMAND or uci:OPTION=VALUE COMMAND")
    set_options = (word for option in options for word in ("--option", option))
    return Entrant(
        _name(PurePath(program[0]).stem), (*BRIDGE, "--uci", *set_options, "--", *program), only_game="chess"
    )


def _gtp(given: str, command: str) -> Entrant:
    words = _words(given, command)
    return Entrant(_name(PurePath(words[0]).stem), (*BRIDGE, "--gtp", "--", *words), only_game="go")


KINDS: dict[str, Callable[[str, str], Entrant]] = {
    "python": _python,
    "grpc": _grpc,
    "tcp": _tcp,
    "uci": _uci,
    "gtp": _gtp,
}


def _words(given: str, command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BadEntrant(given, f"is not a command: {error}") from None
    if not words:
        raise BadEntrant(
            given,
            f"is not a command; expected {', '.join(BUILT_IN)}, python:…, grpc:…, uci:…, gtp:…, tcp:… or a command",
        )
    return words


def _name(text: str) -> str:
    """Derive a name for a bot without one."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower())
    name = "-".join(words)[:NAME_CHARS].strip("-")
    return name if NAME.fullmatch(name) else f"bot-{name}"[:NAME_CHARS].strip("-")
