"""The contract of the bus, which every adapter keeps."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from referee.cluster.bus.port import Bus, DropReason, InvalidSubject, PayloadTooLarge
from tests.cluster.bus.adapters import OpenBuses


def run(open_buses: OpenBuses, test: Callable[..., Awaitable[None]], count: int = 2) -> None:
    async def with_buses() -> None:
        async with asyncio.timeout(120), open_buses(count) as buses:
            await test(*buses)

    asyncio.run(with_buses())


async def delivered(*buses: Bus) -> None:
    """Wait until all that was published has arrived: first at the server, then at those who receive it."""
    for _ in range(2):
        for bus in buses:
            assert await bus.flush()


def test_a_message_reaches_every_subscriber_of_its_subject(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus, c: Bus) -> None:
        received: list[tuple[str, bytes]] = []
        b.subscribe("news", lambda payload: received.append(("b", payload)))
        b.subscribe("news", lambda payload: received.append(("b again", payload)))
        b.subscribe("news.more", lambda payload: received.append(("b more", payload)))
        c.subscribe("news", lambda payload: received.append(("c", payload)))
        await delivered(a, b, c)
        a.publish("news", b"1")
        await delivered(a, b, c)
        assert sorted(received) == [("b", b"1"), ("b again", b"1"), ("c", b"1")]
        assert (a.counts.sent, b.counts.received, c.counts.received) == (1, 1, 1)

    run(open_buses, test, 3)


def test_a_bus_does_not_receive_its_own_messages(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received: list[str] = []
        a.subscribe("news", lambda _: received.append("a"))
        b.subscribe("news", lambda _: received.append("b"))
        await delivered(a, b)
        a.publish("news", b"")
        await delivered(a, b)
        assert received == ["b"]

    run(open_buses, test)


def test_messages_of_one_publisher_arrive_in_order_and_unchanged(open_buses: OpenBuses) -> None:
    payloads = [b"", b"\r\n", b"MSG x 1 1\r\n", bytes(range(256)) * 100, *(b"%d" % number for number in range(2000))]

    async def test(a: Bus, b: Bus) -> None:
        received: list[bytes] = []
        b.subscribe("news", received.append)
        await delivered(a, b)
        for payload in payloads:
            a.publish("news", payload)
        await delivered(a, b)
        assert received == payloads

    run(open_buses, test)


def test_messages_on_different_subjects_arrive_in_order(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received: list[bytes] = []
        for subject in ["news", "more"]:
            b.subscribe(subject, received.append)
        await delivered(a, b)
        for number in range(100):
            a.publish("news" if number % 3 else "more", b"%d" % number)
        await delivered(a, b)
        assert received == [b"%d" % number for number in range(100)]

    run(open_buses, test)


def test_nothing_is_received_before_publish_returns(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received: list[bytes] = []
        b.subscribe("news", received.append)
        await delivered(a, b)
        a.publish("news", b"1")
        assert not received

    run(open_buses, test)


def test_nothing_is_received_after_a_subscription_was_closed(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
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

    run(open_buses, test)


def test_a_subject_can_be_subscribed_to_again(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received: list[bytes] = []
        b.subscribe("news", received.append).close()
        b.subscribe("news", received.append)
        await delivered(a, b)
        a.publish("news", b"1")
        await delivered(a, b)
        assert received == [b"1"]

    run(open_buses, test)


def test_a_receiver_that_fails_stops_neither_others_nor_later_messages(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received: list[bytes] = []

        def fail(_: bytes) -> None:
            raise RuntimeError("not handled")

        b.subscribe("news", fail)
        b.subscribe("news", received.append)
        await delivered(a, b)
        a.publish("news", b"1")
        a.publish("news", b"2")
        await delivered(a, b)
        assert received == [b"1", b"2"]

    run(open_buses, test)


def test_a_receiver_can_publish_subscribe_and_close(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
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

    run(open_buses, test)


@pytest.mark.parametrize("subject", ["", "a b", "a.", ".a", "a..b", "*", "a.>", "a\r\nPUB b 0", "ä", "a" * 201])
def test_an_invalid_subject_is_refused(open_buses: OpenBuses, subject: str) -> None:
    async def test(a: Bus) -> None:
        with pytest.raises(InvalidSubject, match="is no subject of the bus"):
            a.publish(subject, b"")
        with pytest.raises(InvalidSubject):
            a.subscribe(subject, lambda _: None)
        assert a.counts.sent == 0

    run(open_buses, test, 1)


def test_the_largest_payload_is_carried_and_a_larger_one_refused(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received: list[bytes] = []
        b.subscribe("news", received.append)
        await delivered(a, b)
        largest = bytes(a.max_payload_bytes)
        with pytest.raises(PayloadTooLarge, match=f"has {len(largest) + 1} bytes, .* at most {len(largest)}"):
            a.publish("news", largest + b"0")
        a.publish("news", largest)
        await delivered(a, b)
        assert received == [largest]

    run(open_buses, test)


def test_a_message_published_without_a_connection_is_dropped_and_counted(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received: list[bytes] = []
        b.subscribe("news", received.append)
        await delivered(a, b)
        await a.close()
        assert not a.connected
        assert not await a.flush()
        a.publish("news", b"1")
        await delivered(b)
        assert received == []
        assert a.counts.dropped[DropReason.DISCONNECTED] == 1
        assert a.counts.sent == 0

    run(open_buses, test)


def test_what_was_published_before_close_is_sent(open_buses: OpenBuses) -> None:
    async def test(a: Bus, b: Bus) -> None:
        received = asyncio.Event()
        b.subscribe("news", lambda _: received.set())
        await delivered(a, b)
        a.publish("news", b"1")
        await a.close()
        await received.wait()

    run(open_buses, test)


def test_a_bus_can_be_closed_twice(open_buses: OpenBuses) -> None:
    async def test(a: Bus) -> None:
        await a.close()
        await a.close()

    run(open_buses, test, 1)
