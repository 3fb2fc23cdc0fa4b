"""Buses that are open, and what a test waits for on them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from referee.cluster.bus.port import Bus
from referee.cluster.bus.signed_bus import MIN_KEY_BYTES

KEY = bytes(range(MIN_KEY_BYTES))


@asynccontextmanager
async def opened(*buses: Bus) -> AsyncIterator[None]:
    """Open the buses, wait until they are connected, and close them at the end."""
    async with AsyncExitStack() as closing:
        for bus in buses:
            closing.push_async_callback(bus.close)
            connected = next_connection(bus)
            await bus.open()
            await connected.wait()
        yield


def next_connection(bus: Bus) -> asyncio.Event:
    """Return what is set at the next call after messages may have been lost."""
    connected = asyncio.Event()
    bus.on_reconnect(connected.set)
    return connected


async def delivered(*buses: Bus) -> None:
    """Wait until all that was published has arrived: first at the server, then at those who receive it."""
    for _ in range(2):
        for bus in buses:
            assert await bus.flush()


async def subscribed(bus: Bus, *subjects: str) -> list[bytes]:
    """Subscribe to the subjects, and return the list that receives their messages from now on."""
    received: list[bytes] = []
    for subject in subjects:
        bus.subscribe(subject, received.append)
    await delivered(bus)
    return received
