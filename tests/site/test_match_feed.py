"""A match as its visitors receive it, and events as they reach them through the HTTP server."""

import asyncio
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import h11
import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, StreamEnded
from hypercorn.asyncio import serve
from hypercorn.config import Config
from referee_api.v1 import entry_pb2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engines.registry import games
from referee.site import event_stream, match_feed
from referee.site.event_stream import PING, WRITER, EventStream
from referee.site.match_feed import INTERVAL_S, MAX_BEHIND, MAX_INTERVAL_S, RELOAD, MatchFeed, MatchFeeds
from referee.site.site_server import with_writer
from referee.site.upstream import UpstreamError
from referee.site.visitors import HEADERS, Protected, SiteAccess, Visitors
from tests.live.fake_time import settle
from tests.site.fake_upstream import NO_SUCH_MATCH, UNREACHABLE, FakeMatch
from tests.site.fast_time import in_fast_loop
from tests.site.samples import MATCH_ID, EventReader, entries, match


def feed_of(upstream: FakeMatch) -> MatchFeed:
    return MatchFeed(upstream, MATCH_ID, games())


async def ready_feed(*entries: entry_pb2.Entry) -> tuple[FakeMatch, MatchFeed]:
    upstream = FakeMatch(match(), *entries)
    feed = feed_of(upstream)
    await feed.ready()
    return upstream, feed


def unreachable_feed() -> tuple[FakeMatch, MatchFeed]:
    upstream = FakeMatch(match(), *entries(2))
    upstream.fail(UNREACHABLE)
    return upstream, feed_of(upstream)


@in_fast_loop
async def test_all_visitors_share_the_bytes_of_an_event() -> None:
    story = entries(3)
    upstream, feed = await ready_feed(*story[:3])
    visitors = [EventReader(feed.events(3)) for _ in range(5)]
    await settle()
    upstream.append(*story[3:])
    await asyncio.sleep(2 * INTERVAL_S)
    events = [visitor.received for visitor in visitors]
    assert all(len(received) == len(events[0]) > 0 for received in events)
    for same in zip(*events, strict=True):
        assert all(event is same[0] for event in same)


@in_fast_loop
async def test_entries_of_one_interval_share_an_event_with_the_last_board() -> None:
    story = entries(20)
    upstream, feed = await ready_feed(*story[:2])
    await asyncio.sleep(2 * INTERVAL_S)
    visitor = EventReader(feed.events(2))
    await settle()
    for entry in story[2:]:
        upstream.append(entry)
        await settle()
    await asyncio.sleep(2 * INTERVAL_S)
    assert visitor.numbers == [[3], list(range(4, 23))]
    assert visitor.data[-1]["board"] == feed.painter().svg(feed.frames[-1])
    assert visitor.ids == ["3", "22"]


@pytest.mark.parametrize(
    ("visitors", "interval_s"), [(1, INTERVAL_S), (200, INTERVAL_S), (500, 0.5), (1_000, 1.0), (3_000, MAX_INTERVAL_S)]
)
@in_fast_loop
async def test_events_are_rarer_with_more_visitors(visitors: int, interval_s: float) -> None:
    story = entries(4)
    upstream, feed = await ready_feed(*story[:2])
    await asyncio.sleep(2 * INTERVAL_S)
    visitor, *_others = [EventReader(feed.events(2)) for _ in range(visitors)]
    await settle()
    for entry in story[2:]:
        upstream.append(entry)
        await settle()
    await asyncio.sleep(interval_s - 0.01)
    assert visitor.numbers == [[3]], "the first entry after a pause is shown at once"
    await asyncio.sleep(0.02)
    assert visitor.numbers == [[3], [4, 5, 6]]


@in_fast_loop
async def test_a_visitor_continues_where_it_was_without_loss_or_repetition() -> None:
    _, feed = await ready_feed(*entries(9))
    for after in range(11):
        visitor = EventReader(feed.events(after))
        await settle()
        assert visitor.numbers == [list(range(after + 1, 12))]


@in_fast_loop
async def test_a_visitor_that_is_far_behind_loads_the_page_again() -> None:
    _, feed = await ready_feed(*entries(1))
    feed.frames += [*[feed.last] * (MAX_BEHIND - 1), replace(feed.last, number=MAX_BEHIND + 3)]
    visitors = [EventReader(feed.events(after)) for after in (2, 3)]
    await settle()
    assert visitors[0].received == [RELOAD]
    assert visitors[0].task.done()
    assert visitors[1].ids == [f"{MAX_BEHIND + 3}"]


@pytest.mark.parametrize("overlap", [0, 3])
@in_fast_loop
async def test_an_interrupted_watch_continues_after_the_last_entry(overlap: int) -> None:
    story = entries(10, over=True)
    upstream, feed = await ready_feed(*story[:5])
    visitor = EventReader(feed.events(0))
    await settle()
    upstream.fail(UNREACHABLE)
    await asyncio.sleep(60)
    upstream.overlap = overlap
    upstream.fail(None)
    upstream.append(*story[5:])
    await visitor.task
    assert [number for numbers in visitor.numbers for number in numbers] == list(range(1, 14))
    assert upstream.watched_after == [0, 5]
    assert visitor.data[-1]["result"] == "anna wins, no men"


