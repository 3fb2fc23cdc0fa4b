"""`referee lab --against`: differences between two engines, and the commands that show them again."""

import json
import shlex
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engines import registry
from engines.second import second_registry
from engines.second.second_registry import GROUP
from referee.cli import main
from referee.lab import lab_worker
from referee.lab.crew import play_batches
from referee.lab.lab_contest import MAX_ATTEMPTS, AlwaysVoid
from referee.lab.lab_match import RESULT_DECODER, LabResult
from referee.lab.lab_worker import PlayedBatch
from referee.match.result import EndCause, void_result
from tests.lab.test_lab_command import lab, packed_ids, results, unpacked

NIM = """
clock = "none"
rounds = 2

[bots]
rita = "random"
rosa = "random"

[[games]]
game = "nim"
"""
GAUNTLET = """
game = "nim"
clock = "none"
options = { heap = 4 }
gauntlet = { challengers = ["rita"], cycles = 1 }

[bots]
rita = "random"
rosa = "random"
"""
SPRT = """
game = "nim"
clock = "none"
options = { heap = 4 }

[sprt]
elo1 = 400

[bots]
rita = "random"
rosa = "random"
"""
OURS = """
clock = "none"

[bots]
rita = "random"
rosa = "random"

[[games]]
game = "alquerque"

[[games]]
game = "alquerque"
label = "huff"
options = { huff = true, no_capture_plies = 20 }
"""


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install nim, and two second engines of it: a right one, and one with wrong texts."""
    planted = "tests.engines.second.planted"
    points = {
        "referee.games": [EntryPoint("nim", "tests.third_party_games.third_party_games:NIM", "referee.games")],
        GROUP: [EntryPoint("planted", f"{planted}:RIGHT", GROUP), EntryPoint("wrong", f"{planted}:WRONG_TEXT", GROUP)],
    }
    for module in (registry, second_registry):
        monkeypatch.setattr(module, "entry_points", lambda group: points.get(group, []))
    monkeypatch.setattr(lab_worker, "installed_games", registry.games)  # It remembers those of other tests.


def differences(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "out" / "differences.jsonl").read_text().splitlines()]


def run(*words: str) -> Any:
    return CliRunner().invoke(main, words)


def test_engines_that_agree_change_no_result(tmp_path: Path) -> None:
    assert lab(tmp_path, OURS, out="alone").exit_code == 0
    done = lab(tmp_path, OURS, "--against", "reference")
    assert done.exit_code == 0
    assert not (tmp_path / "out" / "differences.jsonl").exists()
    assert [one.digest for one in results(tmp_path)] == [one.digest for one in results(tmp_path, "alone")]


def test_a_difference_is_written_down_with_a_command_that_shows_it(tmp_path: Path) -> None:
    done = lab(tmp_path, NIM, "--against", "wrong", "--records")
    found = differences(tmp_path)
    assert done.exit_code == 5
    assert f"{len(found)} difference" in done.stdout
    assert "the engines nim and wrong differ at ply" in done.stderr
    one = found[0]
    assert one["report"][0].endswith("in the text for the referee")
    assert (one["game"], one["second_engine"], one["position"]) == ("nim", "wrong", "21 0")
    assert sum(int(move) for _, move in one["moves"]) == 21 - 4
    command = shlex.split(one["command"])
    assert command[:3] == ["referee", "show", "nim"]
    shown = run(*command[1:])
    assert shown.exit_code == 1
    assert shown.output == "Error: " + "\n".join(one["report"]) + "\n"
    command[command.index("wrong")] = "planted"
    assert run(*command[1:]).exit_code == 0


def test_the_record_of_a_difference_has_the_position_and_is_valid(tmp_path: Path) -> None:
    lab(tmp_path, NIM, "--against", "wrong", "--records")
    one = differences(tmp_path)[0]
    record = unpacked(tmp_path)[one["match"]]
    assert one["report"][-1] in json.dumps(record.read_text())
    verified = run("verify", str(record))
    assert verified.exit_code == 0
    assert "its second engine wrong was not asked again" in verified.output
    assert "wrong: 4" in run("replay", str(record)).output
    assert "wrong: 4" not in run("replay", str(record), "--spectator").output
    assert (
        "the second engine planted gives the same answers" in run("verify", str(record), "--against", "planted").output
    )


def test_old_records_are_verified_against_a_second_engine(tmp_path: Path) -> None:
    lab(tmp_path, NIM, "--records")
    records, packed = list(map(str, unpacked(tmp_path).values())), str(tmp_path / "out" / "records.pack")
    assert run("verify", *records, packed, "--against", "planted").exit_code == 0
    refused = run("verify", *records, packed, "--against", "wrong")
    assert refused.exit_code == 13
    assert "the engines nim and wrong differ at ply" in refused.output
    unknown = run("verify", records[0], "--against", "other")
    assert unknown.exit_code == 2
    assert "known: planted, wrong" in " ".join(unknown.output.split())


def test_a_tournament_gives_up_a_match_whose_engines_differ(tmp_path: Path) -> None:
    for _ in range(2):  # The same command goes on, and gives up again.
        done = lab(tmp_path, GAUNTLET, "--against", "wrong", "--records")
        assert done.exit_code == 5
        assert "matches played: 3" in done.stdout
        assert "rita" in (tmp_path / "out" / "report.html").read_text()
        assert "is void again and again: EngineDifference: the engines nim and wrong" in " ".join(done.stderr.split())
        found = differences(tmp_path)
        assert [one["match"] for one in found] == ["1.1.1", "1.1.1-2", "1.1.1-3"]
        assert len(found) == MAX_ATTEMPTS
        assert packed_ids(tmp_path / "out" / "records.pack") == [result.match_id for result in results(tmp_path)]


def test_a_sequential_test_gives_up_such_a_match_too(tmp_path: Path) -> None:
    for _ in range(2):
        done = lab(tmp_path, SPRT, "--against", "wrong")
        assert done.exit_code == 5
        assert "0 matches counted" in done.stdout
        assert "is void again and again" in done.stderr
        assert "rita" in (tmp_path / "out" / "report.html").read_text()


class GivingUp:
    """A source that hands out two matches, and gives up at the first result."""

    def __init__(self) -> None:
        self.left = [named(1), named(2)]

    def take(self, count: int) -> list[Any]:
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def record(self, result: LabResult) -> None:
        raise AlwaysVoid(result.name, "broken")


def named(number: int) -> LabResult:
    result = void_result(EndCause.ENGINE_FAULT, "broken")
    return LabResult(number, str(number), "nim", ("a", "b"), result, 0, "")


def test_results_of_all_finished_batches_are_handed_over_before_the_source_gives_up() -> None:
    def play(batch: Sequence[Any]) -> Future[PlayedBatch]:
        future: Future[PlayedBatch] = Future()
        future.set_result(PlayedBatch(batch, 1.0, ()))
        return future

    handed_over: list[int] = []
    with suppress(AlwaysVoid):
        for played in play_batches(GivingUp(), play, 2):
            handed_over += [result.number for result in played.results]
    assert sorted(handed_over) == [1, 2]


def test_a_run_that_goes_on_keeps_its_differences(tmp_path: Path) -> None:
    lab(tmp_path, NIM, "--against", "wrong")
    file = tmp_path / "out" / "differences.jsonl"
    before = file.read_text()
    file.unlink()
    lab(tmp_path, NIM, "--against", "wrong")
    assert file.read_text() == before
    lines = (tmp_path / "out" / "results.jsonl").read_bytes()
    assert all(one.void == bool(one.difference) for one in RESULT_DECODER.decode_lines(lines))


@pytest.mark.parametrize(
    ("text", "against", "why"),
    [
        (NIM, "other", "unknown second engine of nim 'other'; known: planted, wrong"),
        (OURS, "planted", "unknown second engine of alquerque 'planted'; known: reference"),
        (NIM + "options = { heap = 100 }", "planted", "it needs a heap below 100"),
        (GAUNTLET, "other", "unknown second engine of nim 'other'"),
    ],
)
def test_an_engine_that_cannot_be_used_is_refused(tmp_path: Path, text: str, against: str, why: str) -> None:
    done = lab(tmp_path, text, "--against", against)
    assert done.exit_code == 2
    assert why in " ".join(done.stderr.split())


def test_moves_of_show_name_their_seats() -> None:
    assert "18 1" in run("show", "nim", "--moves", "0:3").output
    wrong = run("show", "nim", "--moves", "3")
    assert wrong.exit_code == 2
    assert "a move is written SEAT:MOVE, not '3'" in " ".join(wrong.output.split())


def test_a_local_match_runs_beside_a_second_engine(tmp_path: Path) -> None:
    words = ("match", "random", "random", "--game", "nim", "--clock", "none", "--out", str(tmp_path / "out"))
    done = run(*words, "--second-engine", "other")
    assert done.exit_code == 2
    assert "unknown second engine of nim 'other'" in " ".join(done.output.split())
