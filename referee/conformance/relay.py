"""Stands between a program and the kit, and can fall silent: the connection is dead, and neither end knows it."""

import asyncio
from contextlib import suppress

CHUNK = 1 << 16


class Relay:
    """Forwards connections to a port of this machine, from `open` to `close`."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._connections = list[_Connection]()
        self._forwarding = set[asyncio.Task[None]]()

    async def open(self) -> int:
        """Start forwarding, and return the port."""
        self._server = await asyncio.start_server(self._accept, self._target[0], 0)
        return int(self._server.sockets[0].getsockname()[1])

    def fall_silent(self) -> None:
        """Drop everything on the connections that are open now. Later ones are forwarded."""
        for connection in self._connections:
            connection.is_silent = True

    async def close(self) -> None:
        self._server.close()
        for connection in self._connections:
            connection.close()
        await asyncio.gather(*self._forwarding)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        connection = _Connection(writer, far_writer)
        self._connections.append(connection)
        for direction in (connection.forward(reader, far_writer), connection.forward(far_reader, writer)):
            self._forwarding.add(asyncio.create_task(direction))


class _Connection:
    """A connection of a program, and the one to the kit that belongs to it."""

    def __init__(self, *ends: asyncio.StreamWriter) -> None:
        self.is_silent = False
        self._ends = ends

    def close(self) -> None:
        for end in self._ends:
            end.close()

    async def forward(self, source: asyncio.StreamReader, destination: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(CHUNK):
                if not self.is_silent:
                    destination.write(data)
                    await destination.drain()
        if not self.is_silent:
            self.close()
