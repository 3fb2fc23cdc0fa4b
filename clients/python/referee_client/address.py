"""Address, token and TLS settings of the referee, from arguments or the environment."""

import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

import grpc
import grpc.aio

from referee_client.errors import Misconfigured

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""A position can have thousands of legal moves."""

MAX_PORT = 65_535

HOST_PORT = re.compile(r"(?:[^\s:/\[\]]+|\[[^\s/\[\]]+\]):([0-9]+)")
"""The host is a name, an IPv4 address, or an IPv6 address in brackets."""

OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    # Channels with a shared subchannel pool would inherit the reconnect backoff of earlier failures.
    ("grpc.use_local_subchannel_pool", 1),
)


@dataclass(frozen=True)
class Address:
    target: str
    """HOST:PORT."""
    token: str = field(repr=False)
    ca: str = ""
    """PEM file with the root certificates to trust. Empty: those of the system."""
    plaintext: bool = False
    """Whether connections to other machines may be made without TLS."""

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Metadata that every call carries; without a token, none."""
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    @property
    def tls(self) -> bool:
        return bool(self.ca) or not (self.plaintext or is_loopback(self.target))

    def channel(self, *more_options: tuple[str, int]) -> grpc.Channel:
        """Return a new channel with the given gRPC options added. Raises Misconfigured.

        With `ca` it always uses TLS; otherwise not for connections to this machine, or if `plaintext` is set.
        """
        options = (*OPTIONS, *more_options)
        if not self.tls:
            return grpc.insecure_channel(self.target, options=options)
        return grpc.secure_channel(self.target, self._credentials(), options=options)

    def async_channel(self, *more_options: tuple[str, int]) -> grpc.aio.Channel:
        """Return the same as `channel`, for the running event loop. Raises Misconfigured."""
        options = (*OPTIONS, *more_options)
        if not self.tls:
            return grpc.aio.insecure_channel(self.target, options=options)
        return grpc.aio.secure_channel(self.target, self._credentials(), options=options)

    def _credentials(self) -> grpc.ChannelCredentials:
        return grpc.ssl_channel_credentials(self._root_certificates())

    def _root_certificates(self) -> bytes | None:
        if not self.ca:
            return None
        try:
            # gRPC itself would take a file without a certificate, and then fail at each connection.
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(self.ca)
            return Path(self.ca).read_bytes()
        except OSError as error:  # SSLError is one.
            raise Misconfigured(f"the root certificates (BOT_CA) cannot be read from {self.ca}: {error}") from None


def address(
    target: str | None, token: str | None, ca: str | os.PathLike[str] | None, environ: Mapping[str, str] = os.environ
) -> Address:
    """Return the address; missing values come from BOT_REFEREE, BOT_TOKEN or BOT_TOKEN_FILE, BOT_CA, BOT_PLAINTEXT.

    An empty token is none: the calls are those of the public. An empty `ca` is none too.
    Raises Misconfigured.
    """
    return Address(
        _checked_target(target or _required(environ, "BOT_REFEREE", "the referee's HOST:PORT")),
        _checked_token(_read_token(environ) if token is None else token),
        os.fspath(environ.get("BOT_CA", "") if ca is None else ca),
        environ.get("BOT_PLAINTEXT") == "1",
    )


def _required(environ: Mapping[str, str], name: str, what: str) -> str:
    if not environ.get(name):
        raise Misconfigured(f"{what} is missing: set {name}")
    return environ[name]


def _read_token(environ: Mapping[str, str]) -> str:
    """Return BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names. Raises Misconfigured.

    An arena passes a pipe there, so that the token is not in the environment, which other processes of the same user
    can read.
    """
    file = environ.get("BOT_TOKEN_FILE")
    if environ.get("BOT_TOKEN") or not file:
        return _required(environ, "BOT_TOKEN", "the bot's token")
    try:
        token = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"the bot's token (BOT_TOKEN_FILE) cannot be read: {error}") from None
    if not token:
        raise Misconfigured(f"the bot's token is missing: the file {file} (BOT_TOKEN_FILE) is empty")
    return token


def _checked_target(target: str) -> str:
    found = HOST_PORT.fullmatch(target)
    if not found or not 1 <= int(found[1]) <= MAX_PORT:
        raise Misconfigured(f"the referee's address (BOT_REFEREE) must be HOST:PORT, not {target!r}")
    return target


def _checked_token(token: str) -> str:
    """Return the token if it is valid in a header. Raises Misconfigured; the error never contains the token."""
    if not (token.isascii() and token.isprintable()):
        raise Misconfigured("the token (BOT_TOKEN) has invalid characters, such as the end of a line")
    return token


def is_loopback(target: str) -> bool:
    """Return whether the host is `localhost` or a loopback address. Other names may resolve to another machine."""
    host = target.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
