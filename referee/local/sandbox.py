"""Sandbox of a bot (bubblewrap): restricted files, no network except the referee, and limits.

docs/arena.md describes what is inside.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from referee.local.seccomp_filter import ARCHITECTURES, assemble_filter
from referee.local.toml_validation import BadPlan

BUBBLEWRAP = "bwrap"
MEMORY_MB = 2_048
PROCESSES = 256
MAX_MEMORY_MB = 1 << 20
MAX_PROCESSES = 1 << 16
TEMPORARY_BYTES = 64 << 20
"""Size of /tmp and of /dev/shm, and of every file in them."""
TEMPORARY = ("--perms", "1777", "--size", str(TEMPORARY_BYTES))
CONTROL_GROUPS = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids")
OWN_CHILD = "referee"
"""Control group of this process: the kernel limits children only of a group that has no process of its own."""
OF_BUBBLEWRAP = 2
"""Processes of bubblewrap itself."""
NO_GROUPS = (
    "sandbox: no control groups here; the memory of a bot is measured ten times a second, without the buffers of"
    " sockets and pipes. On a system with systemd, start the command with `systemd-run --user --scope -p Delegate=yes`"
)
UIDS = range(61_184, 65_520)
"""Unused user ids. If root, which is exempt from limits, runs the arena, each bot runs as one of these."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt")
CONFIGURATION = (
    *("alternatives", "group", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf"),
    "passwd",
)
PACKAGES = ("referee_client", "referee_api", "referee_values")
ENTRY = Path(__file__).with_name("sandbox_entry.py")
ENTRY_INSIDE = "/run/sandbox_entry.py"
UNSHARED = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
FOR_ROOT = (
    "--cap-drop",
    "ALL",
    *(word for cap in ("SETUID", "SETGID", "CHOWN") for word in ("--cap-add", f"CAP_{cap}")),
)
"""Capabilities to change the user id; the bot itself has none."""

ENVIRONMENT = {"HOME": "/tmp", "TMPDIR": "/tmp"}
"""Environment variables inside."""


class Sandbox(Struct, frozen=True):
    """Files and limits of the bots of a plan."""

    read: tuple[Path, ...] = ()
    """Additional files and folders that are readable."""
    memory_mb: Annotated[int, Meta(ge=1, le=MAX_MEMORY_MB)] = MEMORY_MB
    """Memory limit per bot: of all its processes and temporary files together."""
    processes: Annotated[int, Meta(ge=1, le=MAX_PROCESSES)] = PROCESSES
    """Limit of processes and threads per bot."""

    @property
    def memory_bytes(self) -> int:
        return self.memory_mb << 20

    def within(self, folder: Path) -> "Sandbox":
        """Return the sandbox of a plan in that folder."""
        return replace(self, read=tuple(folder / path.expanduser() for path in self.read))

    def check(self, folders: Iterable[Path]) -> None:
        """Raise BadPlan if sandboxes do not work here, or if a bot's folder contains the home directory."""
        for folder in folders:
            if Path.home().resolve().is_relative_to(folder.resolve()):
                raise BadPlan("sandbox", f"a bot would see all of {folder}; give it a folder of its own (folder = …)")
        if platform.machine() not in ARCHITECTURES:
            raise BadPlan("sandbox", f"works on {' and '.join(ARCHITECTURES)}, not on {platform.machine()}")
        if shutil.which(BUBBLEWRAP) is None:
            raise BadPlan("sandbox", "bubblewrap is not installed; on Debian, install the package `bubblewrap`")
        tried = subprocess.run([*self._walls(Path("/usr")), "true"], capture_output=True, text=True, check=False)
        if tried.returncode:
            why = tried.stderr.strip() or f"exit status {tried.returncode}"
            raise BadPlan("sandbox", f"bubblewrap does not work here ({why}); containers often forbid it")
        own_groups()  # It must come before other processes of the referee start in this group.

    def command(self, command: Sequence[str], folder: Path, hidden: Path, port: int, number: int) -> tuple[str, ...]:
        """Return the command in a sandbox that runs in `folder`, hides `hidden` and reaches the referee at `port`.

        `number` must differ between concurrent bots.
        """
        uid = UIDS[number % len(UIDS)] if os.getuid() == 0 else -1
        return (
            *self._walls(folder, hidden),
            *(sys.executable, "-I", "-S", ENTRY_INSIDE, str(port)),
            *(str(self.memory_bytes), str(TEMPORARY_BYTES), str(self.processes), str(uid)),
            assemble_filter().hex(),
            *command,
        )

    def create_group(self, number: int) -> Path | None:
        """Create a control group for a bot, if control groups can be created here. Raises OSError."""
        parent = own_groups()
        return parent and create_group(parent, f"bot-{number}", bot_limits(self.memory_bytes, self.processes))

    def _walls(self, folder: Path, hidden: Path | None = None) -> tuple[str, ...]:
        """Return the arguments before the command."""
        folder = folder.resolve()
        shown = [*_python(), *(path.resolve() for path in self.read), folder]
        return (
            *(BUBBLEWRAP, "--die-with-parent", "--new-session", *UNSHARED),
            *(FOR_ROOT if os.getuid() == 0 else ("--unshare-user",)),
            *("--dev", "/dev", "--proc", "/proc"),
            *(word for place in ("/tmp", "/dev/shm") for word in (*TEMPORARY, "--tmpfs", place)),
            *_system(),
            *(word for path in shown for word in _shown(path)),
            *("--dir", "/run", "--ro-bind", str(ENTRY), ENTRY_INSIDE),
            *(_hiding(hidden) if hidden and any(map(hidden.is_relative_to, shown)) else ()),
            # These two are file systems in memory without a limit of their own.
            *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(folder), "--"),
        )


