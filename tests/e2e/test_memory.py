"""Memory of the real server: what large requests leave, and what strangers can fill with headers that never end."""

import gc
import re
import resource
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from engines.game_errors import UnknownGame
from referee.server.setting_types import Address
from referee.server.settings import Settings
from tests.e2e import http2
from tests.e2e.organiser import call_method
from tests.e2e.server import TIMEOUT_S, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import MEMORY, error_log_lines, metrics, wait_until_at_most
from tests.e2e.server_thread import ServerThread
from tests.e2e.test_flood import unshared_channel

pytestmark = pytest.mark.slow

MAX_MEMORY_BYTES = 300_000_000
"""Memory that a server without matches keeps after large requests."""
CONNECTIONS, CALLS_AT_ONCE = 20, 60
SIZE = 900_000
TOO_LARGE = 3_900_000
"""Above the limit of the server, which reads such a message nevertheless."""

FIELD = b"\0\1x\1v"
"""A header field of two characters, without compression; gRPC needs many times as much for it."""
FIELDS = FIELD * 3_000
HEADER_CONNECTIONS = 8
HONEST_CALLS = 20
MAX_FRAMES = 1_000
ROOM_BYTES = 20_000_000
"""Memory that a server with a limit may use in addition to what it uses already."""


def get_game(channel: grpc.Channel, token: str, name: str) -> grpc.StatusCode:
    """Ask for a game, and return the code of the answer."""
    try:
        call_method(channel, "GameService/GetGame", token, name=name)
    except grpc.RpcError as error:
        code: grpc.StatusCode = error.code()
        return code
    return grpc.StatusCode.OK


@contextmanager
def without_collections() -> Iterator[None]:
    """Let only reference counting free objects."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_a_request_that_is_refused_is_freed_with_its_call() -> None:
    here = Address("127.0.0.1", 0)
    with (
        ServerThread.serving(replace(Settings(), ephemeral=True, listen=here, http_listen=here)) as server,
        grpc.insecure_channel(server.info.grpc) as channel,
        without_collections(),
    ):
        for _ in range(10):
            assert get_game(channel, server.info.admin_token, "chess-of-mars") == grpc.StatusCode.INVALID_ARGUMENT
        errors = [error for error in gc.get_objects() if isinstance(error, UnknownGame)]
        kept = [error for error in errors if "chess-of-mars" in str(error)]  # Modules of other tests have examples.
        assert len(kept) <= 1  # The last call may not have ended yet.


@pytest.mark.parametrize(
    "sizes", [[SIZE], pytest.param([SIZE // 10, SIZE, TOO_LARGE] * 10, marks=pytest.mark.soak)], ids=["one", "many"]
)
def test_large_requests_leave_no_memory_in_use(tmp_path: Path, sizes: list[int]) -> None:
    with run_server(tmp_path, "--ephemeral") as server, ThreadPoolExecutor(CALLS_AT_ONCE) as pool:
        for size in sizes:
            channels = [unshared_channel(server.address) for _ in range(CONNECTIONS)]
            calls = [
                pool.submit(get_game, channels[number % CONNECTIONS], server.admin_token, "x" * size)
                for number in range(2 * CALLS_AT_ONCE)
            ]
            assert grpc.StatusCode.OK not in {call.result() for call in calls}
            for channel in channels:
                channel.close()
        wait_until_at_most(server, MEMORY, MAX_MEMORY_BYTES)
        assert not list(error_log_lines(server))


@pytest.mark.parametrize("frames", [10, pytest.param(MAX_FRAMES, marks=pytest.mark.soak)])
def test_headers_that_never_end_fill_memory_but_delay_nobody(
    tmp_path: Path, frames: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """It measures and does not limit the memory: gRPC has no limit for it. A frontend of our own must have one."""
    with run_server(tmp_path) as server, server.channel() as channel:
        owner = create_organiser_token(channel, server.admin_token)
        before_bytes = metrics(server)[MEMORY]
        strangers = [begin_headers(server.address) for _ in range(HEADER_CONNECTIONS)]
        for number in range(frames):
            send_headers(strangers)
            if number % max(1, frames // HONEST_CALLS) == 0:
                assert get_game(channel, owner, "alquerque") == grpc.StatusCode.OK
        assert register_bots(channel, owner, "anna")
        grown_mb = (metrics(server)[MEMORY] - before_bytes) / 1e6
        sent_mb = frames * HEADER_CONNECTIONS * len(FIELDS) / 1e6
        with capsys.disabled():
            print(f"\n{sent_mb:.1f} MB of headers filled {grown_mb:.0f} MB")  # noqa: T201  # What is measured.
        for stranger in strangers:
            stranger.close()
        assert server.stop() == 0
        assert not list(error_log_lines(server))


@pytest.mark.without_door
def test_a_server_that_reaches_its_limit_of_memory_has_lost_nothing_when_it_starts_again(tmp_path: Path) -> None:
    """The limit is that of the process here, and that of the systemd unit or container elsewhere."""
    with run_server(tmp_path) as server, server.channel() as channel:
        owner = create_organiser_token(channel, server.admin_token)
        [secret] = register_bots(channel, owner, "anna")
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        used = 1024 * int(re.findall(r"VmData:\s+(\d+) kB", status)[0])
        resource.prlimit(server.process.pid, resource.RLIMIT_DATA, (used + ROOM_BYTES, used + ROOM_BYTES))
        strangers = [begin_headers(server.address) for _ in range(HEADER_CONNECTIONS)]
        for _ in range(MAX_FRAMES):
            if server.process.poll() is not None:
                break
            send_headers(strangers)
        assert server.process.wait(TIMEOUT_S) != 0
        for stranger in strangers:
            stranger.close()
    with run_server(tmp_path) as server, server.channel() as channel:
        assert get_game(channel, secret, "alquerque") == grpc.StatusCode.OK


def begin_headers(address: str) -> socket.socket:
    """Open a connection, and begin the headers of a call on it."""
    stranger = http2.connect(address, TIMEOUT_S)
    stranger.sendall(http2.PREFACE + http2.SETTINGS + http2.frame(http2.HEADERS, 0, 1, FIELD))
    return stranger


def send_headers(strangers: list[socket.socket]) -> None:
    """Send more headers on each connection, and no end of them."""
    for stranger in strangers:
        with suppress(OSError):  # The server has ended.
            stranger.sendall(http2.frame(http2.CONTINUATION, 0, 1, FIELDS))
