"""The games that a host has declared in a file: the name of each, and the command or the address of its engine.

The environment variable `REFEREE_GAMES` names the file, so that all commands, worker processes and nodes read the same
one. Nobody but the host chooses what is run.
"""

import os
import tomllib
from collections.abc import Container, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from engines.external.answer_lines import NAME
from engines.external.engine_client import Declaration
from engines.external.engine_connection import EngineLimits
from engines.game_errors import DetailedError, unknown

VARIABLE = "REFEREE_GAMES"
LIMITS = tuple(EngineLimits.__dataclass_fields__)
KEYS = ("command", "address", *LIMITS)
MAX_LIMIT = 10**6


class BadGamesFile(DetailedError):
    """The file of games cannot be read or is wrong."""

    def __init__(self, file: str, wrong: str) -> None:
        super().__init__(f"{VARIABLE} names {file}: {wrong}", file=file, wrong=wrong)


def declared_games(taken: Container[str]) -> Mapping[str, Declaration]:
    """Return all declarations by name; none if the variable is not set.

    Raises BadGamesFile if the file is wrong, or if a game has one of the names that are taken.
    """
    file = os.environ.get(VARIABLE)
    if not file:
        return {}
    declared = _read(str(Path(file).absolute()))
    for name in declared:
        if name in taken:
            raise BadGamesFile(file, f"there is a game called {name} already")
    return declared


@cache
def _read(file: str) -> Mapping[str, Declaration]:
    try:
        tables = tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadGamesFile(file, str(error)) from None
    return {name: _declaration(file, name, table) for name, table in tables.items()}


def _declaration(file: str, name: str, table: Any) -> Declaration:
    wrong = BadGamesFile(file, f"{name} must be a table with command or address")
    if not NAME.fullmatch(name):
        raise BadGamesFile(file, f"{name!a} is no name of a game: lower-case letters, digits and _")
    if not isinstance(table, dict) or ("command" in table) == ("address" in table):
        raise wrong
    for key in table:
        if key not in KEYS:
            raise BadGamesFile(file, f"{name} has an {unknown('key', key, KEYS)}")
    command, address = table.get("command", []), table.get("address", "")
    if not isinstance(command, list) or not all(isinstance(word, str) and word for word in command):
        raise BadGamesFile(file, f"the command of {name} must be a list of words")
    if not isinstance(address, str) or not (command or _is_address(address)):
        raise BadGamesFile(file, f"the address of {name} must be HOST:PORT or unix:PATH, or its command a program")
    limits = {key: _limit(file, name, key, table[key]) for key in LIMITS if key in table}
    return Declaration(name, tuple(command), address, str(Path(file).parent), EngineLimits(**limits))


def _is_address(address: str) -> bool:
    return bool(address.removeprefix("unix:")) if address.startswith("unix:") else _is_host_and_port(address)


def _is_host_and_port(address: str) -> bool:
    host, _, port = address.rpartition(":")
    return bool(host) and port.isascii() and port.isdigit() and 0 < int(port) < 65536


def _limit(file: str, name: str, key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_LIMIT:
        raise BadGamesFile(file, f"{key} of {name} must be a whole number from 1 to {MAX_LIMIT}")
    return value
