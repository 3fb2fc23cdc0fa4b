"""Ladders and tournaments through the Python SDK, on a real server."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from referee_client import Organiser, Refused, Terms
from referee_client.backoff import Backoff
from referee_client.organiser.entrants import entrant
from referee_values import RoundRobin, TournamentTerms

from tests.clients.losing_proxy import run_losing_proxy
from tests.clients.sdk import run_bot
from tests.e2e.server import ServerProcess, create_organiser_token, run_server


@dataclass(frozen=True)
class Context:
    server: ServerProcess
    token: str
    organiser: Organiser


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Context]:
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path_factory.mktemp("server"), "--ephemeral"))
        token = create_organiser_token(stack.enter_context(server.channel()), server.admin_token)
        organiser = stack.enter_context(Organiser(server.address, token))
        for name in ("anna", "bert"):
            stack.enter_context(run_bot(server, organiser.register_bot(name), "random"))
        yield Context(server, token, organiser)


@pytest.mark.parametrize(
    ("text", "name", "bots"),
    [
        ("anna", "", [("anna", "")]),
        ("anna/1.4", "", [("anna", "1.4")]),
        ("reds=anna,bert/2", "reds", [("anna", ""), ("bert", "2")]),
    ],
)
def test_an_entrant_is_parsed_from_text(text: str, name: str, bots: list[tuple[str, str]]) -> None:
    read = entrant(text)
    assert (read.name, [(ref.bot, ref.version) for ref in read.bots]) == (name, bots)
    assert entrant(read) is read


@pytest.mark.slow
def test_a_tournament_is_created_watched_and_exported(context: Context) -> None:
    tournaments = context.organiser.tournaments
    plan = TournamentTerms(round_robin=RoundRobin(cycles=2))
    created = tournaments.create("cup", Terms("alquerque", clock="60+1"), ["anna"], title="The cup", plan=plan)
    assert (created.title, created.terms.format) == ("The cup", RoundRobin(cycles=2))
    assert len(tournaments.enter("cup", "bert").entrants) == 2
    tournaments.start("cup")
    numbers = [entry.number for entry in tournaments.watch("cup")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [entry.number for entry in tournaments.watch("cup", after=numbers[-2])] == numbers[-1:]
    tournament = tournaments.get("cup")
    assert tournament.phase == "finished"
    assert [one.name for one in tournaments.list(game="alquerque", bot="anna", phase="finished")] == ["cup"]
    assert sum(row.points for row in tournaments.standings("cup")) == 2
    assert len(tournaments.standings("cup", after_round=1)) == 2
    assert [cell.opponent for row in tournaments.cross_table("cup") for cell in row.cells].count("anna") == 1
    assert all(one.phase == "done" for one in tournaments.pairings("cup", of_entrant="anna"))
    assert {match.tournament for match in tournaments.matches("cup")} == {"cup"}
    assert tournaments.export("cup", "json").startswith("{")
    record = tournaments.record("cup")
    (made,) = (line for line in map(json.loads, record.splitlines()) if line.get("entry") == 1)
    seed = bytes.fromhex(made["event"]["terms"]["tournament"]["seed"])
    assert created.seed_commitment.commitment == sha256(seed).digest()
    assert (created.seed_commitment.seed, tournament.seed_commitment.seed) == (b"", seed)
    with pytest.raises(Refused, match="TOURNAMENT_OVER"):
        tournaments.cancel("cup")


def connect_losing(context: Context, stack: ExitStack, token: str = "") -> Organiser:
    """Return an organiser that does not receive the first response with the name of the bot `lost`."""
    address = stack.enter_context(run_losing_proxy(context.server.address, b"lost"))
    return stack.enter_context(Organiser(address, token or context.token))


@pytest.mark.slow
def test_an_entry_whose_response_is_lost_succeeds(context: Context) -> None:
    token = context.organiser.register_bot("lost")
    context.organiser.accounts.register_version("lost", "2")
    for cup in ("first", "second"):
        context.organiser.tournaments.create(cup, Terms("alquerque", clock="60+1"))
    context.organiser.ladders.create("steps", Terms("alquerque", clock="60+1"))
    with ExitStack() as stack:
        entered = connect_losing(context, stack).tournaments.enter("first", "lost")
        assert [one.name for one in entered.entrants] == ["lost"]
        entered = connect_losing(context, stack, token).tournaments.enter("second")
        assert [one.name for one in entered.entrants] == ["lost"]
        assert connect_losing(context, stack).ladders.join("steps", "lost").entrant.name == "lost"
        # These are other entrants with the same bot.
        with pytest.raises(Refused, match="ALREADY_IN"):
            connect_losing(context, stack).tournaments.enter("first", "lost/2")
        with pytest.raises(Refused, match="ALREADY_IN"):
            connect_losing(context, stack).ladders.join("steps", "lost/2")


class CallFailed(grpc.RpcError):
    """Error of a call."""

    def __init__(self, code: grpc.StatusCode, reason: str) -> None:
        self._code = code
        detail = AnyMessage()
        detail.Pack(ErrorInfo(reason=reason))
        self._status = Status(details=[detail]).SerializeToString()

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return "no"

    def trailing_metadata(self) -> Any:
        return (SimpleNamespace(key="grpc-status-details-bin", value=self._status),)


LOST = CallFailed(grpc.StatusCode.UNAVAILABLE, "UNAVAILABLE")
NOT_A_MEMBER = CallFailed(grpc.StatusCode.NOT_FOUND, "NOT_A_MEMBER")


@pytest.mark.parametrize("failures", [[LOST, NOT_A_MEMBER], [NOT_A_MEMBER]])
def test_leaving_a_ladder_succeeds_only_once_unless_the_response_was_lost(
    failures: list[CallFailed], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Backoff, "after_failure", lambda _: 0)
    remaining = iter(failures)

    def leave(*_: object, **__: object) -> None:
        raise next(remaining)

    with Organiser("127.0.0.1:1", "rf_any") as organiser:
        organiser.ladders._wrapped._stub = SimpleNamespace(LeaveLadder=leave)  # type: ignore[assignment]  # A fake.
        if failures[0] is LOST:
            organiser.ladders.leave("main", "anna")
        else:
            with pytest.raises(Refused, match="NOT_A_MEMBER"):
                organiser.ladders.leave("main", "anna")
    assert list(remaining) == []
