"""The other side of node streams: keeps one stream to the coordinator, as long as that is known."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

import structlog

from referee.cluster.forwarding.forwarding_header import HEADER, ForwardingHeader
from referee.cluster.forwarding.node_channels import NodeChannels
from referee.cluster.node_stream.node_link import NodeLink, NodeStreamCounts
from referee.cluster.node_stream.stream_server import PATH
from referee.live.ports import Time
from referee.match.clock import MS, SECOND, Micros

MIN_RETRY_US: Micros = 50 * MS
MAX_RETRY_US: Micros = SECOND

log = structlog.get_logger("referee.cluster")


class StreamUser(Protocol):
    """What a node does with its stream. It is called on the event loop, and must not block."""

    def connected(self, send: Callable[[bytes], None]) -> None:
        """Begin a stream, which the coordinator has accepted."""

    def received(self, message: bytes) -> None:
        """Handle a message. An exception is logged, and ends the stream."""

    def disconnected(self) -> None:
        """End the stream; it is called once for each call of `connected`."""


class NodeStreamClient:
    def __init__(
        self,
        channels: NodeChannels,
        header: ForwardingHeader,
        user: StreamUser,
        time: Time,
        max_write_bytes: int,
        counts: NodeStreamCounts,
    ) -> None:
        self._channels = channels
        self._header = header
        self._user = user
        self._time = time
        self._max_write_bytes = max_write_bytes
        self._counts = counts
        self._target = ("", "")
        """Id and address of the coordinator. Empty: there is none."""
        self._link: NodeLink | None = None
        """The stream that the coordinator has accepted."""
        self._tasks: list[asyncio.Task[None]] = []
        """Tasks that are not finished; the last one keeps the stream, and the others end theirs."""
        self._known_failure = ""
        """Why the last attempt failed, so that it is logged once."""

    def follow(self, node: str, address: str) -> None:
        """Keep a stream to this node from now on, and to no other. The same node again changes nothing."""
        if self._target == (node, address):
            return
        self.stop()
        self._target = (node, address)
        task = asyncio.create_task(self._keep(node, address, tuple(self._tasks)))
        self._tasks.append(task)
        task.add_done_callback(self._tasks.remove)

    def stop(self) -> None:
        """End the stream. Stopping twice is allowed."""
        self._target = ("", "")
        self._known_failure = ""
        self._disconnect("this node has stopped it")
        for task in self._tasks:
            task.cancel()

    async def close(self) -> None:
        """Stop, and return when the connection is closed."""
        self.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep(self, node: str, address: str, earlier: tuple[asyncio.Task[None], ...]) -> None:
        if earlier:
            await asyncio.wait(earlier)  # So that there are never two streams.
        delay_us = MIN_RETRY_US
        while True:
            began_us = self._time.monotonic_us()
            try:
                why = await self._attempt(node, address)
            except Exception as fault:
                why = str(fault)
                log.error("stream to the coordinator failed", node=node, exc_info=fault)
            self._log_end(node, why)
            if self._time.monotonic_us() - began_us > MAX_RETRY_US:
                delay_us = MIN_RETRY_US
            await self._wait(delay_us)
            delay_us = min(2 * delay_us, MAX_RETRY_US)

    async def _attempt(self, node: str, address: str) -> str:
        """Open a stream, and serve it until it ends; return why."""
        # Each attempt has a connection of its own: gRPC would delay the next one after a failure.
        channel: Any = self._channels.create_channel(address)
        link = NodeLink(self._user.received, self._time, self._max_write_bytes, self._counts, lambda: self._begin(link))
        try:
            call = channel.stream_stream(PATH)(metadata=((HEADER, self._header.write(PATH, node)),))
            return await link.run(call.read, call.write)
        finally:
            if self._link is link:
                self._disconnect("it was cancelled")
            await channel.close()

    def _begin(self, link: NodeLink) -> None:
        self._link = link
        self._known_failure = ""
        self._counts.opened += 1
        log.info("stream to the coordinator opened", node=self._target[0])
        self._user.connected(link.send)

    def _disconnect(self, why: str) -> None:
        if link := self._link:
            self._link = None
            link.end(why)
            try:
                self._user.disconnected()
            except Exception as fault:
                log.error("the end of the stream to the coordinator could not be handled", exc_info=fault)

    def _log_end(self, node: str, why: str) -> None:
        if why != self._known_failure:
            self._known_failure = why
            log.info("no stream to the coordinator", node=node, why=why)

    async def _wait(self, delay_us: Micros) -> None:
        over = asyncio.Event()
        timer = self._time.call_at(self._time.monotonic_us() + delay_us, over.set)
        try:
            await over.wait()
        finally:
            timer.cancel()