@in_fast_loop
async def test_a_feed_becomes_ready_when_the_referee_is_there_again() -> None:
    upstream, feed = unreachable_feed()
    waiting = asyncio.create_task(feed.ready())
    await asyncio.sleep(30)
    assert not waiting.done()
    upstream.fail(None)
    await waiting
    assert feed.last.number == 4


@in_fast_loop
async def test_a_match_that_does_not_exist_is_an_error_for_whoever_waits_for_it() -> None:
    upstream = FakeMatch(match())
    upstream.fail(NO_SUCH_MATCH)
    feed = feed_of(upstream)
    with pytest.raises(UpstreamError) as caught:
        await feed.ready()
    assert caught.value.status == HTTPStatus.NOT_FOUND
    assert len(upstream.calls) == 1


@pytest.mark.parametrize("end", [lambda upstream, _: upstream.fail(NO_SUCH_MATCH), lambda _, feed: feed.close()])
@in_fast_loop
async def test_a_permanent_error_and_closing_the_feed_end_the_streams_of_visitors(end: Callable[..., Any]) -> None:
    upstream, feed = await ready_feed(*entries(2))
    visitor = EventReader(feed.events(4))
    await settle()
    if closing := end(upstream, feed):
        await closing
    await visitor.task
    assert visitor.received == []


@in_fast_loop
async def test_an_entry_that_cannot_be_shown_is_an_error_and_no_silence() -> None:
    story = entries(1)
    story[1].play_started.state.view_json = "x"
    broken = match()
    del broken.seat_layout.seat_names[:], broken.seats[:]
    story[0].seat_taken.SetInParent()
    feed = feed_of(FakeMatch(broken, *story))
    with pytest.raises(UpstreamError, match="This match cannot be shown"):
        await feed.ready()


@in_fast_loop
async def test_the_stream_of_a_match_that_is_over_ends() -> None:
    _, feed = await ready_feed(*entries(2, over=True))
    visitor = EventReader(feed.events(3))
    await visitor.task
    assert visitor.numbers == [[4, 5]]
    assert feed.is_over
    assert await feed.finish(_never) is None


@in_fast_loop
async def test_a_visitor_that_leaves_is_not_counted_any_more() -> None:
    _, feed = await ready_feed(*entries(2))
    visitor = EventReader(feed.events(4))
    await settle()
    assert feed.is_watched
    visitor.task.cancel()
    await settle()
    watched_later: bool = feed.is_watched
    assert not watched_later


@in_fast_loop
async def test_whoever_waits_for_a_feed_is_told_when_it_is_closed() -> None:
    _, feed = unreachable_feed()
    waiting = asyncio.create_task(feed.ready())
    await settle()
    await feed.close()
    with pytest.raises(UpstreamError) as caught:
        await waiting
    assert caught.value.is_temporary


@in_fast_loop
async def test_the_boards_are_found_by_their_move() -> None:
    _, feed = await ready_feed(*entries(3, over=True))
    assert [feed.frame_at(ply).number for ply in (0, 1, 3, 99)] == [2, 3, 5, 5]
    assert feed.frame_at(None) is feed.frames[5]


@in_fast_loop
async def test_a_feed_serves_all_who_ask_for_its_match() -> None:
    upstream = FakeMatch(match(), *entries(2))
    feeds = MatchFeeds(upstream, games())
    first, second = await asyncio.gather(feeds.feed(MATCH_ID), feeds.feed(MATCH_ID))
    assert first is second
    assert len(upstream.watched_after) == 1


@in_fast_loop
async def test_a_match_that_could_not_be_shown_is_tried_again_at_the_next_visit() -> None:
    upstream = FakeMatch(match(), *entries(2))
    upstream.fail(NO_SUCH_MATCH)
    feeds = MatchFeeds(upstream, games())
    with pytest.raises(UpstreamError):
        await feeds.feed(MATCH_ID)
    upstream.fail(None)
    assert (await feeds.feed(MATCH_ID)).last.number == 4


