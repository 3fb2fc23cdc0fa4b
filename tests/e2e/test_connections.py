"""Connections to the real server, by either engine of gRPC: silent ones stay open, dead ones are closed."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import grpc
import pytest
from referee_api.v1 import error_pb2, policy_pb2, result_pb2

from tests.e2e import http2
from tests.e2e.bot_connection import connect_bot
from tests.e2e.honest_bots import entries, run_honest_bots
from tests.e2e.organiser import server_with_organiser
from tests.e2e.server import ServerProcess, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import OPEN_FILES, error_log_lines, metrics

pytestmark = pytest.mark.slow

FORFEIT_AFTER_100_MS = policy_pb2.DisconnectPolicy(
    action=policy_pb2.DISCONNECT_ACTION_FORFEIT_AFTER_GRACE_PERIOD, grace_period_ms=100
)
CLIENT_PING_INTERVAL_MS = 400
QUIET_STREAM = ("--ping-interval-ms", "6000", "--heartbeat-timeout-ms", "60000", "--keepalive-interval-ms", "1000")
"""Flags with which several pings of the connection occur between two items in the stream."""
SOCKET_TIMEOUT_S = 30
"""Less than the minute for which gRPC waits by default."""


@contextmanager
def channel_with_keepalive(server: ServerProcess) -> Iterator[grpc.Channel]:
    """Open a connection whose client sends keepalive pings frequently."""
    options = [
        ("grpc.keepalive_time_ms", CLIENT_PING_INTERVAL_MS),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    with grpc.insecure_channel(server.address, options=options) as channel:
        yield channel


def test_a_quiet_bot_within_the_keepalive_limit_stays_connected(tmp_path: Path) -> None:
    ping_limit = ("--min-client-ping-interval-ms", str(CLIENT_PING_INTERVAL_MS // 2))
    with (
        server_with_organiser(tmp_path, *QUIET_STREAM, *ping_limit) as organiser,
        channel_with_keepalive(organiser.server) as channel,
        connect_bot(channel, organiser.secrets[0]) as quiet,
    ):
        assert set(quiet.receive_until_ping(3)) == {"ping"}


@pytest.mark.without_door
def test_a_client_that_pings_too_often_is_disconnected(tmp_path: Path) -> None:
    ping_limit = ("--min-client-ping-interval-ms", str(10 * CLIENT_PING_INTERVAL_MS))
    with (
        server_with_organiser(tmp_path, *QUIET_STREAM, *ping_limit) as organiser,
        channel_with_keepalive(organiser.server) as channel,
        connect_bot(channel, organiser.secrets[0]) as hasty,
        pytest.raises(grpc.RpcError, match="Too many pings"),
    ):
        hasty.receive_until_ping(3)


@pytest.mark.without_door
def test_a_connection_that_answers_no_keepalive_ping_is_closed(tmp_path: Path) -> None:
    with (
        run_server(
            tmp_path, "--ephemeral", "--keepalive-interval-ms", "1000", "--keepalive-timeout-ms", "1000"
        ) as server,
        http2.connect(server.address, SOCKET_TIMEOUT_S) as dead,
    ):
        dead.sendall(http2.PREFACE + http2.SETTINGS + http2.frame(http2.SETTINGS_, http2.ACK, 0))
        received = b""
        while data := dead.recv(4096):
            received += data
        assert b"ping_timeout" in received


MAX_FILES = 256
"""Limit of open files of a server that is flooded with connections."""


@pytest.mark.parametrize("sent", [b"", http2.PREFACE + http2.SETTINGS], ids=["silent", "open"])
def test_connections_of_strangers_leave_files_for_health_checks_and_the_store(tmp_path: Path, sent: bytes) -> None:
    with run_server(tmp_path, max_files=MAX_FILES) as server, server.channel() as channel, ExitStack() as stack:
        owner = create_organiser_token(channel, server.admin_token)
        strangers = [stack.enter_context(http2.connect(server.address, SOCKET_TIMEOUT_S)) for _ in range(2 * MAX_FILES)]
        for stranger in strangers:
            with suppress(ConnectionError):  # Closed already.
                stranger.sendall(sent)
        with suppress(ConnectionError):
            assert strangers[-1].recv(1) == b""  # Closed at once, since there were too many.
        assert metrics(server)[OPEN_FILES] < MAX_FILES
        assert register_bots(channel, owner, "anna")  # Stored.
        assert server.stop() == 0
        assert not list(error_log_lines(server))


def test_a_stopped_bot_process_forfeits_and_its_opponent_gets_the_result(tmp_path: Path) -> None:
    with (
        server_with_organiser(tmp_path, "--ping-interval-ms", "500", "--heartbeat-timeout-ms", "8000") as organiser,
        run_bot(organiser.server, organiser.secrets[0]) as anna,
    ):
        match_id = organiser.create_match(policies=policy_pb2.Policies(disconnect=FORFEIT_AFTER_100_MS))
        organiser.connection(1)
        assert anna.stdout
        assert anna.stdout.readline() == "turn\n"
        anna.send_signal(signal.SIGSTOP)
        assert organiser.connection(1).receive("match_ended").match_id == match_id
        result = organiser.call("MatchService/GetMatch", match_id=match_id).match.result
        assert result.forfeited.forfeits[0].cause == result_pb2.FORFEIT_CAUSE_DISCONNECTED
        lines = organiser.call("BotService/ListBotLogEntries", bot=organiser.bots[0]).entries
        lost = [line.session_lost.reason for line in lines if line.HasField("session_lost")]
        assert lost == [error_pb2.ERROR_REASON_HEARTBEAT_LOST]


@contextmanager
def run_bot(server: ServerProcess, secret: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.e2e.bot", server.address, secret]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("flag", ["--grpc-event-engine", "--no-grpc-event-engine"])
def test_bots_play_with_and_without_the_event_engine(tmp_path: Path, flag: str) -> None:
    with (
        server_with_organiser(tmp_path, flag) as organiser,
        run_honest_bots(organiser.server, tmp_path, organiser.secrets),
    ):
        match_id = organiser.create_match()
        assert entries(organiser.channel, organiser.token, match_id)[-1].play_ended.result.HasField("played")


def test_grpc_is_not_imported_before_the_setting_is_known() -> None:
    code = "import sys, referee.cli.serve; sys.exit(int('grpc' in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
