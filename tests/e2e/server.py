"""The real server, as a process of its own, and channels to it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
from referee_api.v1 import admin_service_pb2, bot_service_pb2, token_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub
from referee_api.v1.bot_service_pb2_grpc import BotServiceStub

WITHIN_S = 180
"""For a machine that is busy with something else."""

SHOWN_LOG_LINES = 40
"""How many lines of a server's log are shown when its test has failed."""

PATIENT = ("--calls-per-minute", "100000", "--gone-after-ms", "600000")
"""On a busy machine a bot that a test plays by hand may be silent for longer than a session lasts by default."""


@dataclass(frozen=True, slots=True)
class Running:
    """A server that runs."""

    process: subprocess.Popen[str]
    address: str
    http: str
    admin_token: str
    log: Path

    def channel(self) -> grpc.Channel:
        return grpc.insecure_channel(self.address)

    def kill(self) -> None:
        """As by a power cut."""
        self.process.kill()
        self.process.wait(WITHIN_S)

    def drained(self) -> int:
        """Its exit status, after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(WITHIN_S)


def bearer(secret: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {secret}"),)


@contextmanager
def serving(folder: Path, *flags: str) -> Iterator[Running]:
    """The server on free ports, its data in `folder`. It is gone afterwards, whatever happened."""
    log = folder / "server.log"
    command = [sys.executable, "-m", "referee", "serve", "--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"]
    environment = {name: text for name, text in os.environ.items() if not name.startswith("REFEREE_")}
    with log.open("a") as errors:
        process = subprocess.Popen(
            [*command, "--data-dir", str(folder / "data"), *PATIENT, *flags],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=environment,
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, log.read_text()
        told = json.loads(line)
        yield Running(process, told["grpc"], told["http"], told.get("admin_token", ""), log)
    except BaseException as why:
        why.add_note(_last_errors(log))  # pytest shows it beside what failed.
        raise
    finally:
        process.kill()
        process.wait(WITHIN_S)
        assert process.stdout is not None
        process.stdout.close()


def _last_errors(log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if '"level": "info"' not in line]
    return "\n".join(lines[-SHOWN_LOG_LINES:])


def organiser(channel: grpc.Channel, admin: str, holder: str = "ada") -> str:
    """The secret of an organiser."""
    request = admin_service_pb2.CreateTokenRequest(role=token_pb2.ROLE_ORGANISER, holder=holder)
    return AdminServiceStub(channel).CreateToken(request, metadata=bearer(admin), timeout=WITHIN_S).secret


def registered(channel: grpc.Channel, secret: str, *names: str) -> list[str]:
    """The secrets of new bots."""
    bots = BotServiceStub(channel)
    return [
        bots.RegisterBot(
            bot_service_pb2.RegisterBotRequest(request_id=f"register {name}", name=name),
            metadata=bearer(secret),
            timeout=WITHIN_S,
        ).secret
        for name in names
    ]
