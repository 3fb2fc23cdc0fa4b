"""Notifications of entries: how they are divided into messages of the bus."""

from types import SimpleNamespace
from typing import Any, cast

from referee.cluster.bus.port import Bus
from referee.cluster.notifications import EntryNotifier, EntryReceiver, subject
from referee.live.ports import Entry
from tests.cluster.bus.local_bus import LocalBusHub
from tests.cluster.live_nodes import LiveCluster, connect
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS
from tests.live.runner_harness import in_loop

ONE_ENTRY_BYTES = 400


class Received:
    """Stands in for the matches of the node that is notified."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.live = SimpleNamespace(log=None)

    def receive(self, entries: list[Entry]) -> None:
        self.entries += entries


async def notified(entries: list[Entry], match: Any, limit_bytes: int) -> tuple[list[Entry], int]:
    """Return what another node receives of entries that are stored at once, and in how many messages."""
    hub, received = LocalBusHub(), Received()
    sender, receiver = hub.bus(), hub.bus()
    await sender.open()
    await receiver.open()
    receiver.subscribe(subject("x"), EntryReceiver(cast("Any", received), cast("Any", None)).receive)
    sender.max_payload_bytes = limit_bytes
    EntryNotifier(cast("Bus", sender), lambda _match, _over: ["x"]).on_entries(None, entries, match)
    await settle()
    return received.entries, sender.counts.sent


@in_loop
async def test_entries_that_do_not_fit_into_one_message_are_sent_in_several() -> None:
    cluster = LiveCluster(1)
    (node,) = await cluster.open()
    connect(node, *BOTS)
    match_id = await node.create()
    await settle()
    for number in range(4):
        await node.answer(match_id, number % 2, "1")
    entries, match = await cluster.stored.read(match_id), await node.match(match_id)
    assert await notified(entries, match, 100_000) == (entries, 1)
    received, messages = await notified(entries, match, ONE_ENTRY_BYTES)
    missing = [entry.number for entry in entries if entry not in received]
    assert missing == [1]  # The first one has all terms of the match, and is too large alone.
    assert received == [entry for entry in entries if entry.number not in missing]
    assert messages > 1
    await cluster.close()


class PlayedMeanwhile:
    """Stands in for matches of which one is notified while their logs are compared, and for the log."""

    def __init__(self) -> None:
        self.live = SimpleNamespace(log=self)
        self.followed = {"notified": 1, "lost": 1, "quiet": 1}
        self.read: list[str] = []

    async def heads(self, _: list[str]) -> dict[str, int]:
        self.followed = {**self.followed, "notified": 2}
        return {"notified": 2, "lost": 2, "quiet": 1}

    def catch_up(self, match_ids: list[str]) -> None:
        self.read += match_ids


@in_loop
async def test_only_logs_with_entries_that_were_not_notified_until_now_are_read() -> None:
    matches = cast("Any", PlayedMeanwhile())
    await EntryReceiver(matches, cast("Any", None)).compare(coordinates=False)
    assert matches.read == ["lost"]
