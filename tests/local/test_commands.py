"""`referee match` and `referee arena` as a person runs them: real processes, real bots."""

import json
import os
import pty
import re
import shutil
import signal
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

WITHIN_S = 300
REFEREE = (sys.executable, "-m", "referee")
ADDRESS = re.compile(r"refereed on (\S+), with metrics on (\S+)")


BOT = Path(__file__).with_name("bot.py")


def bot(name: str, manner: str = "honest") -> str:
    return f"{name}={program(manner)}"


def program(manner: str = "honest") -> str:
    return f"grpc:{sys.executable} {BOT} {manner}"


def referee(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*REFEREE, *words], capture_output=True, text=True, timeout=WITHIN_S, check=False)


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*REFEREE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def bots_of(address: str) -> list[str]:
    """The processes that are told to find their referee there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"BOT_REFEREE={address}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:  # It has gone meanwhile, or is somebody else's.
            continue
    return found


def files(out: Path) -> list[str]:
    return sorted(file.name for file in out.glob("records/*/*"))


def row(screen: str, name: str) -> list[str]:
    """The cells of a bot in the first table, without its name."""
    line = next(line for line in screen.splitlines() if line.startswith(f"{name} "))
    return line.split()[1:]


def test_a_match_is_played_in_all_seats_and_its_records_are_true(tmp_path: Path) -> None:
    played = referee("match", bot("anna"), bot("bert"), "--games", "2", "--out", str(tmp_path))
    assert played.returncode == 0, played.stderr
    assert files(tmp_path) == ["anna.bert.1.jsonl", "anna.bert.2.jsonl"]
    verdict = referee("verify", *map(str, tmp_path.glob("records/*/*")))
    assert verdict.returncode == 0, verdict.stdout
    assert row(played.stdout, "anna")[0] == "2"
    assert (tmp_path / "bots" / "anna.log").exists()
    assert "anna.bert.1: anna " in played.stdout
    assert "anna.bert.2: bert " in played.stdout


@pytest.mark.parametrize(
    ("manner", "clock", "faults"),
    [("silent", "5", ["2", "-", "-"]), ("illegal", "60", ["-", "6", "-"]), ("dies", "600", ["-", "-", "2"])],
)
def test_a_bots_fault_costs_it_the_match_and_has_an_exit_status(
    tmp_path: Path, manner: str, clock: str, faults: list[str]
) -> None:
    played = referee("match", bot("anna"), bot("bad", manner), "--games", "2", "--clock", clock, "--out", str(tmp_path))
    assert played.returncode == 3, played.stderr
    assert row(played.stdout, "anna")[:2] == ["2", "2"]
    assert row(played.stdout, "bad")[-3:] == faults
    assert f"its output: {tmp_path}/bots/bad.log" in played.stderr
    assert ("illegal at ply 0: 'nonsense': " in played.stderr) == (manner == "illegal")


def test_a_bot_that_would_not_start_is_told_of_with_its_last_words_and_the_others_play_on(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f"""
        [bots]
        bad = "{program("dies-at-once")}"
        none = "grpc:./there-is-no-such-bot"
        anna = "{program()}"
        bert = "{program()}"
        [[games]]
        game = "alquerque"
        rounds = 1
        """
    )
    played = referee("arena", str(plan), "--out", str(tmp_path / "out"))
    assert played.returncode == 4, played.stderr
    assert "bad could not be started: exit status 1\n  I will not play" in played.stderr
    assert "none could not be started: ./there-is-no-such-bot: No such file or directory" in played.stderr
    assert files(tmp_path / "out") == ["anna.bert.1.jsonl"]


def test_a_bot_that_never_says_hello_would_not_start(tmp_path: Path) -> None:
    played = referee("match", bot("anna"), "mute=grpc:sleep 3600", "--start-within", "15", "--out", str(tmp_path))
    assert played.returncode == 4, played.stdout
    assert "mute could not be started: it sent no Hello" in played.stderr
    assert "anna could" not in played.stderr
    assert files(tmp_path) == []


def test_what_cannot_be_is_refused_before_anything_starts(tmp_path: Path) -> None:
    refused = referee("match", bot("anna"), bot("bert"), "--clock", "slow", "--out", str(tmp_path / "out"))
    assert refused.returncode == 2
    assert "60+1" in refused.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_contest_leaves_no_process_and_goes_on_where_it_was(
    tmp_path: Path, number: signal.Signals
) -> None:
    words = ("match", bot("anna", "parent"), bot("bert"), "--games", "30", "--parallel", "2", "--out", str(tmp_path))
    with running(*words) as process:
        assert process.stdout
        found = ADDRESS.match(process.stdout.readline())
        assert found, process.communicate()[1]
        assert process.stdout.readline().lstrip().startswith("1/30")
        assert len(bots_of(found[1])) > 4
        process.send_signal(number)
        _, errors = process.communicate(timeout=WITHIN_S)
        assert process.returncode == 128 + number, errors
        assert bots_of(found[1]) == []
    kept = {file: file.stat().st_mtime_ns for file in tmp_path.glob("records/*/*.jsonl")}
    assert 1 <= len(kept) < 30
    again = referee(*words)
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith(f"{len(kept)} of 30 matches are already played")
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    assert len(files(tmp_path)) == 30
    assert row(again.stdout, "anna")[0] == "30"


def test_an_arena_in_sandboxes(tmp_path: Path) -> None:
    if shutil.which("bwrap") is None and "CI" not in os.environ:
        pytest.skip("bubblewrap is not installed")
    plan = tmp_path / "plan.toml"
    tmp_path.chmod(0o755)  # If root runs this, the bots are somebody else.
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "my_bot.py").write_text("def choose(turn):\n    return turn.legal_moves[0]\n")
    bert = '{ run = "python:my_bot.py:choose", folder = "bert" }'
    words = ("arena", str(plan), "--out", str(tmp_path / "out"))
    plan.write_text(f'sandbox = true\nrounds = 1\n[bots]\nanna = "random"\nbert = {bert}\n[[games]]\ngame = "trox"\n')
    played = referee(*words)
    assert played.returncode == 0, played.stderr + played.stdout
    assert row(played.stdout, "bert")[0] == "1"


def test_there_is_no_writing_to_that_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = referee("match", bot("anna"), bot("bert"), "--out", str(tmp_path / "file" / "out"))
    assert refused.returncode == 1
    assert f"Error: cannot write to {tmp_path}/file/out: Not a directory" in refused.stderr


def test_what_was_played_by_other_terms_and_a_damaged_record_are_no_part_of_this(tmp_path: Path) -> None:
    words = ("match", bot("anna"), bot("bert"), "--out", str(tmp_path))
    assert referee(*words).returncode == 0
    refused = referee(*words, "--clock", "59+1")
    assert refused.returncode == 2
    assert "was played with other clocks" in refused.stderr.replace("\n", " ")

    file = tmp_path / "records" / "alquerque" / "anna.bert.1.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"anna"', b'"anne"', 1))
    refused = referee(*words)
    assert refused.returncode == 2
    assert "is not a valid record (edited" in refused.stderr


def test_four_bots_of_ours_play_toc_at_one_table(tmp_path: Path) -> None:
    short = ("--game", "toc", "-o", "max_turns=100")
    played = referee("match", "random", "random", "random", "random", *short, "--out", str(tmp_path))
    assert played.returncode == 0, played.stderr
    assert [row(played.stdout, f"random{number}")[0] for number in ("", "-2", "-3", "-4")] == ["1"] * 4


def test_a_bot_of_yours_is_a_file_with_a_function(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text("def choose(turn):\n    return turn.legal_moves[0]\n")
    played = referee("match", f"python:{tmp_path}/my_bot.py:choose", "random", "--out", str(tmp_path / "out"))
    assert played.returncode == 0, played.stderr + played.stdout
    assert row(played.stdout, "my-bot")[0] == "1"


LINE_BOT = """
import json, sys
for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "turn":
        print(json.dumps({"move": told["legal_moves"][0]}), flush=True)
