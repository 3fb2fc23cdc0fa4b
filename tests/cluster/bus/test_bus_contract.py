"""The contract of the bus, which every adapter keeps, and the faults that the local bus lets a test cause."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest

from referee.cluster.bus.port import Bus, DropReason, InvalidSubject, PayloadTooLarge
from referee.cluster.bus.signed_bus import SignedBus
from tests.cluster.bus.local_bus import LocalBusHub
from tests.cluster.bus.nats import nats_bus, new_cluster
from tests.cluster.bus.open_buses import KEY, delivered, opened, subscribed
from tests.cluster.worlds import in_world


@pytest.fixture(params=["local", "nats", "signed local", "signed nats"])
def create_bus(request: pytest.FixtureRequest) -> Callable[[], Bus]:
    """Create buses of one cluster, which no other test uses."""
    if request.param.endswith("local"):
        create: Callable[[], Bus] = LocalBusHub().bus
    else:
        create = partial(nats_bus, request.getfixturevalue("nats"), new_cluster())
    return (lambda: SignedBus(create(), KEY)) if request.param.startswith("signed") else create


def with_buses(count: int) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., None]]:
    @asynccontextmanager
    async def open_buses(*, create_bus: Callable[[], Bus]) -> AsyncIterator[tuple[Bus, ...]]:
        buses = tuple(create_bus() for _ in range(count))
        async with opened(*buses):
            yield buses

    return in_world(open_buses)


@with_buses(3)
async def test_a_message_reaches_every_subscriber_of_its_subject_on_other_buses(a: Bus, b: Bus, c: Bus) -> None:
    received: list[tuple[str, bytes]] = []
    a.subscribe("news", lambda payload: received.append(("a", payload)))
    b.subscribe("news", lambda payload: received.append(("b", payload)))
    b.subscribe("news", lambda payload: received.append(("b again", payload)))
    b.subscribe("news.more", lambda payload: received.append(("b more", payload)))
    c.subscribe("news", lambda payload: received.append(("c", payload)))
    await delivered(a, b, c)
    a.publish("news", b"1")
    await delivered(a, b, c)
    assert sorted(received) == [("b", b"1"), ("b again", b"1"), ("c", b"1")]
    assert (a.counts.sent, b.counts.received, c.counts.received) == (1, 1, 1)


@with_buses(2)
async def test_messages_of_one_publisher_arrive_unchanged_and_in_order_on_all_subjects(a: Bus, b: Bus) -> None:
    payloads = [b"", b"\r\n", b"MSG x 1 1\r\n", bytes(range(256)) * 100, *(b"%d" % number for number in range(2000))]
    received = await subscribed(b, "news", "more")
    for number, payload in enumerate(payloads):
        a.publish("news" if number % 3 else "more", payload)
    await delivered(a, b)
    assert received == payloads


@with_buses(2)
async def test_nothing_is_received_before_publish_returns(a: Bus, b: Bus) -> None:
    received = await subscribed(b, "news")
    a.publish("news", b"1")
    assert not received


@with_buses(2)
async def test_nothing_is_received_after_a_subscription_was_closed(a: Bus, b: Bus) -> None:
    received: list[str] = []
    closed = b.subscribe("news", lambda _: received.append("closed"))
    b.subscribe("news", lambda _: received.append("open"))
    await delivered(a, b)
    a.publish("news", b"")
    await a.flush()
    closed.close()
    closed.close()
    a.publish("news", b"")
    await delivered(a, b)
    assert received[-1] == "open"
    assert received.count("open") == 2


@with_buses(2)
async def test_a_subject_can_be_subscribed_to_again(a: Bus, b: Bus) -> None:
    b.subscribe("news", lambda _: None).close()
    received = await subscribed(b, "news")
    a.publish("news", b"1")
    await delivered(a, b)
    assert received == [b"1"]


@with_buses(2)
async def test_a_receiver_that_fails_stops_neither_others_nor_later_messages(a: Bus, b: Bus) -> None:
    def fail(_: bytes) -> None:
        raise RuntimeError("not handled")

    b.subscribe("news", fail)
    received = await subscribed(b, "news")
    a.publish("news", b"1")
    a.publish("news", b"2")
    await delivered(a, b)
    assert received == [b"1", b"2"]


@with_buses(2)
async def test_a_receiver_can_publish_subscribe_and_close(a: Bus, b: Bus) -> None:
    received: list[bytes] = []

    def answer(payload: bytes) -> None:
        subscription.close()
        b.subscribe("more", received.append)
        b.publish("answers", b"answer to " + payload)

    subscription = b.subscribe("news", answer)
    a.subscribe("answers", received.append)
    await delivered(a, b)
    a.publish("news", b"1")
    a.publish("news", b"2")
    await delivered(a, b)
    a.publish("more", b"3")
    await delivered(a, b)
    assert received == [b"answer to 1", b"3"]


@pytest.mark.parametrize("subject", ["", "a b", "a.", ".a", "a..b", "*", "a.>", "a\r\nPUB b 0", "ä", "a" * 201])
@with_buses(1)
async def test_an_invalid_subject_is_refused(a: Bus, *, subject: str) -> None:
    with pytest.raises(InvalidSubject, match="is no subject of the bus"):
        a.publish(subject, b"")
    with pytest.raises(InvalidSubject):
        a.subscribe(subject, lambda _: None)
    assert a.counts.sent == 0


@with_buses(2)
async def test_the_largest_payload_is_carried_and_a_larger_one_refused(a: Bus, b: Bus) -> None:
    received = await subscribed(b, "news")
    largest = bytes(a.max_payload_bytes)
    with pytest.raises(PayloadTooLarge, match=f"has {len(largest) + 1} bytes, .* at most {len(largest)}"):
        a.publish("news", largest + b"0")
    a.publish("news", largest)
    await delivered(a, b)
    assert received == [largest]


@with_buses(2)
async def test_a_message_published_without_a_connection_is_dropped_and_counted(a: Bus, b: Bus) -> None:
    received = await subscribed(b, "news")
    await a.close()
    assert not a.connected
    assert not await a.flush()
    a.publish("news", b"1")
    await delivered(b)
    assert received == []
    assert a.counts.dropped[DropReason.DISCONNECTED] == 1
    assert a.counts.sent == 0


@with_buses(2)
async def test_what_was_published_before_close_is_sent_and_a_bus_can_be_closed_twice(a: Bus, b: Bus) -> None:
    received = asyncio.Event()
    b.subscribe("news", lambda _: received.set())
    await delivered(a, b)
    a.publish("news", b"1")
    await a.close()
    await a.close()
    await received.wait()


async def test_a_local_bus_loses_messages_or_divides_buses_without_notice() -> None:
    hub = LocalBusHub()
    buses = a, b, c, d = [hub.bus() for _ in range(4)]
    async with opened(*buses):
        received = {bus: await subscribed(bus, "news") for bus in buses}
        hub.losing = True
        a.publish("news", b"lost")
        hub.losing = False
        hub.divide([a, b])
        a.publish("news", b"from a")
        c.publish("news", b"from c")
        await delivered(*buses)
        assert received == {a: [], b: [b"from a"], c: [], d: [b"from c"]}
        assert a.counts.sent == 2
