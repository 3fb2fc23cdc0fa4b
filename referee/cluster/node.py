"""One node of a cluster: its role, and what it tells other nodes about matches."""

import asyncio
from collections.abc import Collection, Coroutine
from typing import Any

from referee.cluster.bus.port import Bus, Subscription
from referee.cluster.coordinator import Coordinator, ItemHandler
from referee.cluster.gateway import Gateway
from referee.cluster.notifications import EntryNotifier, EntryReceiver, subject
from referee.cluster.shared_matches import SharedMatches
from referee.live.ports import Timer
from referee.live.referee import Referee
from referee.match.clock import SECOND, Micros
from referee.match.state import Match

COMPARE_INTERVAL_US: Micros = 2 * SECOND
"""How often a node looks for entries that were not notified."""


class ClusterNode:
    """Belongs to one referee. A node begins without a role and gets one from the membership of the cluster."""

    def __init__(
        self, node: str, bus: Bus, shared: SharedMatches, referee: Referee, items: ItemHandler, return_within_us: Micros
    ) -> None:
        """`node` is the id of the node. It must be made before the referee restores or creates any match.

        `return_within_us`: how long bots that have lost their node are waited for.
        """
        self.node = node
        self.shared = shared
        self.sessions = referee.sessions
        self.coordinator_node = ""
        """Id of the coordinator; empty: unknown."""
        self.ready = False
        """Whether this node is the coordinator, and has restored everything that it needs for that."""
        self.gateway = Gateway(node, shared)
        self.coordinator = Coordinator(node, shared, items, return_within_us)
        self._bus = bus
        self._referee = referee
        self._time = shared.live.time
        self._receiver = EntryReceiver(shared, referee.recovery.restore_unknown)
        self._subscription: Subscription | None = None
        self._timer: Timer | None = None
        self._comparing = False
        shared.live.observe(EntryNotifier(bus, self._nodes_to_tell))
        referee.subscribe(self.gateway)
        referee.subscribe(self.coordinator)

    def open(self) -> None:
        """Listen to other nodes."""
        self._subscription = self._bus.subscribe(subject(self.node), self._receiver.receive)
        self._bus.on_reconnect(self._compare)
        self._set_timer()

    def close(self) -> None:
        self.gateway.close()
        if self._subscription:
            self._subscription.close()
        if self._timer:
            self._timer.cancel()

    @property
    def coordinates(self) -> bool:
        return self.coordinator_node == self.node

    @property
    def takes_bots(self) -> bool:
        """Whether bots that connect to this node get their turns."""
        return self.coordinates or not self.gateway.cut_off

    async def coordinate(self, others: Collection[str]) -> int:
        """Become the coordinator: restore all matches that are not over, and return their number.

        `others` are the ids of the other members. The caller calls `serve` when it has restored all contests as well.
        Raises StoreUnavailable.
        """
        self.coordinator_node = self.node
        self.shared.coordinate(coordinates=True)
        self.gateway.coordinate()
        self.coordinator.begin(others)
        recovered = await self._referee.recover()
        self.coordinator.wait_for_reports()  # For the restored matches, too.
        for session in self.sessions.all():  # Matches may have ended before this node would have learned of it.
            self.sessions.resend_ends(session)
        return recovered

    def follow(self, coordinator: str) -> None:
        """Have another node as the coordinator. Empty: it is not known."""
        self.ready = False
        if self.coordinates:
            self.shared.coordinate(coordinates=False)
            self.coordinator.resign()
            self.gateway.disconnect()
        self.coordinator_node = coordinator

    def serve(self) -> None:
        """Answer what a coordinator answers, since everything is restored."""
        self.ready = True

    def stop_serving(self) -> None:
        """Answer it no more, because another node is the coordinator, or none is."""
        self.ready = False

    def nodes_of(self, bot: str) -> Collection[str]:
        """Return the other nodes to which the bot is connected."""
        return self.coordinator.nodes_of(bot) if self.coordinates else self.shared.elsewhere(bot)

    def _nodes_to_tell(self, match: Match, over: bool) -> Collection[str]:
        nodes: set[str] = set()
        for player in match.players:
            others = self.nodes_of(player.bot) if player.bot else ()
            nodes.update(others)
            if not self.coordinates and not others and not self.sessions.is_local(player.bot):
                nodes.add(self.coordinator_node)
        if not self.coordinates and (over or self.gateway.is_watched(match.setup.match_id)):
            nodes.add(self.coordinator_node)
        return nodes - {""}

    def _set_timer(self) -> None:
        self._timer = self._time.call_at(self._time.monotonic_us() + COMPARE_INTERVAL_US, self._timer_fired)

    def _timer_fired(self) -> None:
        self._compare()
        self._set_timer()

    def _compare(self) -> None:
        if not self._comparing:
            self._comparing = True
            self._start(self._compare_once())

    async def _compare_once(self) -> None:
        try:
            await self._receiver.compare(coordinates=self.coordinates)
        finally:
            self._comparing = False

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return self._referee.start_task(work)
