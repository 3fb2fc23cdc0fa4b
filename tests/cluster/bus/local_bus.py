"""A bus between nodes in one process, for tests, with switches to lose, hold back and divide messages."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from referee.cluster.bus.port import MAX_PAYLOAD_BYTES, Bus, BusCounts, DropReason, Receive, Subscription, check_message
from referee.cluster.bus.subscribers import ReconnectCallbacks, Subscribers


class LocalBusHub:
    """Connects the buses of one process. A message arrives in the next iteration of the event loop."""

    def __init__(self) -> None:
        self.losing = False
        """While set, all messages are lost, and no bus notices."""
        self._buses: list[LocalBus] = []
        self._waiting: deque[tuple[LocalBus, str, bytes]] = deque()
        self._holding = False
        self._delivery: asyncio.Handle | None = None
        self._side_of: dict[LocalBus, int] = {}

    def bus(self) -> "LocalBus":
        """Return a new bus, which is not open."""
        return LocalBus(self)

    def hold(self) -> None:
        """Hold back all messages until `release`."""
        self._holding = True

    def release(self) -> None:
        """Deliver what was held back, and what follows."""
        self._holding = False
        self._schedule()

    def divide(self, *sides: Iterable["LocalBus"]) -> None:
        """Lose all messages between buses of different sides; no bus notices. Buses of no side are one more side."""
        self._side_of = {bus: number for number, side in enumerate(sides, 1) for bus in side}

    def unite(self) -> None:
        """End a division. Messages that were lost stay lost."""
        self._side_of = {}

    def attach(self, bus: "LocalBus") -> None:
        self._buses.append(bus)

    def detach(self, bus: "LocalBus") -> None:
        self._buses.remove(bus)

    def send(self, sender: "LocalBus", subject: str, payload: bytes) -> None:
        side = self._side_of.get(sender, 0)
        for bus in self._buses:
            if bus is not sender and not self.losing and self._side_of.get(bus, 0) == side:
                self._waiting.append((bus, subject, payload))
        self._schedule()

    def _schedule(self) -> None:
        if self._waiting and not self._holding and not self._delivery:
            self._delivery = asyncio.get_running_loop().call_soon(self._deliver)

    def _deliver(self) -> None:
        self._delivery = None
        if self._holding:
            return
        for _ in range(len(self._waiting)):
            bus, subject, payload = self._waiting.popleft()
            bus.deliver(subject, payload)
        self._schedule()


class LocalBus(Bus):
    """One node's bus; `LocalBusHub.bus` makes it."""

    def __init__(self, hub: LocalBusHub) -> None:
        self.counts = BusCounts()
        self.max_payload_bytes = MAX_PAYLOAD_BYTES
        self._hub = hub
        self._connected = False
        self._subscribers = Subscribers()
        self._reconnect_callbacks = ReconnectCallbacks()

    @property
    def connected(self) -> bool:
        return self._connected

    async def open(self) -> None:
        self.reconnect()

    async def close(self) -> None:
        self.disconnect()

    def disconnect(self) -> None:
        """Break the connection, as when the server ends."""
        if self._connected:
            self._connected = False
            self._hub.detach(self)

    def reconnect(self) -> None:
        """Connect again."""
        if not self._connected:
            self._connected = True
            self._hub.attach(self)
            asyncio.get_running_loop().call_soon(self._reconnect_callbacks.call)

    def publish(self, subject: str, payload: bytes) -> None:
        check_message(subject, payload, self.max_payload_bytes)
        if self._connected:
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
        return self._connected

    def deliver(self, subject: str, payload: bytes) -> None:
        if self._connected and self._subscribers.deliver(subject, payload):
            self.counts.received += 1
