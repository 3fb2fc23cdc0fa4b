"""What is measured of calls, by a server interceptor: which, how they ended, how long they took.

It is to be the first of the interceptors, so that it sees what the others refuse.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import grpc
import grpc.aio
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from referee.app.ports import Time
from referee.core.clock import SECOND
from referee.telemetry.said_metrics import SaidMetrics

CALL_S = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)

OTHER = "other"
"""Stands for whatever a stranger calls that this server has not: a label must not grow by what strangers say."""

# In quotes: only the stubs know that these are generic.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Found: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class RpcMetrics(grpc.aio.ServerInterceptor):
    def __init__(self, registry: CollectorRegistry, time: Time, methods: Collection[str], said: SaidMetrics) -> None:
        """`methods` are the paths of all that the server serves, such as `/package.Service/Method`."""
        self._time = time
        self._said = said
        self._handlers: dict[str, Handler] = {}
        """Of what was called before. It is the same for every call."""
        self._names = {method: method.rpartition(".")[2] for method in methods}
        self._calls = Counter("referee_rpcs", "Calls that ended.", ("method", "code"), registry=registry)
        self._seconds = Histogram(
            "referee_rpc_seconds",
            "How long calls took that are no streams.",
            ("method",),
            buckets=CALL_S,
            registry=registry,
        )
        self._open = Gauge("referee_streams_open", "Streams that are open.", ("method",), registry=registry)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Found]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Found:
        path = handler_call_details.method
        if path not in self._handlers:
            name = self._names.get(path, OTHER)
            handler = await continuation(handler_call_details)
            if handler is None:  # There is nothing to wrap: the server itself says no.
                self._calls.labels(name, grpc.StatusCode.UNIMPLEMENTED.name).inc()
                return None
            self._handlers[path] = self._measured(handler, name)
        return self._handlers[path]

    def _measured(self, handler: Handler, name: str) -> Handler:
        """The same handler, measured. It stays a coroutine or a generator, whichever it is: the server asks."""
        kind = ("stream" if handler.request_streaming else "unary", "stream" if handler.response_streaming else "unary")
        behaviour = getattr(handler, "_".join(kind))
        make = getattr(grpc, f"{'_'.join(kind)}_rpc_method_handler")
        measuring = self._stream if "stream" in kind else self._call

        async def answering(request: Any, context: Context) -> Any:
            with measuring(name, context):
                streams = handler.response_streaming
                heard = _Overheard(context, self._said.heard_by(name, request)) if streams else context
                answer = await behaviour(request, heard)
                self._said.answered(name, answer)
                if handler.request_streaming:
                    await _hear_of_the_end()
                return answer

        async def yielding(request: Any, context: Context) -> AsyncIterator[Any]:
            with measuring(name, context):
                said = self._said.heard_by(name, request)
                async for answer in behaviour(request, context):
                    said(answer)
                    yield answer
                if handler.request_streaming:
                    await _hear_of_the_end()

        measured = yielding if inspect.isasyncgenfunction(behaviour) else answering
        made: Handler = make(measured, handler.request_deserializer, handler.response_serializer)
        return made

    @contextmanager
    def _call(self, name: str, context: Context) -> Iterator[None]:
        began_us = self._time.monotonic_us()
        try:
            with self._counting(name, context):
                yield
        finally:
            self._seconds.labels(name).observe((self._time.monotonic_us() - began_us) / SECOND)

    @contextmanager
    def _stream(self, name: str, context: Context) -> Iterator[None]:
        with self._open.labels(name).track_inprogress(), self._counting(name, context):
            yield

    @contextmanager
    def _counting(self, name: str, context: Context) -> Iterator[None]:
        code = grpc.StatusCode.UNKNOWN  # That is what the server makes of an exception.
        try:
            yield
            code = _said(context)
        except grpc.aio.AbortError:
            code = _said(context)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            code = grpc.StatusCode.CANCELLED
            raise
        finally:
            self._calls.labels(name, code.name).inc()


class _Overheard:
    """The context of a call that writes by itself; what it writes is told."""

    def __init__(self, context: Context, told: Callable[[Any], None]) -> None:
        self._context = context
        self._told = told

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    async def write(self, message: Any) -> None:
        self._told(message)  # First: who breaks off with the message in hand has had it.
        await self._context.write(message)


async def _hear_of_the_end() -> None:
    """A caller who breaks off seems to have said all it had to say; a turn of the loop later one hears the truth."""
    await asyncio.sleep(0)


def _said(context: Context) -> grpc.StatusCode:
    """What the call ended with."""
    said: Any = context.code()  # None where nothing was said, whatever its type says.
    code: grpc.StatusCode = said or grpc.StatusCode.OK
    return code
