"""The membership of this process in the cluster: it joins, renews, sees the other nodes, and stands for coordinator.

Everything rests on one lease. A node renews its row every second. It counts itself out when its own monotonic clock
says that its last successful renewal began too long ago (`is_member_now`), which is before any other node may remove
it. The coordinator is a member, and ceases to be the coordinator in the same moment in which it ceases to be a member,
so no two nodes ever consider themselves the coordinator at the same time. docs/decisions/membership.md has the reasons,
and shows how a server uses it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import structlog
from msgspec import Struct
from msgspec.structs import replace

from referee.cluster.membership.cluster_view import ClusterObserver, ClusterView
from referee.cluster.membership.compatibility import IncompatibleNode
from referee.cluster.membership.node_store import RENEWAL_US, ClusterState, LeaseTerms, Node, NodeStore
from referee.live.ports import StoreUnavailable, Time, Timer
from referee.match.clock import MS, Micros


class _Seen(Struct, frozen=True, gc=False):
    renewals: int
    at_us: Micros
    """The end of the first read that returned this count."""
    has_renewed: bool
    """Whether another count was seen before."""


class NodeWatch:
    """What one node has seen of all others. Those are gone whose count of renewals stands still for their whole lease.

    The time is measured by the monotonic clock of the node that watches, from the end of the read in which it first saw
    a count to the beginning of a later read that still returned it. Both are pessimistic: a node that is found to be
    gone has really not renewed for that long, whatever pauses the watching node had. Only reads without a failed call
    in between are compared: a crash of the store can undo renewals, and makes at least one call of each node fail.
    """

    def __init__(self) -> None:
        self._seen: dict[str, _Seen] = {}

    def update(self, nodes: Iterable[Node], began_us: Micros, ended_us: Micros) -> list[Node]:
        """Record a read of all nodes, and return those that are gone."""
        before, self._seen = self._seen, {}
        gone = []
        for node in nodes:
            seen = before.get(node.id)
            if seen is None or seen.renewals != node.renewals:
                seen = _Seen(node.renewals, ended_us, seen is not None)
            elif began_us - seen.at_us >= node.lease_us:
                gone.append(node)
            self._seen[node.id] = seen
        return gone

    def restart(self) -> None:
        """Forget all counts, because a call of the store has failed."""
        self._seen.clear()

    def has_renewed(self, node_id: str) -> bool:
        """Return whether the node has renewed while it was watched, so that it certainly runs."""
        seen = self._seen.get(node_id)
        return seen is not None and seen.has_renewed


HINT_SPACING_US: Micros = 100 * MS
"""Hints of the store do not cause renewals that are closer than this."""

MAX_LATE_JOINS = 10
"""How many first attempts to join may fail because the table of nodes answers late, as on a very busy machine."""

T = TypeVar("T")

log = structlog.get_logger("referee")


class NodeTableTimeout(StoreUnavailable):
    """The table of nodes has not answered in time."""


class ClusterStatus(Struct, frozen=True):
    """What metrics show of a membership."""

    nodes: int
    is_coordinator: bool
    epoch: int
    failed_renewals: int


class Membership:
    """Runs from `open` to `close`."""

    def __init__(
        self,
        store: NodeStore,
        time: Time,
        profile: Node,
        observer: ClusterObserver,
        new_id: Callable[[], str],
        renewal_us: Micros = RENEWAL_US,
    ) -> None:
        """`profile` is this node without an id; `new_id` draws that."""
        self._store = store
        self._time = time
        self._profile = profile
        self._view = ClusterView(observer)
        self._new_id = new_id
        self._id = new_id()
        """The id of this membership, or of the next one. Attempts to join are repeated under the same id."""
        self._terms = LeaseTerms(profile.lease_us, renewal_us)
        self._watch = NodeWatch()
        self._node: Node | None = None
        self._renewed_us: Micros = 0
        """Beginning of the last renewal that succeeded."""
        self._began_us: Micros = 0
        """Beginning of the last attempt to renew or to join."""
        self._renewals = 0
        """Number of attempts to join and to renew, of all memberships of this process."""
        self._draining = False
        self._resigned = asyncio.Event()
        """Set when the table of nodes shows that this node, which is draining, is not the coordinator."""
        self._former = ""
        """The id of the membership that was lost last, as long as its row may exist."""
        self._lost = ""
        """Why the membership was lost, if the observer must still handle that."""
        self._expiry: Timer | None = None
        self._call: asyncio.Task[Any] | None = None
        self._loop: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()
        self._failing = False
        self._failed_renewals = 0

    @property
    def node(self) -> Node | None:
        """This node; None: it is no member."""
        return self._node

    @property
    def nodes(self) -> Sequence[Node]:
        """All members, as of the last renewal."""
        return self._view.state.nodes

    def is_member_now(self) -> bool:
        """Return whether this process certainly is a member. Cheap; call it before anything of consequence.

        It is true only while no other node may have removed this one, even if the process was paused until now.
        """
        return self._node is not None and self._time.monotonic_us() - self._renewed_us < self._terms.valid_us

    def is_coordinator_now(self) -> bool:
        """Return whether this node certainly is the only coordinator. Cheap, as `is_member_now`."""
        return self._view.epoch > 0 and self.is_member_now()

    def status(self) -> ClusterStatus:
        return ClusterStatus(
            nodes=len(self.nodes),
            is_coordinator=self.is_coordinator_now(),
            epoch=self._view.state.epoch,
            failed_renewals=self._failed_renewals,
        )

    async def open(self) -> None:
        """Join. Raises StoreUnavailable, or an IncompatibleNode because of which this process cannot join."""
        self._store.on_change(self._on_hint)
        for _ in range(MAX_LATE_JOINS):  # No lease is at stake yet.
            with suppress(NodeTableTimeout):
                await self._join()
                break
        else:
            await self._join()
        await self._renew()
        self._loop = asyncio.create_task(self._run())

    async def resign(self) -> None:
        """Cease to be the coordinator for good, and let the other nodes know that this one will leave.

        Returns when another node can be elected, or when this process is no member any more.
        """
        self._draining = True
        self._publish(self._view.state)
        if self._node:
            self._wake.set()
            await self._resigned.wait()

    async def close(self) -> None:
        """Leave the cluster. If that cannot be stored now, the other nodes notice it by the lease."""
        if self._loop:
            self._loop.cancel()
            await asyncio.wait([self._loop])
        node, self._node = self._node, None
        self._resigned.set()
        self._stop_expiry()
        self._publish(ClusterState())
        if node:
            try:
                await self._ask(self._store.leave(node.id))
            except StoreUnavailable as why:
                log.warning("cluster left without notice", node=node.id, reason=str(why))

    async def _run(self) -> None:
        while True:
            await self._wait_for_turn()
            if self._lost:
                why, self._lost = self._lost, ""
                await self._view.lost(why)
            try:
                await (self._renew() if self._node else self._join_again())
            except IncompatibleNode as why:
                self._view.refused(why)
                return
            except Exception:
                log.exception("membership failed")

    async def _wait_for_turn(self) -> None:
        """Wait until the next renewal is due, or something has happened."""
        pause_us = self._terms.retry_us if self._failing else self._terms.renewal_us
        alarm = self._time.call_at(self._began_us + pause_us, self._wake.set)
        await self._wake.wait()
        self._wake.clear()
        alarm.cancel()

    def _on_hint(self) -> None:
        self._time.call_at(max(self._time.monotonic_us(), self._began_us + HINT_SPACING_US), self._wake.set)

    async def _join(self) -> None:
        """Join, or find out that an earlier attempt has succeeded. Raises StoreUnavailable or IncompatibleNode.

        A member with which this one is incompatible may be the row of a node that has died: only one that renews while
        it is watched is a reason to give up.
        """
        while True:
            self._began_us = began_us = self._time.monotonic_us()
            self._renewals += 1
            node = replace(self._profile, id=self._id, renewals=self._renewals)
            try:
                await self._ask(self._store.join(node))
            except IncompatibleNode as why:
                await self._remove_gone(await self._ask(self._store.read()), began_us)
                if self._watch.has_renewed(why.member.id):
                    raise
                await self._wait_for_turn()
            else:
                break
        self._node, self._renewed_us = node, began_us
        self._start_expiry()
        log.info("cluster joined", node=node.id, address=node.address, version=node.version)

    async def _join_again(self) -> None:
        """Try to join after the membership was lost. Raises IncompatibleNode."""
        self._began_us = self._time.monotonic_us()
        try:
            if self._former:
                await self._ask(self._store.leave(self._former))
                self._former = ""
            await self._join()
        except StoreUnavailable as why:
            self._report_failure(why)
        else:
            await self._renew()

    async def _renew(self) -> None:
        self._began_us = began_us = self._time.monotonic_us()
        node = self._node
        if not (node and self.is_member_now()):
            self._lose("its lease is over")
            return
        try:
            self._renewals += 1
            state = await self._ask(self._store.renew(node.id, self._renewals, self._draining))
        except StoreUnavailable as why:
            self._failed_renewals += 1
            self._report_failure(why)
            return
        if state is None:
            self._lose("another node has removed it")
        elif self._node is not node or not self.is_member_now():
            self._lose("its lease was over before its renewal was known")
        else:
            self._failing = False
            self._renewed_us = began_us
            self._start_expiry()
            await self._follow(node, state)

    async def _follow(self, node: Node, state: ClusterState) -> None:
        """Act on the state that a renewal returned, and publish it."""
        try:
            if await self._act(node, state):
                state = await self._ask(self._store.read())
        except StoreUnavailable as why:
            self._report_failure(why)
        if self._node is node and self.is_member_now():
            self._publish(state)
            if self._draining and state.coordinator != node.id:
                self._resigned.set()
        else:
            self._lose("its lease is over")

    async def _act(self, node: Node, state: ClusterState) -> bool:
        """Remove nodes that are gone; stand for coordinator, or resign. Return whether the state has changed."""
        removed = await self._remove_gone(state, self._began_us)
        if self._draining:
            if state.coordinator != node.id:
                return bool(removed)
            await self._ask(self._store.resign(node.id))
            return True
        if state.coordinator and state.coordinator not in removed:
            return bool(removed)
        await self._ask(self._store.elect(node.id))
        return True

    async def _remove_gone(self, state: ClusterState, began_us: Micros) -> list[str]:
        """Remove nodes that do not renew any more, and return their ids."""
        removed = []
        for gone in self._watch.update(state.nodes, began_us, self._time.monotonic_us()):
            if await self._ask(self._store.remove(gone)):
                removed.append(gone.id)
                log.warning("node removed", node=gone.id, address=gone.address, lease_ms=gone.lease_us // MS)
        return removed

    def _start_expiry(self) -> None:
        self._stop_expiry()
        self._expiry = self._time.call_at(self._renewed_us + self._terms.valid_us, self._on_expiry)

    def _stop_expiry(self) -> None:
        if self._expiry:
            self._expiry.cancel()

    def _on_expiry(self) -> None:
        if self.is_member_now():  # The timer was early.
            self._start_expiry()
        else:
            self._lose("its lease is over")

    def _lose(self, why: str) -> None:
        node, self._node = self._node, None
        if node is None:
            return
        self._former, self._id = node.id, self._new_id()
        self._lost = f"this node has lost its membership in the cluster: {why}"
        self._resigned.set()
        self._stop_expiry()
        log.error("membership lost", node=node.id, reason=why)
        self._view.publish(ClusterState(epoch=self._view.state.epoch), "", self._lost)
        if self._call:
            self._call.cancel()
        self._wake.set()

    def _publish(self, state: ClusterState) -> None:
        self._view.publish(state, self._node.id if self._node and not self._draining else "")

    async def _ask(self, call: Coroutine[Any, Any, T]) -> T:
        """Return the answer of the store. Raises NodeTableTimeout if there is none in time, or StoreUnavailable."""
        self._call = task = asyncio.ensure_future(call)

        def give_up() -> None:
            task.cancel()

        alarm = self._time.call_at(self._time.monotonic_us() + self._terms.attempt_us, give_up)
        try:
            return await task
        except IncompatibleNode:  # The table has answered.
            raise
        except BaseException as failure:
            self._watch.restart()
            current = asyncio.current_task()
            if not isinstance(failure, asyncio.CancelledError) or (current and current.cancelling()):
                raise
            raise NodeTableTimeout("the table of nodes does not answer in time") from None
        finally:
            alarm.cancel()
            self._call = None

    def _report_failure(self, why: StoreUnavailable) -> None:
        if not self._failing:
            log.warning("table of nodes unavailable", reason=str(why))
        self._failing = True
