"""The real server as a separate process, and channels to it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from referee_api.v1 import admin_service_pb2, bot_pb2, bot_service_pb2, token_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub

TIMEOUT_S = 180
"""Timeout that suffices on a busy machine."""

EDGE = os.environ.get("TEST_EDGE", "off")
"""Whether bots connect to the front door; not only because one is installed."""

MAX_LOG_LINES = 40
"""Number of lines of the server's log that are shown when a test fails."""

LENIENT_FLAGS = ("--calls-per-minute", "100000", "--heartbeat-timeout-ms", "600000")
"""Flags for tests that play by hand, whose bots may be silent longer than a session lasts by default."""


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """A running server process."""

    process: subprocess.Popen[str]
    address: str
    http: str
    admin_token: str
    log: Path
    site: str = ""
    """Address of the web site; empty: there is none."""

    def channel(self) -> grpc.Channel:
        return grpc.insecure_channel(self.address)

    def kill(self) -> None:
        """Kill the server with SIGKILL, as a power cut would."""
        self.process.kill()
        self.process.wait(TIMEOUT_S)

    def stop(self) -> int:
        """Stop the server with SIGTERM, and return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(TIMEOUT_S)


def bearer(secret: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {secret}"),)


@contextmanager
def run_server(
    folder: Path, *flags: str, module: str = "referee", games: Path | None = None, max_files: int = 0
) -> Iterator[ServerProcess]:
    """Run a server on free ports, with its data in `folder`. It is killed on exit.

    `module` is the program, `games` the file that declares games of other processes, and `max_files` the limit of open
    files; 0: that of this process.
    """
    log = folder / "server.log"
    command = [sys.executable, "-m", module, "serve", "--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"]
    command += ["--edge", EDGE]
    if max_files:
        command = ["sh", "-c", f'ulimit -n {max_files} && exec "$0" "$@"', *command]
    environment = {name: text for name, text in os.environ.items() if not name.startswith("REFEREE_")}
    environment |= {"REFEREE_GAMES": str(games)} if games else {}
    command += ["--data-dir", str(folder / "data"), *LENIENT_FLAGS, *flags]
    with run_program(command, log, environment) as process:
        ports = first_line(process, log)
        admin_token = ports.get("admin_token", "")
        yield ServerProcess(process, ports["grpc"], ports["http"], admin_token, log, ports.get("site", ""))


@contextmanager
def run_program(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Run a program. It is killed on exit, and the end of its log is shown if the test fails."""
    with log.open("a") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
    try:
        yield process
    except BaseException as error:
        error.add_note(_last_errors(log))  # pytest shows notes together with the failure.
        raise
    finally:
        process.kill()
        process.wait(TIMEOUT_S)
        assert process.stdout is not None
        process.stdout.close()


def first_line(process: subprocess.Popen[str], log: Path) -> dict[str, str]:
    """Return the JSON that a program prints once it serves."""
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, log.read_text()
    read: dict[str, str] = json.loads(line)
    return read


def _last_errors(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if '"level": "info"' not in line]
    return "\n".join(lines[-MAX_LOG_LINES:])


def create_token(channel: grpc.Channel, admin: str, role: token_pb2.Role.ValueType, holder: str) -> str:
    """Create a token as the administrator, and return its secret."""
    request = admin_service_pb2.CreateTokenRequest(role=role, holder=holder)
    return AdminServiceStub(channel).CreateToken(request, metadata=bearer(admin), timeout=TIMEOUT_S).secret


def create_organiser_token(channel: grpc.Channel, admin: str, holder: str = "ada") -> str:
    return create_token(channel, admin, token_pb2.ROLE_ORGANISER, holder)


ANY_MATCH = bot_pb2.Consent(
    scope=bot_pb2.CONSENT_SCOPE_ANYONE, min_first_move_ms=0, accept_odds=True, max_matches_per_maker=1000
)
"""Consent to every match of everybody."""


def register_bots(channel: grpc.Channel, secret: str, *names: str, consent: bot_pb2.Consent | None = None) -> list[str]:
    """Register bots, and return the secrets of their tokens."""
    bots = BotServiceStub(channel)
    return [
        bots.RegisterBot(
            bot_service_pb2.RegisterBotRequest(request_id=f"register {name}", name=name, consent=consent),
            metadata=bearer(secret),
            timeout=TIMEOUT_S,
        ).secret
        for name in names
    ]
