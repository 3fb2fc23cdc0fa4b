"""A bus between nodes in one process, for tests, with switches to lose and divide messages."""

import asyncio
from collections.abc import Callable, Iterable

from referee.cluster.bus.port import MAX_PAYLOAD_BYTES, Bus, BusCounts, DropReason, Receive, Subscription, check_message
from referee.cluster.bus.subscribers import ReconnectCallbacks, Subscribers


class LocalBusHub:
    """Connects the buses of one process. A message arrives in the next iteration of the event loop."""

    def __init__(self) -> None:
        self.losing = False
        """While set, all messages are lost, and no bus notices."""
        self.connected: list[LocalBus] = []
        self._waiting: list[tuple[LocalBus, str, bytes]] = []
        self._apart: frozenset[LocalBus] = frozenset()

    def bus(self) -> "LocalBus":
        """Return a new bus, which is not open."""
        return LocalBus(self)

    def divide(self, side: Iterable["LocalBus"]) -> None:
        """Lose all messages between these buses and the others; no bus notices."""
        self._apart = frozenset(side)

    def send(self, sender: "LocalBus", subject: str, payload: bytes) -> None:
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._deliver)
        for bus in self.connected:
            if bus is not sender and not self.losing and (bus in self._apart) == (sender in self._apart):
                self._waiting.append((bus, subject, payload))

    def _deliver(self) -> None:
        waiting, self._waiting = self._waiting, []
        for bus, subject, payload in waiting:
            bus.deliver(subject, payload)


class LocalBus(Bus):
    """One node's bus; `LocalBusHub.bus` makes it."""

    def __init__(self, hub: LocalBusHub) -> None:
        self.counts = BusCounts()
        self.max_payload_bytes = MAX_PAYLOAD_BYTES
        self._hub = hub
        self._subscribers = Subscribers()
        self._reconnect_callbacks = ReconnectCallbacks()

    @property
    def connected(self) -> bool:
        return self in self._hub.connected

    async def open(self) -> None:
        self._hub.connected.append(self)
        asyncio.get_running_loop().call_soon(self._reconnect_callbacks.call)

    async def close(self) -> None:
        if self.connected:
            self._hub.connected.remove(self)

    def publish(self, subject: str, payload: bytes) -> None:
        check_message(subject, payload, self.max_payload_bytes)
        if self.connected:
            self.counts.sent += 1
            self._hub.send(self, subject, payload)
        else:
            self.counts.dropped[DropReason.DISCONNECTED] += 1

    def subscribe(self, subject: str, receive: Receive) -> Subscription:
        return self._subscribers.add(subject, receive)

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        self._reconnect_callbacks.add(callback)

    async def flush(self) -> bool:
        await asyncio.sleep(0)
        return self.connected

    def deliver(self, subject: str, payload: bytes) -> None:
        if self.connected and self._subscribers.deliver(subject, payload):
            self.counts.received += 1
