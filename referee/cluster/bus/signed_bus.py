"""A layer over any bus that accepts messages of holders of one key only, and each of them once.

A message is: the sender, a random id that is new for each bus object; its counter, which grows with each message; a
keyed BLAKE2b over subject, sender, counter and payload; and the payload. It is not encrypted.

A receiver remembers the latest counter of each sender. One that has just started knows none, so it accepts a recorded
message of an earlier time once, if nothing newer of its sender has arrived. Messages are hints, so this costs one
needless look at the database.
"""

import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable

from referee.cluster.bus.limited_log import LimitedLog
from referee.cluster.bus.port import Bus, DropReason, PayloadTooLarge, Receive, Subscription
from referee.cluster.bus.subscribers import Subscribers

MIN_KEY_BYTES = 32
SENDER_BYTES, COUNTER_BYTES, MAC_BYTES = 16, 8, 16
HEADER_BYTES = SENDER_BYTES + COUNTER_BYTES
OVERHEAD_BYTES = HEADER_BYTES + MAC_BYTES
MAX_SENDERS = 4096
"""How many senders are remembered: the ones that have sent last. Each start of a node is another one."""


class SignedBus(Bus):
    """Signs what is published on another bus, and verifies what is received."""

    def __init__(self, inner: Bus, key: bytes, limited_log: LimitedLog | None = None) -> None:
        """`inner` is used by this bus only, which opens and closes it. `key` is secret, and random."""
        if not MIN_KEY_BYTES <= len(key) <= hashlib.blake2b.MAX_KEY_SIZE:
            raise ValueError(
                f"the key of the bus has {len(key)} bytes; it must have {MIN_KEY_BYTES} at least, and 64 at most"
            )
        self.counts = inner.counts
        self.max_payload_bytes = inner.max_payload_bytes - OVERHEAD_BYTES
        self._inner = inner
        self._keyed = hashlib.blake2b(key=key, digest_size=MAC_BYTES)
        self._sender = secrets.token_bytes(SENDER_BYTES)
        self._counter = 0
        self._counter_of: OrderedDict[bytes, bytes] = OrderedDict()
        """The latest counter of each sender, as it was sent: big-endian, so that bytes compare as numbers do."""
        self._subscribers = Subscribers(self._begin_subject, self._end_subject)
        self._subscription_of: dict[str, Subscription] = {}
        self._limited_log = limited_log or LimitedLog()

    @property
    def connected(self) -> bool:
        return self._inner.connected

    async def open(self) -> None:
        await self._inner.open()

    async def close(self) -> None:
        await self._inner.close()

    def publish(self, subject: str, payload: bytes) -> None:
        if len(payload) > self.max_payload_bytes:
            raise PayloadTooLarge(len(payload), self.max_payload_bytes)
        self._counter += 1
        header = self._sender + self._counter.to_bytes(COUNTER_BYTES, "big")
        self._inner.publish(subject, b"%b%b%b" % (header, self._mac(subject, header, payload), payload))

    def subscribe(self, subject: str, receive: Receive) -> Subscription:
        return self._subscribers.add(subject, receive)

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        self._inner.on_reconnect(callback)

    async def flush(self) -> bool:
        return await self._inner.flush()

    def _begin_subject(self, subject: str) -> None:
        # One for all that subscribe here, since each message is accepted once.
        self._subscription_of[subject] = self._inner.subscribe(subject, lambda message: self._receive(subject, message))

    def _end_subject(self, subject: str) -> None:
        self._subscription_of.pop(subject).close()

    def _receive(self, subject: str, message: bytes) -> None:
        header, mac, payload = message[:HEADER_BYTES], message[HEADER_BYTES:OVERHEAD_BYTES], message[OVERHEAD_BYTES:]
        if not hmac.compare_digest(mac, self._mac(subject, header, payload)):
            self._drop(DropReason.FORGED, subject)
        elif not self._is_new(header[:SENDER_BYTES], header[SENDER_BYTES:]):
            self._drop(DropReason.REPLAYED, subject)
        else:
            self._subscribers.deliver(subject, payload)

    def _mac(self, subject: str, header: bytes, payload: bytes) -> bytes:
        keyed = self._keyed.copy()
        # A subject contains no zero byte, and the header has a fixed length: no two messages yield the same bytes.
        keyed.update(b"%b\0%b%b" % (subject.encode(), header, payload))
        return keyed.digest()

    def _is_new(self, sender: bytes, counter: bytes) -> bool:
        latest = self._counter_of.get(sender)
        if sender == self._sender or (latest is not None and counter <= latest):
            return False
        self._counter_of[sender] = counter
        self._counter_of.move_to_end(sender)
        if len(self._counter_of) > MAX_SENDERS:
            self._counter_of.popitem(last=False)
        return True

    def _drop(self, reason: DropReason, subject: str) -> None:
        self.counts.dropped[reason] += 1
        self._limited_log.warning(
            "messages of the bus are not genuine and were dropped", why=reason.value, subject=subject
        )
