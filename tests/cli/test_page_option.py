"""A local contest is shown on a page while it is played."""

import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.server import TIMEOUT_S

pytestmark = pytest.mark.slow

PLAN = """\
game = "trox"
round_robin = { cycles = 200 }
[bots]
anna = "random"
bert = "random"
"""


@contextmanager
def run_contest(folder: Path, *command: str) -> Iterator[str]:
    """Run a local contest, and yield the address of its page once something was played; it is interrupted on exit."""
    arguments = [sys.executable, "-m", "referee", *command, "--out", str(folder / "out"), "--page"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, cwd=folder) as program:
        try:
            assert program.stdout
            program.stdout.readline()  # Addresses of the referee itself.
            *words, address = program.stdout.readline().split()
            assert words == ["watch", "it", "at"]
            assert "/" in program.stdout.readline()  # The first of so many matches or pairings.
            yield address
        finally:
            program.send_signal(signal.SIGINT)
            program.communicate(timeout=TIMEOUT_S)


@pytest.mark.parametrize(
    "command", [("match", "random", "random", "--game", "trox"), ("tournament", "run", "cup.toml")]
)
def test_the_page_of_a_finished_contest_stays_until_ctrl_c(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "cup.toml").write_text(PLAN.replace("200", "1"))
    arguments = [sys.executable, "-m", "referee", *command, "--out", "out", "--page"]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as program:
        try:
            assert program.stdout
            shown = "".join(iter(program.stdout.readline, "\n"))
            for line in program.stdout:
                shown += line
                if line.startswith("the page stays at "):
                    assert "<h1>Matches</h1>" in read_page(f"{line.split()[4]}/matches")
                    break
            assert "this run took" in shown
            program.send_signal(signal.SIGINT)
            assert program.wait(TIMEOUT_S) == 0
        finally:
            program.kill()


def read_page(address: str) -> str:
    with urllib.request.urlopen(address, timeout=TIMEOUT_S) as response:
        page: str = response.read().decode()
    return page


def test_a_match_is_shown_while_it_is_played(tmp_path: Path) -> None:
    with run_contest(tmp_path, "match", "random", "random", "--game", "trox", "--games", "500") as address:
        assert "<h1>Matches</h1>" in read_page(f"{address}/matches")


def test_a_tournament_is_shown_while_it_is_played(tmp_path: Path) -> None:
    plan = tmp_path / "cup.toml"
    plan.write_text(PLAN)
    with run_contest(tmp_path, "tournament", "run", str(plan)) as address:
        assert 'href="/tournaments/cup"' in read_page(f"{address}/tournaments")
        page = read_page(f"{address}/tournaments/cup")
        assert "<h1>cup</h1>" in page
        assert 'href="/bots/anna"' in page
