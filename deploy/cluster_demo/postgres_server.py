"""A private PostgreSQL server in a directory: for tests, benchmarks and clusters on one machine.

It needs neither root nor an installation step beyond Debian's package, listens on the loopback interface only, and asks
for a password, since other users of the machine can reach that interface too. PostgreSQL refuses to run as root, so a
caller that is root starts it as another user.
"""

import os
import pwd
import secrets
import select
import shutil
import signal
import subprocess
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

from deploy.cluster_demo.nats_server import ReservedPort, dying_with_parent

ROLE = "referee"
"""The superuser of the server."""

READY = "database system is ready to accept connections"

START_TIMEOUT_S = 60

MAX_LINES = 50
"""Number of lines of the server's log that an error shows."""

FAST = {"fsync": "off", "full_page_writes": "off"}
"""Options of a server whose data need not survive a power cut. They survive a kill of the server."""


class PostgresMissing(Exception):
    """The programs of PostgreSQL are not installed. `str()` is one sentence."""


class PostgresFailed(Exception):
    """A program of PostgreSQL failed. `str()` is the end of what it printed."""


def find_programs() -> Path:
    """Return the folder of PostgreSQL's programs, the newest if there are several. Raises PostgresMissing."""
    # Debian keeps only a few of the programs on the path.
    folders = [file.parent for file in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    newest_first = sorted(folders, key=lambda folder: float(folder.parent.name), reverse=True)
    on_path = [Path(found).resolve().parent for found in [shutil.which("initdb")] if found]
    for folder in (*on_path, *newest_first):
        if (folder / "postgres").exists():
            return folder
    raise PostgresMissing("PostgreSQL is not installed: its programs initdb and postgres are missing")


class PrivatePostgres:
    """A server that can be started, stopped, killed, and started again on the same data and port."""

    def __init__(self, folder: Path, options: Mapping[str, str] | None = None) -> None:
        """Create the data in `folder`, or use what is there. Raises PostgresMissing or PostgresFailed.

        If the caller is root, the user `postgres` must be able to reach the folder. `options` are those of
        postgresql.conf.
        """
        self._programs = find_programs()
        self._user = _other_user()
        self._data = folder / "data"
        self._options = dict(options or {})
        self._process: subprocess.Popen[str] | None = None
        self._log: deque[str] = deque(maxlen=MAX_LINES)
        self._log_reader: Thread | None = None
        self._reserved = ReservedPort()
        self.port = self._reserved.number
        password_file = folder / "password"
        if not (self._data / "PG_VERSION").exists():
            self._create(folder, password_file)
        self._password = password_file.read_text(encoding="utf-8").strip()

    def start(self) -> None:
        """Start the server, and return when it accepts connections. Raises PostgresFailed."""
        assert self._process is None
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "log_destination": "stderr",
            "logging_collector": "off",
            **self._options,
        }
        flags = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        self._process = process = self._spawn("postgres", "-D", str(self._data), *flags)
        self._log.clear()
        ready = Event()
        self._log_reader = Thread(target=self._read_log, args=(process, ready), daemon=True)
        self._log_reader.start()
        if not ready.wait(START_TIMEOUT_S) or process.poll() is not None:
            self.kill()
            raise PostgresFailed("\n".join(self._log))

    def stop(self) -> None:
        """Stop the server: end all sessions, write everything, and exit. No effect if it does not run."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """Kill all processes of the server, as a power cut would. No effect if it does not run."""
        process = self._process
        if process is None:
            return
        # Stopped first, so that it starts no others while they are killed.
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGSTOP)
        children = _children(process.pid)
        handles = [handle for child in children if (handle := _open_process(child)) is not None]
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self._end(signal.SIGKILL)
        for handle in handles:  # They hold the shared memory, without which the server does not start again.
            select.select([handle], [], [], START_TIMEOUT_S)
            os.close(handle)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def running_pid(self) -> int:
        """The process id of the running server."""
        assert self._process
        return self._process.pid

    def url(self, database: str = "postgres") -> str:
        """Return the URL of a database, with the password."""
        return f"postgres://{ROLE}:{quote(self._password)}@127.0.0.1:{self.port}/{quote(database)}"

    def __enter__(self) -> "PrivatePostgres":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _create(self, folder: Path, password_file: Path) -> None:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        password_file.touch(0o600)
        password_file.write_text(f"{secrets.token_urlsafe(24)}\n", encoding="utf-8")
        if self._user is not None:
            for owned in (folder, password_file):
                os.chown(owned, self._user.pw_uid, self._user.pw_gid)
        access = ("--username", ROLE, "--pwfile", str(password_file), "--auth", "scram-sha-256")
        created = self._spawn("initdb", "-D", str(self._data), *access, "--no-locale", "--encoding=UTF8", "--no-sync")
        output, _ = created.communicate()
        if created.returncode:
            raise PostgresFailed(output)

    def _spawn(self, program: str, *flags: str) -> "subprocess.Popen[str]":
        # Another user by setpriv, not by Popen: that would fork this process, which fails now and then with gRPC in it.
        # Its own session: Ctrl+C in a terminal is for the caller, who then stops the server in order.
        user = self._user
        as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] if user else []
        return subprocess.Popen(
            # In this order: a process that changes its user gets no signal any more when its parent ends.
            [*as_user, *dying_with_parent(signal.SIGINT), self._programs / program, *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd="/",
            start_new_session=True,
        )

    def _read_log(self, process: "subprocess.Popen[str]", ready: Event) -> None:
        assert process.stdout
        with process.stdout:
            for line in process.stdout:
                self._log.append(line.rstrip())
                if READY in line:
                    ready.set()
        ready.set()  # It has ended: nobody waits for it any longer.

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.wait()
        if self._log_reader:
            self._log_reader.join()


def create_folder(prefix: str = "referee-postgres-") -> Path:
    """Create a folder for a temporary server, which the user that runs it can reach."""
    return Path(tempfile.mkdtemp(prefix=prefix))


def _other_user() -> pwd.struct_passwd | None:
    """Return the user that runs the server; None: the caller, who is not root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise PostgresMissing("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as")


def _children(pid: int) -> Sequence[int]:
    """Return the ids of the child processes; none where the system does not list them."""
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def _open_process(pid: int) -> int | None:
    """Return a handle that becomes readable when the process ends; None: it has ended."""
    with suppress(OSError):
        return os.pidfd_open(pid)
    return None
