"""The bus over NATS.

Subjects have the prefix `referee.<cluster>.`, to which the permissions of the user in NATS are limited. There is one
connection. It is made again whenever it breaks, by trying all servers in turn, for ever: a node needs NATS neither to
start nor to run.

Messages are handled as they are read, so nothing queues in this process. If it reads too slowly, the server closes the
connection, and the loss is treated like any other: `on_reconnect`.
"""

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count, cycle

import structlog

from referee.cluster.bus.limited_log import LimitedLog
from referee.cluster.bus.nats_connection import ConnectionFailed, NatsConnection
from referee.cluster.bus.nats_servers import InvalidNatsServers, NatsServer, NatsServers
from referee.cluster.bus.port import (
    MAX_PAYLOAD_BYTES,
    Bus,
    BusCounts,
    DropReason,
    Receive,
    Subscription,
    check_message,
    check_subject,
)
from referee.cluster.bus.subscribers import ReconnectCallbacks, Subscribers

log = structlog.get_logger("referee.cluster.bus")

MAX_WAITING_BYTES = 4 * 1024 * 1024
"""Messages are dropped while more than this waits to be sent."""
CONNECT_TIMEOUT_S = 5
PING_INTERVAL_S = 5
"""A server that has not answered a ping when the next one is due is given up."""
MIN_BACKOFF_S, MAX_BACKOFF_S = 0.1, 2.0


