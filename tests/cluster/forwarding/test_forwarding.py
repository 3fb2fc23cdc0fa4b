"""Calls that a node forwards to another one, perhaps by TLS: what arrives, who is counted, and what happens in time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
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
from referee.live.match_timing import LoopTime
from referee.match.clock import SECOND
from referee.server.settings import Settings
from referee.server.stores import open_stores
from referee.transport import forwarding
from referee.transport.contract_options import CALL_RULES
from referee.transport.forwarding.routes import Route
from referee.transport.server import MAX_STREAMS_PER_CONNECTION
from referee.transport.tls import InvalidTlsFiles, NodeCredentials, TlsFiles, credentials
from tests.cluster.forwarding.nodes import (
    KEY,
    METHODS,
    PACKAGE,
    SETTINGS,
    Cluster,
    FixedRouter,
    Node,
    NodeFiles,
    error_of,
    files_of,
    run_cluster,
    run_node,
    start_call,
)
from tests.cluster.worlds import in_world
from tests.e2e.contests import match_terms
from tests.e2e.test_tls import Certificate
from tests.live.fake_time import FakeTime

FORWARDED = [method for method, rule in CALL_RULES.items() if rule.route is not Route.LOCAL]
ASKED: Sequence[dict[str, Any]] = (
    {},
    {"request_id": "r1"},
    {"match_id": "m1"},
    {"ladder": "l"},
    {"tournament": "t"},
)
LADDER: dict[str, Any] = {"request_id": "r1", "name": "cup", "terms": {"match_terms": [match_terms()]}}


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


@in_world(run_cluster)
async def test_every_forwarded_method_has_the_status_that_the_other_node_gives_it(cluster: Cluster) -> None:
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


@in_world(run_cluster)
async def test_a_competition_can_be_set_up_through_a_node_that_runs_nothing(cluster: Cluster) -> None:
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


@in_world(partial(run_cluster, b=replace(SETTINGS, calls_per_minute=1)))
async def test_rates_are_counted_by_the_node_that_answers_and_only_there(cluster: Cluster) -> None:
    for _ in range(20):
        await cluster.b.call("LadderService/ListLadders", cluster.admin)
    await cluster.b.call("BotService/ListBots", cluster.admin)
    assert (await error_of(cluster.b.call("BotService/ListBots", cluster.admin))).reason == "TOO_MANY_CALLS"
    await cluster.b.call("LadderService/ListLadders", cluster.admin)


@in_world(partial(run_cluster, a=replace(SETTINGS, calls_per_minute=1)))
async def test_the_rate_limit_of_the_node_that_answers_holds_for_calls_through_another_one(cluster: Cluster) -> None:
    await cluster.b.call("LadderService/ListLadders", cluster.admin)
    assert (await error_of(cluster.a.call("LadderService/ListLadders", cluster.admin))).reason == "TOO_MANY_CALLS"
    assert (await error_of(cluster.b.call("LadderService/ListLadders", cluster.admin))).reason == "TOO_MANY_CALLS"


REDEEM: dict[str, Any] = {"code": "rfi_none", "request_id": "r1", "holder": "ada"}


@in_world(partial(run_cluster, a=replace(SETTINGS, redemptions_per_minute=1)))
async def test_limits_by_address_are_those_of_the_original_caller(cluster: Cluster) -> None:
    a, b, method = cluster.a, cluster.b, "InvitationService/RedeemInvitation"
    assert (await error_of(b.call(method, None, **REDEEM))).reason == "BAD_INVITATION"
    assert (await error_of(b.call(method, None, **REDEEM))).reason == "TOO_MANY_CALLS"
    assert (await error_of(a.call(method, None, **REDEEM))).reason == "BAD_INVITATION"


PUBLIC = replace(SETTINGS, public_reading=True, public_calls_per_minute=1)


@in_world(partial(run_cluster, PUBLIC, PUBLIC))
async def test_the_public_reads_through_another_node_within_the_limits_of_its_own_address(cluster: Cluster) -> None:
    a, b, method = cluster.a, cluster.b, "LadderService/ListLadders"
    await b.call(method, None)
    assert (await error_of(b.call(method, None))).reason == "TOO_MANY_CALLS"
    await a.call(method, None)


@pytest.mark.parametrize("to", ["a", "b"])
@in_world(run_cluster)
async def test_a_caller_gains_nothing_by_the_header_of_forwarded_calls(cluster: Cluster, *, to: str) -> None:
    node: Node = getattr(cluster, to)
    path = "/referee_api.v1.LadderService/ListLadders"
    stranger = ForwardingHeader(b"another key", "b").write(path, "10.0.0.1")
    other_method = ForwardingHeader(KEY, "b").write("/referee_api.v1.TournamentService/ListTournaments", "10.0.0.1")
    for forged in ("1", "a 1 10.0.0.1", f"a 1 10.0.0.1 {'0' * 32}", "x" * 2_000, stranger, other_method):
        call = start_call(node.channel, "LadderService/ListLadders", cluster.admin, (HEADER, forged))
        assert (await error_of(call)).reason == "BAD_FIELD"
    call = start_call(node.channel, "GameService/ListGames", cluster.admin, (HEADER, "1"))
    assert len((await call).games) == len(games())


@in_world(run_cluster)
async def test_a_call_is_never_forwarded_twice(cluster: Cluster) -> None:
    cluster.a.router.address = cluster.b.address
    for node in (cluster.a, cluster.b):
        error = await error_of(node.call("LadderService/ListLadders", cluster.admin))
        assert error.reason == "NODE_UNAVAILABLE"
        assert error.sentence == "the node that answers this call has just changed; retry"


@in_world(run_cluster)
async def test_calls_fail_with_a_retry_delay_while_no_coordinator_is_known(cluster: Cluster) -> None:
    cluster.b.router.address = ""
    error = await error_of(cluster.b.call("LadderService/ListLadders", cluster.admin))
    assert error.reason == "NODE_UNAVAILABLE"
    await cluster.b.call("GameService/ListGames", cluster.admin)


def test_only_one_function_asks_grpc_for_the_peer_of_a_call() -> None:
    folder = Path(forwarding.__file__).parents[1]
    assert [file.name for file in folder.rglob("*.py") if ".peer()" in file.read_text()] == ["caller_address.py"]


WATCH, CALL = "LadderService/WatchLadder", "LadderService/ListLadders"
EMPTY = WatchLadderResponse().SerializeToString()
LARGE = WatchLadderResponse(items=[WatchLadderItem(entry=LadderEntry(number=1))] * 10_000).SerializeToString()


async def answer_at_once(_request: bytes, _context: Any) -> bytes:
    return EMPTY


class OtherEnd(grpc.GenericRpcHandler):
    """The other end of the calls that a node forwards: answers them as the test says."""

    def __init__(self) -> None:
        self.behaviour: Callable[[bytes, Any], Awaitable[bytes | None]] = answer_at_once
        self.calls: list[tuple[bytes, dict[str, str]]] = []
        """Request and headers of each call."""
        self.server = grpc.aio.server()
        self.node: Node
        """The node that forwards."""
        self.token: str

    def service(self, handler_call_details: Any) -> Any:
        streams = METHODS[handler_call_details.method.removeprefix(f"/{PACKAGE}.")].server_streaming
        make = grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
        return make(self._answer)

    async def _answer(self, request: bytes, context: Any) -> bytes | None:
        self.calls.append((request, dict(context.invocation_metadata())))
        return await self.behaviour(request, context)

    def start(self, method: str, *headers: tuple[str, str], **more: Any) -> Any:
        """Start a call through the node."""
        return start_call(self.node.channel, method, self.token, *headers, **more)

    def begin(self, method: str) -> tuple[Any, asyncio.Future[Any]]:
        """Start a call, and wait for its answer or for the first one of a stream; return both."""
        call = self.start(method)
        return call, asyncio.ensure_future(call.read() if method == WATCH else call)


@asynccontextmanager
async def run_other_end(settings: Settings = SETTINGS, *, tmp_path: Path) -> AsyncIterator[OtherEnd]:
    other = OtherEnd()
    other.server.add_generic_rpc_handlers((other,))
    router = FixedRouter(f"127.0.0.1:{other.server.add_insecure_port('127.0.0.1:0')}")
    await other.server.start()
    stores = open_stores(settings, LoopTime(), lambda _appends: None)
    try:
        async with run_node(stores, "b", f"unix:{tmp_path / 'b.sock'}", router, settings) as other.node:
            other.token = await other.node.frontend.create_admin()
            yield other
    finally:
        await other.server.stop(None)


class Endless:
    """Never answers; records the deadline and the cancellation of the call."""

    def __init__(self, other: OtherEnd) -> None:
        self.started = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.deadline_s: float | None = None
        other.behaviour = self

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
@in_world(run_other_end)
async def test_a_cancelled_call_is_cancelled_on_the_other_node(other: OtherEnd, *, method: str) -> None:
    endless = Endless(other)
    call, waiting = other.begin(method)
    await endless.started.wait()
    call.cancel()
    await endless.cancelled.wait()
    await asyncio.wait([waiting])


@in_world(run_other_end)
async def test_the_deadline_of_a_call_holds_on_the_other_node(other: OtherEnd) -> None:
    endless = Endless(other)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await other.start(CALL, timeout_s=0.5)
    assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    await endless.cancelled.wait()
    assert endless.deadline_s is not None
    assert endless.deadline_s <= 0.5


@in_world(run_other_end)
async def test_only_the_headers_that_nodes_read_are_passed_on(other: OtherEnd) -> None:
    await other.start(CALL, ("traceparent", "00-1-2-01"), ("x-secret", "1"), ("grpc-accept-encoding", "gzip"))
    _, received = other.calls[0]
    assert received["authorization"] == f"Bearer {other.token}"
    assert received["traceparent"] == "00-1-2-01"
    assert "x-secret" not in received
    assert received["referee-forwarded"].startswith("b 1 unix ")


@in_world(partial(run_other_end, replace(SETTINGS, max_message_bytes=1_024)))
async def test_a_request_that_is_too_large_is_rejected_by_the_node_that_received_it(other: OtherEnd) -> None:
    assert (await error_of(other.start("LadderService/CreateLadder", title="x" * 2_000))).reason == "MESSAGE_TOO_LARGE"
    assert not other.calls


@in_world(run_other_end)
async def test_a_call_with_a_wrong_token_is_rejected_by_the_node_that_received_it(other: OtherEnd) -> None:
    for secret, reason in ((None, "NO_TOKEN"), ("rf_wrong", "BAD_TOKEN")):
        assert (await error_of(other.node.call(CALL, secret))).reason == reason
    assert not other.calls


@pytest.mark.parametrize("method", [CALL, WATCH])
@in_world(run_other_end)
async def test_a_node_that_cannot_be_reached_is_an_error_with_a_retry_delay(other: OtherEnd, *, method: str) -> None:
    await other.server.stop(None)
    error = await error_of(other.begin(method)[1])
    assert error.reason == "NODE_UNAVAILABLE"
    assert "RetryInfo" in error.details


@pytest.mark.parametrize("method", [CALL, WATCH])
@pytest.mark.parametrize("end", ["stop", "leave"])
@in_world(run_other_end)
async def test_a_call_whose_node_disappears_ends_with_an_error(other: OtherEnd, *, method: str, end: str) -> None:
    endless = Endless(other)
    _, waiting = other.begin(method)
    await endless.started.wait()
    if end == "stop":
        await other.server.stop(None)
    else:
        await other.node.channels.keep_only([])
    assert (await error_of(waiting)).reason == "NODE_UNAVAILABLE"


@in_world(run_other_end)
async def test_a_stream_that_breaks_after_its_first_answers_ends_with_an_error(other: OtherEnd) -> None:
    other.behaviour = watch_endlessly
    call = other.start(WATCH)
    assert await call.read() == WatchLadderResponse()
    await other.server.stop(None)
    assert (await error_of(call.read())).reason == "NODE_UNAVAILABLE"


@in_world(run_other_end)
async def test_a_reader_that_is_slow_delays_the_other_node_and_gets_everything(other: OtherEnd) -> None:
    answers, written = 400, 0

    async def offer(request: bytes, context: Any) -> bytes | None:
        nonlocal written
        if b"other" in request:
            return EMPTY
        for _ in range(answers):
            await context.write(LARGE)
            written += 1
        return None

    other.behaviour = offer
    call = other.start(WATCH)
    await call.read()
    before, same = -1, 0
    while same < 50:  # Other calls still pass, while this stream has come to a halt.
        same = same + 1 if written == before else 0
        before = written
        await other.start("LadderService/GetLadder", name="other")
    assert written < answers / 4
    read = 1
    while await call.read() is not grpc.aio.EOF:
        read += 1
    assert read == answers


@in_world(run_other_end)
async def test_more_streams_than_one_connection_holds_do_not_delay_other_calls(other: OtherEnd) -> None:
    other.behaviour = watch_endlessly
    async with AsyncExitStack() as stack:
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(other.node.address, options)) for _ in range(4)
        ]
        for number in range(MAX_STREAMS_PER_CONNECTION + 1):
            await start_call(channels[number % 4], WATCH, other.token).read()
        other.behaviour = answer_at_once
        await other.start("LadderService/GetLadder", name="other")


LIST = "LadderService/ListLadders"


@pytest.fixture
def a(tmp_path: Path) -> NodeFiles:
    return files_of("a", tmp_path)


@pytest.fixture
def b(tmp_path: Path) -> NodeFiles:
    return files_of("b", tmp_path)


def no_wait() -> int:
    """Stand for a clock by which it is always time to check the files."""
    return 0


def cluster_of(of_a: TlsFiles, of_b: NodeCredentials) -> AbstractAsyncContextManager[Cluster]:
    server = credentials(of_a, 0, no_wait)
    return run_cluster(tmp_path=of_a.cert.parent, credentials=server, trusted=of_b.current)


async def call_passes(cluster: Cluster) -> None:
    assert not (await cluster.b.call(LIST, cluster.admin)).ladders


async def call_fails(cluster: Cluster) -> None:
    assert (await error_of(cluster.b.call(LIST, cluster.admin))).reason == "NODE_UNAVAILABLE"


@pytest.mark.parametrize(("trusts_a", "check"), [(True, call_passes), (False, call_fails)])
async def test_calls_are_forwarded_to_a_node_whose_authority_is_trusted(
    a: NodeFiles, b: NodeFiles, trusts_a: bool, check: Callable[[Cluster], Awaitable[None]]
) -> None:
    trusted = a.cert if trusts_a else b.cert
    async with cluster_of(a.tls_files(), NodeCredentials(b.tls_files(), trusted, 0, no_wait)) as cluster:
        await check(cluster)


@pytest.mark.parametrize(("shows_own", "check"), [(True, call_passes), (False, call_fails)])
async def test_a_node_shows_its_certificate_where_clients_need_one(
    a: NodeFiles, b: NodeFiles, shows_own: bool, check: Callable[[Cluster], Awaitable[None]]
) -> None:
    of_b = b.tls_files(a.cert if shows_own else None)
    async with cluster_of(a.tls_files(client_ca=b.cert), NodeCredentials(of_b, a.cert, 0, no_wait)) as cluster:
        await check(cluster)


async def test_calls_use_a_changed_authority_without_a_restart(a: NodeFiles, b: NodeFiles, tmp_path: Path) -> None:
    trusted = tmp_path / "ca.pem"
    trusted.write_bytes(b.cert.read_bytes())
    async with cluster_of(a.tls_files(), NodeCredentials(b.tls_files(), trusted, 0, no_wait)) as cluster:
        await call_fails(cluster)
        trusted.write_bytes(a.cert.read_bytes())
        await call_passes(cluster)


def test_credentials_change_with_the_files_and_stay_while_these_cannot_be_used(b: NodeFiles) -> None:
    time = FakeTime()
    changing = NodeCredentials(b.tls_files(), None, SECOND, time.monotonic_us)
    first = changing.current()
    b.write(Certificate("later"))
    assert changing.current() is first
    time.us += SECOND
    second = changing.current()
    assert second is not first
    b.cert.write_text("half a file")
    time.us += SECOND
    assert changing.current() is second
    b.cert.unlink()
    time.us += SECOND
    assert changing.current() is second


def test_an_authority_that_cannot_be_read_is_an_error_at_the_start(b: NodeFiles, tmp_path: Path) -> None:
    with pytest.raises(InvalidTlsFiles, match="cannot read"):
        NodeCredentials(b.tls_files(), tmp_path / "none.pem", SECOND, no_wait)
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(InvalidTlsFiles, match="the cluster CA file contains no certificate"):
        NodeCredentials(b.tls_files(), tmp_path / "ca.pem", SECOND, no_wait)