@pytest.mark.parametrize(("limit", "most"), [("MAX_FEEDS", 3), ("MAX_FRAMES", 14)])
@in_fast_loop
async def test_feeds_that_nobody_watches_are_closed_first(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(match_feed, limit, most)
    feeds = MatchFeeds(FakeMatch(match(), *entries(2)), games())
    watched = await feeds.feed("watched")
    visitor = EventReader(watched.events(4))
    await settle()
    for number in range(6):
        await feeds.feed(f"other {number}")
    assert await feeds.feed("watched") is watched
    assert not visitor.task.done()
    others = [await feeds.feed("other 5"), await feeds.feed("other 0")]
    assert others[0].last.number == 4
    await feeds.close()
    await visitor.task


async def _never(*_: object, **__: object) -> Any:
    raise AssertionError("there is no record to verify")


EVENTS = [b"data: 1\n\n", "data: é\n\n".encode(), b"data: " + b"x" * 300_000 + b"\n\n"]
BODY = PING + b"".join(EVENTS)

Events = Callable[[], AsyncGenerator[bytes, None]]


async def some_events() -> AsyncGenerator[bytes, None]:
    for event in EVENTS:
        await asyncio.sleep(0)
        yield event


class ServedStream:
    """A stream of events behind Hypercorn, as the site serves its own."""

    def __init__(self, events: Events = some_events) -> None:
        self._events = events
        self.port = 0
        self.visits: list[bool] = []
        """For each request whether its events are written past the HTTP server."""

    async def _answer(self, request: Request) -> Response:
        self.visits.append(request.scope[WRITER] is not None)
        return EventStream(self._events())

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[None]:
        opened = socket.create_server(("127.0.0.1", 0))
        self.port = opened.getsockname()[1]
        config = Config()
        config.bind = [f"fd://{opened.detach()}"]
        config.errorlog = None
        stop = asyncio.Event()

        async def wait_for_stop() -> None:
            await stop.wait()

        app: Any = with_writer(Protected(Starlette(routes=[Route("/events", self._answer)]), Visitors(), SiteAccess()))
        serving = asyncio.create_task(serve(app, config, shutdown_trigger=wait_for_stop))
        try:
            yield
        finally:
            stop.set()
            await serving

    @asynccontextmanager
    async def connect(self, data: bytes) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(data)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


async def read_response(reader: asyncio.StreamReader, client: h11.Connection) -> tuple[h11.Response, bytes]:
    """Return the head and the body of a response, whose framing h11 checks."""
    heads: list[h11.Response] = []
    body = b""
    while True:
        event = client.next_event()
        if event is h11.NEED_DATA:
            client.receive_data(await reader.read(1 << 16))
        elif isinstance(event, h11.Response):
            heads.append(event)
        elif isinstance(event, h11.Data):
            body += event.data
        else:
            assert isinstance(event, h11.EndOfMessage)
            return heads[0], body


async def test_events_are_written_past_the_server_as_chunks_that_it_can_end() -> None:
    stream, client = ServedStream(), h11.Connection(h11.CLIENT)
    async with stream.serve(), stream.connect(b"") as (reader, writer):
        for _ in range(2):  # The connection can be used again.
            writer.write(client.send(h11.Request(method="GET", target="/events", headers=[("Host", "localhost")])))
            client.send(h11.EndOfMessage())
            head, body = await read_response(reader, client)
            assert body == BODY
            assert {(b"content-type", b"text/event-stream"), *HEADERS} <= set(head.headers)
            client.start_next_cycle()
    assert stream.visits == [True, True]


@pytest.mark.parametrize(
    ("request_line", "body"),
    [(b"GET /events HTTP/1.0", BODY), (b"HEAD /events HTTP/1.1", b"")],
    ids=["HTTP/1.0", "HEAD"],
)
async def test_a_response_without_chunks_is_left_to_the_server(request_line: bytes, body: bytes) -> None:
    stream = ServedStream()
    request = request_line + b"\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    async with stream.serve(), stream.connect(request) as (reader, _):
        head, _, received = (await reader.read(-1)).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert received == body
    assert stream.visits == [False]


async def test_a_stream_of_http_2_is_left_to_the_server() -> None:
    stream, client = ServedStream(), H2Connection(H2Configuration(client_side=True))
    client.initiate_connection()
    headers = [(":method", "GET"), (":path", "/events"), (":scheme", "http"), (":authority", "localhost")]
    client.send_headers(1, headers, end_stream=True)
    async with stream.serve(), stream.connect(client.data_to_send()) as (reader, writer):
        body, ended = b"", False
        while not ended:
            for event in client.receive_data(await reader.read(1 << 16)):
                if isinstance(event, DataReceived):
                    body += event.data or b""
                    client.acknowledge_received_data(event.flow_controlled_length or 0, 1)
                ended = ended or isinstance(event, StreamEnded)
            writer.write(client.data_to_send())
    assert body == BODY
    assert stream.visits == [False]


REQUEST = b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def test_a_visitor_that_does_not_read_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_stream, "SEND_TIMEOUT_S", 0.01)
    over = asyncio.Event()

    async def endless() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield EVENTS[-1]
        finally:
            over.set()

    stream = ServedStream(endless)
    async with stream.serve(), stream.connect(REQUEST) as (reader, writer):
        writer.transport.pause_reading()  # type: ignore[attr-defined]  # A socket reads, too.
        await over.wait()
        writer.transport.resume_reading()  # type: ignore[attr-defined]
        assert not (await reader.read(-1)).endswith(b"\r\n0\r\n\r\n"), "its stream must not look complete"
    assert stream.visits == [True]


async def test_a_stream_ends_when_its_visitor_leaves() -> None:
    over = asyncio.Event()

    async def silent() -> AsyncGenerator[bytes, None]:
        try:
            yield EVENTS[0]
            await asyncio.get_running_loop().create_future()
        finally:
            over.set()

    stream = ServedStream(silent)
    async with stream.serve():
        async with stream.connect(REQUEST) as (reader, _):
            await reader.readuntil(EVENTS[0])
            assert not over.is_set()
        await over.wait()
