"""The sandbox of a bot, made by bubblewrap: which files it sees, no network but the referee, limits.

docs/arena.md says what is inside.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from referee.arena.refusals import BadPlan

BUBBLEWRAP = "bwrap"
MEMORY_MB = 2_048
PROCESSES = 256
TEMPORARY = ("--perms", "1777", "--size", str(64 << 20))
"""Of /tmp and of /dev/shm, each."""
UIDS = range(61_184, 65_520)
"""Users that nobody is. Bots take turns with them if root runs the arena, which is exempt from limits."""

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
"""What the entry needs to become somebody else; the bot has no capabilities at all."""

ENVIRONMENT = {"HOME": "/tmp", "TMPDIR": "/tmp"}
"""What is different inside."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What the bots of a plan may see and use."""

    read: tuple[Path, ...] = ()
    """Files and folders that all of them see besides their own, to read."""
    memory_mb: int = MEMORY_MB
    """Of each process."""
    processes: int = PROCESSES
    """Of each bot; threads count."""

    def check(self, folders: Iterable[Path]) -> None:
        """Raises BadPlan if there can be none here, or if one of the bots' folders holds everything of the user's."""
        for folder in folders:
            if Path.home().resolve().is_relative_to(folder.resolve()):
                raise BadPlan("sandbox", f"a bot would see all of {folder}; give it a folder of its own (folder = …)")
        if shutil.which(BUBBLEWRAP) is None:
            raise BadPlan("sandbox", "it needs bubblewrap, which is not installed; Debian's package is `bubblewrap`")
        tried = subprocess.run([*self._walls(Path("/usr")), "true"], capture_output=True, text=True, check=False)
        if tried.returncode:
            why = tried.stderr.strip() or f"exit status {tried.returncode}"
            raise BadPlan("sandbox", f"bubblewrap can make none here ({why}); containers often forbid it")

    def command(self, command: Sequence[str], folder: Path, hidden: Path, port: int, number: int) -> tuple[str, ...]:
        """The command inside a sandbox, run in `folder`, without a sight of `hidden`, and the referee at `port`.

        `number` tells bots apart that run at the same time.
        """
        uid = UIDS[number % len(UIDS)] if os.getuid() == 0 else -1
        return (
            *self._walls(folder, hidden),
            *(sys.executable, "-I", "-S", ENTRY_INSIDE, str(port)),
            *(str(self.memory_mb << 20), str(self.processes), str(uid)),
            *command,
        )

    def _walls(self, folder: Path, hidden: Path | None = None) -> tuple[str, ...]:
        """The arguments before the command."""
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


def _system() -> Iterator[str]:
    """Programs and libraries, and how they are set up on this machine; nothing that is private to anybody."""
    for place in map(Path, SYSTEM):
        if place.is_symlink():
            yield from ("--symlink", str(place.readlink()), str(place))
        else:
            yield from ("--ro-bind-try", str(place), str(place))
    etc = Path("/etc")
    yield from ("--dir", str(etc))  # For everybody to read; see `_shown`.
    for path in (*(etc / name for name in CONFIGURATION), *etc.glob("java*")):
        yield from ("--ro-bind-try", str(path), str(path))


def _python() -> Iterator[Path]:
    """Where this Python and the Python client are."""
    yield from (Path(sys.prefix), Path(sys.base_prefix).resolve(), Path(sys.base_prefix))
    for package in PACKAGES:
        spec = find_spec(package)
        for place in spec.submodule_search_locations or () if spec else ():
            yield Path(place)


def _shown(path: Path) -> Iterator[str]:
    """Its parents are made first: bubblewrap would make them for the user alone if the user's own are."""
    for parent in reversed(path.parents[:-1]):
        yield from ("--dir", str(parent))
    yield from ("--ro-bind", str(path), str(path))
