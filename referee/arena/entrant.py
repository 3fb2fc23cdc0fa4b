"""A bot as it is given on the command line: what it is called, and how its process is started.

    random, greedy, search   a bot of ours
    python:MODULE:NAME       a class or function, run by the Python client
    grpc:COMMAND             a program that speaks gRPC, and reads BOT_REFEREE and BOT_TOKEN_FILE
    tcp:HOST:PORT            a program that listens there, and speaks lines
    COMMAND                  a program that reads and writes lines

`NAME=` before any of these gives the bot its name.
"""

import re
import shlex
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import PurePath

from referee.arena.refusals import BadEntrant

BUILT_IN = ("random", "greedy", "search")
CLIENT = (sys.executable, "-m", "referee_client")
BRIDGE = (sys.executable, "-m", "referee_client.bridge")

NAME_CHARS = 32
"""Fewer than the referee allows, so that there is room for the number of a copy."""
NAME = re.compile(rf"(?=.{{1,{NAME_CHARS}}}$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
NAME_RULE = f"up to {NAME_CHARS} lower-case letters, digits and single hyphens between them, the first a letter"
NAMED = re.compile(r"([A-Za-z][\w-]*)=(.+)", re.DOTALL)
COPY = "--"
"""Between the name of a bot and the number of its second, third, … process. No name holds it."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """One bot that takes part."""

    name: str
    command: tuple[str, ...]
    alone: bool = False
    """There can be no copies: it is one program, which somebody else has started."""
    folder: str = "."
    """Where it runs, from the folder of the plan."""
    env: tuple[str, ...] = ()
    """Variables of the operator's environment that it gets beside the usual ones."""

    def copy(self, number: int) -> str:
        """What its process of that number, from 1, is called."""
        return self.name if number == 1 else f"{self.name}{COPY}{number}"


def read_entrant(given: str) -> Entrant:
    """Raises BadEntrant."""
    named = NAMED.fullmatch(given)
    if not named:
        return _read(given)
    name, rest = named.groups()
    if not NAME.fullmatch(name):
        raise BadEntrant(given, f"has a bad name; a name has {NAME_RULE}")
    return replace(_read(rest), name=name)


def read_entrants(given: Iterable[str]) -> tuple[Entrant, ...]:
    """Several. Who would be called as one before gets a number. Raises BadEntrant."""
    entrants: dict[str, Entrant] = {}
    for entrant in map(read_entrant, given):
        names = (entrant.name if number == 1 else f"{entrant.name}-{number}" for number in count(1))
        name = next(name for name in names if name not in entrants)
        entrants[name] = replace(entrant, name=name)
    return tuple(entrants.values())


def entrant_of(copy: str) -> str:
    """The name of the entrant whose process is called `copy`."""
    return copy.partition(COPY)[0]


def _read(given: str) -> Entrant:
    if "\0" in given:
        raise BadEntrant(given, "holds a NUL, which no command can")
    if given in BUILT_IN:
        return Entrant(given, (*CLIENT, given))
    kind, colon, rest = given.partition(":")
    read = KINDS.get(kind) if colon else None
    return read(given, rest) if read else _lines(given)


def _python(given: str, place: str) -> Entrant:
    module, colon, name = place.rpartition(":")
    if not (module and colon and name):
        raise BadEntrant(given, "names no class or function; it is written python:MODULE:NAME, or python:FILE.py:NAME")
    return Entrant(
        _name(PurePath(module).stem if module.endswith(".py") else module.rpartition(".")[2]), (*CLIENT, place)
    )


def _grpc(given: str, command: str) -> Entrant:
    words = _words(given, command)
    return Entrant(_name(PurePath(words[0]).stem), words)


def _tcp(given: str, address: str) -> Entrant:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise BadEntrant(given, "has no address; it is written tcp:HOST:PORT")
    return Entrant(_name(address), (*BRIDGE, "--tcp", address), alone=True)


def _lines(given: str) -> Entrant:
    words = _words(given, given)
    return Entrant(_name(PurePath(words[0]).stem), (*BRIDGE, "--", *words))


KINDS: dict[str, Callable[[str, str], Entrant]] = {"python": _python, "grpc": _grpc, "tcp": _tcp}


def _words(given: str, command: str) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise BadEntrant(given, f"is no command: {error}") from None
    if not words:
        raise BadEntrant(given, f"is no command; a bot is {', '.join(BUILT_IN)}, python:…, grpc:…, tcp:… or a command")
    return words


def _name(text: str) -> str:
    """The name of a bot that was given none."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower())
    name = "-".join(words)[:NAME_CHARS].strip("-")
    return name if NAME.fullmatch(name) else f"bot-{name}"[:NAME_CHARS].strip("-")
