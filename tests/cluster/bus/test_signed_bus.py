"""Signed messages: what others forge, change, move or repeat is dropped and counted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from referee.cluster.bus.limited_log import INTERVAL_S, LimitedLog
from referee.cluster.bus.port import DropReason
from referee.cluster.bus.signed_bus import MAX_SENDERS, OVERHEAD_BYTES, SignedBus
from tests.cluster.bus.local_bus import LocalBusHub
from tests.cluster.bus.open_buses import KEY, delivered, opened, subscribed
from tests.cluster.worlds import in_world


class Scene:
    """A node that publishes, one that receives, and a stranger who hears all and may publish."""

    def __init__(self) -> None:
        self.hub = LocalBusHub()
        self.node = SignedBus(self.hub.bus(), KEY)
        self.now_s = 1000.0
        self.receiver = SignedBus(self.hub.bus(), KEY, LimitedLog(lambda: self.now_s))
        self.stranger = self.hub.bus()
        self.received: list[bytes] = []
        self.heard: list[bytes] = []

    async def delivered(self) -> None:
        await delivered(self.node, self.stranger, self.receiver)

    @property
    def dropped(self) -> tuple[int, int]:
        """How many were dropped as forged, and how many as replayed."""
        dropped = self.receiver.counts.dropped
        return dropped[DropReason.FORGED], dropped[DropReason.REPLAYED]


@in_world
@asynccontextmanager
async def in_scene() -> AsyncIterator[Scene]:
    scene = Scene()
    async with opened(scene.node, scene.receiver, scene.stranger):
        scene.received = await subscribed(scene.receiver, "news")
        scene.heard = await subscribed(scene.stranger, "news")
        yield scene


@in_scene
async def test_no_changed_message_is_accepted(scene: Scene) -> None:
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


@in_scene
async def test_a_message_signed_with_another_key_is_dropped(scene: Scene) -> None:
    other = SignedBus(scene.stranger, bytes(len(KEY)))
    other.publish("news", b"forged")
    await scene.delivered()
    assert (scene.received, scene.dropped) == ([], (1, 0))


@in_scene
async def test_a_message_moved_to_another_subject_is_dropped(scene: Scene) -> None:
    scene.receiver.subscribe("more", scene.received.append)
    scene.node.publish("news", b"1")
    await scene.delivered()
    scene.stranger.publish("more", scene.heard[0])
    await scene.delivered()
    assert (scene.received, scene.dropped) == ([b"1"], (1, 0))


@in_scene
async def test_each_message_is_accepted_once_and_never_after_a_newer_one(scene: Scene) -> None:
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


@in_scene
async def test_messages_are_not_repeated_to_a_new_subscription(scene: Scene) -> None:
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


@in_scene
async def test_a_node_drops_its_own_messages_when_they_are_sent_back(scene: Scene) -> None:
    scene.receiver.publish("news", b"1")
    await scene.delivered()
    scene.stranger.publish("news", scene.heard[0])
    await scene.delivered()
    assert (scene.received, scene.dropped) == ([], (0, 1))


@in_scene
async def test_a_node_that_starts_again_is_heard(scene: Scene) -> None:
    for number in range(3):
        scene.node.publish("news", b"%d" % number)
    await scene.delivered()
    again = SignedBus(scene.hub.bus(), KEY)
    async with opened(again):
        again.publish("news", b"again")
        assert await again.flush()
        await scene.delivered()
    assert scene.received == [b"0", b"1", b"2", b"again"]
    assert scene.dropped == (0, 0)


@in_scene
async def test_the_senders_that_are_remembered_are_limited(scene: Scene) -> None:
    for _ in range(MAX_SENDERS + 10):
        sender = SignedBus(scene.hub.bus(), KEY)
        await sender.open()
        sender.publish("news", b"")
        await sender.close()
    await scene.delivered()
    assert len(scene.received) == MAX_SENDERS + 10
    assert len(scene.receiver._counter_of) == MAX_SENDERS


@in_scene
async def test_forged_messages_cause_one_log_line_a_minute(scene: Scene) -> None:
    with capture_logs() as lines:
        for after_s in (0, 0, INTERVAL_S - 1, INTERVAL_S, INTERVAL_S):
            scene.now_s = 1000.0 + after_s
            scene.stranger.publish("news", b"forged")
            await scene.delivered()
    assert [(line["event"], line["left_out"]) for line in lines] == [
        ("messages of the bus are not genuine and were dropped", 0),
        ("messages of the bus are not genuine and were dropped", 2),
    ]


@pytest.mark.parametrize("size", [0, 31, 65])
def test_a_key_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"has {size} bytes"):
        SignedBus(LocalBusHub().bus(), bytes(size))


def test_the_layer_leaves_the_rest_of_the_payload() -> None:
    bus = LocalBusHub().bus()
    assert SignedBus(bus, KEY).max_payload_bytes == bus.max_payload_bytes - OVERHEAD_BYTES
