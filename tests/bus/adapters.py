"""The adapters of the bus that the contract suite tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TypeAlias

import pytest

from referee.bus.local_bus import LocalBusHub
from referee.bus.port import Bus

OpenBuses: TypeAlias = Callable[[int], AbstractAsyncContextManager[list[Bus]]]
"""Opens as many buses of one cluster, which are connected."""


@asynccontextmanager
async def opened(buses: list[Bus]) -> AsyncIterator[list[Bus]]:
    """Open the buses, wait until they are connected, and close them at the end."""
    async with AsyncExitStack() as closing:
        for bus in buses:
            closing.push_async_callback(bus.close)
            await open_connected(bus)
        yield buses


async def open_connected(bus: Bus) -> None:
    await bus.open()
    if not bus.connected:
        await reconnected(bus)


async def reconnected(bus: Bus) -> None:
    """Wait until the bus has called its callbacks once more."""
    done = asyncio.Event()
    bus.on_reconnect(done.set)
    await done.wait()


@asynccontextmanager
async def local_buses(count: int) -> AsyncIterator[list[Bus]]:
    hub = LocalBusHub()
    async with opened([hub.bus() for _ in range(count)]) as buses:
        yield buses


ADAPTERS = [pytest.param(local_buses, id="local")]