class NatsBus(Bus):
    """The bus of one node of one cluster."""

    def __init__(self, servers: NatsServers, cluster: str) -> None:
        """`cluster` is one name of a subject. Raises InvalidSubject."""
        check_subject(cluster.replace(".", " "))
        self.counts = BusCounts()
        self.max_payload_bytes = MAX_PAYLOAD_BYTES
        self._prefix = f"referee.{cluster}."
        self._servers = servers
        self._subscribers = Subscribers(self._begin_subject, self._end_subject)
        self._reconnect_callbacks = ReconnectCallbacks()
        self._ids = count(1)
        self._id_of: dict[str, bytes] = {}
        self._subject_of: dict[bytes, str] = {}
        self._connection: NatsConnection | None = None
        """The connection from the time on at which the server has accepted its first lines."""
        self._connected = False
        self._connecting: asyncio.Task[None] | None = None
        self._limited_log = LimitedLog()

    @property
    def connected(self) -> bool:
        return self._connected

    async def open(self) -> None:
        """Raises InvalidNatsServers if the credentials or the CA cannot be used."""
        self._servers.credentials()
        self._servers.tls_context()
        self._connecting = asyncio.create_task(self._stay_connected(), name="bus connection")

    async def close(self) -> None:
        if self._connecting:
            self._connecting.cancel()
            with suppress(asyncio.CancelledError):
                await self._connecting
            self._connecting = None

    def publish(self, subject: str, payload: bytes) -> None:
        check_message(subject, payload, self.max_payload_bytes)
        connection = self._connection
        if not self._connected or connection is None:
            self.counts.dropped[DropReason.DISCONNECTED] += 1
        elif connection.waiting_bytes > MAX_WAITING_BYTES:
            self.counts.dropped[DropReason.BUFFER_FULL] += 1
        else:
            self.counts.sent += 1
            connection.send(b"PUB %b %d\r\n%b\r\n" % ((self._prefix + subject).encode(), len(payload), payload))

    def subscribe(self, subject: str, receive: Receive) -> Subscription:
        return self._subscribers.add(subject, receive)

    def on_reconnect(self, callback: Callable[[], None]) -> None:
        self._reconnect_callbacks.add(callback)

    async def flush(self) -> bool:
        return self._connected and self._connection is not None and await self._connection.ping()

    def _begin_subject(self, subject: str) -> None:
        # A new id each time: what still arrives for an earlier subscription is then recognised.
        id_ = b"%d" % next(self._ids)
        self._id_of[subject] = id_
        self._subject_of[id_] = subject
        if self._connection:
            self._connection.send(self._subscribe_line(subject))

    def _end_subject(self, subject: str) -> None:
        id_ = self._id_of.pop(subject)
        del self._subject_of[id_]
        if self._connection:
            self._connection.send(b"UNSUB %b\r\n" % id_)

    def _subscribe_line(self, subject: str) -> bytes:
        return b"SUB %b %b\r\n" % ((self._prefix + subject).encode(), self._id_of[subject])

    def _receive(self, id_: bytes, payload: bytes) -> None:
        subject = self._subject_of.get(id_)
        if subject is not None and self._subscribers.deliver(subject, payload):
            self.counts.received += 1

    def _on_error(self, server: NatsServer, reason: str) -> None:
        self._limited_log.warning("NATS reported an error", server=str(server), why=reason)

    def _on_lost(self) -> None:
        self._connected, self._connection = False, None

    async def _stay_connected(self) -> None:
        """Connect, and connect again when the connection has broken, until the task is cancelled."""
        backoff_s = MIN_BACKOFF_S
        servers = list(self._servers.servers)
        random.shuffle(servers)  # So that nodes spread over the servers.
        for server in cycle(servers):
            try:
                await self._connect(server)
                backoff_s = MIN_BACKOFF_S
            except (OSError, ConnectionFailed, InvalidNatsServers) as why:
                self._limited_log.warning("NATS cannot be reached", server=str(server), why=str(why))
            await asyncio.sleep(backoff_s * random.uniform(0.5, 1))  # So that nodes do not come back all at once.
            backoff_s = min(2 * backoff_s, MAX_BACKOFF_S)

    async def _connect(self, server: NatsServer) -> None:
        """Connect to a server, and return when the connection has broken. Raises why it could not be made."""
        connection = NatsConnection(self._receive, partial(self._on_error, server), self._on_lost)
        try:
            try:
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    await self._introduce(connection, server)
            except TimeoutError:
                raise ConnectionFailed(f"no answer within {CONNECT_TIMEOUT_S} s") from None
            self._connected = True
            log.info("connected to NATS", server=str(server))
            self._reconnect_callbacks.call()
            await _keep_alive(connection)
            log.warning("the connection to NATS broke", server=str(server), why=connection.reason)
        finally:
            await connection.close()

    async def _introduce(self, connection: NatsConnection, server: NatsServer) -> None:
        """Connect, and return when the server has accepted the user and all subscriptions."""
        await asyncio.get_running_loop().create_connection(lambda: connection, server.host, server.port)
        info = await connection.info
        if info.max_payload < MAX_PAYLOAD_BYTES:
            raise ConnectionFailed(f"the server allows less than {MAX_PAYLOAD_BYTES} bytes in a message")
        if server.tls or info.tls_required:
            if not (info.tls_required or info.tls_available):
                raise ConnectionFailed("the server does not offer TLS")
            await connection.start_tls(self._servers.tls_context(), server.host)
        connection.send(b"CONNECT %b\r\n" % json.dumps(self._introduction()).encode())
        self._connection = connection
        for subject in self._subscribers.subjects():
            connection.send(self._subscribe_line(subject))
        if not await connection.ping():
            raise ConnectionFailed(connection.reason)

    def _introduction(self) -> dict[str, object]:
        return {
            "verbose": False,
            "pedantic": False,
            "echo": False,
            "protocol": 1,
            "name": "referee",
            "lang": "referee",
            "version": "1",
            **self._servers.credentials(),
        }


async def _keep_alive(connection: NatsConnection) -> None:
    """Return when the connection has broken. Break it if the server does not answer."""
    pong = connection.ping()
    while not connection.lost.is_set():
        try:
            async with asyncio.timeout(PING_INTERVAL_S):
                await connection.lost.wait()
        except TimeoutError:
            if not pong.done():
                connection.abort("the server did not answer a ping")
            pong = connection.ping()
