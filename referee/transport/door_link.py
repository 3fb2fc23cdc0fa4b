"""The link to a front door: Play streams that a door has accepted, as frames on one connection for each door.

The door ends TLS and HTTP/2, so that neither costs the event loop anything. Here a stream is a call like every other:
the same interceptors and the same servicer handle it, and only its context is another one. Streams of a link share its
socket, which is written once in an iteration of the event loop, for all of them.

A frame is the length of its body, the number of the stream (four bytes each, big-endian), its kind (one byte), and the
body. Either side may send of a stream what the other has credited, so that a slow reader fills neither memory nor the
socket of the others: a few short messages, or one long one.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from struct import Struct
from typing import Any, Final, TypeAlias

import grpc
import grpc.aio
import msgspec
import structlog

from referee.live.door_lag import Door, DoorLag
from referee.live.loop_lag import HOLDER
from referee.match.clock import SECOND, Micros
from referee.transport.guards.caller_address import LOCAL
from referee.transport.wire.error_mapping import STATUS_DETAILS

HEAD: Final = Struct(">IIB")
STAMP: Final = Struct(">Q")
NS_PER_US = 1_000
COUNT: Final = Struct(">I")

OPEN, MESSAGE, CLOSE, GONE, CREDIT, END, BEAT = range(7)
"""Kinds of frames: a stream begins, with its metadata (JSON); a message, which of a bot begins with the time of its
arrival (CLOCK_MONOTONIC, nanoseconds); the bot has closed its side, or is gone; the cost of messages that were taken;
the stream ends with a status (`StreamEnd`, JSON); the door is alive (see `door_lag`), with the time and what it counts
(JSON), which is answered to a door on another machine, so that it knows that the way to the server is open."""

WINDOW = 16
"""Cost of the messages of one stream in each direction that its receiver has not taken yet."""
COST_BYTES = 4_096
"""Size up to which a message costs 1."""

MAX_FRAME_BYTES = 64 * 2**20
"""A longer frame means that the link is broken."""
MAX_MESSAGE_BYTES = MAX_FRAME_BYTES - STAMP.size

OWN = "own"
"""Name of the door that the server has started."""
DOOR_HANGS_US: Micros = 15 * SECOND
"""Time without a beat after which a door counts as hanging: one on another machine loses its link."""
HANG_CHECK_S = 1

log = structlog.get_logger("referee.transport")


Metadata: TypeAlias = list[tuple[str, str]]
decode_counts = msgspec.json.Decoder(dict[str, int]).decode


class StreamEnd(msgspec.Struct):
    """The status of a stream."""

    code: int
    sentence: str
    details: bytes = b""
    """A `google.rpc.Status`; empty: there are none."""


@dataclass(frozen=True, slots=True)
class CallDetails:
    """The details of a call that interceptors use to find its handler."""

    method: str


@dataclass(frozen=True, slots=True)
class LinkedMethod:
    """The method whose streams come over links, with the interceptors around its handler."""

    path: str
    handler: "grpc.RpcMethodHandler[Any, Any]"
    interceptors: Sequence[grpc.aio.ServerInterceptor]

    async def find_handler(self) -> Any:
        """Return the handler within all interceptors, as a server of gRPC would find it."""

        async def innermost(_: Any) -> Any:
            return self.handler

        find: Any = innermost
        for interceptor in reversed(self.interceptors):
            find = partial(interceptor.intercept_service, find)
        return await find(CallDetails(self.path))


class _Wait:
    """The wait of a task for a callback."""

    def __init__(self) -> None:
        self._waiting: asyncio.Future[None] | None = None

    def begin(self) -> "asyncio.Future[None]":
        self._waiting = asyncio.get_running_loop().create_future()
        return self._waiting

    def end(self) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)


class LinkedStream:
    """The context of one stream: the part of a `grpc.aio.ServicerContext` that interceptors and Play use."""

    def __init__(
        self,
        metadata: Metadata,
        handler: Any,
        send: Callable[[int, bytes], None],
        on_read: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`send` sends a frame of that kind. `on_read` is called with the holder by `read`."""
        self._on_read = on_read
        self._metadata = metadata
        self._handler = handler
        self._send = send
        self._received: list[tuple[Micros, bytes]] = []
        """A short list, since an empty deque takes 760 bytes."""
        self.arrived_us: Micros | None = None
        """When the door read the last message that was returned, in monotonic time."""
        self._taken = 0
        self._credit = WINDOW
        self._unsent: bytes | None = None
        """A message for which there is no room yet."""
        self._closed = False
        self._reads = _Wait()
        self._writes = _Wait()
        self._on_received: Callable[[], None] = self._reads.end
        self._on_room: Callable[[], None] = self._writes.end
        self.ended: StreamEnd | None = None
        """None: the stream has not ended."""

    def peer(self) -> str:
        return LOCAL  # The door names the bot's address in the metadata.

    def invocation_metadata(self) -> Metadata:
        return self._metadata

    def code(self) -> grpc.StatusCode | None:
        return CODES[self.ended.code] if self.ended else None

    def push_to(self, on_received: Callable[[], None], on_room: Callable[[], None]) -> None:
        """Call these from now on when `read_now` may have something, and when `has_room` may be true again."""
        self._on_received, self._on_room = on_received, on_room

    async def read(self) -> Any:
        """Return the next message, or `grpc.aio.EOF` if the bot has closed its side."""
        self._on_read(HOLDER.get())
        while (message := self.read_now()) is None:
            await self._reads.begin()
        return message

    def read_now(self) -> Any:
        """Do the same as `read`, but return None if nothing has been received."""
        if not self._received:
            return grpc.aio.EOF if self._closed else None
        self.arrived_us, message = self._received.pop(0)
        self._taken += cost_of(message)
        if self._taken * 2 >= WINDOW:
            self._send(CREDIT, COUNT.pack(self._taken))
            self._taken = 0
        return self._handler.request_deserializer(message)

    async def write(self, message: Any) -> None:
        """Send a message as soon as the door has taken enough of the earlier ones."""
        self.write_now(message)
        while not self.has_room:
            await self._writes.begin()

    @property
    def has_room(self) -> bool:
        """Whether a message can be written; otherwise one waits."""
        return self._unsent is None

    def write_now(self, message: Any) -> None:
        """Send a message, or let it wait until the door has taken enough of the earlier ones."""
        self._unsent = self._handler.response_serializer(message)
        self._send_unsent()

    def _send_unsent(self) -> None:
        if self._unsent is not None and self._credit >= (cost := cost_of(self._unsent)):
            self._credit -= cost
            self._send(MESSAGE, self._unsent)
            self._unsent = None

    async def abort(
        self, code: grpc.StatusCode, sentence: str = "", trailers: Sequence[tuple[str, bytes]] = ()
    ) -> None:
        """End the stream with this status. Raises AbortError."""
        self.ended = StreamEnd(code.value[0], sentence, dict(trailers).get(STATUS_DETAILS, b""))
        raise grpc.aio.AbortError(sentence)

    def receive(self, arrived_us: Micros, message: bytes) -> None:
        self._received.append((arrived_us, message))
        self._on_received()

    def close(self) -> None:
        """Let `read` return the end after what has been received."""
        self._closed = True
        self._on_received()

    def add_credit(self, cost: int) -> None:
        self._credit += cost
        if self._unsent is not None:
            self._send_unsent()
            self._on_room()


