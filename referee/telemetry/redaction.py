"""What must never stand in a log: tokens, seeds, whatever authorises.

A value goes by its name, a text by what it looks like. Where that takes away too much, a line is a
little poorer; where it took away too little, a stranger would be an administrator.
"""

import re
from collections.abc import Mapping, MutableMapping
from typing import Any

REMOVED = "(removed)"

WORD = r"(?:token|seed|secret|authori[sz]ation|password|nonce)s?"

SECRET_NAME = re.compile(rf".*{WORD}", re.IGNORECASE | re.DOTALL)
"""`token`, `turn_token` and `Authorization` are secrets; `token_id` and `seed_given` are none."""

SECRET_TEXT = re.compile(
    rf"""
      rf_[A-Za-z0-9_-]{{20,}}                                # A token of ours.
    | \bbearer\s+[^\s'",;]+                                 # Anybody's token, as it travels.
    | (?<![\w-])(?P<name>[\w-]*?{WORD}['"]?\s*[=:]\s*)      # A secret by its name, as repr or JSON writes it.
      (?:(?:bearer|basic)\s+)?
      (?:b?'(?:[^'\\]|\\.)*' | b?"(?:[^"\\]|\\.)*" | [^\s,;)}}\]]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_secrets(_logger: object, _method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A structlog processor, to be the last before the one that writes."""
    return _without_secrets(event)


def cleaned(text: str) -> str:
    """The text without what looks like a secret in it."""
    return SECRET_TEXT.sub(lambda found: (found["name"] or "") + REMOVED, text)


def _without_secrets(named: Mapping[Any, object]) -> dict[str, object]:
    return {cleaned(str(name)): _removed(name, value) for name, value in named.items()}


def _removed(name: object, value: object) -> object:
    return REMOVED if SECRET_NAME.fullmatch(str(name)) else _cleaned(value)


def _cleaned(value: object) -> object:
    """The value as plain data, so that nothing is left for whoever writes it to spell out."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, Mapping):
        return _without_secrets(value)
    if isinstance(value, list | tuple | set | frozenset):
        return [_cleaned(inner) for inner in value]
    return cleaned(repr(value))
