"""The front door of a server: a child process that ends the connections of bots and passes their calls on.

Strangers then meet the HTTP/2 of Go (`deploy/edge`) instead of that of gRPC's C core, which has no limit for headers
that never end. The door calls the server through a Unix socket that only this user can open. Its ports stay open while
it is started again.
"""

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from referee.server.open_files import max_connections, open_files_limits
from referee.server.setting_types import Address
from referee.server.settings import EdgeUse, Settings
from referee.server.stores import StartupError
from referee.server.watched_process import WatchedProcess
from referee.transport.door_link import MAX_MESSAGE_BYTES
from referee.transport.server import (
    HANDSHAKE_TIMEOUT_MS,
    MAX_IDLE_MS,
    MAX_STREAMS_PER_CONNECTION,
    OVERSIZE_FACTOR,
    ListenError,
)

PROGRAM = "referee-edge"
BACKLOG = 4_096
RESTART_PAUSE_S = 0.1


def find_program(use: EdgeUse) -> Path | None:
    """Return the program of the front door; None: the server does without. Raises StartupError."""
    beside = Path(sys.executable).with_name(PROGRAM)
    found = str(beside) if beside.is_file() else shutil.which(PROGRAM)
    if use is EdgeUse.ON and not found:
        raise StartupError(f"edge is on, but {PROGRAM} is neither in {beside.parent} nor in PATH")
    return Path(found) if found and use is not EdgeUse.OFF else None


class EdgeProcess:
    """Keeps the front door running from `start` to `close`."""

    def __init__(self, program: Path, settings: Settings, own_listen: Address | None) -> None:
        """Open the ports. Raises ListenError.

        `own_listen`: as of the server; if it is given, other processes share the port of `listen`.
        """
        self._program = program
        self._settings = settings
        with ExitStack() as opened:
            self._folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="referee-edge-"))
            listen = opened.enter_context(open_socket(settings.listen, shares_port=own_listen is not None))
            self._listeners = [listen] + [
                opened.enter_context(open_socket(own, shares_port=True)) for own in [own_listen] if own
            ]
            self._opened = opened.pop_all()
        self.port: int = listen.getsockname()[1]
        self.server_path = Path(self._folder) / "grpc.sock"
        self.link_path = Path(self._folder) / "play.sock"
        """Paths of the Unix sockets at which the server must listen: for Play streams, and for all other calls."""
        self._process: WatchedProcess | None = None

    def start(self, is_hanging: Callable[[], bool]) -> None:
        """Start it once the server listens."""
        flags = [f"-{name}={value}" for name, value in self._flags().items()]
        fds = [listener.fileno() for listener in self._listeners]
        self._process = WatchedProcess(
            "the front door",
            [str(self._program), *flags],
            fds,
            restart_pause_s=RESTART_PAUSE_S,
            is_hanging=is_hanging,
        )

    async def close(self) -> None:
        if self._process:
            await self._process.close()
        self._opened.close()

    def _flags(self) -> dict[str, object]:
        settings = self._settings
        open_files, _ = open_files_limits()
        times_ms = {
            "tls-reload-interval": settings.tls_reload_interval_ms,
            "handshake-timeout": HANDSHAKE_TIMEOUT_MS,
            "idle-timeout": MAX_IDLE_MS,
            "read-timeout": settings.read_timeout_ms,
            "keepalive-interval": settings.keepalive_interval_ms,
            "keepalive-timeout": settings.keepalive_timeout_ms,
            "min-client-ping-interval": settings.min_client_ping_interval_ms,
        }
        return {
            "listeners": ",".join(str(listener.fileno()) for listener in self._listeners),
            "server": self.server_path,
            "link": self.link_path,
            "tls-cert": settings.tls_cert or "",
            "tls-key": settings.tls_key or "",
            "tls-client-ca": settings.tls_client_ca or "",
            "max-connections": max_connections(open_files),
            "max-connections-per-address": settings.max_connections_per_address,
            "max-calls-per-connection": MAX_STREAMS_PER_CONNECTION,
            "max-message-bytes": min(OVERSIZE_FACTOR * settings.max_message_bytes, MAX_MESSAGE_BYTES),
            **{name: f"{time_ms}ms" for name, time_ms in times_ms.items()},
        }


def open_socket(listen: Address, *, shares_port: bool = False) -> socket.socket:
    """Raises ListenError."""
    every = ":" in listen.host and listen.wildcard and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(
            (listen.host, listen.port),
            family=socket.AF_INET6 if ":" in listen.host else socket.AF_INET,
            backlog=BACKLOG,
            reuse_port=shares_port,
            dualstack_ipv6=every,
        )
    except OSError as why:
        raise ListenError(f"cannot listen on {listen}: {os.strerror(why.errno) if why.errno else why}") from None