def cost_of(message: bytes) -> int:
    """Return what a message costs of the window; at most what is there when its receiver has taken everything."""
    return min(WINDOW // 2 + 1, 1 + len(message) // COST_BYTES)


CODES = {code.value[0]: code for code in grpc.StatusCode}


class DoorLink(asyncio.Protocol):
    """The connection of one door."""

    def __init__(self, handler: Any, lag: DoorLag, door: Door, name: str, links: "set[DoorLink]") -> None:
        """`links`: all that are connected, which this one joins."""
        self._handler = handler
        self._lag = lag
        self._door = door
        self._links = links
        self._loop = asyncio.get_running_loop()
        self.name = name
        self.ended = asyncio.Event()
        self._transport: asyncio.WriteTransport | None = None
        self._buffer = bytearray()
        self._streams: dict[int, tuple[LinkedStream, asyncio.Task[None]]] = {}
        self._unsent: list[bytes] = []
        self.counts: dict[str, int] = {}
        """What the door counts, as of its last beat."""

    @property
    def tasks(self) -> "list[asyncio.Task[None]]":
        return [task for _, task in self._streams.values()]

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._links.add(self)
        self._lag.connect(self._door)
        if self._door is not self._lag.own:
            self._drop_if_hanging()
        log.info("door connected", door=self.name)

    def connection_lost(self, exc: Exception | None) -> None:
        self._links.discard(self)
        self._transport = None
        for task in self.tasks:
            task.cancel()
        if self._door is not self._lag.own:
            self._lag.lose(self._door)
        self.ended.set()
        log.info("door disconnected", door=self.name, streams=len(self._streams))

    def _drop_if_hanging(self) -> None:
        if self._lag.is_late(self._door, DOOR_HANGS_US) and self._transport:
            self._transport.abort()  # What waits to be sent will never be.
        elif self._transport:
            self._loop.call_later(HANG_CHECK_S, self._drop_if_hanging)

    def data_received(self, data: bytes) -> None:
        buffer, at = self._buffer, 0
        buffer += data
        while len(buffer) - at >= HEAD.size:
            size, number, kind = HEAD.unpack_from(buffer, at)
            end = at + HEAD.size + size
            if size > MAX_FRAME_BYTES:
                self.drop()
                return
            if end > len(buffer):
                break
            self._receive(number, kind, bytes(buffer[at + HEAD.size : end]))
            at = end
        del buffer[:at]

    def drop(self) -> None:
        """Close the connection; its streams end."""
        if self._transport:
            self._transport.close()

    def _receive(self, number: int, kind: int, body: bytes) -> None:
        if kind == OPEN:
            metadata = msgspec.json.decode(body, type=Metadata)
            stream = LinkedStream(metadata, self._handler, partial(self._send, number), self._door.add_holder)
            task = self._loop.create_task(self._serve(number, stream))
            self._streams[number] = stream, task
            # Not by the task itself: one that is cancelled before its first step never runs.
            task.add_done_callback(lambda _: self._streams.pop(number))
            return
        if kind == BEAT:
            try:
                self.counts = decode_counts(body[STAMP.size :])
            except msgspec.DecodeError:
                log.error("a front door of another release has connected")
                self.drop()
                return
            (sent_ns,) = STAMP.unpack_from(body)
            self._lag.beat(self._door, sent_ns // NS_PER_US)
            if self._door is not self._lag.own:
                self._send(0, BEAT, b"")
            return
        found = self._streams.get(number)
        if found is None:  # It ended here while the frame was on its way.
            return
        stream, task = found
        if kind == MESSAGE:
            (arrived_ns,) = STAMP.unpack_from(body)
            stream.receive(arrived_ns // NS_PER_US + self._door.offset_us, body[STAMP.size :])
        elif kind == CREDIT:
            stream.add_credit(COUNT.unpack(body)[0])
        elif kind == CLOSE:
            stream.close()
        else:
            task.cancel()

    async def _serve(self, number: int, stream: LinkedStream) -> None:
        try:
            await self._handler.stream_stream(stream, stream)
            stream.ended = StreamEnd(grpc.StatusCode.OK.value[0], "")
        except grpc.aio.AbortError:
            pass
        finally:
            ended = stream.ended or StreamEnd(grpc.StatusCode.CANCELLED.value[0], "the call was reset")
            self._send(number, END, msgspec.json.encode(ended))

    def _send(self, number: int, kind: int, body: bytes) -> None:
        if not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent += (HEAD.pack(len(body), number, kind), body)

    def _flush(self) -> None:
        if self._transport:
            self._transport.write(b"".join(self._unsent))
        self._unsent.clear()


class DoorLinks:
    """The links of all doors."""

    def __init__(self, method: LinkedMethod, lag: DoorLag) -> None:
        self._method = method
        self._handler: Any = None
        self._lag = lag
        self._links: set[DoorLink] = set()
        self._connected = Counter[str]()
        """How often each door has connected so far, by name."""
        self._server: asyncio.Server | None = None

    def counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return what each door counts, and how often it is connected, by the names of their metrics."""
        found = {name: Counter(up=0, links_total=times) for name, times in self._connected.items()}
        for link in self._links:
            found[link.name].update(link.counts, up=1)
        return found

    @property
    def open_streams(self) -> int:
        return sum(len(link.tasks) for link in self._links)

    async def open(self, path: Path) -> None:
        """Listen at the Unix socket of that path for the own door. Until the first one is there, it is late."""
        self._lag.beat(self._lag.own, 0)
        self._connected[OWN] = 0
        await self.prepare()
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(lambda: self._link(OWN, self._lag.own), path)

    async def prepare(self) -> None:
        """Find the handler of all streams, before the first link."""
        self._handler = await self._method.find_handler()

    async def serve(self, transport: Any, received: bytes, name: str) -> None:
        """Serve a door on another machine, which has sent that already, until its connection ends."""
        link = self._link(name, Door(set()))
        transport.set_protocol(link)
        link.connection_made(transport)
        link.data_received(received)
        await link.ended.wait()

    def _link(self, name: str, door: Door) -> DoorLink:
        self._connected[name] += 1
        return DoorLink(self._handler, self._lag, door, name, self._links)

    async def close(self, grace_s: float) -> None:
        """Accept no more doors, and end the streams that are still open after the grace period."""
        if self._server:
            self._server.close()
        tasks = [task for link in self._links for task in link.tasks]
        if tasks:
            await asyncio.wait(tasks, timeout=grace_s)
        for link in list(self._links):
            link.drop()
