"""Runs every command of docs/hosting.md in order against a real server, and compares the outputs that the page shows.

The machine is a folder (`machine.py`), with the setup of docs/operations.md but without its installations. Each team
has a folder and a shell of its own, and follows the message to the teams. A gate in the program of the teams lets the
test decide when moves are made, so that a match is in play when the page needs one.
"""

import fcntl
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from referee_client import Organiser

from tests.deploy.machine import Machine, setup_commands
from tests.deploy.shell import Shell
from tests.deploy.tools import ROOT

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
TEAMS = ("team-1", "team-2", "team-7", "team-9")
ABSENT = "team-9"
"""Team whose bot never connects; the page withdraws it."""
SMALLER = {
    r"\b150\b": str(len(TEAMS)),
    r"\b8 entrants": f"{len(TEAMS) - 1} entrants",
    r"rounds = 8": "rounds = 2",
    r"round_break_ms = \d+": "round_break_ms = 0",
    r"2027-03-06": time.strftime("%Y-%m-%d", time.gmtime(time.time() + 10 * 86_400)),
}
"""Changes to the page: fewer teams and rounds, no break, and a start in the future."""
INSTALLATIONS = ("apt-get ", "python3 -m venv ", "/opt/referee/bin/pip ", "referee-venv/bin/pip ")
"""Beginnings of commands that are not run here. `test_setup_commands.py` runs all of them but the last."""
ENDLESS = "BOT_TOKEN=$(cat bot.token) referee-bot "
"""Beginning of the command that runs until it is stopped."""
WARNING = 3
"""Exit status of `referee doctor` with warnings, here about the machine that the tests share."""
GATE = """
import fcntl

choose_at_once = choose


def choose(turn):
    with open({gate!r}) as gate:
        fcntl.flock(gate, fcntl.LOCK_SH)
        return choose_at_once(turn)
"""


@dataclass(frozen=True, slots=True)
class Step:
    section: str
    command: str
    output: str
    """Expected output, in which … stands for any text. Empty: not shown."""


