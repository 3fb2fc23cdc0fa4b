"""Fixtures of the tests of the bus."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from referee.cluster.bus.port import Bus
from tests.cluster.bus.adapters import ADAPTERS, OpenBuses, opened


@pytest.fixture(params=ADAPTERS)
def open_buses(request: pytest.FixtureRequest) -> OpenBuses:
    """Open buses of one cluster, by each adapter."""

    @asynccontextmanager
    async def open_buses(count: int) -> AsyncIterator[Sequence[Bus]]:
        buses = request.param(request, count)
        async with opened(*buses):
            yield buses

    return open_buses
