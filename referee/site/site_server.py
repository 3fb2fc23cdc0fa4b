"""Serves the site over HTTP until it is told to stop."""

import asyncio
import socket
from collections.abc import Callable

from hypercorn.asyncio import serve
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.config import Config
from hypercorn.protocol.h11 import H11Protocol
from referee_client.address import Address

from engines.registry import games
from referee.site.event_stream import WRITER
from referee.site.join_page import BotsAddress
from referee.site.site import Site
from referee.site.upstream import Upstream
from referee.site.visitors import App, Receive, Scope, Send, SiteAccess, Visitors

IDLE_TIMEOUT_S = 20
SHUTDOWN_S = 2.0
MAX_HEAD_BYTES = 16_384
BACKLOG = 1_024

CHANNEL_OPTIONS = (
    # A referee that restarts is back within seconds; by default the channel would wait for up to two minutes.
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.keepalive_time_ms", 20_000),
)


async def serve_site(
    referee: Address,
    opened: socket.socket,
    bots: BotsAddress,
    stop: asyncio.Event,
    ready: Callable[[], None],
    access: SiteAccess,
) -> None:
    """Serve the site of a referee on an open socket until `stop` is set. `ready` is called once it does."""
    async with referee.async_channel(*CHANNEL_OPTIONS) as channel:
        site = Site(Upstream(channel, referee.token), games(), bots)
        config = Config()
        # The server closes it, and a descriptor must not be closed twice.
        config.bind = [f"fd://{opened.detach()}"]
        # It limits the time between two requests, and that for the head of a request. Nothing limits the silence of a
        # client that reads a stream.
        config.keep_alive_timeout = IDLE_TIMEOUT_S
        config.h11_max_incomplete_size = MAX_HEAD_BYTES
        config.graceful_timeout = SHUTDOWN_S
        config.shutdown_timeout = SHUTDOWN_S
        config.backlog = BACKLOG
        config.include_server_header = False
        config.accesslog = None
        config.errorlog = None
        ready()

        async def wait_for_stop() -> None:
            await stop.wait()

        app = with_writer(site.app(Visitors(), access))
        await serve(app, config, shutdown_trigger=wait_for_stop)  # type: ignore[arg-type]


def with_writer(app: App) -> App:
    """Give an application the writer of each connection of Hypercorn, for streams of events."""

    async def app_with_writer(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, WRITER: _writer(scope, send)}, receive, send)

    return app_with_writer


def _writer(scope: Scope, send: Send) -> asyncio.StreamWriter | None:
    """Return the writer of a connection if the body of this response consists of chunks.

    Hypercorn does not offer it, so it is found by the objects whose methods send the response.
    """
    protocol = _owner(getattr(_owner(send), "send", None))
    connection = _owner(getattr(protocol, "send", None))
    if isinstance(protocol, H11Protocol) and isinstance(connection, TCPServer):
        is_chunked = scope["http_version"] == "1.1" and scope.get("method") == "GET"
        return connection.writer if is_chunked else None
    return None


def _owner(method: object) -> object:
    return getattr(method, "__self__", None)
