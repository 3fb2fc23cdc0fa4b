"""Games whose rules are programs in other languages, on a real server: play, records, and engines that fail."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from referee_api.v1 import game_pb2

from engines.external.engine_client import Declaration
from engines.external.external_game import ExternalGame, load_game
from engines.testing.suite import CHECKS, Check, Suspect, run_checks
from engines.walk import perft
from referee.records.record_reader import RecordStatus
from referee.records.verify import verify
from tests.clients.commands import run_command
from tests.e2e.organiser import Organiser, server_with_organiser
from tests.engines.external.engines import PATIENT
from tests.engines.external.test_engine_lines import VECTORS
from tests.third_party_games.third_party_games import FINGERS

pytestmark = pytest.mark.slow

GO_FINGERS = Path(__file__).parents[1] / "third_party_games" / "go_fingers"
LIMITS = "max_request_ms = 120000\nmax_start_ms = 120000\n"


@pytest.fixture(scope="module")
def go_engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the example in Go, after the checks of its sources."""
    if not shutil.which("go"):
        pytest.fail("needs go") if os.environ.get("CI") else pytest.skip("needs go")
    program = tmp_path_factory.mktemp("go") / "go_fingers"
    run_command('test -z "$(gofmt -l .)"', GO_FINGERS)
    run_command("go vet ./...", GO_FINGERS)
    run_command(["go", "build", "-o", str(program), "."], GO_FINGERS)
    return program


@pytest.fixture(scope="module")
def go_fingers(go_engine: Path) -> ExternalGame:
    return load_game(Declaration("fingers", (str(go_engine),), limits=PATIENT))


def declare(name: str, *command: str, folder: Path) -> Path:
    games = folder / "games.toml"
    games.write_text(f"[{name}]\ncommand = {list(command)}\n{LIMITS}")
    return games


def record_of(organiser: Organiser, match_id: str, folder: Path) -> Path:
    """Write the record of a match into a file."""
    lines = [line for part in organiser.call("MatchService/GetRecord", match_id=match_id) for line in part.lines]
    (folder / "record.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return folder / "record.jsonl"


@pytest.mark.toolchain
@pytest.mark.parametrize("check", [check for check in CHECKS if check.name != "speed"], ids=lambda check: check.name)
def test_the_game_in_go_passes_the_suite(go_fingers: ExternalGame, check: Check) -> None:
    assert [result.failure for result in run_checks(Suspect(go_fingers), [check])] == [None]


@pytest.mark.toolchain
def test_the_game_in_go_answers_the_test_vectors(go_engine: Path) -> None:
    requests = "".join(f"{json.dumps(vector['request'])}\n" for vector in VECTORS)
    ran = subprocess.run([str(go_engine)], input=requests, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in ran.stdout.splitlines()] == [vector["answer"] for vector in VECTORS]


@pytest.mark.toolchain
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_game_in_go_is_the_same_as_in_python(go_fingers: ExternalGame, seats: int, rng: Random) -> None:
    settings, seed = FINGERS.settings({"seats": seats}), rng.randbytes(32)
    mine, other = FINGERS.start(settings, seed), go_fingers.start(settings, seed)
    assert perft(other, 5) == perft(mine, 5)
    while mine.owing:
        assert str(other) == str(mine)
        assert [other.view(viewer) for viewer in (-2, -1, 0, 1)] == [mine.view(viewer) for viewer in (-2, -1, 0, 1)]
        seat = rng.choice(mine.owing)
        move = rng.choice(mine.moves(seat))
        mine, other = FINGERS.read(str(mine.play(seat, move)), settings), other.play(seat, move)
    assert other.outcome == mine.outcome


@pytest.mark.toolchain
def test_a_match_of_the_game_in_go_is_played_recorded_and_verified(go_engine: Path, tmp_path: Path) -> None:
    games = declare("fingers", str(go_engine), folder=tmp_path)
    with server_with_organiser(tmp_path, games=games, seats=3) as organiser:
        match_id = organiser.start_match(rules=game_pb2.Rules(game="fingers"))
        for number in range(9):
            turn = organiser.next_turn(number % 3)
            assert list(turn.legal_moves) == ["1", "2", "3"]
            assert turn.position.split(" ")[3] == "?" or number % 3 == 0, "only seat 0 sees the bonus"
            organiser.submit_move(turn, turn.legal_moves[number % 2])
        result = organiser.call("MatchService/GetMatch", match_id=match_id).match.result
        assert result.played.reason == "rounds_over"
        record = record_of(organiser, match_id, tmp_path)
    assert verify(record, None, lambda _: FINGERS).status is RecordStatus.FINE, "by the rules in Python"
    verified = subprocess.run(
        [sys.executable, "-m", "referee", "verify", str(record)],
        env={**os.environ, "REFEREE_GAMES": str(games)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr
