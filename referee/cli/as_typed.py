"""How this program is called from the shell that called it, for commands that are shown to be copied."""

import shlex
import shutil
import sys
from pathlib import Path

NAME = "referee"


def as_typed() -> str:
    """`referee` where the path leads to this very program; else how it was called."""
    called = Path(sys.argv[0])
    if called.name != NAME:
        return shlex.join([sys.executable, "-m", NAME])
    found = shutil.which(NAME)
    return NAME if found and Path(found).resolve() == called.resolve() else shlex.quote(sys.argv[0])
