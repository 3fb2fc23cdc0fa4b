"""Signed messages: what others forge, change, move or repeat is dropped and counted."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias

import pytest
from structlog.testing import capture_logs

from deploy.cluster_demo.nats_server import PrivateNats
from referee.cluster.bus.limited_log import INTERVAL_S, LimitedLog
from referee.cluster.bus.port import Bus, DropReason
from referee.cluster.bus.signed_bus import MAX_SENDERS, OVERHEAD_BYTES, SignedBus
from tests.cluster.bus.adapters import KEY, opened
from tests.cluster.bus.local_bus import LocalBus, LocalBusHub
from tests.cluster.bus.nats import nats_bus, new_cluster

CreateBus: TypeAlias = Callable[[], Bus]


@pytest.fixture(params=["local", "nats"])
def create_bus(request: pytest.FixtureRequest) -> CreateBus:
    """Create buses without signatures, on which anyone may publish."""
    if request.param == "local":
        return LocalBusHub().bus
    nats: PrivateNats = request.getfixturevalue("nats")
    return partial(nats_bus, nats, new_cluster())


class Scene:
    """A node that publishes, one that receives, and a stranger who hears all and may publish."""

    def __init__(self, create_bus: CreateBus) -> None:
        self.node = SignedBus(create_bus(), KEY)
        self.receiver = SignedBus(create_bus(), KEY)
        self.stranger = create_bus()
        self.received: list[bytes] = []
        self.heard: list[bytes] = []
        self.receiver.subscribe("news", self.received.append)
        self.stranger.subscribe("news", self.heard.append)

    async def delivered(self) -> None:
        for _ in range(2):
            for bus in (self.node, self.stranger, self.receiver):
                assert await bus.flush()

    @property
    def dropped(self) -> tuple[int, int]:
        """How many were dropped as forged, and how many as replayed."""
        dropped = self.receiver.counts.dropped
        return dropped[DropReason.FORGED], dropped[DropReason.REPLAYED]


def run(create_bus: CreateBus, test: Callable[[Scene], Awaitable[None]]) -> None:
    async def with_scene() -> None:
        scene = Scene(create_bus)
        async with asyncio.timeout(120), opened(scene.node, scene.receiver, scene.stranger):
            await test(scene)

    asyncio.run(with_scene())


def test_no_changed_message_is_accepted(create_bus: CreateBus) -> None:
    async def test(scene: Scene) -> None:
        scene.node.publish("news", b"payload")
        await scene.delivered()
        genuine = scene.heard[0]
        changed = [
            genuine[:place] + bytes([genuine[place] ^ 1 << place % 8]) + genuine[place + 1 :]
            for place in range(len(genuine))
        ]
        shortened = [genuine[:size] for size in range(len(genuine))]
        for forged in [*changed, *shortened, genuine + b"more", b"payload"]:
            scene.stranger.publish("news", forged)
        await scene.delivered()
        assert scene.received == [b"payload"]
        assert scene.dropped == (2 * len(genuine) + 2, 0)

    run(create_bus, test)


def test_a_message_signed_with_another_key_is_dropped(create_bus: CreateBus) -> None:
    async def test(scene: Scene) -> None:
        other = SignedBus(scene.stranger, bytes(len(KEY)))
        other.publish("news", b"forged")
        await scene.delivered()
        assert (scene.received, scene.dropped) == ([], (1, 0))

    run(create_bus, test)


def test_a_message_moved_to_another_subject_is_dropped(create_bus: CreateBus) -> None:
    async def test(scene: Scene) -> None:
        scene.receiver.subscribe("more", scene.received.append)
        scene.node.publish("news", b"1")
        await scene.delivered()
        scene.stranger.publish("more", scene.heard[0])
        await scene.delivered()
        assert (scene.received, scene.dropped) == ([b"1"], (1, 0))

    run(create_bus, test)


def test_each_message_is_accepted_once_and_never_after_a_newer_one(create_bus: CreateBus) -> None:
    async def test(scene: Scene) -> None:
        for number in range(300):
            scene.node.publish("news", b"%d" % number)
        await scene.delivered()
        for message in reversed(scene.heard):
            scene.stranger.publish("news", message)
        await scene.delivered()
        scene.node.publish("news", b"last")
        await scene.delivered()
        assert scene.received == [*(b"%d" % number for number in range(300)), b"last"]
        assert scene.dropped == (0, 300)

    run(create_bus, test)


def test_messages_are_not_repeated_to_a_new_subscription(create_bus: CreateBus) -> None:
    async def test(scene: Scene) -> None:
        subscription = scene.receiver.subscribe("more", scene.received.append)
        scene.stranger.subscribe("more", scene.heard.append)
        await scene.delivered()
        scene.node.publish("more", b"1")
        await scene.delivered()
        subscription.close()
        scene.receiver.subscribe("more", scene.received.append)
        await scene.delivered()
        scene.stranger.publish("more", scene.heard[0])
        await scene.delivered()
        assert (scene.received, scene.dropped) == ([b"1"], (0, 1))

    run(create_bus, test)


def test_a_node_drops_its_own_messages_when_they_are_sent_back(create_bus: CreateBus) -> None:
    async def test(scene: Scene) -> None:
        scene.receiver.publish("news", b"1")
        await scene.delivered()
        scene.stranger.publish("news", scene.heard[0])
        await scene.delivered()
        assert (scene.received, scene.dropped) == ([], (0, 1))

    run(create_bus, test)


def test_a_node_that_starts_again_is_heard(create_bus: CreateBus) -> None:
    async def test(scene: Scene) -> None:
        for number in range(3):
            scene.node.publish("news", b"%d" % number)
        await scene.delivered()
        again = SignedBus(create_bus(), KEY)
        async with opened(again):
            again.publish("news", b"again")
            assert await again.flush()
            await scene.delivered()
        assert scene.received == [b"0", b"1", b"2", b"again"]
        assert scene.dropped == (0, 0)

    run(create_bus, test)


def test_the_senders_that_are_remembered_are_limited() -> None:
    async def test() -> None:
        hub = LocalBusHub()
        receiver = SignedBus(hub.bus(), KEY)
        count = 0

        def receive(_: bytes) -> None:
            nonlocal count
            count += 1

        receiver.subscribe("news", receive)
        async with opened(receiver):
            for _ in range(MAX_SENDERS + 10):
                sender = SignedBus(hub.bus(), KEY)
                await sender.open()
                sender.publish("news", b"")
                await sender.close()
            await receiver.flush()
        assert count == MAX_SENDERS + 10
        assert len(receiver._counter_of) == MAX_SENDERS

    asyncio.run(test())


@pytest.mark.parametrize("size", [0, 31, 65])
def test_a_key_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"has {size} bytes"):
        SignedBus(LocalBus(LocalBusHub()), bytes(size))


def test_the_layer_leaves_the_rest_of_the_payload() -> None:
    bus = LocalBus(LocalBusHub())
    assert SignedBus(bus, KEY).max_payload_bytes == bus.max_payload_bytes - OVERHEAD_BYTES


def test_forged_messages_cause_one_log_line_a_minute() -> None:
    async def test() -> list[Any]:
        hub = LocalBusHub()
        now_s = 1000.0
        receiver = SignedBus(hub.bus(), KEY, LimitedLog(lambda: now_s))
        stranger = hub.bus()
        receiver.subscribe("news", lambda _: None)
        async with opened(receiver, stranger):
            with capture_logs() as lines:
                for now_s in (1000.0, 1000.0, 1000.0 + INTERVAL_S - 1, 1000.0 + INTERVAL_S, 1000.0 + INTERVAL_S):  # noqa: B007
                    stranger.publish("news", b"forged")
                    await receiver.flush()
        return lines

    lines = asyncio.run(test())
    assert [(line["event"], line["left_out"]) for line in lines] == [
        ("messages of the bus are not genuine and were dropped", 0),
        ("messages of the bus are not genuine and were dropped", 2),
    ]
