"""Well-behaved and faulty line programs behind the bridge, on a real server."""

import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from referee_client import Organiser
from referee_client.bridge.sandbox import sandboxed
from referee_client.bridge.stderr_log import MAX_BYTES
from referee_client.errors import Misconfigured
from referee_client.organiser.terms import Terms
from referee_client.results import outcome, ranks, reason

from tests.clients.sdk import BotProgram, connect_organiser, long_match, run_bot
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server

pytestmark = pytest.mark.slow

BASH = Path(__file__).parents[2] / "clients" / "bash" / "bot.sh"
LINE_PROGRAM = (sys.executable, str(Path(__file__).with_name("line_program.py")))
LIMITS = ("--max-consecutive-faults", "1000", "--max-bots-per-holder", "1000")
SHORT_MATCH = Terms("alquerque", clock="3s", start_within="10m")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server"), "--ephemeral", *LIMITS) as running:
        yield running


@pytest.fixture(scope="module")
def organiser(server: ServerProcess) -> Iterator[Organiser]:
    with connect_organiser(server) as one:
        yield one


COMMAND = (sys.executable, "-m", "referee_client.bridge")


@dataclass(frozen=True)
class Bridges:
    """Runs programs behind a bridge, on one server."""

    server: ServerProcess
    organiser: Organiser

    @contextmanager
    def run(self, secret: str, *arguments: str) -> Iterator[BotProgram]:
        environment = {**os.environ, "BOT_REFEREE": self.server.address, "BOT_TOKEN": secret}
        running = BotProgram(
            subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, env=environment)
        )
        try:
            yield running
        finally:
            running.close()

    @contextmanager
    def match_against_random(self, terms: Terms, *arguments: str) -> Iterator[tuple[str, BotProgram]]:
        """Create a match of a bridged program in seat 0 against a random bot in every other seat."""
        number = next(bot_numbers)
        seats = 4 if terms.game == "toc" else 2
        others = [f"sound-{number}-{seat}" for seat in range(1, seats)]
        with ExitStack() as stack:
            bridge = stack.enter_context(self.run(self.organiser.register_bot(f"lines-{number}"), *arguments))
            for other in others:
                stack.enter_context(run_bot(self.server, self.organiser.register_bot(other), "random"))
            yield self.organiser.create_match(terms, [f"lines-{number}", *others]).id, bridge


bot_numbers = iter(range(1_000_000))


@pytest.fixture
def bridges(server: ServerProcess, organiser: Organiser) -> Bridges:
    return Bridges(server, organiser)


@pytest.mark.parametrize("game", ["alquerque", "trox", "troke", "toc"])
def test_the_bash_bot_plays_each_game_to_its_end(bridges: Bridges, game: str) -> None:
    with bridges.match_against_random(long_match(game), "--", str(BASH)) as (match, _):
        assert bridges.organiser.result(match).played


@pytest.mark.parametrize("behaviour", ["good", "names_turns", "logs_concurrently", "forks"])
def test_a_well_behaved_program_plays_to_the_end(bridges: Bridges, behaviour: str) -> None:
    with bridges.match_against_random(long_match("alquerque"), "--", *LINE_PROGRAM, behaviour) as (match, _):
        assert reason(bridges.organiser.result(match)) != "resignation"


@pytest.mark.parametrize(
    ("behaviour", "kind", "why"),
    [
        ("answers_nothing", "forfeited", "time"),
        ("reads_nothing", "forfeited", "time"),
        ("stops_itself", "forfeited", "time"),
        ("loops", "forfeited", "time"),
        ("garbage", "forfeited", "illegal_move"),
        ("resigns", "played", "resignation"),
        ("writes_long_lines", "played", "resignation"),
    ],
)
def test_the_opponent_of_a_broken_program_gets_a_result(bridges: Bridges, behaviour: str, kind: str, why: str) -> None:
    terms = SHORT_MATCH if why == "time" else long_match("alquerque")
    with bridges.match_against_random(terms, "--", *LINE_PROGRAM, behaviour) as (match, _):
        result = bridges.organiser.result(match)

    assert (outcome(result), reason(result)) == (kind, why)
    assert ranks(result) == (2, 1)


def test_a_program_that_floods_its_output_loses_only_its_own_match(bridges: Bridges) -> None:
    with bridges.match_against_random(long_match("alquerque"), "--", *LINE_PROGRAM, "floods") as (match, _):
        result = bridges.organiser.result(match)

    # Output during a turn is read as illegal moves; too much output before a turn makes the bridge give up the program.
    assert reason(result) in {"illegal_move", "resignation"}
    assert ranks(result) == (2, 1)


