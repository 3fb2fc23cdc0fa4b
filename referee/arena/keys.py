"""Reading TOML: keys that are known, values of the right kind, and for whatever is wrong a word where it stands."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from engines.refusals import quoted
from referee.arena.entrant import NAME, NAME_RULE, Entrant, read_entrant
from referee.arena.refusals import BadPlan

T = TypeVar("T")

WORDS: dict[type, str] = {str: "a text", dict: "a table", list: "a list", bool: "true or false"}


def read_toml(file: Path) -> dict[str, Any]:
    """Raises BadPlan."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # A ValueError: it is no TOML, or no UTF-8.
        raise BadPlan(str(file), f"it cannot be read: {error}") from None


def known(where: str, content: Mapping[str, object], keys: Iterable[str]) -> None:
    """Raises BadPlan if there is another key."""
    for name in content:
        if name not in keys:
            raise BadPlan(where, f"unknown key {quoted(name)}; known: {', '.join(keys)}")


def value(name: str, content: Mapping[str, Any], kind: type[T], usual: Any) -> Any:
    """What stands at the key, or what is usual. Raises BadPlan."""
    given = content.get(name, usual)
    if given is not usual and not isinstance(given, kind):
        raise BadPlan(name, f"it is {WORDS[kind]}, not {quoted(given)}")
    return given


def count(name: str, content: Mapping[str, Any], usual: int, most: int) -> int:
    """A whole number from 1, or what is usual. Raises BadPlan."""
    if name not in content:
        return usual
    given = content[name]
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= most:
        raise BadPlan(name, f"it is a whole number, 1 to {most}, not {quoted(given)}")
    return given


def read_bots(content: Mapping[str, Any]) -> tuple[Entrant, ...]:
    """Those of the table `bots`. Raises BadPlan or BadEntrant."""
    return tuple(_bot(name, given) for name, given in value("bots", content, dict, {}).items())


def _bot(name: str, given: object) -> Entrant:
    if not NAME.fullmatch(name):
        raise BadPlan(f"bots.{name}", f"a name has {NAME_RULE}")
    if not isinstance(given, str):
        raise BadPlan(f"bots.{name}", 'it is given as a text, such as "random" or "./my-bot --fast"')
    return replace(read_entrant(given), name=name)
