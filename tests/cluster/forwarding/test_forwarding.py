"""Calls that a node forwards to another one, over two real servers that share their stores."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from engines.registry import games
from referee.accounts.tokens import Role
from referee.cluster.forwarding.forwarding_header import HEADER, ForwardingHeader
from referee.transport import forwarding
from referee.transport.contract_options import CALL_RULES
from referee.transport.forwarding.routes import Route
from tests.cluster.forwarding.nodes import KEY, METHODS, SETTINGS, Cluster, Node, error_of, run_cluster, start_call
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
