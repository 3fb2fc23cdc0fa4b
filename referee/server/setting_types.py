"""Types of settings: how their text is parsed, how they are described, and the errors of invalid ones."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from engines.game_errors import DetailedError, quoted, shortened
from referee.cluster.bus.nats_servers import NatsServer, parse_servers
from referee.transport.guards.identity_tokens import is_safe_url

T = TypeVar("T")
Word = TypeVar("Word", bound=Enum)

MAX_INT32 = 2**31 - 1
"""Limit of the integers that gRPC accepts in its options."""

MAX_PORT = 65_535
MAX_TEXT_CHARS = 200
CLUSTER_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
MAX_URL_CHARS = 2_000
MAX_LISTED = 100
"""Names or networks in one setting."""
HOST_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
NUMBER = re.compile(r"[0-9]{1,10}")
ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9.-]+)):(?P<port>[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class SettingType(Generic[T]):
    """Parses the text of a setting."""

    takes: str
    """Description of valid texts, as the end of "expected …"."""
    read: Callable[[str], T]
    """Return the value. Raises ValueError."""
    is_secret: bool = False
    """Whether texts can contain a secret, so that invalid ones are not shown either."""


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """URL of a database, or empty. It may contain a password, which `str()` does not show."""

    text: str = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __str__(self) -> str:
        if not self:
            return ""
        parts = urlsplit(self.text)
        user, at, host = parts.netloc.rpartition("@")
        name, colon, _ = user.partition(":")
        query = "&".join(_hidden_if_password(item) for item in parts.query.split("&"))
        return f"{parts.scheme}://{name}{colon and ':***'}{at}{host}{parts.path}{query and '?'}{query}"


@dataclass(frozen=True, slots=True)
class Address:
    """A host and port to listen on, or to call."""

    host: str
    port: int
    """0 for any free port."""

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """Return whether only this machine can connect."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def wildcard(self) -> bool:
        """Return whether it stands for every address of this machine, so that nobody can call it."""
        try:
            return ip_address(self.host).is_unspecified
        except ValueError:
            return False


def integer(least: int = 1, most: int = MAX_INT32) -> SettingType[int]:
    """Return the type of integers from `least` to `most`."""

    def read(text: str) -> int:
        if not NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise ValueError
        return int(text)

    return SettingType(f"an integer from {least} to {most}", read)


def one_of(words: type[Word]) -> SettingType[Word]:
    return SettingType(" | ".join(str(word.value) for word in words), words)


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
    if not found or int(found["port"]) > MAX_PORT:
        raise ValueError
    return Address(str(IPv6Address(found["six"])) if found["six"] else found["host"], int(found["port"]))


def _called(text: str) -> Address:
    address = _address(text)
    if address.wildcard or not address.port:
        raise ValueError
    return address


def _endpoint(text: str) -> str:
    scheme, _, address = text.partition("://")
    if text:
        _address(address)
        if scheme not in ("http", "https"):
            raise ValueError
    return text


def _issuer(text: str) -> str:
    if text and (not is_safe_url(text) or "?" in text or "#" in text):
        raise ValueError
    return text


def _host_names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip().lower() for name in text.split(",") if text)
    if len(names) > MAX_LISTED or not all(map(HOST_NAME.fullmatch, names)):
        raise ValueError
    return names


def _networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    networks = [network.strip() for network in text.split(",") if text]
    if len(networks) > MAX_LISTED:
        raise ValueError
    return tuple(map(ip_network, networks))


def _cluster_name(text: str) -> str:
    if not CLUSTER_NAME.fullmatch(text):
        raise ValueError
    return text


def _database(text: str) -> DatabaseUrl:
    parts = urlsplit(text)
    rest = f"{parts.path}{parts.query}{parts.fragment}"
    if text and (
        parts.scheme not in ("postgres", "postgresql")
        or not text.isprintable()
        or len(text) > MAX_URL_CHARS
        or "@" in rest  # A password with a character that separates parts of a URL.
    ):
        raise ValueError
    return DatabaseUrl(text)


def _hidden_if_password(item: str) -> str:
    name, equals, _ = item.partition("=")
    return f"{name}{equals}***" if "password" in name.lower() else item


def text_of(least: int) -> SettingType[str]:
    """Return the type of one printable line of at least `least` characters."""

    def read(text: str) -> str:
        if not least <= len(text) <= MAX_TEXT_CHARS or not text.isprintable():
            raise ValueError
        return text

    return SettingType(f"printable text of {least} to {MAX_TEXT_CHARS} characters", read)


SWITCH: SettingType[bool] = SettingType("true | false", _switch)
PATH: SettingType[Path] = SettingType("a path", _path)
FILE: SettingType[Path | None] = SettingType("a path, or empty", lambda text: _path(text) if text else None)
ENDPOINT: SettingType[str] = SettingType("http://HOST:PORT or https://HOST:PORT, or empty", _endpoint)
NATS: SettingType[tuple[NatsServer, ...]] = SettingType(
    "nats://HOST:PORT or tls://HOST:PORT, with commas between several, or empty",
    lambda text: parse_servers(text) if text else (),
)
NATS_CLUSTER = SettingType("letters, digits, - and _, at most 64", _cluster_name)
HOST_NAMES: SettingType[tuple[str, ...]] = SettingType(
    f"host names with commas between several, at most {MAX_LISTED}, or empty", _host_names
)
NETWORKS: SettingType[tuple[IPv4Network | IPv6Network, ...]] = SettingType(
    f"addresses or networks such as 10.1.0.0/16 with commas between several, at most {MAX_LISTED}, or empty", _networks
)
ISSUER: SettingType[str] = SettingType("an https:// URL, or http:// of this machine, or empty", _issuer)
DATABASE_URL = SettingType("postgres://USER@HOST:PORT/DATABASE, or empty", _database, is_secret=True)
LISTEN: SettingType[Address] = SettingType("HOST:PORT, such as 127.0.0.1:7700 or [::1]:7700", _address)
OPTIONAL_LISTEN: SettingType[Address | None] = SettingType(
    "HOST:PORT, such as 127.0.0.1:7790, or empty", lambda text: _address(text) if text else None
)
CALLED: SettingType[Address | None] = SettingType(
    "HOST:PORT that others can call, or empty", lambda text: _called(text) if text else None
)


def setting_text(value: object) -> str:
    """Return the text from which `value` is parsed."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value.value if isinstance(value, Enum) else value)


class UnknownSetting(DetailedError):
    """A name that no setting has."""

    def __init__(self, name: str, where: str, hint: str) -> None:
        super().__init__(f"unknown setting {quoted(name)} ({where}); {hint}", setting=shortened(name), where=where)


class InvalidSetting(DetailedError):
    """A known setting whose value is invalid, alone or together with others."""

    def __init__(self, name: str, value: object, where: str, right: str) -> None:
        sentence = f"invalid value {quoted(value)} for setting {name} ({where}): {right}"
        super().__init__(sentence, setting=name, value=shortened(str(value)), where=where, right=right)


class SettingsUnreadable(DetailedError):
    """A settings file that cannot be read or parsed."""

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"cannot read the settings file {file}: {why}", file=file, why=why)
