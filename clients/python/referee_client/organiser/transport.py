"""How calls wait: asynchronously on an event loop, or by blocking the thread.

All logic of the organiser is written once, as coroutines, which wait for nothing but these methods. With a
BlockingTransport they never suspend, so that `run` of the module `blocking` can run them without an event loop.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

import grpc

from referee_client.address import Address
from referee_client.errors import Unreachable

T = TypeVar("T")

Options = tuple[tuple[str, int], ...]
"""gRPC options of a channel."""


class Transport(Protocol):
    channel: grpc.Channel
    """The channel for stubs. Their methods may be called by this transport only."""

    async def call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a method that has one response, and return it. Raises grpc.RpcError, or Unreachable if it was closed."""

    async def read(self, stream: Any) -> Any:
        """Return the next message; None after the last one, or if the stream was cancelled. Raises grpc.RpcError."""

    async def sleep(self, seconds: float) -> None: ...

    async def run_apart(self, function: Callable[[], T]) -> T:
        """Call a function that may block, such as one that writes a file, and return its result."""

    async def close(self) -> None: ...


class BlockingTransport:
    """Blocks the thread of the caller. Several threads may use it at the same time."""

    def __init__(self, address: Address, options: Options) -> None:
        self.channel = address.channel(*options)

    async def call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return method(*args, **kwargs)

    async def read(self, stream: Any) -> Any:
        return next(stream, None)

    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def run_apart(self, function: Callable[[], T]) -> T:
        return function()

    async def close(self) -> None:
        self.channel.close()


class AsyncTransport:
    """Waits on the event loop on which it was created. A cancelled task cancels its call."""

    def __init__(self, address: Address, options: Options) -> None:
        """Raises RuntimeError outside of a running event loop, since a channel of gRPC belongs to one."""
        asyncio.get_running_loop()
        self._channel = address.async_channel(*options)
        # The stubs are the same for both kinds of channels, except for what `call` and `read` do with their methods.
        self.channel = cast("grpc.Channel", self._channel)

    async def call(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        call = method(*args, **kwargs)
        try:
            return await call
        except asyncio.CancelledError:
            if _is_cancelled_elsewhere(call):
                raise Unreachable("the connection was closed") from None
            raise

    async def read(self, stream: Any) -> Any:
        try:
            message = await stream.read()
        except asyncio.CancelledError:
            if _is_cancelled_elsewhere(stream):
                return None
            raise
        return None if message is grpc.aio.EOF else message

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def run_apart(self, function: Callable[[], T]) -> T:
        return await asyncio.to_thread(function)

    async def close(self) -> None:
        await self._channel.close()


def _is_cancelled_elsewhere(call: Any) -> bool:
    """Return whether another task has cancelled the call or closed its channel, and nobody the current task."""
    task = asyncio.current_task()
    return call.cancelled() and not (task and task.cancelling())