def test_a_program_that_exits_is_restarted_and_continues(bridges: Bridges) -> None:
    with bridges.match_against_random(long_match("trox"), "--", *LINE_PROGRAM, "exits_at_fourth_turn") as (
        match,
        bridge,
    ):
        bridge.wait_for("the program has ended: it closed its output")
        assert reason(bridges.organiser.result(match)) != "resignation"


@pytest.mark.parametrize(("policy", "deaths"), [("never", 1), ("once", 2)])
def test_a_program_that_is_not_restarted_resigns(bridges: Bridges, policy: str, deaths: int) -> None:
    # In Alquerque no game can end within two moves.
    with bridges.match_against_random(
        long_match("alquerque"), "--restart", policy, "--", *LINE_PROGRAM, "exits_at_fourth_turn"
    ) as (match, bridge):
        assert reason(bridges.organiser.result(match)) == "resignation"
        for _ in range(deaths):
            bridge.wait_for("the program has ended: it closed its output")


def test_ten_concurrent_matches_have_a_program_each(bridges: Bridges) -> None:
    first, second = f"many-{next(bot_numbers)}", f"many-{next(bot_numbers)}"
    with (
        bridges.run(
            bridges.organiser.register_bot(first), "--per-match", "--max-matches", "10", "--", *LINE_PROGRAM, "good"
        ),
        bridges.run(bridges.organiser.register_bot(second), "--max-matches", "10", "--", *LINE_PROGRAM, "good"),
    ):
        matches = [bridges.organiser.create_match(long_match("alquerque"), [first, second]).id for _ in range(10)]
        assert {outcome(bridges.organiser.result(match)) for match in matches} == {"played"}


@pytest.mark.parametrize("sent_signal", [signal.SIGTERM, signal.SIGKILL])
def test_a_program_ends_with_its_bridge(bridges: Bridges, tmp_path: Path, sent_signal: signal.Signals) -> None:
    file = tmp_path / "pids"
    with bridges.match_against_random(long_match("alquerque"), "--", *LINE_PROGRAM, "forks", str(file)) as (
        match,
        bridge,
    ):
        bridges.organiser.result(match)
        pids = [int(word) for word in file.read_text().split()]
        bridge.stop(sent_signal)

    # A killed bridge cannot clean up: the system ends the program with it, but not the program's own children.
    for pid in pids if sent_signal is signal.SIGTERM else pids[:1]:
        assert wait_for_exit(pid)
    for pid in pids[1:] if sent_signal is signal.SIGKILL else []:
        os.kill(pid, signal.SIGKILL)


def wait_for_exit(pid: int) -> bool:
    """Wait for the process to end, and return whether it did. A zombie that nobody has waited for counts as ended."""
    try:
        waiting = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([waiting], [], [], TIMEOUT_S)[0])
    finally:
        os.close(waiting)


def test_standard_error_is_stored_per_match_up_to_a_limit(bridges: Bridges, tmp_path: Path) -> None:
    stderr_folder = tmp_path / "errors"
    arguments = ("--stderr-dir", str(stderr_folder), "--", *LINE_PROGRAM, "logs")
    with bridges.match_against_random(long_match("alquerque"), *arguments) as (match, _):
        bridges.organiser.result(match)
    text = (stderr_folder / f"{match}-seat0.log").read_bytes()

    assert text.startswith(f"about {match}".encode())
    assert MAX_BYTES < len(text) < MAX_BYTES + 100
    assert text.endswith(b"(truncated by the bridge)\n")


def test_the_memory_limit_of_a_program_is_enforced(bridges: Bridges) -> None:
    arguments = ("--memory-mb", "200", "--", *LINE_PROGRAM, "allocates")
    with bridges.match_against_random(SHORT_MATCH, *arguments) as (_, bridge):
        bridge.wait_for("MemoryError")


@pytest.mark.parametrize("per_match", [(), ("--per-match",)])
def test_a_program_that_exits_at_once_ends_its_bridge(bridges: Bridges, per_match: tuple[str, ...]) -> None:
    """On a busy machine the program may outlive the wait before the bridge connects: see test_bridge_lines.py."""
    with bridges.match_against_random(SHORT_MATCH, *per_match, "--", *LINE_PROGRAM, "exits_at_start") as (_, bridge):
        assert bridge.exit_status() == 2
        bridge.wait_for("the program ")
        assert "exits_at_start`: it closed its output, exit status 1\n  no module named brain\n" in bridge.output()


