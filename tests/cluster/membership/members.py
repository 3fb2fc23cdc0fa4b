"""Memberships under test: an observer that records what it is told, and a table of nodes with faults."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from msgspec.structs import replace

from referee.cluster.membership.compatibility import IncompatibleNode, check_compatibility
from referee.cluster.membership.membership import Membership
from referee.cluster.membership.node_store import ClusterState, Node, NodeStore
from referee.live.ports import StoreUnavailable, Timer
from referee.match.clock import MS, SECOND, Micros
from tests.live.fake_time import FakeTime


class MemoryNodes(NodeStore):
    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self._coordinator = ""
        self._epoch = 0
        self._listeners: list[Callable[[], None]] = []

    async def read(self) -> ClusterState:
        nodes = tuple(node for _, node in sorted(self.nodes.items()))
        return ClusterState(nodes, self._coordinator, self._epoch)

    async def join(self, node: Node) -> None:
        check_compatibility(node, (await self.read()).nodes)
        known = self.nodes.get(node.id, node)
        self.nodes[node.id] = replace(known, renewals=max(known.renewals, node.renewals))
        self._notify()

    async def renew(self, node_id: str, renewals: int, draining: bool) -> ClusterState | None:
        node = self.nodes.get(node_id)
        if node is None:
            return None
        self.nodes[node_id] = replace(node, draining=draining, renewals=max(node.renewals, renewals))
        return await self.read()

    async def remove(self, node: Node) -> bool:
        stored = self.nodes.get(node.id)
        if stored is None or stored.renewals != node.renewals:
            return False
        await self.leave(node.id)
        return True

    async def leave(self, node_id: str) -> None:
        if self.nodes.pop(node_id, None):
            await self.resign(node_id)
            self._notify()

    async def elect(self, node_id: str) -> bool:
        if self._coordinator or node_id not in self.nodes:
            return False
        self._coordinator = node_id
        self._epoch += 1
        self._notify()
        return True

    async def resign(self, node_id: str) -> None:
        if self._coordinator == node_id:
            self._coordinator = ""
            self._notify()

    def on_change(self, changed: Callable[[], None]) -> None:
        self._listeners.append(changed)

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()


T = TypeVar("T")


def profile(
    address: str = "127.0.0.1:7700", oldest: int = 1, newest: int = 1, node_id: str = "", lease_us: Micros = 5 * SECOND
) -> Node:
    return Node(node_id, address, "0.1.0", oldest, newest, lease_us)


@dataclass(eq=False, slots=True)
class MachineTimer:
    callback: Callable[[], None]
    alarm: Timer
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True
        self.alarm.cancel()


class MachineTime:
    """The clocks of one machine: with an origin of its own, and a wall clock that must not be read.

    A paused process does not run while time passes: its timers, and answers that it waits for, come when it resumes.
    """

    def __init__(self, shared: FakeTime, origin_us: Micros) -> None:
        self._shared = shared
        self._origin_us = origin_us
        self._late: list[MachineTimer] = []
        self.running = asyncio.Event()
        self.running.set()

    def monotonic_us(self) -> Micros:
        return self._shared.us + self._origin_us

    def wall_ms(self) -> int:
        raise AssertionError("a wall clock decides something")

    def call_at(self, at_us: Micros, callback: Callable[[], None]) -> Timer:
        def ring() -> None:
            if self.running.is_set():
                callback()
            else:
                self._late.append(timer)

        timer = MachineTimer(callback, self._shared.call_at(at_us - self._origin_us, ring))
        return timer

    def pause(self) -> None:
        self.running.clear()

    def resume(self) -> None:
        self.running.set()
        late, self._late = self._late, []
        for timer in late:
            if not timer.cancelled:
                timer.callback()


class RecordingObserver:
    def __init__(self) -> None:
        self.told: list[str] = []
        self.reasons: list[str] = []
        """Why it was deposed, or lost its membership."""
        self.streams_ended = asyncio.Event()
        self.streams_ended.set()
        self.refused: IncompatibleNode | None = None

    def on_nodes(self, nodes: Sequence[Node]) -> None:
        self.told.append("nodes " + ",".join(f"{node.id}{'-' * node.draining}" for node in nodes))

    def on_coordinator(self, node: Node | None) -> None:
        self.told.append(f"coordinator {node.id if node else None}")

    def on_elected(self, epoch: int) -> None:
        self.told.append(f"elected {epoch}")

    def on_deposed(self, why: str) -> None:
        self.reasons.append(why)
        self.told.append("deposed")

    async def on_lost(self, why: str) -> None:
        self.reasons.append(why)
        self.told.append("lost")
        await self.streams_ended.wait()

    def on_refused(self, why: IncompatibleNode) -> None:
        self.refused = why

    def take(self) -> list[str]:
        told, self.told = self.told, []
        return told


class FaultyNodes:
    """A table of nodes as one node reaches it: calls can fail, be late, and be executed without an answer."""

    def __init__(self, nodes: NodeStore, time: FakeTime, running: asyncio.Event) -> None:
        self._nodes = nodes
        self._time = time
        self._running = running
        self.cut = False
        """Whether no call arrives, and none is answered."""
        self.refusing = False
        """Whether calls fail at once."""
        self.losing_answers = False
        """Whether calls are executed, and no answer arrives."""
        self.fault: Exception | None = None
        """If set, each call fails with it."""
        self.on_answer: Callable[[], None] = lambda: None
        """Called when an answer is here, before the process handles it."""
        self.rng: Random | None = None
        """If set, calls and answers take a random time, and some are lost."""

    def __getattr__(self, call: str) -> Any:
        return lambda *arguments: self._pass(lambda: getattr(self._nodes, call)(*arguments))

    def on_change(self, changed: Callable[[], None]) -> None:
        self._nodes.on_change(changed)

    async def _pass(self, call: Callable[[], Awaitable[T]]) -> T:
        if self.refusing:
            raise StoreUnavailable("the table of nodes is away")
        if self.fault:
            raise self.fault
        await self._travel()
        # Like a database, it executes what has arrived, whether or not anyone still waits for the answer.
        answer = await asyncio.shield(asyncio.ensure_future(call()))
        if self.losing_answers:
            await asyncio.Event().wait()
        await self._travel()
        await self._running.wait()
        self.on_answer()
        return answer

    async def _travel(self) -> None:
        lost = self.cut
        if self.rng:
            lost = lost or self.rng.random() < 0.05
            delay_us = int(self.rng.expovariate(1 / (200 * MS)))
            arrived = asyncio.Event()
            self._time.call_at(self._time.us + delay_us, arrived.set)
            await arrived.wait()
        if lost:
            await asyncio.Event().wait()


class Member:
    """One node of a cluster under test, on a machine of its own."""

    def __init__(self, name: str, nodes: NodeStore, time: FakeTime, own: Node | None = None) -> None:
        self.clock = MachineTime(time, hash_of(name) * SECOND)
        self.store = FaultyNodes(nodes, time, self.clock.running)
        self.observer = RecordingObserver()
        self.resigning: asyncio.Future[None] | None = None
        self._name = name
        self._starts = 0
        self.membership = Membership(
            self.store, self.clock, own or profile(f"{name}:7700"), self.observer, self._new_id
        )

    async def open_at_last(self) -> None:
        """Join as soon as the table of nodes can be reached."""
        while True:
            try:
                return await self.membership.open()
            except StoreUnavailable:
                later = asyncio.Event()
                self.clock.call_at(self.clock.monotonic_us() + SECOND, later.set)
                await later.wait()

    def _new_id(self) -> str:
        self._starts += 1
        return f"{self._name}{self._starts}"


def hash_of(name: str) -> int:
    """Return a number that depends on the name only."""
    return int.from_bytes(name.encode()) % 100_000
