"""The port at which front doors on other machines connect, over TLS with keys of their own.

Strangers reach it too. Until a connection has shown a certificate and sent something, it is one of a few for a few
seconds, and the oldest ones give way to newer ones. A door opens connections of two kinds: links (`door_link`), and
those of HTTP/2 with all other calls, which are passed to the server's Unix socket, as if the door were on this machine.
"""

import asyncio
import socket
import tempfile
from asyncio import StreamReader, StreamWriter
from collections.abc import Coroutine
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import structlog

from referee.transport.door_link import DoorLinks
from referee.transport.tls import DoorContexts

MAX_STRANGERS = 64
PATIENCE_S = 5
"""Time for a handshake and the first bytes."""
ACCEPT_PAUSE_S = 0.01
"""Between connections, so that the handshakes of strangers take a tenth of the processor at most."""
READ_BYTES = 2**18
PREFACE = b"PRI"
"""The beginning of HTTP/2. No link begins so: its first frame would be too long."""

log = structlog.get_logger("referee.transport")


class DoorPort:
    """Accepts doors from `open` to `close`."""

    def __init__(self, links: DoorLinks, contexts: DoorContexts, listening: socket.socket) -> None:
        self._links = links
        self._contexts = contexts
        self._listening = listening
        self._folder = tempfile.TemporaryDirectory(prefix="referee-doors-")
        self.server_path = Path(self._folder.name) / "grpc.sock"
        """Path of the Unix socket at which the server must listen."""
        self._accepting: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._strangers: dict[asyncio.Task[None], None] = {}
        """Tasks of connections that are not known yet, the oldest first."""

    async def open(self) -> None:
        """Accept doors from now on, since the server listens."""
        await self._links.prepare()
        self._listening.setblocking(False)
        self._accepting = self._start(self._accept_all())
        log.info("listening for doors", port=self._listening.getsockname()[1])

    async def close(self, grace_s: float) -> None:
        """Accept no more doors, and end the connections that are still there after the grace period."""
        for task in (self._accepting, *self._strangers):
            if task:
                task.cancel()
        for timeout_s in (grace_s, None):
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=timeout_s)
            for task in self._tasks:
                task.cancel()
        self._listening.close()
        self._folder.cleanup()

    def _start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _accept_all(self) -> None:
        while True:
            await asyncio.sleep(ACCEPT_PAUSE_S)
            try:
                accepted, _ = await asyncio.get_running_loop().sock_accept(self._listening)
            except OSError as why:
                log.warning("no door can connect", why=str(why))
                continue
            if len(self._strangers) >= MAX_STRANGERS:
                oldest = next(iter(self._strangers))
                del self._strangers[oldest]
                oldest.cancel()
            task = self._start(self._serve(accepted))
            self._strangers[task] = None

    async def _serve(self, accepted: socket.socket) -> None:
        task: Any = asyncio.current_task()
        loop, reader = asyncio.get_running_loop(), StreamReader(READ_BYTES)
        protocol = asyncio.StreamReaderProtocol(reader)
        with ExitStack() as at_end:
            at_end.callback(self._strangers.pop, task, None)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    context = self._contexts.current()
                    transport, _ = await loop.connect_accepted_socket(lambda: protocol, accepted, ssl=context)
                    at_end.callback(transport.abort)
                    received = await reader.read(READ_BYTES)
                self._strangers.pop(task, None)
                if received.startswith(PREFACE):
                    await self._pass_calls(received, reader, StreamWriter(transport, protocol, reader, loop))
                elif received:
                    await self._links.serve(transport, received, _name_of(transport))
            except (OSError, TimeoutError) as why:
                log.warning("connection of a door has ended", why=repr(why))

    async def _pass_calls(self, received: bytes, reader: StreamReader, writer: StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(self.server_path)
        to_server.write(received)
        await asyncio.gather(_pass(reader, to_server), _pass(from_server, writer))


async def _pass(reader: StreamReader, writer: StreamWriter) -> None:
    """Pass bytes on until either side ends, and end the other one."""
    try:
        while data := await reader.read(READ_BYTES):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


def _name_of(transport: asyncio.BaseTransport) -> str:
    """Return the common name in the certificate of a door."""
    subject = transport.get_extra_info("peercert")["subject"]
    return next((value for part in subject for kind, value in part if kind == "commonName"), "")
