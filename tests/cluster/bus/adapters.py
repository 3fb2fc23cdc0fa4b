"""The adapters of the bus that the contract suite tests."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TypeAlias

import pytest

from referee.cluster.bus.port import Bus
from referee.cluster.bus.signed_bus import MIN_KEY_BYTES, SignedBus
from tests.cluster.bus.local_bus import LocalBusHub
from tests.cluster.bus.nats import nats_bus, new_cluster

CreateBuses: TypeAlias = Callable[[pytest.FixtureRequest, int], Sequence[Bus]]
"""Creates as many buses of one cluster, which no other test uses."""
OpenBuses: TypeAlias = Callable[[int], AbstractAsyncContextManager[Sequence[Bus]]]
"""Opens as many buses of one cluster, which are connected, and closes them at the end."""


def local_buses(_: pytest.FixtureRequest, count: int) -> Sequence[Bus]:
    hub = LocalBusHub()
    return [hub.bus() for _ in range(count)]


def nats_buses(request: pytest.FixtureRequest, count: int) -> Sequence[Bus]:
    server, cluster = request.getfixturevalue("nats"), new_cluster()
    return [nats_bus(server, cluster) for _ in range(count)]


def signed(create: CreateBuses) -> CreateBuses:
    """Return the same buses with a layer that signs."""

    def signed_buses(request: pytest.FixtureRequest, count: int) -> Sequence[Bus]:
        return [SignedBus(bus, KEY) for bus in create(request, count)]

    return signed_buses


KEY = bytes(range(MIN_KEY_BYTES))

ADAPTERS = [
    pytest.param(local_buses, id="local"),
    pytest.param(nats_buses, id="nats"),
    pytest.param(signed(local_buses), id="signed local"),
    pytest.param(signed(nats_buses), id="signed nats"),
]


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
