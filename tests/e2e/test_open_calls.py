"""Calls that are left open: their number and memory are limited, and other bots can play meanwhile."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.e2e import http2
from tests.e2e.bot_connection import connect_bot
from tests.e2e.call_errors import reason_of
from tests.e2e.http2 import receive_until
from tests.e2e.organiser import Organiser, server_with_organiser, small_window_channel
from tests.e2e.server import TIMEOUT_S
from tests.e2e.server_metrics import MEMORY, error_log_lines, metrics

pytestmark = pytest.mark.slow

CONNECTIONS, CALLS, ROUNDS = 10, 50, 4
MAX_GROWTH_BYTES = 15_000_000
"""Growth after the first round, whose memory the later rounds reuse: 1500 more open calls would take 33 MB."""
MAX_CALLS_PER_ADDRESS, MAX_CALLS = 20, 30
CALL_LIMITS = (
    *("--max-calls-without-token-per-address", str(MAX_CALLS_PER_ADDRESS)),
    *("--max-calls-without-token", str(MAX_CALLS)),
)
LONG_DEADLINES = ("--hello-timeout-ms", "600000", "--read-timeout-ms", "600000")
SHORT_DEADLINES = ("--hello-timeout-ms", "1000", "--read-timeout-ms", "1000")
UNREAD = 150
IN_FLIGHT = 64
"""The server's limit on open calls of one holder."""
LAST_CALL = 1
"""gRPC holds the latest call until another one arrives."""


@contextmanager
def open_connections(
    organiser: Organiser, number: int, settings: bytes = http2.SETTINGS
) -> Iterator[list[http2.RawConnection]]:
    with ExitStack() as stack:
        connections = [http2.RawConnection(organiser.server.address, settings) for _ in range(number)]
        for connection in connections:
            stack.callback(connection.close)
        yield connections


@pytest.fixture(scope="module")
def long_deadlines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Organiser]:
    """An organiser on a server with long deadlines, so that only the caps limit what is open."""
    with server_with_organiser(tmp_path_factory.mktemp("crowded"), *LONG_DEADLINES, *CALL_LIMITS) as organiser:
        yield organiser


@pytest.fixture(scope="module")
def short_deadlines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Organiser]:
    """An organiser on a server with short deadlines."""
    with server_with_organiser(tmp_path_factory.mktemp("hasty"), *SHORT_DEADLINES) as organiser:
        yield organiser


def assert_bots_can_play(organiser: Organiser) -> None:
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
        (http2.CALL_PATH, None),
        (http2.HEALTH_PATH, b""),
        (http2.REFLECTION_PATH, None),
        ("/referee_api.v1.PlayService/Play", None),
        ("/nowhere/Nothing", None),
    ],
    ids=["headers only", "health watch", "reflection", "play stream", "no such method"],
)
def test_open_calls_without_a_token_are_limited_and_bots_can_still_play(
    long_deadlines: Organiser, path: str, message: bytes | None
) -> None:
    rounds = []
    with open_connections(long_deadlines, CONNECTIONS) as connections:
        for _ in range(ROUNDS):
            for connection in connections:
                for _ in range(CALLS):
                    connection.start_call(path, message=message)
            assert receive_until(
                connections,
                lambda: sum(len(connection.open) for connection in connections) <= 2 * MAX_CALLS_PER_ADDRESS,
                TIMEOUT_S,
            )
            rounds.append(metrics(long_deadlines.server)[MEMORY])
        assert_bots_can_play(long_deadlines)
    assert rounds[-1] < rounds[0] + MAX_GROWTH_BYTES
    assert not list(error_log_lines(long_deadlines.server))


def test_a_call_without_its_request_message_is_ended_at_the_deadline(short_deadlines: Organiser) -> None:
    with open_connections(short_deadlines, 1) as [connection]:
        connection.start_call(http2.CALL_PATH, short_deadlines.token)
        connection.start_call(http2.REFLECTION_PATH)
        connection.start_call("/grpc.health.v1.Health/Check")
        assert receive_until([connection], lambda: not connection.open, TIMEOUT_S)
        assert not connection.closed


@pytest.mark.without_door
def test_unread_responses_are_limited_and_reset_at_the_deadline(short_deadlines: Organiser) -> None:
    rounds = []
    with open_connections(short_deadlines, 1, http2.NO_WINDOW) as [connection]:
        for _ in range(ROUNDS):
            for _ in range(UNREAD):
                connection.start_call(http2.CALL_PATH, short_deadlines.token, b"")
            # Most are rejected at once, since a status needs no window; the rest are reset at their deadline.
            assert receive_until([connection], lambda: len(connection.open) <= IN_FLIGHT, TIMEOUT_S)
            assert receive_until([connection], lambda: len(connection.open) <= LAST_CALL, TIMEOUT_S)
            rounds.append(metrics(short_deadlines.server)[MEMORY])
        assert not connection.closed
    assert rounds[-1] < rounds[0] + MAX_GROWTH_BYTES
    assert short_deadlines.call("BotService/GetBot", name=short_deadlines.bots[0])
    assert not list(error_log_lines(short_deadlines.server))


@pytest.mark.without_door
def test_a_holder_at_its_limit_of_open_calls_can_still_play(long_deadlines: Organiser) -> None:
    with (
        open_connections(long_deadlines, 1, http2.NO_WINDOW) as [connection],
        connect_bot(long_deadlines.channel, long_deadlines.secrets[1]),
    ):
        match_id = long_deadlines.create_match()
        for _ in range(UNREAD):
            connection.start_call(http2.CALL_PATH, long_deadlines.token, b"")
        assert receive_until([connection], lambda: len(connection.open) <= IN_FLIGHT, TIMEOUT_S)
        get_bot = {"method": "BotService/GetBot", "name": long_deadlines.bots[0]}
        assert reason_of(long_deadlines.call, **get_bot) == "TOO_MANY_CALLS_IN_FLIGHT"
        with connect_bot(long_deadlines.channel, long_deadlines.secrets[0]) as anna:
            turn = anna.receive("turn")
            assert turn.match_id == match_id
            assert not long_deadlines.submit_move(turn, turn.legal_moves[0]).repeated
            anna.send_move(turn)
            assert anna.receive("verdict").repeated
