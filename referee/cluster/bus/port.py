"""The port of the bus: short messages between the nodes of a cluster, each sent to all subscribers of a subject.

Messages are hints. Any of them may be lost, and a node may start and run without a connection, so whatever must not be
lost is read from the database. Each adapter passes one suite of contract tests.
"""

import re
from abc import abstractmethod
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol, TypeAlias

MAX_PAYLOAD_BYTES = 256 * 1024
"""Largest payload that an adapter carries. NATS allows 1 MiB unless it is configured otherwise."""
MAX_SUBJECT_CHARS = 200

_is_valid_subject = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*").fullmatch

Receive: TypeAlias = Callable[[bytes], None]
"""Handles one payload. It must return at once. An exception is logged and stops nothing."""


class InvalidSubject(ValueError):
    """The subject is no list of names between dots. It was not sent."""

    def __init__(self, subject: str) -> None:
        super().__init__(f"{subject[:MAX_SUBJECT_CHARS]!r} is no subject of the bus")


class PayloadTooLarge(ValueError):
    """The payload does not fit into one message. It was not sent; the caller may split it."""

    def __init__(self, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"the payload has {size_bytes} bytes, and a message of the bus has at most {limit_bytes}")


class DropReason(StrEnum):
    """Why a message was dropped."""

    DISCONNECTED = "disconnected"
    """Published without a connection."""
    BUFFER_FULL = "buffer_full"
    """Published while too much was waiting to be sent."""
    FORGED = "forged"
    """Received, but not signed with the key of the cluster."""
    REPLAYED = "replayed"
    """Received, but not newer than the latest one of its sender."""


class BusCounts:
    """How many messages a bus has carried, for metrics."""

    __slots__ = ("dropped", "received", "sent")

    def __init__(self) -> None:
        self.sent = 0
        """Accepted by `publish`. A connection that breaks may still lose them."""
        self.received = 0
        """Read from others, including those that were then dropped as forged or replayed."""
        self.dropped = dict.fromkeys(DropReason, 0)


class Subscription(Protocol):
    """A subscription to one subject."""

    def close(self) -> None:
        """End the subscription: nothing is received afterwards. No effect if it has ended."""


class Bus(Protocol):
    """Carries messages between nodes. All methods are called on one event loop. Adapters inherit from it.

    Messages of one publisher arrive in order, whatever their subjects, each once or not at all. A bus does not receive
    its own messages.
    """

    counts: BusCounts
    max_payload_bytes: int

    @property
    @abstractmethod
    def connected(self) -> bool:
        """Return whether messages can be sent and received now, as far as is known."""

    @abstractmethod
    async def open(self) -> None:
        """Begin to connect, and to connect again whenever the connection breaks, until `close`.

        It does not wait for a connection. Raises an error only if the configuration cannot be used.
        """

    @abstractmethod
    async def close(self) -> None:
        """Send what was published, as far as that is possible at once, and disconnect."""

    @abstractmethod
    def publish(self, subject: str, payload: bytes) -> None:
        """Send a message, or drop and count it. Never blocks.

        Raises InvalidSubject, or PayloadTooLarge.
        """

    @abstractmethod
    def subscribe(self, subject: str, receive: Receive) -> Subscription:
        """Call `receive` with the payload of each message on `subject`, from about now on.

        It lasts through disconnections. After `flush` it is in effect. Raises InvalidSubject.
        """

    @abstractmethod
    def on_reconnect(self, callback: Callable[[], None]) -> None:
        """Call `callback` after each time that messages to this bus may have been lost.

        This includes the first connection. At the call, all subscriptions are in effect. A loss that the bus cannot
        notice, such as one between two servers of NATS, causes no call.
        """

    @abstractmethod
    async def flush(self) -> bool:
        """Wait until all subscriptions are in effect and everything published was passed on.

        What was passed on to this bus before is then received. Return False if the bus is not connected, or the
        connection broke meanwhile.
        """


def check_subject(subject: str) -> None:
    """Raise InvalidSubject unless it consists of names between dots."""
    if len(subject) > MAX_SUBJECT_CHARS or not _is_valid_subject(subject):
        raise InvalidSubject(subject)


def check_message(subject: str, payload: bytes, limit_bytes: int) -> None:
    """Raise InvalidSubject, or PayloadTooLarge."""
    check_subject(subject)
    if len(payload) > limit_bytes:
        raise PayloadTooLarge(len(payload), limit_bytes)
