"""Commands that need no server run on systems without POSIX."""

import subprocess
import sys
from pathlib import Path

from tests.records.forgery import record_of
from tests.records.matches import find_game, random_match

WITHOUT_POSIX = """
import subprocess, sys, tempfile, shutil, asyncio  # The standard library uses other modules on other systems.

class NotHere:
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "resource", "termios", "tty", "pty", "grp", "pwd"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

for name in ("fcntl", "resource", "termios", "tty", "pty", "grp", "pwd"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, NotHere())
from referee.cli import main
main(sys.argv[1:])
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, *arguments], capture_output=True, text=True, check=False, timeout=300
    )


def test_records_are_verified_replayed_and_explained_without_posix(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_bytes(record_of(random_match(find_game("alquerque"), 1)))
    for arguments in (["verify"], ["replay"], ["explain", "--seat", "1"]):
        done = run(arguments[0], str(record), *arguments[1:])
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout


def test_the_commands_are_listed_without_posix() -> None:
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "verify" in done.stdout
