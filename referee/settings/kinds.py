"""What a setting can be: its text read as a value, and what it takes, in words."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Generic, TypeVar

T = TypeVar("T")
Word = TypeVar("Word", bound=Enum)

INT32_MOST = 2**31 - 1
"""What gRPC takes for a number."""

PORT_MOST = 65_535
NUMBER = re.compile(r"[0-9]{1,10}")
ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9.-]+)):(?P<port>[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """One way of reading a text."""

    takes: str
    """What can be read, as the end of "it takes …"."""
    read: Callable[[str], T]
    """The value. Raises ValueError."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str
    port: int
    """0: any that is free."""

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Nobody beyond this machine can come here."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def whole(least: int = 1) -> Kind[int]:
    """A whole number from `least` on."""

    def read(text: str) -> int:
        if not NUMBER.fullmatch(text) or not least <= int(text) <= INT32_MOST:
            raise ValueError
        return int(text)

    return Kind(f"a whole number, {least} to {INT32_MOST}", read)


def one_of(words: type[Word]) -> Kind[Word]:
    return Kind(" | ".join(str(word.value) for word in words), words)


def _switch(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError
    return text == "true"


def _path(text: str) -> Path:
    if not text or "\0" in text:
        raise ValueError
    return Path(text)


def _address(text: str) -> Address:
    found = ADDRESS.fullmatch(text)
    if not found or int(found["port"]) > PORT_MOST:
        raise ValueError
    return Address(str(IPv6Address(found["six"])) if found["six"] else found["host"], int(found["port"]))


def _endpoint(text: str) -> str:
    scheme, _, address = text.partition("://")
    if text:
        _address(address)
        if scheme not in ("http", "https"):
            raise ValueError
    return text


SWITCH: Kind[bool] = Kind("true | false", _switch)
PATH: Kind[Path] = Kind("a path", _path)
FILE: Kind[Path | None] = Kind("a path, or nothing", lambda text: _path(text) if text else None)
ENDPOINT: Kind[str] = Kind("http://HOST:PORT or https://HOST:PORT, or nothing", _endpoint)
LISTEN: Kind[Address] = Kind("HOST:PORT, such as 127.0.0.1:7700 or [::1]:7700", _address)


def written(value: object) -> str:
    """The text that is read as `value`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value.value if isinstance(value, Enum) else value)
