"""Sandbox of a bot (bubblewrap): restricted files, no network except the referee, and limits.

docs/arena.md describes what is inside.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engines.game_errors import quoted
from referee.local.toml_validation import BadPlan, count, known, texts

BUBBLEWRAP = "bwrap"
OF_A_SANDBOX = ("read", "memory_mb", "processes")
MEMORY_MB = 2_048
PROCESSES = 256
MAX_MEMORY_MB = 1 << 20
MAX_PROCESSES = 1 << 16
TEMPORARY = ("--perms", "1777", "--size", str(64 << 20))
"""Options of /tmp and /dev/shm."""
UIDS = range(61_184, 65_520)
"""Unused user ids. If root, which is exempt from limits, runs the arena, each bot runs as one of these."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt")
CONFIGURATION = (
    *("alternatives", "group", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf"),
    "passwd",
)
PACKAGES = ("referee_client", "referee_api")
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


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Files and limits of the bots of a plan."""

    read: tuple[Path, ...] = ()
    """Additional files and folders that are readable."""
    memory_mb: int = MEMORY_MB
    """Memory limit per process."""
    processes: int = PROCESSES
    """Limit of processes and threads per bot."""

    def check(self, folders: Iterable[Path]) -> None:
        """Raise BadPlan if sandboxes do not work here, or if a bot's folder contains the home directory."""
        for folder in folders:
            if Path.home().resolve().is_relative_to(folder.resolve()):
                raise BadPlan("sandbox", f"a bot would see all of {folder}; give it a folder of its own (folder = …)")
        if shutil.which(BUBBLEWRAP) is None:
            raise BadPlan("sandbox", "bubblewrap is not installed; on Debian, install the package `bubblewrap`")
        tried = subprocess.run([*self._walls(Path("/usr")), "true"], capture_output=True, text=True, check=False)
        if tried.returncode:
            why = tried.stderr.strip() or f"exit status {tried.returncode}"
            raise BadPlan("sandbox", f"bubblewrap does not work here ({why}); containers often forbid it")

    def command(self, command: Sequence[str], folder: Path, hidden: Path, port: int, number: int) -> tuple[str, ...]:
        """Return the command in a sandbox that runs in `folder`, hides `hidden` and reaches the referee at `port`.

        `number` must differ between concurrent bots.
        """
        uid = UIDS[number % len(UIDS)] if os.getuid() == 0 else -1
        return (
            *self._walls(folder, hidden),
            *(sys.executable, "-I", "-S", ENTRY_INSIDE, str(port)),
            *(str(self.memory_mb << 20), str(self.processes), str(uid)),
            *command,
        )

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
            *(("--tmpfs", str(hidden)) if hidden and any(map(hidden.is_relative_to, shown)) else ()),
            *("--remount-ro", "/", "--chdir", str(folder), "--"),
        )


def read_sandbox(content: Mapping[str, Any], folder: Path) -> Sandbox | None:
    """Read the key `sandbox`; paths are relative to `folder`, that of the plan. Raises BadPlan."""
    given = content.get("sandbox", False)
    if isinstance(given, bool):
        return Sandbox() if given else None
    if not isinstance(given, dict):
        raise BadPlan("sandbox", f"expected true or a table with read, memory_mb and processes, not {quoted(given)}")
    known("sandbox", given, OF_A_SANDBOX)
    return Sandbox(
        tuple(folder / Path(path).expanduser() for path in texts("sandbox.read", given.get("read", []))),
        count("memory_mb", given, MEMORY_MB, MAX_MEMORY_MB),
        count("processes", given, PROCESSES, MAX_PROCESSES),
    )


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
