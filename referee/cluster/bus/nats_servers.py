"""Where the NATS servers are, and how a node proves to them who it is."""

import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

DEFAULT_PORT = 4222
MAX_CREDENTIALS_BYTES = 4096


class InvalidNatsServers(ValueError):
    """The servers cannot be used as they are given. `str()` is one sentence without secrets."""


@dataclass(frozen=True, slots=True)
class NatsServer:
    """The address of one server."""

    host: str
    port: int
    tls: bool
    """Whether the connection must be encrypted. It also is if the server demands it."""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls' if self.tls else 'nats'}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class NatsServers:
    """The servers of one NATS cluster, of which a node uses any."""

    servers: tuple[NatsServer, ...]
    credentials_file: Path | None = None
    """Holds `user:password`. It is read for each connection, so it can be replaced. None: no user."""
    ca_file: Path | None = None
    """The CA of the servers' certificates (PEM). None: those that the system trusts."""

    def credentials(self) -> dict[str, str]:
        """Read the user and password, as they are sent to a server. Raises InvalidNatsServers."""
        if self.credentials_file is None:
            return {}
        try:
            with self.credentials_file.open("rb") as file:
                text = file.read(MAX_CREDENTIALS_BYTES).decode().strip()
        except OSError as error:
            raise InvalidNatsServers(f"cannot read {self.credentials_file}: {error.strerror}") from None
        except UnicodeDecodeError:
            text = ""
        user, separator, password = text.partition(":")
        if not (user and separator and password) or "\n" in text:
            raise InvalidNatsServers(f"{self.credentials_file} must hold one line, user:password")
        return {"user": user, "pass": password}

    def tls_context(self) -> ssl.SSLContext:
        """Return a context that checks the servers' certificates. Raises InvalidNatsServers."""
        try:
            return ssl.create_default_context(cafile=self.ca_file)
        except ssl.SSLError:
            raise InvalidNatsServers(f"{self.ca_file} holds no certificate in PEM format") from None
        except OSError as error:
            raise InvalidNatsServers(f"cannot read {self.ca_file}: {error.strerror}") from None


def parse_servers(urls: str) -> tuple[NatsServer, ...]:
    """Parse URLs with commas between them, such as nats://10.0.0.1:4222. Raises InvalidNatsServers."""
    return tuple(_parse_server(url.strip()) for url in urls.split(","))


def _parse_server(url: str) -> NatsServer:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.username is not None or parts.password is not None:
        # The URL is not shown, since it holds a password.
        raise InvalidNatsServers(
            "a URL of NATS must not hold a user or password; they belong into the credentials file"
        )
    if parts.scheme not in {"nats", "tls"} or not host or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise InvalidNatsServers("a URL of NATS has the form nats://HOST:PORT, or tls://HOST:PORT")
    return NatsServer(host, DEFAULT_PORT if port is None else port, parts.scheme == "tls")
