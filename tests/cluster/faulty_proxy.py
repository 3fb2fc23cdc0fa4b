"""TCP proxy between two programs on which a test causes faults of the network: cut, stalled and slow connections."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

CHUNK_BYTES = 1 << 16
TIMEOUT_S = 60


class FaultyProxy:
    """Forwards connections to a server. Its methods may be called by any thread, and have worked when they return."""

    def __init__(self, host: str, port: int) -> None:
        """Listen on a free port, and forward to the server at `host` and `port`."""
        self._server = (host, port)
        self._delay_s = 0.0
        self._cut = False
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._flowing = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._listener = self._run(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self.port: int = self._listener.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.heal()

    def heal(self) -> None:
        """Forward everything at once. What a stalled connection has not forwarded yet arrives now."""
        self._call(self._set, False, 0.0, True)

    def cut(self) -> None:
        """Break all connections, and each new one as soon as it is made, until `heal`."""
        self._call(self._set, True, 0.0, True)

    def stall(self) -> None:
        """Forward nothing until `heal`, without breaking a connection, like a network that has lost a route."""
        self._call(self._set, False, 0.0, False)

    def slow_down(self, delay_s: float) -> None:
        """Forward each part of the data this much later, one after another."""
        self._call(self._set, False, delay_s, True)

    @property
    def connections(self) -> int:
        """Number of connections that are open now."""
        return len(self._open) // 2

    def close(self) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT_S)
        self._loop.close()

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT_S)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        async def call() -> None:
            function(*arguments)

        self._run(call())

    def _set(self, cut: bool, delay_s: float, flowing: bool) -> None:
        self._cut, self._delay_s = cut, delay_s
        if flowing:
            self._flowing.set()
        else:
            self._flowing.clear()
        if cut:
            self._abort_all()

    def _abort_all(self) -> None:
        for writer in self._open:
            writer.transport.abort()

    async def _close(self) -> None:
        self._listener.close()
        self._abort_all()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.sleep(0)  # An aborted connection closes its socket in the next iteration of the loop.

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            await self._flowing.wait()
            if self._cut:
                raise ConnectionAbortedError
            far_reader, far_writer = await asyncio.open_connection(*self._server)
        except (OSError, asyncio.CancelledError):  # Cancelled: the proxy is closed.
            writer.transport.abort()
            return
        pair = {writer, far_writer}
        self._open |= pair
        try:
            await asyncio.gather(self._forward(reader, far_writer), self._forward(far_reader, writer))
        finally:
            self._open -= pair
            for end in pair:
                end.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                await asyncio.sleep(self._delay_s)
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@contextmanager
def run_proxy(host: str, port: int) -> Iterator[FaultyProxy]:
    proxy = FaultyProxy(host, port)
    try:
        yield proxy
    finally:
        proxy.close()
