"""Calls that are left open: their number and memory are limited, and other bots can play meanwhile."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import ErrorInfo
from grpc_status import rpc_status

from tests.e2e import http2
from tests.e2e.bot_connection import connect_bot
from tests.e2e.http2 import hear_until
from tests.e2e.organiser import Organiser, server_with_organiser, small_window_channel
from tests.e2e.server import TIMEOUT_S
from tests.e2e.server_metrics import MEMORY, error_log_lines, metrics

pytestmark = pytest.mark.slow

CONNECTIONS, CALLS, ROUNDS = 10, 50, 4
GROWTH_AT_MOST_BYTES = 15_000_000
"""Growth after the first round, whose memory the later rounds reuse: 1500 more open calls would take 33 MB."""
PER_ADDRESS, IN_ALL = 20, 30
CAPS = (
    *("--calls-without-token-per-address-at-most", str(PER_ADDRESS)),
    *("--calls-without-token-at-most", str(IN_ALL)),
)
LENIENT_FLAGS = ("--hello-within-ms", "600000", "--read-within-ms", "600000")
HASTY = ("--hello-within-ms", "1000", "--read-within-ms", "1000")
UNREAD = 150
IN_FLIGHT = 64
"""The server's limit on open calls of one holder."""
LAST = 1
"""gRPC holds the latest call until another one arrives."""


@contextmanager
def strangers(organiser: Organiser, connections: int, settings: bytes = http2.SETTINGS) -> Iterator[list[http2.Raw]]:
    with ExitStack() as ends:
        raws = [http2.Raw(organiser.server.address, settings) for _ in range(connections)]
        for raw in raws:
            ends.callback(raw.close)
        yield raws


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Organiser]:
    """An organiser on a server with long deadlines, so that only the caps limit what is open."""
    with server_with_organiser(tmp_path_factory.mktemp("crowded"), *LENIENT_FLAGS, *CAPS) as organiser:
        yield organiser


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Organiser]:
    """An organiser on a server with short deadlines."""
    with server_with_organiser(tmp_path_factory.mktemp("hasty"), *HASTY) as organiser:
        yield organiser


def plays(organiser: Organiser) -> None:
    """Start a match and play a move, with bots on new connections."""
    with (
        small_window_channel(organiser.server) as channel,
        connect_bot(channel, organiser.secrets[0]) as anna,
        connect_bot(channel, organiser.secrets[1]),
    ):
        match_id = organiser.create_match()
        turn = anna.receive("turn")
        assert turn.match_id == match_id
        assert not organiser.submit_move(turn, turn.legal_moves[0]).repeated
        organiser.call("MatchService/AbortMatch", match_id=match_id, request_id=match_id, message="enough")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (http2.CALLED, None),
        (http2.HEALTH, b""),
        (http2.REFLECTION, None),
        ("/referee_api.v1.PlayService/Play", None),
        ("/nowhere/Nothing", None),
    ],
    ids=["headers alone", "health watched", "reflection", "a stream of ours", "no such method"],
)
def test_calls_without_a_token_stay_few_and_cost_little_while_a_bot_comes_and_plays(
    crowded: Organiser, path: str, message: bytes | None
) -> None:
    rounds = []
    with strangers(crowded, CONNECTIONS) as raws:
        for _ in range(ROUNDS):
            for raw in raws:
                for _ in range(CALLS):
                    raw.begin(path, message=message)
            assert hear_until(raws, lambda: sum(len(raw.open) for raw in raws) <= 2 * PER_ADDRESS, TIMEOUT_S)
            rounds.append(metrics(crowded.server)[MEMORY])
        plays(crowded)
    assert rounds[-1] < rounds[0] + GROWTH_AT_MOST_BYTES
    assert not list(error_log_lines(crowded.server))


def test_a_call_whose_message_does_not_come_is_refused(hasty: Organiser) -> None:
    with strangers(hasty, 1) as [raw]:
        raw.begin(http2.CALLED, hasty.token)
        raw.begin(http2.REFLECTION)
        raw.begin("/grpc.health.v1.Health/Check")
        assert hear_until([raw], lambda: not raw.open, TIMEOUT_S)
        assert not raw.closed


def test_answers_that_nobody_reads_are_few_and_do_not_stay(hasty: Organiser) -> None:
    rounds = []
    with strangers(hasty, 1, http2.NO_WINDOW) as [raw]:
        for _ in range(ROUNDS):
            for _ in range(UNREAD):
                raw.begin(http2.CALLED, hasty.token, b"")
            # Most are rejected at once, since a status needs no window; the rest are reset at their deadline.
            assert hear_until([raw], lambda: len(raw.open) <= IN_FLIGHT, TIMEOUT_S)
            assert hear_until([raw], lambda: len(raw.open) <= LAST, TIMEOUT_S)
            rounds.append(metrics(hasty.server)[MEMORY])
        assert not raw.closed
    assert rounds[-1] < rounds[0] + GROWTH_AT_MOST_BYTES
    assert hasty.call("BotService/GetBot", name=hasty.bots[0])
    assert not list(error_log_lines(hasty.server))


def test_a_holder_with_its_limit_of_calls_open_comes_in_and_plays(crowded: Organiser) -> None:
    with strangers(crowded, 1, http2.NO_WINDOW) as [raw], connect_bot(crowded.channel, crowded.secrets[1]):
        match_id = crowded.create_match()
        for _ in range(UNREAD):
            raw.begin(http2.CALLED, crowded.token, b"")
        assert hear_until([raw], lambda: len(raw.open) <= IN_FLIGHT, TIMEOUT_S)
        with pytest.raises(grpc.RpcError) as raised:
            crowded.call("BotService/GetBot", name=crowded.bots[0])
        assert reason(raised) == "TOO_MANY_CALLS_IN_FLIGHT"
        with connect_bot(crowded.channel, crowded.secrets[0]) as anna:
            turn = anna.receive("turn")
            assert turn.match_id == match_id
            assert not crowded.submit_move(turn, turn.legal_moves[0]).repeated
            anna.send(move={"match_id": match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]})
            assert anna.receive("verdict").repeated


def reason(raised: pytest.ExceptionInfo[grpc.RpcError]) -> str:
    status: Any = rpc_status.from_call(raised.value)  # type: ignore[arg-type]  # The error is also the call.
    info = ErrorInfo()
    status.details[0].Unpack(info)
    return info.reason
