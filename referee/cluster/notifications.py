"""Notifies other nodes of new entries of matches, and reads what was not notified.

Notifications are hints on the bus: they may be lost, late or repeated. So each node compares the logs of the matches
that it follows with what it knows, regularly and whenever the bus may have lost something.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence

import msgspec
from msgspec import Struct

from referee.cluster.bus.port import Bus, PayloadTooLarge
from referee.cluster.shared_matches import SharedMatches
from referee.live.ports import Entry, StoreUnavailable
from referee.match.events import PlayEnded
from referee.match.state import Match
from referee.storage.codec import MATCH_CODEC, decode_request, encode_request

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
