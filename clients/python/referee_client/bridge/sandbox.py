"""Sandbox by bubblewrap: no network, a read-only file system, and no access to the user's files."""

import shutil
import subprocess
from pathlib import Path

from referee_client.errors import Misconfigured

BUBBLEWRAP = "bwrap"


def sandboxed(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the command inside the sandbox, which can read `folder`. Raises Misconfigured if there is no sandbox."""
    if shutil.which(BUBBLEWRAP) is None:
        raise Misconfigured("a sandbox needs bubblewrap, which is not installed; Debian's package is `bubblewrap`")
    prefix = _bubblewrap_command(folder)
    trial = subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False)
    if trial.returncode:
        reason = trial.stderr.strip() or f"exit status {trial.returncode}"
        raise Misconfigured(f"bubblewrap cannot create a sandbox here ({reason}); containers often forbid it")
    return (*prefix, *command)


def _bubblewrap_command(folder: Path) -> tuple[str, ...]:
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
        *(argument for path in (Path("/tmp"), Path("/run"), *hidden) for argument in ("--tmpfs", str(path))),
        *("--ro-bind", str(folder), str(folder)),
        *("--chdir", str(folder)),
        "--",
    )