def steps_of(page: str) -> list[Step]:
    """Return the commands of all console blocks, with continuation lines and expected outputs."""
    steps: list[Step] = []
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        title = section.partition("\n")[0]
        for indent, block in re.findall(r"^( *)```console\n(.*?)^ *```$", section, re.DOTALL | re.MULTILINE):
            lines = [line.removeprefix(indent) for line in block.splitlines()]
            steps += [Step(title, *_command_and_output(part)) for part in _parts(lines)]
    return steps


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Split the lines of a block at the prompts."""
    starts = [at for at, line in enumerate(lines) if line.startswith(("# ", "$ "))]
    assert starts[:1] == [0], lines
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start:end]


def _command_and_output(lines: list[str]) -> tuple[str, str]:
    more = [line for line in lines[1:] if line.startswith(">")]
    command = [lines[0][2:], *(line[2:] for line in more)]
    return "\n".join(command), "\n".join(lines[1 + len(more) :])


def matches(output: str, expected: str) -> bool:
    pattern = ".*".join(re.escape(part.strip(" ")) for part in expected.split("…"))
    return bool(re.fullmatch(pattern, output.strip(), re.DOTALL))


def install(folder: Path) -> None:
    """Let the programs of this environment stand for an installation in the folder."""
    folder.mkdir(parents=True)
    (folder / "bin").symlink_to(Path(sys.executable).parent)


class Rehearsal:
    """One pass through the page."""

    def __init__(self, machine: Machine, stack: ExitStack) -> None:
        self.machine = machine
        self.folder = machine.root / "checkout"
        self.stack = stack
        self.shell = self.open_shell(self.folder)
        self.match_id = ""
        self.gate = stack.enter_context((machine.root / "gate").open("w"))
        self.before: dict[str, Callable[[], None]] = {
            "referee tournament entrants cup": self.wait_for_bots,
            "referee tournament start cup": self.close_gate,
            "referee matches list": self.wait_for_match,
            "BOT_TOKEN=$(cat admin.token) referee matches adjudicate": self.wait_for_match,
            "referee bot record": self.wait_for_result,
            "referee tournament watch cup": self.open_gate,
        }
        """Preparations, by the beginning of the command that needs them."""

    def open_shell(self, folder: Path) -> Shell:
        return self.stack.enter_context(Shell(folder, self.machine.environment()))

    def set_up(self) -> None:
        """Do what the page refers to, with this environment in place of an installation."""
        install(self.machine.root / "opt" / "referee")
        for command in setup_commands():
            if not command.startswith(INSTALLATIONS):
                self.run(self.shell, Step("setup", command, ""))

    def follow(self, steps: list[Step]) -> None:
        """Run the steps of the organiser; each team runs those of the message to the teams when they come first."""
        for_teams = [step for step in steps if step.section == "Message to the teams"]
        for step in steps:
            if step is for_teams[0]:
                for team in TEAMS:
                    self.follow_as(team, for_teams)
            if step not in for_teams:
                self.run(self.shell, step)

    def follow_as(self, team: str, steps: list[Step]) -> None:
        folder = self.machine.root / team
        install(folder / "referee-venv")
        shutil.copy(self.folder / "ca.pem", folder)
        shell = self.open_shell(folder)
        code = (self.folder / "code").read_text().strip()
        for step in steps:
            command = step.command.replace("rf_invite_…", code).replace("team-7", team)
            if command.startswith(ENDLESS):
                if team != ABSENT:
                    shell.start(self.adapt(command))
            elif not command.startswith(INSTALLATIONS):
                self.run(shell, Step(step.section, command, step.output.replace("team-7", team)))
            if command.startswith("cat > my_bot.py"):
                with (folder / "my_bot.py").open("a") as program:
                    program.write(GATE.format(gate=self.gate.name))

    def run(self, shell: Shell, step: Step) -> None:
        for beginning, prepare in self.before.items():
            if step.command.startswith(beginning):
                prepare()
        status, output = shell.run(self.adapt(step.command))
        explained = f"{step.command}\n{output}"
        assert status == 0 or (status == WARNING and "referee doctor" in step.command), f"{status}: {explained}"
        if step.output:
            assert matches(output, self.adapt(step.output)), f"{explained}\nexpected:\n{self.adapt(step.output)}"

    def adapt(self, text: str) -> str:
        for pattern, replacement in SMALLER.items():
            text = re.sub(pattern, replacement, text)
        text = text.replace("referee.example.org:", "localhost:")
        return self.machine.map_paths(re.sub(r"\bMATCH\b", self.match_id or "MATCH", text))

    def close_gate(self) -> None:
        fcntl.flock(self.gate, fcntl.LOCK_EX)

    def open_gate(self) -> None:
        fcntl.flock(self.gate, fcntl.LOCK_UN)

    def wait_for_bots(self) -> None:
        def all_are_online(organiser: Organiser) -> bool:
            return len(list(organiser.bots(online_only=True))) == len(TEAMS) - 1

        self.wait_until(all_are_online)

    def wait_for_match(self) -> None:
        """Wait until a match other than the last one is in play, and let MATCH stand for it."""

        last = self.match_id

        def is_playing(organiser: Organiser) -> bool:
            self.match_id = next((match.id for match in organiser.matches(phase="playing") if match.id != last), last)
            return self.match_id != last

        self.wait_until(is_playing)

    def wait_for_result(self) -> None:
        """Wait until a pairing that the page shows has its result."""
        self.wait_until(lambda organiser: any(pairing.points for pairing in organiser.tournaments.pairings("cup")))

    def wait_until(self, condition: Callable[[Organiser], bool]) -> None:
        deadline_s = time.monotonic() + Shell.TIMEOUT_S
        token = (self.folder / "ada.token").read_text().strip()
        with Organiser(f"localhost:{self.machine.grpc}", token, ca=self.folder / "ca.pem") as organiser:
            while not condition(organiser):
                assert time.monotonic() < deadline_s
                threading.Event().wait(0.3)


@pytest.fixture
def rehearsal(tmp_path: Path) -> Iterator[Rehearsal]:
    machine = Machine(tmp_path / "machine")
    with ExitStack() as stack:
        stack.callback(machine.stop)
        yield Rehearsal(machine, stack)


def test_every_command_of_the_page_leads_to_a_published_competition(rehearsal: Rehearsal) -> None:
    rehearsal.set_up()
    rehearsal.follow(steps_of(PAGE))
    standings = (rehearsal.folder / "cup" / "tables" / "standings.csv").read_text()
    assert {team for team in TEAMS if f"{team}-bot" in standings} == set(TEAMS)
    assert (rehearsal.folder / "final.csv").read_text().count("-bot") >= len(TEAMS) - 1


def test_what_a_team_installs_exists() -> None:
    [installation] = [step.command for step in steps_of(PAGE) if step.command.startswith(INSTALLATIONS[-1])]
    for folder in installation.split()[2:]:
        assert (ROOT / folder / "pyproject.toml").exists()
