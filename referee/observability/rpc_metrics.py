"""Metrics of gRPC calls, recorded by a server interceptor.

It must precede the interceptor that aborts rejected calls, so that it sees these, too.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Any, TypeAlias

import grpc
import grpc.aio
from prometheus_client import CollectorRegistry, Gauge

from referee.live.ports import Time
from referee.match.clock import SECOND
from referee.observability.metric_families import CounterFamily, HistogramFamily

CALL_S = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10)

OTHER = "other"
"""Label of all unknown methods, since callers must not be able to create series."""

# In quotes, since these are generic in the type stubs only.
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Found: TypeAlias = "grpc.RpcMethodHandler[Any, Any] | None"
Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"


class ResponseMetrics:
    """Counts repeated answers, and gaps in watched entries in the messages that leave the server."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.duplicates = CounterFamily(
            registry,
            "referee_duplicates_absorbed",
            "Requests that were repeated and got their original answer.",
            "method",
        )
        self._gaps = CounterFamily(
            registry, "referee_resume_gaps", "Entries that a watcher missed or got twice. It must stay 0."
        ).labels()

    def record(self, method: str, answer: Any) -> None:
        """Record the response of a unary call."""
        if getattr(answer, "repeated", False):
            self.duplicates.labels(method).inc()

    def recorder(self, request: Any) -> Callable[[Any], None]:
        """Return a function that records the messages of one watch. It must be called for each, in order."""
        sequence = EntrySequence(_after(request))

        def record(message: Any) -> None:
            numbers = [*getattr(message, "entry_numbers", ())]  # A response that was encoded already has them.
            numbers += [item.entry.number for item in getattr(message, "items", ()) if _is_entry(item)]
            if numbers and sequence.has_gap(numbers):
                self._gaps.inc()

        return record


def _is_entry(item: Any) -> bool:
    kind: str | None = item.WhichOneof("item")
    return kind == "entry"


class EntrySequence:
    """Checks that the entries that one watcher gets are numbered consecutively."""

    def __init__(self, after: int | None) -> None:
        """`after` is the last entry that the watcher knows; None if any first number is right."""
        self._last = after

    def has_gap(self, numbers: Iterable[int]) -> bool:
        """Return whether one of these numbers is not the next. Checking continues from the last one."""
        gap = False
        for number in numbers:
            gap = gap or self._last not in (None, number - 1)
            self._last = number
        return gap


def _after(request: Any) -> int | None:
    """Return the `after` of a request to watch; None if it has none."""
    descriptor = getattr(request, "DESCRIPTOR", None)  # An undecodable request is not a message.
    field = descriptor and descriptor.fields_by_name.get("after_number")
    return request.after_number if field and field.has_presence and request.HasField("after_number") else None


class RpcMetrics(grpc.aio.ServerInterceptor):
    """Interceptor that records which methods are called, with what status and how long they take."""

    def __init__(
        self, registry: CollectorRegistry, time: Time, methods: Collection[str], responses: ResponseMetrics
    ) -> None:
        """`methods` are the paths of all methods of the server, such as `/package.Service/Method`."""
        self._time = time
        self._responses = responses
        self._handlers: dict[str, Handler] = {}
        """Cache of wrapped handlers, by path."""
        self._names = {method: method.rpartition(".")[2] for method in methods}
        self._calls = CounterFamily(registry, "referee_rpcs", "Calls that ended.", "method", "code")
        self._seconds = HistogramFamily(registry, "referee_rpc_seconds", "Durations of unary calls.", CALL_S, "method")
        self._open = Gauge("referee_streams_open", "Open streams.", ("method",), registry=registry)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Found]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Found:
        path = handler_call_details.method
        if path not in self._handlers:
            name = self._names.get(path, OTHER)
            handler = await continuation(handler_call_details)
            if handler is None:  # An unknown method, which gRPC itself refuses.
                self._calls.labels(name, grpc.StatusCode.UNIMPLEMENTED.name).inc()
                return None
            self._handlers[path] = self._wrap(handler, name)
        return self._handlers[path]

    def _wrap(self, handler: Handler, name: str) -> Handler:
        """Return a handler that records calls of `handler`, whose function must be a coroutine."""
        kind = ("stream" if handler.request_streaming else "unary", "stream" if handler.response_streaming else "unary")
        behaviour = getattr(handler, "_".join(kind))
        make = getattr(grpc, f"{'_'.join(kind)}_rpc_method_handler")
        streams = "stream" in kind
        watches = kind == ("unary", "stream")

        # Without context managers, which would take a kilobyte of each open stream.
        async def call(request: Any, context: Any) -> Any:
            began_us, code = self._time.monotonic_us(), grpc.StatusCode.UNKNOWN  # What gRPC returns for an exception.
            if streams:
                self._open.labels(name).inc()
            try:
                if watches:
                    context = _RecordingContext(context, self._responses.recorder(request))
                answer = await behaviour(request, context)
                self._responses.record(name, answer)
                if handler.request_streaming:
                    await _let_cancellation_arrive()
                code = _status(context)
                return answer
            except grpc.aio.AbortError:
                code = _status(context)
                raise
            except (asyncio.CancelledError, GeneratorExit):
                code = grpc.StatusCode.CANCELLED
                raise
            finally:
                if streams:
                    self._open.labels(name).dec()
                else:
                    self._seconds.labels(name).observe((self._time.monotonic_us() - began_us) / SECOND)
                self._calls.labels(name, code.name).inc()

        made: Handler = make(call, handler.request_deserializer, handler.response_serializer)
        return made


class _RecordingContext:
    """A context that records the messages that a handler writes to it."""

    def __init__(self, context: Context, record: Callable[[Any], None]) -> None:
        self._context = context
        self._record = record

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def write(self, message: Any) -> Awaitable[None]:
        self._record(message)  # First: if the call is cancelled during the write, the caller may have got it.
        return self._context.write(message)


async def _let_cancellation_arrive() -> None:
    """Yield once: a cancelled call looks like the end of its requests until the next iteration of the event loop."""
    await asyncio.sleep(0)


def _status(context: Context) -> grpc.StatusCode:
    """Return the status with which the call ended."""
    set_code: Any = context.code()  # None if no status was set, contrary to its type.
    code: grpc.StatusCode = set_code or grpc.StatusCode.OK
    return code
