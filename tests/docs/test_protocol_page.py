"""What docs/protocol.md names exists in the contract, and what it shows works."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf import json_format, message_factory
from referee_api.v1 import play_pb2 as play
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server
from referee_api.v1.refusal_pb2 import RefusalReason

from referee.core.clock import SECOND, Clock, Fischer
from referee.core.row import Measured, charge
from tests.docs import contract

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
TEXT = PAGE.read_text(encoding="utf-8")
REFUSALS = "| reason | code | when | metadata |\n| --- | --- | --- | --- |\n"

CALL = re.compile(r"`(\w+/\w+)` takes\n\n```json\n(.*?)```", re.DOTALL)
ROW = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", TEXT, re.MULTILINE))
PROSE = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
QUOTED = sorted(set(re.findall(r"`([^`\s]+)`", PROSE)))

OF_OTHERS = {
    *("ErrorInfo", "BadRequest", "RetryInfo", "google.rpc.Status", "too_many_pings"),
    *("referee", "referee-api", "referee_api.v1", "my-bot", "buf", "1", "=?", "\\n", "::1", "localhost"),
}
"""Names on the page that are not the contract's own."""
OTHER_PREFIX = ("REFUSAL_REASON_", "BOT_", "grpc-", "[")


def known() -> set[str]:
    """Every name of the contract, as the page may write it."""
    named = {*contract.messages(), *contract.enums(), *contract.enum_values(), *contract.methods(), *contract.fields()}
    services = {part for method in contract.methods() for part in method.split("/")}
    metadata = {word for reason in contract.reasons() for word in re.findall(r"[a-z_]+", reason.metadata)}
    return named | services | metadata | {reason.name for reason in contract.reasons()}


def test_every_name_on_the_page_is_in_the_contract() -> None:
    strange = {name for name in QUOTED if not name.startswith(OTHER_PREFIX) and "/" not in name.strip("/")}
    assert sorted(strange - known() - OF_OTHERS) == []
    called = {name for name in QUOTED if re.fullmatch(r"[A-Z]\w+/[A-Z]\w+", name)}
    assert sorted(called - set(contract.methods())) == []
    assert len(called) >= 8


def test_every_item_of_the_stream_is_told_of() -> None:
    sides = (contract.messages()[side] for side in ("FromBot", "FromReferee"))
    items = {field.message_type.name for side in sides for field in side.oneofs_by_name["item"].fields}
    assert sorted(items - set(QUOTED)) == []


def test_the_table_of_refusals_is_the_contract(renewing: bool) -> None:
    before, head, rest = TEXT.partition(REFUSALS)
    assert head
    end = rest.index("\n\n") + 1 if not rest.startswith("\n") else 0
    table = "".join(f"| `{one.name}` | {one.code} | {one.when} | {one.metadata} |\n" for one in contract.reasons())
    if renewing:
        PAGE.write_text(f"{before}{head}{table}{rest[end:]}", encoding="utf-8")
    else:
        assert rest[:end] == table


def test_the_table_of_refusals_leaves_none_out() -> None:
    named = {f"REFUSAL_REASON_{one.name}" for one in contract.reasons()}
    assert named == set(RefusalReason.keys()) - {"REFUSAL_REASON_UNSPECIFIED"}
    assert {one.code for one in contract.reasons()} <= {code.name for code in grpc.StatusCode}


@pytest.mark.parametrize(("method", "body"), CALL.findall(TEXT), ids=lambda text: text.split("\n")[0])
def test_every_request_on_the_page_can_be_read(method: str, body: str) -> None:
    request = message_factory.GetMessageClass(contract.methods()[method].input_type)()
    json_format.Parse(body, request)
    assert request.ByteSize()


def test_the_clock_row_on_the_page_adds_up() -> None:
    row = {name: int(us) for name, us in ROW.items()}
    measured = Measured(row["arrived_us"], row["network_us"], row["stall_us"])
    computed = charge(Fischer(60 * SECOND, SECOND), Clock(row["before"]), row["asked_us"], measured, 100_000)
    assert computed.network_credit_us == row["network_credit_us"]
    assert computed.charged_us == row["charged_us"]
    assert computed.after == Clock(row["after"])


class OneTurn(PlayServiceServicer):
    """A referee that asks one move of whoever comes, and takes it."""

    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.metadata: dict[str, str | bytes] = {}

    async def Play(  # noqa: N802  # So the contract calls it.
        self, request_iterator: AsyncIterator[PlayRequest], context: Any
    ) -> AsyncIterator[PlayResponse]:
        self.metadata = dict(context.invocation_metadata())
        items = (item async for request in request_iterator for item in request.items)
        self.heard.append(await anext(items))
        turn = play.Turn(match_id="m1", token="t1", legal_moves=["c2-c3"])
        yield PlayResponse(
            items=[
                play.FromReferee(welcome=play.Welcome(bot="my-bot")),
                play.FromReferee(ping=play.Ping(id=5)),
                play.FromReferee(turn=turn),
            ]
        )
        self.heard += [await anext(items), await anext(items)]
        verdict = play.Verdict(match_id="m1", token="t1", accepted=play.Accepted(number=3, ply=1))
        yield PlayResponse(items=[play.FromReferee(verdict=verdict)])
        yield PlayResponse(items=[play.FromReferee(match_ended=play.MatchEnded(match_id="m1"))])


def test_the_bot_on_the_page_plays() -> None:
    block = re.search(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert block
    bot: dict[str, Any] = {"__name__": "bot"}
    exec(compile(block[1], "docs/protocol.md", "exec"), bot)  # That it can be run is what is tested.
    referee = OneTurn()

    async def conversation() -> None:
        server = grpc.aio.server()
        add_PlayServiceServicer_to_server(referee, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        await bot["play_on"](f"127.0.0.1:{port}", "secret")
        await server.stop(None)

    asyncio.run(conversation())
    hello, pong, move = referee.heard
    assert referee.metadata["authorization"] == "Bearer secret"
    assert hello.hello.matches_at_most == 8
    assert pong.pong.id == 5
    assert (move.move.match_id, move.move.token, move.move.move) == ("m1", "t1", "c2-c3")
