"""Serves the site over HTTP until it is told to stop."""

import asyncio
import socket
from collections.abc import Callable

from hypercorn.asyncio import serve
from hypercorn.config import Config
from referee_client.address import Address

from engines.registry import games
from referee.spectator.site import Site
from referee.spectator.upstream import Upstream
from referee.spectator.visitors import Visitors

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
    bots_address: str,
    stop: asyncio.Event,
    ready: Callable[[], None],
    *,
    behind_proxy: bool,
) -> None:
    """Serve the site of a referee on an open socket until `stop` is set. `ready` is called once it does.

    `bots_address` is where bots connect, as the page for them says.
    """
    async with referee.async_channel(*CHANNEL_OPTIONS) as channel:
        site = Site(Upstream(channel, referee.token), games(), bots_address, needs_ca=bool(referee.ca))
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

        await serve(site.app(Visitors(), behind_proxy=behind_proxy), config, shutdown_trigger=wait_for_stop)  # type: ignore[arg-type]