def test_a_program_that_never_answers_ends_its_bridge_without_resigning(bridges: Bridges) -> None:
    with bridges.match_against_random(SHORT_MATCH, "--", *LINE_PROGRAM, "exits_at_first_turn") as (match, bridge):
        assert bridge.exit_status() == 2
        bridge.wait_for("the program never wrote anything: `")
        assert (
            "exits_at_first_turn`: it closed its output, exit status 1\n  no weights in this place\n" in bridge.output()
        )
        result = bridges.organiser.result(match)
    assert (outcome(result), reason(result)) == ("forfeited", "time")


def test_a_bridge_to_a_closed_port_does_not_start(bridges: Bridges) -> None:
    with bridges.run(bridges.organiser.register_bot(f"lines-{next(bot_numbers)}"), "--tcp", "127.0.0.1:9") as bridge:
        assert bridge.exit_status() == 2
        bridge.wait_for("the program cannot be started: cannot connect to 127.0.0.1:9: ")


def test_the_cpu_limit_of_a_program_is_enforced(bridges: Bridges) -> None:
    arguments = ("--cpu-seconds", "1", "--restart", "never", "--", *LINE_PROGRAM, "loops")
    with bridges.match_against_random(long_match("alquerque"), *arguments) as (match, _):
        assert reason(bridges.organiser.result(match)) == "resignation"


def test_a_program_gets_no_secrets_in_its_environment(bridges: Bridges, tmp_path: Path) -> None:
    environment_file = tmp_path / "environment"
    with bridges.match_against_random(
        long_match("alquerque"), "--", *LINE_PROGRAM, "stores_environment", str(environment_file)
    ) as (match, _):
        bridges.organiser.result(match)
    names = environment_file.read_text().split()

    assert "PATH" in names
    assert not [name for name in names if name.startswith("BOT_")]


def test_a_program_can_be_reached_by_tcp(bridges: Bridges) -> None:
    with subprocess.Popen([*LINE_PROGRAM, "listens"], stdout=subprocess.PIPE, text=True) as listening:
        assert listening.stdout
        port = listening.stdout.readline().strip()
        with bridges.match_against_random(long_match("alquerque"), "--tcp", f"127.0.0.1:{port}") as (match, _):
            assert bridges.organiser.result(match).played
        assert listening.wait(TIMEOUT_S) == 0


def test_a_sandbox_has_no_network(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None and "CI" not in os.environ:
        pytest.skip("bubblewrap is not installed")
    environment = {**os.environ, "BOT_REFEREE": "127.0.0.1:1", "BOT_TOKEN": "secret"}
    sandboxed_cat = [*COMMAND, "--sandbox", "--", "sh", "-c", "cat"]
    with subprocess.Popen(sandboxed_cat, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path) as bridge:
        assert bridge.stderr
        line = bridge.stderr.readline()
        bridge.terminate()
    assert "disconnected: " in line
    assert bridge.returncode == 0
    look = [sys.executable, "-c", PRINT_SANDBOXED, "cat", "/proc/net/dev"]
    completed = subprocess.run(look, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert [row.split(":")[0].strip() for row in completed.stdout.splitlines()[2:]] == ["lo"]


def test_a_sandbox_without_bubblewrap_is_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Misconfigured, match="a sandbox needs bubblewrap"):
        sandboxed(("true",), tmp_path)


PRINT_SANDBOXED = """
import subprocess, sys
from pathlib import Path
from referee_client.bridge.sandbox import sandboxed
sys.exit(subprocess.run(sandboxed(tuple(sys.argv[1:]), Path.cwd())).returncode)
"""


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ((), "specify a program either by its command"),
        (("--tcp", "nowhere"), "--tcp takes HOST:PORT, not 'nowhere'"),
        (("--", "./no-such-program"), "there is no program './no-such-program'"),
        (("--", __file__), f"{__file__!r} is not executable; run `chmod +x"),
    ],
)
def test_invalid_arguments_are_explained(arguments: tuple[str, ...], wrong: str) -> None:
    completed = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)

    assert completed.returncode == 2
    assert wrong in completed.stderr


def test_the_bridge_is_installed_as_documented() -> None:
    command = [str(Path(sys.executable).with_name("referee-bridge")), "--help"]
    assert "usage: referee-bridge" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
