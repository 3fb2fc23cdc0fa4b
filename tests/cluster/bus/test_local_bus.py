"""The switches of the local bus, by which other tests lose and hold back messages."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

from referee.cluster.bus.port import DropReason
from tests.cluster.bus.local_bus import LocalBus, LocalBusHub


def run(test: Callable[..., Awaitable[None]], count: int) -> None:
    async def with_buses() -> None:
        hub = LocalBusHub()
        async with AsyncExitStack() as closing:
            buses = [hub.bus() for _ in range(count)]
            for bus in buses:
                await bus.open()
                closing.push_async_callback(bus.close)
            await asyncio.sleep(0)
            await test(hub, *buses)

    asyncio.run(with_buses())


def test_messages_that_were_held_back_arrive_in_order() -> None:
    async def test(hub: LocalBusHub, a: LocalBus, b: LocalBus) -> None:
        received: list[bytes] = []
        b.subscribe("news", received.append)
        a.publish("news", b"1")
        hub.hold()
        a.publish("news", b"2")
        await asyncio.sleep(0)
        assert received == []
        hub.release()
        a.publish("news", b"3")
        await asyncio.sleep(0)
        assert received == [b"1", b"2", b"3"]

    run(test, 2)


def test_messages_are_lost_without_notice() -> None:
    async def test(hub: LocalBusHub, a: LocalBus, b: LocalBus) -> None:
        received: list[bytes] = []
        reconnected: list[None] = []
        b.subscribe("news", received.append)
        b.on_reconnect(lambda: reconnected.append(None))
        hub.losing = True
        a.publish("news", b"1")
        hub.losing = False
        a.publish("news", b"2")
        await asyncio.sleep(0)
        assert received == [b"2"]
        assert reconnected == []
        assert a.counts.sent == 2

    run(test, 2)


def test_a_division_separates_buses_until_they_are_united() -> None:
    async def test(hub: LocalBusHub, a: LocalBus, b: LocalBus, c: LocalBus, d: LocalBus) -> None:
        received: list[tuple[str, bytes]] = []
        for name, bus in {"a": a, "b": b, "c": c, "d": d}.items():
            bus.subscribe("news", lambda payload, name=name: received.append((name, payload)))  # type: ignore[misc]
        hub.divide([a, b])
        a.publish("news", b"from a")
        c.publish("news", b"from c")
        await asyncio.sleep(0)
        assert received == [("b", b"from a"), ("d", b"from c")]
        hub.unite()
        received.clear()
        a.publish("news", b"to all")
        await asyncio.sleep(0)
        assert received == [("b", b"to all"), ("c", b"to all"), ("d", b"to all")]

    run(test, 4)


def test_a_bus_that_was_disconnected_misses_messages_and_says_so_once_it_is_back() -> None:
    async def test(_: LocalBusHub, a: LocalBus, b: LocalBus) -> None:
        received: list[bytes] = []
        reconnected: list[None] = []
        b.subscribe("news", received.append)
        b.on_reconnect(lambda: reconnected.append(None))
        a.publish("news", b"1")
        b.disconnect()
        b.publish("news", b"2")
        await asyncio.sleep(0)
        assert (received, reconnected, b.connected) == ([], [], False)
        assert b.counts.dropped[DropReason.DISCONNECTED] == 1
        b.reconnect()
        a.publish("news", b"3")
        await asyncio.sleep(0)
        assert (received, reconnected, b.connected) == ([b"3"], [None], True)

    run(test, 2)
