"""Nodes of a cluster in one process: one log, one bus, a stopped clock, and streams that a test can break."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

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
from referee.match.clock import SECOND, Micros
from referee.match.setup import Player
from referee.match.state import MatchPhase
from tests.cluster.bus.local_bus import LocalBusHub
from tests.cluster.worlds import in_world
from tests.live.fake_time import FakeTime, settle
from tests.live.referee_harness import BOTS, RefereeHarness, drain_turns

FIRST, SECOND_BOT, IDLE_BOT = BOTS[:3]
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

    def session(self, player: Player) -> Session:
        (session,) = self.referee.sessions.of_bot(player.bot)
        return session

    async def leave(self, player: Player) -> None:
        """Let a bot close its session."""
        self.referee.sessions.close(self.session(player))
        await settle()

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
    """Four nodes, of which the first one is the coordinator in the beginning."""

    def __init__(self) -> None:
        self.hub = LocalBusHub()
        self.a = LiveNode("a", self.hub, None)
        self.b, self.c, self.d = [LiveNode(name, self.hub, self.a) for name in "bcd"]
        self.nodes = [self.a, self.b, self.c, self.d]
        self.time = self.a.time
        self.stored = self.a.stored
        self.streams: dict[str, Stream] = {}
        self.match_id = ""
        self._lost: list[LiveNode] = []

    async def open(self) -> None:
        for node in self.nodes:
            await node.bus.open()
            node.node.open()
        await self.elect(self.a)

    async def elect(self, coordinator: LiveNode, without: Sequence[LiveNode] = ()) -> None:
        """Make a node the coordinator. Nodes in `without` learn nothing of it."""
        self.cut(*self.streams)
        others = [node for node in self.nodes if node is not coordinator and node not in without]
        for node in others:
            node.node.follow(coordinator.name)
        await coordinator.node.coordinate([node.name for node in others])
        for node in others:
            self.streams[node.name] = Stream(coordinator, node)
        await settle()

    def cut(self, *names: str) -> None:
        """Break the streams of these nodes to the coordinator."""
        for name in names:
            if not self.streams[name].broken:
                self.streams[name].cut()

    async def mend(self, node: LiveNode) -> None:
        """Let a node have a stream to the first coordinator again."""
        self.streams[node.name] = Stream(self.a, node)
        await settle()

    def kill(self, node: LiveNode) -> None:
        """Let a node vanish: nothing reaches it or comes from it, and the first coordinator knows."""
        self.cut(node.name)
        self.lose_node(node)
        node.node.close()
        self.a.node.coordinator.remove_node(node.name)

    def lose_coordinator(self) -> None:
        """Let the first coordinator lose all connections, and nobody else take its place yet."""
        self.cut(*self.streams)
        self.lose_node(self.a)

    def lose_node(self, node: LiveNode) -> None:
        """Let a node lose the bus and the log, which nobody is told."""
        self.hub.divide([node.bus])
        node.log.make_unavailable()
        self.nodes.remove(node)
        self._lost.append(node)

    async def close(self) -> None:
        for node in self._lost:
            node.node.close()
        for node in self.nodes:
            node.node.close()
            await node.referee.close()
            await node.bus.close()
            assert node.recorder.faults == []

    # The match that a test watches

    async def start_match(self, first: LiveNode, second: LiveNode) -> None:
        """Start a match between bots at these nodes."""
        first.connect(FIRST)
        second.connect(SECOND_BOT)
        await settle()
        self.match_id = await self.a.create()
        await settle()

    async def answer(self, node: LiveNode, seat: int) -> None:
        await node.answer(self.match_id, seat, "1")

    async def pass_time(self, us: Micros) -> None:
        await self.time.advance(us)
        await settle()

    async def return_to(self, node: LiveNode) -> Session:
        """Let the first bot connect to this node, where it gets its turn; return its session."""
        (again,) = node.connect(FIRST)
        await settle()
        assert len(drain_turns(again)) == 1
        return again

    async def answer_elsewhere(self, node: LiveNode) -> int:
        """Let the first bot connect to this node, and answer there after a second; return how much it is charged."""
        await self.return_to(node)
        await self.time.advance(SECOND)
        await self.answer(node, 0)
        return (await self.charges())[-1]

    async def charges(self) -> list[int]:
        """Return what each move was charged."""
        return [row.charged_us for row in await self.a.move_rows(self.match_id)]

    async def events(self) -> list[str]:
        return await self.a.event_kinds(self.match_id)

    async def phase(self, node: LiveNode) -> MatchPhase:
        return (await node.match(self.match_id)).phase

    async def forfeits(self) -> list[int]:
        await settle()
        return [forfeit.seat for forfeit in (await self.nodes[0].match(self.match_id)).forfeits]


@in_world
@asynccontextmanager
async def in_cluster() -> AsyncIterator[LiveCluster]:
    cluster = LiveCluster()
    await cluster.open()
    yield cluster
    await cluster.close()


@in_world
@asynccontextmanager
async def with_match_apart() -> AsyncIterator[LiveCluster]:
    """A match between bots on two nodes that do not coordinate."""
    cluster = LiveCluster()
    await cluster.open()
    await cluster.start_match(cluster.b, cluster.c)
    yield cluster
    await cluster.close()
