"""Front doors as on other machines than the server's: processes with keys of their own, which connect over TLS."""

import json
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from select import select

import grpc

from referee.server.edge_process import PROGRAM
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server
from tests.e2e.server_metrics import POLL_INTERVAL_S, metrics
from tests.e2e.test_tls import Certificate

LISTENING = re.compile(r'"port": (\d+), "event": "listening for doors"')
SERVER = Certificate("server")
NORTH, SOUTH = Certificate("north"), Certificate("south")
"""Keys of doors that the server knows."""


@dataclass(frozen=True, slots=True)
class DoorProcess:
    """A door that listens for bots, and may not have a link yet."""

    process: "subprocess.Popen[bytes]"
    address: str

    def channel(self) -> grpc.Channel:
        return grpc.insecure_channel(self.address, [("grpc.use_local_subchannel_pool", 1)])


def wait_for_line(log: Path, pattern: re.Pattern[str]) -> str:
    """Return the first group of the last line in which the pattern is found, as soon as there is one."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while not (found := pattern.findall(log.read_text())):
        assert time.monotonic() < deadline_s, log.read_text()
        select([], [], [], POLL_INTERVAL_S)
    last: str = found[-1]
    return last


@contextmanager
def server_for_doors(folder: Path, *flags: str, port: int = 0) -> Iterator[tuple[ServerProcess, int]]:
    """Run a server that knows both doors; yield the port at which they connect, too."""
    (folder / "doors.pem").write_bytes(NORTH.cert + SOUTH.cert)
    flags += ("--edge-listen", f"127.0.0.1:{port}", "--edge-client-ca", str(folder / "doors.pem"))
    with run_server(folder, *SERVER.write_files(folder), *flags) as server:
        yield server, int(wait_for_line(server.log, LISTENING))


@contextmanager
def run_door(folder: Path, port: int, own: Certificate, trusted: Certificate = SERVER) -> Iterator[DoorProcess]:
    """Run a door whose bots connect without TLS. It is killed on exit."""
    folder.mkdir()
    (folder / "ca.pem").write_bytes(trusted.cert)
    own.write_files(folder)
    log = folder / "door.log"
    files = [f"-server-{name}={folder / name}.pem" for name in ("ca", "cert", "key")]
    with log.open("wb") as errors:
        command = [PROGRAM, "-listen=127.0.0.1:0", f"-server=127.0.0.1:{port}", *files]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=errors)
    try:
        yield DoorProcess(process, wait_for_line(log, re.compile(r'"listening","address":"(.*)"')))
    except BaseException as error:
        error.add_note(log.read_text())
        raise
    finally:
        process.kill()
        process.wait(TIMEOUT_S)


def connected(server: ServerProcess) -> dict[str, int]:
    """Return how many connected doors have each name."""
    found = metrics(server).items()
    return {name.split('"')[1]: int(value) for name, value in found if name.startswith("referee_edge_up{")}


def wait_for_doors(server: ServerProcess, **doors: int) -> None:
    """Wait until so many doors of these names are connected, and no others are known."""
    deadline_s = time.monotonic() + TIMEOUT_S
    while (found := connected(server)) != doors:
        assert time.monotonic() < deadline_s, json.dumps(found)
        select([], [], [], POLL_INTERVAL_S)