"""


def test_a_program_of_lines_plays_by_the_bridge(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(LINE_BOT)
    played = referee("match", f"lines={sys.executable} {tmp_path}/bot.py", bot("anna"), "--out", str(tmp_path / "out"))
    assert played.returncode == 0, played.stderr
    assert row(played.stdout, "lines")[0] == "1"


class OneAtATime(socketserver.StreamRequestHandler):
    """Speaks lines to one caller, and lets the next one wait."""

    def handle(self) -> None:
        for line in self.rfile:
            told = json.loads(line)
            if told["type"] == "turn":
                self.wfile.write(json.dumps({"move": told["legal_moves"][0]}).encode() + b"\n")


def test_a_program_that_listens_plays_one_match_after_the_other(tmp_path: Path) -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), OneAtATime) as server:
        listening = threading.Thread(target=server.serve_forever)
        listening.start()
        lines = f"lines=tcp:127.0.0.1:{server.server_address[1]}"
        played = referee("match", lines, bot("anna"), "--games", "4", "--parallel", "2", "--out", str(tmp_path))
        server.shutdown()
        listening.join(WITHIN_S)
    assert played.returncode == 0, played.stderr
    assert row(played.stdout, "lines")[0] == "4"


def test_a_terminal_shows_a_bar(tmp_path: Path) -> None:
    screen, terminal = pty.openpty()
    words = ("match", bot("anna"), bot("bert"), "--games", "4", "--out", str(tmp_path))
    with subprocess.Popen([*REFEREE, *words], stdout=terminal, stderr=terminal) as process:
        os.close(terminal)
        shown = b"".join(iter(lambda: _read(screen), b"")).decode()
        assert process.wait(WITHIN_S) == 0
    assert re.search(r"━─+ +\d/4 ", shown)


def _read(screen: int) -> bytes:
    try:
        return os.read(screen, 65_536)
    except OSError:  # That is how a terminal ends.
        return b""
