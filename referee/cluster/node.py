"""One node of a cluster: its role, and what it tells other nodes about matches.

Notifications are hints on the bus: they may be lost, late or repeated. So each node compares the logs of the matches
that it follows with what it knows, regularly and whenever the bus may have lost something.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from referee.cluster.bus.port import Bus, PayloadTooLarge, Subscription
from referee.cluster.coordinator import Coordinator, ItemHandler
from referee.cluster.gateway import Gateway
from referee.cluster.shared_matches import SharedMatches
from referee.live.ports import Entry, StoreUnavailable, Timer
from referee.live.referee import Referee
from referee.match.clock import SECOND, Micros
from referee.match.events import PlayEnded
from referee.match.state import Match
from referee.storage.codec import MATCH_CODEC, decode_request, encode_request

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


MAX_ENTRIES = 200
"""Entries in one message on the bus."""
MAX_HEADS = 1_000
"""Matches whose logs are compared in one query."""


class NotifiedEntry(Struct, frozen=True, array_like=True):
    match_id: str
    number: int
    at_ms: int
    line: str
    """The event by its codec."""
    request: str | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[NotifiedEntry]).decode


def subject(node: str) -> str:
    """Return the subject of a node, on which it is notified."""
    return f"node.{node}"


class EntryNotifier:
    """A MatchObserver of what this node stores."""

    sees_moves = True

    def __init__(self, bus: Bus, nodes_to_tell: Callable[[Match, bool], Collection[str]]) -> None:
        """`nodes_to_tell` returns the other nodes that need the entries of a match, and whether it is over."""
        self._bus = bus
        self._nodes_to_tell = nodes_to_tell
        self._queued: defaultdict[str, list[NotifiedEntry]] = defaultdict(list)
        """Entries to notify in this iteration of the event loop, by node."""

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        nodes = self._nodes_to_tell(match, type(entries[-1].event) is PlayEnded)
        if not nodes:
            return
        if not self._queued:
            asyncio.get_running_loop().call_soon(self._flush)
        notified = [_notified(entry) for entry in entries]
        for node in nodes:
            self._queued[node] += notified

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: a fault of this node concerns no other."""

    def _flush(self) -> None:
        queued, self._queued = self._queued, defaultdict(list)
        for node, entries in queued.items():
            for first in range(0, len(entries), MAX_ENTRIES):
                self._publish(node, entries[first : first + MAX_ENTRIES])

    def _publish(self, node: str, entries: list[NotifiedEntry]) -> None:
        try:
            self._bus.publish(subject(node), _encode(entries))
        except PayloadTooLarge:  # An entry that is too large alone is read from the log by the other node.
            half = len(entries) // 2
            for part in (entries[:half], entries[half:]) if half else ():
                self._publish(node, part)


class EntryReceiver:
    def __init__(self, shared: SharedMatches, restore_unknown: Callable[[Collection[str]], Awaitable[None]]) -> None:
        """`restore_unknown` restores matches of this list of unfinished ones, or raises StoreUnavailable."""
        self._shared = shared
        self._log = shared.live.log
        self._restore_unknown = restore_unknown

    def receive(self, payload: bytes) -> None:
        """Handle a message from the bus."""
        by_match: defaultdict[str, list[Entry]] = defaultdict(list)
        for entry in _decode(payload):
            event = MATCH_CODEC.decode(entry.line)
            request = decode_request(entry.request)
            by_match[entry.match_id].append(Entry(entry.match_id, entry.number, entry.at_ms, event, request))
        for entries in by_match.values():
            self._shared.receive(entries)

    async def compare(self, *, coordinates: bool) -> None:
        """Read on in every log that has entries which were not notified; the coordinator looks for logs, too.

        Does nothing while they are unavailable.
        """
        try:
            for ids in _chunks(list(self._shared.followed)):
                heads = await self._log.heads(ids)
                known = self._shared.followed  # Entries have been notified meanwhile, of matches that are being played.
                self._shared.catch_up([match_id for match_id in ids if heads.get(match_id, 0) > known.get(match_id, 0)])
            if coordinates:
                here = set(self._shared.unfinished)
                unfinished = set(await self._log.unfinished())
                self._shared.catch_up(sorted(here - unfinished))
                await self._restore_unknown(unfinished)
        except StoreUnavailable:
            return


def _notified(entry: Entry) -> NotifiedEntry:
    request = encode_request(entry.request) if entry.request else None
    return NotifiedEntry(entry.match_id, entry.number, entry.at_ms, MATCH_CODEC.encode(entry.event), request)


def _chunks(ids: list[str]) -> list[list[str]]:
    return [ids[first : first + MAX_HEADS] for first in range(0, len(ids), MAX_HEADS)]
