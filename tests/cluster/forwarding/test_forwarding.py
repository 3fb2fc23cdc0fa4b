"""Calls that a node forwards to another one: what arrives, who is counted, and what happens to them in time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from referee_api.v1.ladder_pb2 import LadderEntry
from referee_api.v1.ladder_service_pb2 import WatchLadderItem, WatchLadderResponse

from engines.registry import games
from referee.accounts.tokens import Role
from referee.cluster.forwarding.forwarding_header import HEADER, ForwardingHeader
from referee.transport import forwarding
from referee.transport.contract_options import CALL_RULES
from referee.transport.forwarding.routes import Route
from referee.transport.server import MAX_STREAMS_PER_CONNECTION
from tests.cluster.forwarding.nodes import (
    KEY,
    METHODS,
    SETTINGS,
    Cluster,
    Node,
    OtherEnd,
    error_of,
    run_cluster,
    run_other_end,
    start_call,
)
from tests.e2e.contests import match_terms
from tests.e2e.server import TIMEOUT_S

FORWARDED = [method for method, rule in CALL_RULES.items() if rule.route is not Route.LOCAL]
ASKED: Sequence[dict[str, Any]] = (
    {},
    {"request_id": "r1"},
    {"match_id": "m1"},
    {"ladder": "l"},
    {"tournament": "t"},
)
LADDER: dict[str, Any] = {"request_id": "r1", "name": "cup", "terms": {"match_terms": [match_terms()]}}


def with_cluster(folder: Path, check: Callable[[Cluster], Awaitable[None]], **settings: Any) -> None:
    async def run() -> None:
        async with asyncio.timeout(TIMEOUT_S), run_cluster(folder, **settings) as cluster:
            await check(cluster)

    asyncio.run(run())


async def status_of(call: Any, streams: bool) -> tuple[Any, ...]:
    """Return code, details and trailing metadata of a call, and its answers."""
    answers = []
    try:
        if streams:
            answers += [answer async for answer in call]
        else:
            answers.append(await call)
    except grpc.aio.AioRpcError as error:
        return error.code(), error.details(), tuple(error.trailing_metadata()), answers
    return await call.code(), await call.details(), tuple(await call.trailing_metadata()), answers


@pytest.mark.parametrize("method", FORWARDED)
def test_a_routed_rpc_has_what_its_route_needs(method: str) -> None:
    described, rule = METHODS[method], CALL_RULES[method]
    assert not described.client_streaming
    if rule.route is Route.MATCH:
        assert "match_id" in described.input_type.fields_by_name
    if rule.route is Route.BOT:
        assert rule.callers == {Role.BOT}


def test_every_forwarded_method_has_the_status_that_the_other_node_gives_it(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        organiser = (await cluster.a.call("AdminService/CreateToken", cluster.admin, role=3, holder="ada")).secret
        bot = (await cluster.a.call("BotService/RegisterBot", organiser, request_id="r1", name="anna")).secret
        errors = 0
        for method in FORWARDED:
            for secret in (cluster.admin, organiser, bot):
                for fields in ASKED:
                    if not fields.keys() <= set(METHODS[method].input_type.fields_by_name):
                        continue
                    streams = METHODS[method].server_streaming
                    direct = await status_of(start_call(cluster.a.channel, method, secret, **fields), streams)
                    through = await status_of(start_call(cluster.b.channel, method, secret, **fields), streams)
                    if direct[0] is grpc.StatusCode.OK:
                        assert through[0] is grpc.StatusCode.OK, method
                    else:
                        assert through == direct, method
                        errors += 1
        assert errors > 100
        assert {route for route, _ in cluster.b.router.asked} == set(Route) - {Route.LOCAL}

    with_cluster(tmp_path, check)


def test_a_competition_can_be_set_up_through_a_node_that_runs_nothing(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        a, b = cluster.a, cluster.b
        organiser = (await b.call("AdminService/CreateToken", cluster.admin, role=3, holder="ada")).secret
        for bot in ("anna", "bob"):
            await b.call("BotService/RegisterBot", organiser, request_id=bot, name=bot)
        created = await b.call("LadderService/CreateLadder", organiser, **LADDER)
        again = await a.call("LadderService/CreateLadder", organiser, **LADDER)
        assert again.ladder == created.ladder
        await b.call("LadderService/JoinLadder", organiser, ladder="cup", entrant={"bots": [{"bot": "anna"}]})
        through, direct = [await node.call("LadderService/GetLadder", organiser, name="cup") for node in (b, a)]
        assert through == direct
        watch = start_call(b.channel, "LadderService/WatchLadder", organiser, ladder="cup", after_number=0)
        numbers = []
        async for answer in watch:
            numbers += [item.entry.number for item in answer.items if item.HasField("entry")]
            if len(numbers) >= 2:
                break
        watch.cancel()
        assert numbers[:2] == [1, 2]
        assert [bot.name for bot in (await b.call("BotService/ListBots", organiser)).bots] == ["anna", "bob"]

    with_cluster(tmp_path, check)


def test_rates_are_counted_by_the_node_that_answers_and_only_there(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        for _ in range(20):
            await cluster.b.call("LadderService/ListLadders", cluster.admin)
        await cluster.b.call("BotService/ListBots", cluster.admin)
        assert (await error_of(cluster.b.call("BotService/ListBots", cluster.admin))).reason == "TOO_MANY_CALLS"
        await cluster.b.call("LadderService/ListLadders", cluster.admin)

    with_cluster(tmp_path, check, b=replace(SETTINGS, calls_per_minute=1))


def test_the_rate_limit_of_the_node_that_answers_holds_for_calls_through_another_one(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        await cluster.b.call("LadderService/ListLadders", cluster.admin)
        assert (await error_of(cluster.a.call("LadderService/ListLadders", cluster.admin))).reason == "TOO_MANY_CALLS"
        assert (await error_of(cluster.b.call("LadderService/ListLadders", cluster.admin))).reason == "TOO_MANY_CALLS"

    with_cluster(tmp_path, check, a=replace(SETTINGS, calls_per_minute=1))


REDEEM: dict[str, Any] = {"code": "rfi_none", "request_id": "r1", "holder": "ada"}


def test_limits_by_address_are_those_of_the_original_caller(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        a, b, method = cluster.a, cluster.b, "InvitationService/RedeemInvitation"
        assert (await error_of(b.call(method, None, **REDEEM))).reason == "BAD_INVITATION"
        assert (await error_of(b.call(method, None, **REDEEM))).reason == "TOO_MANY_CALLS"
        assert (await error_of(a.call(method, None, **REDEEM))).reason == "BAD_INVITATION"

    with_cluster(tmp_path, check, a=replace(SETTINGS, redemptions_per_minute=1))


def test_the_public_reads_through_another_node_within_the_limits_of_its_own_address(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        a, b, method = cluster.a, cluster.b, "LadderService/ListLadders"
        await b.call(method, None)
        assert (await error_of(b.call(method, None))).reason == "TOO_MANY_CALLS"
        await a.call(method, None)

    settings = replace(SETTINGS, public_reading=True, public_calls_per_minute=1)
    with_cluster(tmp_path, check, a=settings, b=settings)


@pytest.mark.parametrize("to", ["a", "b"])
def test_a_caller_gains_nothing_by_the_header_of_forwarded_calls(tmp_path: Path, to: str) -> None:
    async def check(cluster: Cluster) -> None:
        node: Node = getattr(cluster, to)
        path = "/referee_api.v1.LadderService/ListLadders"
        stranger = ForwardingHeader(b"another key", "b").write(path, "10.0.0.1")
        for forged in ("1", "a 1 10.0.0.1", f"a 1 10.0.0.1 {'0' * 32}", "x" * 2_000, stranger):
            call = start_call(node.channel, "LadderService/ListLadders", cluster.admin, (HEADER, forged))
            assert (await error_of(call)).reason == "BAD_FIELD"
        call = start_call(node.channel, "GameService/ListGames", cluster.admin, (HEADER, "1"))
        assert len((await call).games) == len(games())

    with_cluster(tmp_path, check)


def test_a_header_counts_for_its_method_only_and_once(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        header = ForwardingHeader(KEY, "c").write("/referee_api.v1.LadderService/ListLadders", "10.0.0.1")

        def call(method: str) -> Any:
            return start_call(cluster.a.channel, method, cluster.admin, (HEADER, header))

        assert (await error_of(call("TournamentService/ListTournaments"))).reason == "BAD_FIELD"
        await call("LadderService/ListLadders")
        assert (await error_of(call("LadderService/ListLadders"))).reason == "BAD_FIELD"

    with_cluster(tmp_path, check)


def test_a_call_is_never_forwarded_twice(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        cluster.a.router.address = cluster.b.address
        for node in (cluster.a, cluster.b):
            error = await error_of(node.call("LadderService/ListLadders", cluster.admin))
            assert error.reason == "NODE_UNAVAILABLE"
            assert error.sentence == "the node that answers this call has just changed; retry"

    with_cluster(tmp_path, check)


def test_calls_fail_with_a_retry_delay_while_no_coordinator_is_known(tmp_path: Path) -> None:
    async def check(cluster: Cluster) -> None:
        cluster.b.router.address = ""
        error = await error_of(cluster.b.call("LadderService/ListLadders", cluster.admin))
        assert error.reason == "NODE_UNAVAILABLE"
        await cluster.b.call("GameService/ListGames", cluster.admin)

    with_cluster(tmp_path, check)


def test_only_one_function_asks_grpc_for_the_peer_of_a_call() -> None:
    folder = Path(forwarding.__file__).parents[1]
    assert [file.name for file in folder.rglob("*.py") if ".peer()" in file.read_text()] == ["caller_address.py"]


WATCH, CALL = "LadderService/WatchLadder", "LadderService/ListLadders"
EMPTY = WatchLadderResponse().SerializeToString()
LARGE = WatchLadderResponse(items=[WatchLadderItem(entry=LadderEntry(number=1))] * 10_000).SerializeToString()


@dataclass
class Scene:
    other: OtherEnd
    node: Node
    token: str
    server: grpc.aio.Server

    def start(self, method: str) -> Any:
        return start_call(self.node.channel, method, self.token)


def play(folder: Path, behaviour: Any, check: Callable[[Scene], Awaitable[None]], **settings: Any) -> None:
    async def run() -> None:
        async with asyncio.timeout(TIMEOUT_S):
            async with run_other_end(folder, behaviour, replace(SETTINGS, **settings)) as scene:
                await check(Scene(*scene))

    asyncio.run(run())


async def answer_at_once(_request: bytes, _context: Any) -> bytes:
    return EMPTY


class Endless:
    """Answers with one message if it is a stream, and then nothing more; records its cancellation."""

    def __init__(self) -> None:
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.deadline_s: float | None = None

    async def __call__(self, _request: bytes, context: Any) -> bytes:
        self.deadline_s = context.time_remaining()
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled.set()
        return EMPTY


async def watch_endlessly(_request: bytes, context: Any) -> None:
    await context.write(EMPTY)
    await asyncio.Event().wait()


@pytest.mark.parametrize("method", [CALL, WATCH])
def test_a_cancelled_call_is_cancelled_on_the_other_node(tmp_path: Path, method: str) -> None:
    endless = Endless()

    async def check(scene: Scene) -> None:
        call = scene.start(method)
        waiting = asyncio.ensure_future(call.read() if method == WATCH else call)
        await endless.started.wait()
        call.cancel()
        await endless.cancelled.wait()
        await asyncio.wait([waiting])

    play(tmp_path, endless, check)


def test_the_deadline_of_a_call_holds_on_the_other_node(tmp_path: Path) -> None:
    endless = Endless()

    async def check(scene: Scene) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await start_call(scene.node.channel, CALL, scene.token, timeout_s=0.5)
        assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        await endless.cancelled.wait()
        assert endless.deadline_s is not None
        assert endless.deadline_s <= 0.5

    play(tmp_path, endless, check)


def test_only_the_headers_that_nodes_read_are_passed_on(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        headers = (("traceparent", "00-1-2-01"), ("x-secret", "1"), ("grpc-accept-encoding", "gzip"))
        await start_call(scene.node.channel, CALL, scene.token, *headers)
        _, received = scene.other.calls[0]
        assert received["authorization"] == f"Bearer {scene.token}"
        assert received["traceparent"] == "00-1-2-01"
        assert "x-secret" not in received
        assert received["referee-forwarded"].startswith("b 1 unix ")

    play(tmp_path, answer_at_once, check)


def test_a_request_that_is_too_large_is_rejected_by_the_node_that_received_it(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        call = start_call(scene.node.channel, "LadderService/CreateLadder", scene.token, title="x" * 2_000)
        assert (await error_of(call)).reason == "MESSAGE_TOO_LARGE"
        assert not scene.other.calls

    play(tmp_path, answer_at_once, check, max_message_bytes=1_024)


def test_a_call_with_a_wrong_token_is_rejected_by_the_node_that_received_it(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        for secret, reason in ((None, "NO_TOKEN"), ("rf_wrong", "BAD_TOKEN")):
            assert (await error_of(start_call(scene.node.channel, CALL, secret))).reason == reason
        assert not scene.other.calls

    play(tmp_path, answer_at_once, check)


@pytest.mark.parametrize("method", [CALL, WATCH])
def test_a_node_that_cannot_be_reached_is_an_error_with_a_retry_delay(tmp_path: Path, method: str) -> None:
    async def check(scene: Scene) -> None:
        await scene.server.stop(None)
        call = scene.start(method)
        error = await error_of(call.read() if method == WATCH else call)
        assert error.reason == "NODE_UNAVAILABLE"
        assert "RetryInfo" in error.details

    play(tmp_path, answer_at_once, check)


@pytest.mark.parametrize("method", [CALL, WATCH])
@pytest.mark.parametrize("end", ["stop", "leave"])
def test_a_call_whose_node_disappears_ends_with_an_error(tmp_path: Path, method: str, end: str) -> None:
    endless = Endless()

    async def check(scene: Scene) -> None:
        call = scene.start(method)
        waiting = asyncio.ensure_future(call.read() if method == WATCH else call)
        await endless.started.wait()
        if end == "stop":
            await scene.server.stop(None)
        else:
            await scene.node.channels.keep_only([])
        assert (await error_of(waiting)).reason == "NODE_UNAVAILABLE"

    play(tmp_path, endless, check)


def test_a_stream_that_breaks_after_its_first_answers_ends_with_an_error(tmp_path: Path) -> None:
    async def check(scene: Scene) -> None:
        call = scene.start(WATCH)
        assert await call.read() == WatchLadderResponse()
        await scene.server.stop(None)
        assert (await error_of(call.read())).reason == "NODE_UNAVAILABLE"

    play(tmp_path, watch_endlessly, check)


def test_a_reader_that_is_slow_delays_the_other_node_and_gets_everything(tmp_path: Path) -> None:
    answers, written = 400, 0

    async def offer(context: Any) -> None:
        nonlocal written
        for _ in range(answers):
            await context.write(LARGE)
            written += 1

    async def behaviour(request: bytes, context: Any) -> bytes | None:
        if b"other" in request:
            return EMPTY
        await offer(context)
        return None

    async def check(scene: Scene) -> None:
        call = scene.start(WATCH)
        await call.read()
        before, same = -1, 0
        while same < 50:  # Other calls still pass, while this stream has come to a halt.
            same = same + 1 if written == before else 0
            before = written
            await start_call(scene.node.channel, "LadderService/GetLadder", scene.token, name="other")
        assert written * len(LARGE) < answers * len(LARGE) / 4
        read = 1
        while await call.read() is not grpc.aio.EOF:
            read += 1
        assert read == answers

    play(tmp_path, behaviour, check)


def test_more_streams_than_one_connection_holds_do_not_delay_other_calls(tmp_path: Path) -> None:
    async def behaviour(request: bytes, context: Any) -> bytes | None:
        if b"other" in request:
            return EMPTY
        await watch_endlessly(request, context)
        return None

    async def check(scene: Scene) -> None:
        async with more_channels(scene.node.address) as channels:
            streams = [start_call(channels[n % 4], WATCH, scene.token) for n in range(MAX_STREAMS_PER_CONNECTION + 1)]
            for stream in streams:
                await stream.read()
            await start_call(scene.node.channel, "LadderService/GetLadder", scene.token, name="other")

    play(tmp_path, behaviour, check)


@asynccontextmanager
async def more_channels(address: str) -> AsyncIterator[list[grpc.aio.Channel]]:
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(address, options) for _ in range(4)]
    yield channels
    for channel in channels:
        await channel.close()