@cache
def own_groups() -> Path | None:
    """Return the control group below which this process may create others, or None. The first call changes its group.

    A process may create groups if the group in which it was started is its own and has no other process: a service with
    `Delegate=yes`, a container with its own control groups, or `systemd-run --user --scope -p Delegate=yes`. Version 1
    is not used: kernels and systemd drop it.
    """
    return prepare_groups(CONTROL_GROUPS, Path("/proc/self/cgroup").read_text(), os.getpid())


def prepare_groups(root: Path, memberships: str, process: int) -> Path | None:
    """Prepare the group of a process, with its `memberships` as /proc has them, for children with limits."""
    path = next((line[3:] for line in memberships.splitlines() if line.startswith("0::")), "")
    group = root / path.lstrip("/")
    own = group / OWN_CHILD
    try:
        if not set(CONTROLLERS) <= set((group / "cgroup.controllers").read_text().split()):
            return None
        own.mkdir(exist_ok=True)
        (own / "cgroup.procs").write_text(str(process))
    except OSError:
        return None
    try:
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in CONTROLLERS))
    except OSError:  # It has other processes.
        with suppress(OSError):
            (group / "cgroup.procs").write_text(str(process))
            own.rmdir()
        return None
    return group


def create_group(parent: Path, name: str, limits: Mapping[str, int]) -> Path:
    """Create a group. Raises OSError."""
    group = parent / name
    group.mkdir(exist_ok=True)
    for file, limit in limits.items():
        (group / file).write_text(str(limit))
    with suppress(FileNotFoundError):  # The kernel may not account for swap.
        (group / "memory.swap.max").write_text("0")
    return group


def bot_limits(memory_bytes: int, processes: int) -> dict[str, int]:
    return {"memory.max": memory_bytes, "memory.oom.group": 1, "pids.max": processes + OF_BUBBLEWRAP}


def _hiding(folder: Path) -> tuple[str, ...]:
    return ("--tmpfs", str(folder), "--remount-ro", str(folder))


def _system() -> Iterator[str]:
    """Yield the mounts of system programs, libraries and their configuration, without private files."""
    for place in map(Path, SYSTEM):
        if place.is_symlink():
            yield from ("--symlink", str(place.readlink()), str(place))
        else:
            yield from ("--ro-bind-try", str(place), str(place))
    etc = Path("/etc")
    yield from ("--dir", str(etc))  # World-readable; see `_shown`.
    for path in (*(etc / name for name in CONFIGURATION), *etc.glob("java*")):
        yield from ("--ro-bind-try", str(path), str(path))


def _python() -> Iterator[Path]:
    """Yield the paths of this Python and the Python client."""
    yield from (Path(sys.prefix), Path(sys.base_prefix).resolve(), Path(sys.base_prefix))
    for package in PACKAGES:
        spec = find_spec(package)
        for place in spec.submodule_search_locations or () if spec else ():
            yield Path(place)


def _shown(path: Path) -> Iterator[str]:
    """Yield a read-only mount. Creates parents first, since bubblewrap would create them with private modes."""
    for parent in reversed(path.parents[:-1]):
        yield from ("--dir", str(parent))
    yield from ("--ro-bind", str(path), str(path))
