"""Sandbox by bubblewrap: no network, a read-only file system, and no access to the user's files."""

import shutil
import subprocess
from pathlib import Path

from referee_client.errors import Misconfigured

BUBBLEWRAP = "bwrap"


def sandboxed(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the command inside the sandbox, which can read `folder`. Raises Misconfigured if none can be made."""
    if shutil.which(BUBBLEWRAP) is None:
        raise Misconfigured("a sandbox needs bubblewrap, which is not here; Debian's package is `bubblewrap`")
    walls = _walls(folder)
    tried = subprocess.run([*walls, "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        why = tried.stderr.strip() or f"exit status {tried.returncode}"
        raise Misconfigured(f"bubblewrap can make no sandbox here ({why}); in a container that is often forbidden")
    return (*walls, *command)


def _walls(folder: Path) -> tuple[str, ...]:
    home = Path.home()
    hidden = [home] if home != Path("/") else []
    return (
        BUBBLEWRAP,
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        *("--ro-bind", "/", "/"),
        *("--dev", "/dev"),
        *("--proc", "/proc"),
        *(word for place in (Path("/tmp"), Path("/run"), *hidden) for word in ("--tmpfs", str(place))),
        *("--ro-bind", str(folder), str(folder)),
        *("--chdir", str(folder)),
        "--",
    )
