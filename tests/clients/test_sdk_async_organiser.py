"""The asynchronous organiser: coroutines and asynchronous iterators for everything, which can be cancelled."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import grpc
import grpc.aio
import pytest
from referee_api.v1 import entry_pb2, game_service_pb2, match_service_pb2
from referee_client import AsyncOrganiser, Organiser, Refused, Unreachable
from referee_client.backoff import Backoff
from referee_client.organiser import calls

from tests.clients.relay import run_relay
from tests.e2e.server import TIMEOUT_S, run_server

SERVICES = ("accounts", "play", "ladders", "tournaments", "invitations", "administration")
LAST_ENTRY = 3

P = ParamSpec("P")


class StallingReferee:
    """A server on this event loop whose answers do not come."""

    def __init__(self) -> None:
        self.called = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.watched_after: list[int] = []
        """The number after which each watch was opened."""
        self.end_watches_with: grpc.StatusCode | None = None
        """Status of a watch whose log is not complete. None: it stays open."""

    async def list_games(self, _request: object, _context: object) -> game_service_pb2.ListGamesResponse:
        """Wait until the call is cancelled."""
        self.called.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.cancelled.set()
        raise AssertionError("nothing else ends the call")

    async def watch_match(
        self, request: match_service_pb2.WatchMatchRequest, context: Any
    ) -> AsyncIterator[match_service_pb2.WatchMatchResponse]:
        """Send the next entry only, then end the stream if the log is complete or a status is set."""
        self.watched_after.append(request.after_number)
        entry = entry_pb2.Entry(number=request.after_number + 1)
        yield match_service_pb2.WatchMatchResponse(items=[match_service_pb2.WatchMatchItem(entry=entry)])
        if entry.number < LAST_ENTRY:
            if self.end_watches_with:
                await context.abort(self.end_watches_with, "broken")
            await asyncio.get_running_loop().create_future()

    def handlers(self) -> list[grpc.GenericRpcHandler]:
        games: Any = grpc.unary_unary_rpc_method_handler(
            self.list_games, response_serializer=game_service_pb2.ListGamesResponse.SerializeToString
        )
        matches: Any = grpc.unary_stream_rpc_method_handler(
            self.watch_match,
            request_deserializer=match_service_pb2.WatchMatchRequest.FromString,
            response_serializer=match_service_pb2.WatchMatchResponse.SerializeToString,
        )
        return [
            grpc.method_handlers_generic_handler("referee_api.v1.GameService", {"ListGames": games}),
            grpc.method_handlers_generic_handler("referee_api.v1.MatchService", {"WatchMatch": matches}),
        ]


@asynccontextmanager
async def connect(referee: StallingReferee) -> AsyncIterator[AsyncOrganiser]:
    server = grpc.aio.server()
    server.add_generic_rpc_handlers(referee.handlers())
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with AsyncOrganiser(f"127.0.0.1:{port}", "rf_any") as organiser:
            yield organiser
    finally:
        await server.stop(None)


def asynchronous(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Run a test on an event loop."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


async def wait_and_cancel(waiting: "asyncio.Task[Any]") -> None:
    """Cancel a task that waits for the referee."""
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


def public_methods(one: object) -> dict[str, list[str]]:
    """Return the names of the parameters of each public method."""
    methods = inspect.getmembers(type(one), inspect.isfunction)
    return {name: list(inspect.signature(method).parameters) for name, method in methods if not name.startswith("_")}


@asynchronous
async def test_a_cancelled_task_cancels_its_call() -> None:
    referee = StallingReferee()
    async with connect(referee) as organiser:
        waiting = asyncio.ensure_future(organiser.games())
        await referee.called.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await referee.cancelled.wait()


@asynchronous
async def test_closing_the_organiser_ends_its_calls_with_an_error() -> None:
    referee = StallingReferee()
    async with connect(referee) as organiser:
        waiting = asyncio.ensure_future(organiser.games())
        await referee.called.wait()
        await organiser.close()
        with pytest.raises(Unreachable, match="closed"):
            await waiting


@asynchronous
async def test_a_watch_whose_next_entry_was_cancelled_continues_with_it() -> None:
    referee = StallingReferee()
    async with connect(referee) as organiser:
        watching = organiser.watch("one")
        assert (await anext(watching)).number == 1
        await wait_and_cancel(asyncio.ensure_future(anext(watching)))
        assert (await anext(watching)).number == 2
        await wait_and_cancel(asyncio.ensure_future(anext(watching)))
        assert [entry.number async for entry in watching] == [LAST_ENTRY]
    assert referee.watched_after == [0, 1, 2]


@pytest.mark.parametrize("code", ["UNAVAILABLE", "INTERNAL", "UNKNOWN", "RESOURCE_EXHAUSTED"])
def test_a_watch_that_breaks_continues_after_its_last_entry(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Backoff, "after_failure", lambda _: 0)

    @asynchronous
    async def scenario() -> None:
        referee = StallingReferee()
        referee.end_watches_with = grpc.StatusCode[code]
        async with connect(referee) as organiser:
            assert [entry.number async for entry in organiser.watch("one")] == [1, 2, LAST_ENTRY]
        assert referee.watched_after == [0, 1, 2]

    scenario()


@asynchronous
async def test_a_watch_that_is_rejected_ends_with_the_error() -> None:
    referee = StallingReferee()
    referee.end_watches_with = grpc.StatusCode.NOT_FOUND
    async with connect(referee) as organiser:
        watching = organiser.watch("one")
        assert (await anext(watching)).number == 1
        with pytest.raises(Refused, match="NOT_FOUND"):
            await anext(watching)


@asynchronous
async def test_a_watch_that_another_task_closes_ends() -> None:
    async with connect(StallingReferee()) as organiser, aclosing(organiser.watch("one")) as watching:
        assert (await anext(watching)).number == 1
        waiting = asyncio.ensure_future(anext(watching, None))
        await asyncio.sleep(0)
        watching.close()
        assert await waiting is None
        assert [entry async for entry in watching] == []


def test_an_asynchronous_organiser_needs_a_running_event_loop() -> None:
    with pytest.raises(RuntimeError, match="no running event loop"):
        AsyncOrganiser("127.0.0.1:1", "rf_any")


@asynchronous
async def test_both_organisers_have_the_same_methods() -> None:
    async with AsyncOrganiser("127.0.0.1:1", "rf_any") as organiser:
        with Organiser("127.0.0.1:1", "rf_any") as blocking:
            assert public_methods(blocking) == public_methods(organiser)
            for service in SERVICES:
                assert public_methods(getattr(blocking, service)) == public_methods(getattr(organiser, service))


@asynchronous
async def test_an_unreachable_server_raises_unreachable() -> None:
    async with AsyncOrganiser("127.0.0.1:1", "rf_any", patience_s=0) as nowhere:
        with pytest.raises(Unreachable):
            await nowhere.games()


@pytest.mark.slow
@asynchronous
async def test_a_watch_on_a_stalled_connection_continues_on_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for option in ("grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms"):
        monkeypatch.setitem(calls.KEEPALIVE, option, 1_000)
    async with AsyncExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path, "--ephemeral", "--min-client-ping-interval-ms", "100"))
        organiser = await stack.enter_async_context(AsyncOrganiser(server.address, server.admin_token))
        relay = stack.enter_context(run_relay(server.address))
        remote = await stack.enter_async_context(
            AsyncOrganiser(relay.address, server.admin_token, patience_s=TIMEOUT_S)
        )
        match = await organiser.create_match("trox")
        entries = remote.watch(match.id)
        numbers = [(await anext(entries)).number]
        before = relay.connections
        relay.stall()
        await organiser.abort(match.id)
        numbers += [entry.number async for entry in entries]
        assert numbers == list(range(1, len(numbers) + 1))
        assert relay.connections > before
