"""Nodes of a cluster in one process: one log, one bus, a stopped clock, and streams that a test can break."""

import asyncio
from collections.abc import Sequence

from referee.cluster.coordinator import ItemHandler
from referee.cluster.messages import (
    FromCoordinator,
    ToCoordinator,
    decode_from_coordinator,
    decode_to_coordinator,
    encode,
)
from referee.cluster.node import ClusterNode
from referee.cluster.shared_matches import SharedMatches
from referee.live.outbox import MoveAccepted, OutboxItem, VerdictNotice
from referee.live.sessions import Session
from referee.match.clock import SECOND
from referee.match.setup import Player
from tests.cluster.bus.local_bus import LocalBusHub
from tests.live.fake_time import FakeTime, settle
from tests.live.referee_harness import MANY_MATCHES, RefereeHarness

RETURN_WITHIN_US = 30 * SECOND


class LiveNode(RefereeHarness):
    """One node."""

    def __init__(self, name: str, hub: LocalBusHub, first: "LiveNode | None") -> None:
        self.name = name
        self.bus = hub.bus()
        time = first.time if first else FakeTime()
        super().__init__(after=first, time=time, connect=SharedMatches)
        assert isinstance(self.live.others, SharedMatches)
        self.shared = self.live.others
        self.node = ClusterNode(name, self.bus, self.shared, self.referee, EchoedItems(), RETURN_WITHIN_US)

    async def answer(self, match_id: str, seat: int, move: str) -> MoveAccepted:
        """Answer the turn of a bot that is connected to this node."""
        answered: MoveAccepted = await self.submit_move(match_id, seat, move)
        return answered


class EchoedItems(ItemHandler):
    async def answer_item(self, session: Session, message: bytes) -> VerdictNotice:
        """Handle an item that a test has forwarded: it is echoed as the token of its verdict."""
        return VerdictNotice(1, "", message.decode(), ValueError("none"))

    async def encode_item(self, session: Session, item: OutboxItem) -> bytes:
        return repr(item).encode()


class Stream:
    """The stream of a node to the coordinator. A message arrives in a later iteration of the event loop."""

    def __init__(self, coordinator: LiveNode, node: LiveNode) -> None:
        self._coordinator, self._node = coordinator, node
        self.broken = False
        self.silent_us = 0
        self._to_node = self.to_node  # One object, by which the coordinator knows the stream.
        coordinator.node.coordinator.connect(node.name, self._to_node, lambda: self.silent_us)
        node.node.gateway.connect(self.to_coordinator)

    def to_coordinator(self, message: ToCoordinator) -> None:
        asyncio.get_running_loop().call_soon(self._receive_from_node, encode(message))

    def to_node(self, message: FromCoordinator) -> None:
        asyncio.get_running_loop().call_soon(self._receive_from_coordinator, encode(message))

    def cut(self) -> None:
        """Break the stream; both sides notice."""
        self.broken = True
        self._node.node.gateway.disconnect()
        self._coordinator.node.coordinator.disconnect(self._node.name, self._to_node)

    def _receive_from_node(self, message: bytes) -> None:
        if not self.broken:
            self._coordinator.node.coordinator.handle(self._node.name, decode_to_coordinator(message))

    def _receive_from_coordinator(self, message: bytes) -> None:
        if not self.broken:
            self._node.node.gateway.handle(decode_from_coordinator(message))


class LiveCluster:
    """Nodes named a, b, c, …; the first one is the coordinator."""

    def __init__(self, many: int = 3) -> None:
        self.hub = LocalBusHub()
        self.nodes: list[LiveNode] = []
        for name in "abcdefgh"[:many]:
            self.nodes.append(LiveNode(name, self.hub, self.nodes[0] if self.nodes else None))
        self.time = self.nodes[0].time
        self.stored = self.nodes[0].stored
        self.streams: dict[str, Stream] = {}

    async def open(self) -> Sequence[LiveNode]:
        for node in self.nodes:
            await node.bus.open()
            node.node.open()
        await self.elect(self.nodes[0])
        return self.nodes

    async def elect(self, coordinator: LiveNode, without: Sequence[LiveNode] = ()) -> None:
        """Make a node the coordinator. Nodes in `without` learn nothing of it."""
        for stream in self.streams.values():
            if not stream.broken:
                stream.cut()
        others = [node for node in self.nodes if node is not coordinator and node not in without]
        for node in others:
            node.node.follow(coordinator.name)
        await coordinator.node.coordinate([node.name for node in others])
        for node in others:
            self.streams[node.name] = Stream(coordinator, node)
        await settle()

    def kill(self, node: LiveNode, coordinator: LiveNode) -> None:
        """Let a node vanish: nothing reaches it or comes from it, and the others know."""
        self.streams[node.name].cut()
        self.hub.divide([node.bus])
        node.log.make_unavailable()
        node.node.close()
        self.nodes.remove(node)
        coordinator.node.coordinator.remove_node(node.name)

    async def close(self) -> None:
        for node in self.nodes:
            node.node.close()
            await node.referee.close()
            await node.bus.close()
            assert node.recorder.faults == []


def connect(node: LiveNode, *players: Player) -> list[Session]:
    return node.connect(*players, hello=MANY_MATCHES)
