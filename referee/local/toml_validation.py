"""Validate TOML files: known keys, types and ranges of values. Errors name the key."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from engines.refusals import quoted
from referee.local.entrant import NAME, NAME_RULE, Entrant, read_entrant
from referee.local.local_errors import BadPlan
from referee.local.sandbox import MEMORY_MB, PROCESSES, Sandbox

T = TypeVar("T")

OF_A_BOT = ("run", "folder", "env")
OF_A_SANDBOX = ("read", "memory_mb", "processes")
MEMORY_MB_AT_MOST = 1 << 20
PROCESSES_AT_MOST = 1 << 16

TYPE_NAMES: dict[type, str] = {str: "a string", dict: "a table", list: "a list", bool: "true or false"}


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file. Raises BadPlan."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # ValueError: invalid TOML or UTF-8.
        raise BadPlan(str(file), f"cannot be read: {error}") from None


def known(where: str, content: Mapping[str, object], keys: Iterable[str]) -> None:
    """Raise BadPlan if there are other keys."""
    for name in content:
        if name not in keys:
            raise BadPlan(where, f"unknown key {quoted(name)}; known: {', '.join(keys)}")


def value(name: str, content: Mapping[str, Any], kind: type[T], usual: Any) -> Any:
    """Return the value of a key, or the default. Raises BadPlan if it has another type."""
    given = content.get(name, usual)
    if given is not usual and not isinstance(given, kind):
        raise BadPlan(name, f"expected {TYPE_NAMES[kind]}, not {quoted(given)}")
    return given


def count(name: str, content: Mapping[str, Any], usual: int, most: int) -> int:
    """Return an integer from 1 to `most`, or the default. Raises BadPlan."""
    if name not in content:
        return usual
    given = content[name]
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most:
        raise BadPlan(name, f"expected an integer from 1 to {most}, not {quoted(given)}")
    return given


def read_bots(content: Mapping[str, Any]) -> tuple[Entrant, ...]:
    """Read the table `bots`. Raises BadPlan or BadEntrant."""
    return tuple(_bot(name, given) for name, given in value("bots", content, dict, {}).items())


def _bot(name: str, given: object) -> Entrant:
    if not NAME.fullmatch(name):
        raise BadPlan(f"bots.{name}", f"invalid name; expected {NAME_RULE}")
    where = f"bots.{name}"
    table = {"run": given} if isinstance(given, str) else given
    if not isinstance(table, dict) or not isinstance(table.get("run"), str):
        raise BadPlan(
            where, 'expected a string such as "random" or "./my-bot --fast", or a table with that string as `run`'
        )
    known(where, table, OF_A_BOT)
    folder, env = value("folder", table, str, "."), _texts(f"{where}.env", table.get("env", []))
    return replace(read_entrant(table["run"]), name=name, folder=folder, env=env)


def read_sandbox(content: Mapping[str, Any], folder: Path) -> Sandbox | None:
    """Read the key `sandbox`; paths are relative to `folder`, that of the plan. Raises BadPlan."""
    given = content.get("sandbox", False)
    if isinstance(given, bool):
        return Sandbox() if given else None
    if not isinstance(given, dict):
        raise BadPlan("sandbox", f"expected true or a table with read, memory_mb and processes, not {quoted(given)}")
    known("sandbox", given, OF_A_SANDBOX)
    return Sandbox(
        tuple(folder / Path(path).expanduser() for path in _texts("sandbox.read", given.get("read", []))),
        count("memory_mb", given, MEMORY_MB, MEMORY_MB_AT_MOST),
        count("processes", given, PROCESSES, PROCESSES_AT_MOST),
    )


def _texts(where: str, given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise BadPlan(where, f"expected a list of strings, not {quoted(given)}")
    return tuple(given)
