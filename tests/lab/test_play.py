"""`lab.play`: equal results in this process and in others, and bots of all kinds."""

import sys
from pathlib import Path
from typing import Any

import pytest

from referee import lab
from referee.lab import lab_records
from referee.lab.lab_bots import LabBotRefused
from referee.lab.lab_match import MAX_FAILURE_CHARS, RESULT_DECODER, RESULT_ENCODER, LabResult
from referee.local.entrant import BadEntrant
from referee.local.toml_validation import BadPlan
from referee.records.packed_reader import PackedFile
from referee.records.packed_records import NotPackable
from tests.lab import bots

TERMS = lab.terms("alquerque", clock="none")


def play(*given: Any, matches: int = 6, workers: int = 0, seed: str = "0") -> list[LabResult]:
    return sorted(lab.play(given, TERMS, matches, workers, seed), key=lambda result: result.number)


@pytest.mark.slow
def test_workers_play_the_same_matches_as_this_process() -> None:
    here = play(bots.drawn, bots.Remembering, matches=40)
    assert play(bots.drawn, bots.Remembering, matches=40, workers=2) == here
    assert len({result.digest for result in here}) > 10


def test_a_match_depends_on_its_number_and_the_seed_only() -> None:
    ten = play("random", "random", matches=10)
    assert play("random", "random", matches=4) == ten[:4]
    others = play("random", "random", matches=10, seed="another")
    assert [result.digest for result in others] != [result.digest for result in ten]


def test_seats_rotate_and_bots_of_equal_names_are_numbered() -> None:
    assert [result.bots for result in play("random", "random", matches=3)] == [
        ("random", "random-2"),
        ("random-2", "random"),
        ("random", "random-2"),
    ]


def test_four_bots_play_at_a_table_of_four_and_two_bots_hold_a_side_each() -> None:
    toc = lab.terms("toc", clock="none")
    four = dict.fromkeys("abcd", bots.drawn)
    assert [result.bots for result in lab.play(four, toc, 2, 0)] == [tuple("abcd"), tuple("bcda")]
    assert [result.bots for result in lab.play({"a": bots.drawn, "b": "random"}, toc, 1, 0)] == [tuple("abab")]


def test_a_bot_may_be_a_function_of_a_file_and_two_files_may_have_the_same_name(tmp_path: Path) -> None:
    given = []
    for version, index in (("v1", 0), ("v2", -1)):
        folder = tmp_path / version
        folder.mkdir()
        (folder / "my_bot.py").write_text(f"def choose(turn):\n    return turn.legal_moves[{index}]\n")
        given.append(f"{version}=python:{folder / 'my_bot.py'}:choose")
    named = dict(zip(("v1", "v2"), given, strict=True))
    by_file = [result.digest for result in lab.play(named, TERMS, 2, 0)]
    by_function = [result.digest for result in lab.play([lambda turn: turn.legal_moves[0], bots.last], TERMS, 2, 0)]
    assert by_file == by_function


def test_faults_and_failures_are_in_the_results_which_can_be_written_and_read() -> None:
    (result,) = play(bots.illegal, bots.last, matches=1)
    assert result.faults == ((0, "illegal_move", 3),)
    assert result.finish().faults == {("illegal", "illegal_move"): 3}
    (failed,) = play(bots.failing, bots.last, matches=1)
    assert failed.failures == ((0, "ZeroDivisionError: it divides by zero"),)
    for written in (result, failed):
        assert RESULT_DECODER.decode(RESULT_ENCODER.encode(written)) == written


def test_a_file_that_ends_the_program_when_it_is_loaded_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ending.py").write_text("import sys\nsys.exit(5)\n")
    bot = f"python:{tmp_path / 'ending.py'}:choose"
    with pytest.raises(LabBotRefused, match=r"the bot a: .*ending.py:choose cannot be loaded: SystemExit: 5"):
        list(lab.play({"a": bot, "b": bots.last}, TERMS, 1, 0))


def raising(text: str) -> Any:
    def choose(_: Any) -> str:
        raise ValueError(text)

    return choose


def test_the_error_of_a_bot_can_be_written_and_printed() -> None:
    (result,) = play(raising("\ud800 \x1b[31m"), bots.last, matches=1)
    assert result.failures == ((0, "ValueError: \\ud800 \\x1b[31m"),)
    assert RESULT_DECODER.decode(RESULT_ENCODER.encode(result)) == result


def test_a_long_error_of_a_bot_is_shortened() -> None:
    (result,) = play(raising("x" * 100_000), bots.last, matches=1)
    ((_, why),) = result.failures
    assert why == f"{'ValueError: '.ljust(MAX_FAILURE_CHARS, 'x')}..."


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        (bots.asynchronous, "no plain function"),
        (bots.AsynchronousObject(), "no plain function"),
        (3, "no plain function"),
        ("python:no_such_module:choose", "ModuleNotFoundError"),
        (f"python:{__file__}:no_such_name", "AttributeError"),
        ("python:no_such_file.py:choose", "FileNotFoundError"),
        ("grpc:./bot", "not programs with a network"),
        ("tcp:127.0.0.1:7", "not programs with a network"),
        ("./no-such-program", "no-such-program"),
    ],
)
def test_a_bot_that_the_lab_cannot_run_is_refused(bot: Any, why: str) -> None:
    with pytest.raises(LabBotRefused, match=why):
        list(lab.play({"a": bot, "b": bots.last}, TERMS, 1, 0))


def test_terms_and_numbers_of_bots_are_checked_before_a_match_is_played() -> None:
    with pytest.raises(BadPlan, match="takes 2 bots"):
        lab.play([bots.last], TERMS, 1, 0)
    with pytest.raises(BadPlan, match="empty name"):
        lab.play({"": bots.last, "b": bots.last}, TERMS, 1, 0)
    for matches, workers in ((1, -1), (1, 1001), (-1, 0)):
        with pytest.raises(BadPlan, match=r"(matches|workers): it must"):
            lab.play([bots.last, bots.drawn], TERMS, matches, workers)
    with pytest.raises(BadPlan, match="unknown key 'clocks'"):
        lab.terms("alquerque", clocks="none")
    with pytest.raises(BadEntrant):
        lab.play(["python:", bots.last], TERMS, 1, 0)
    assert list(lab.play([bots.last, bots.drawn], TERMS, 0, 0)) == []


def test_an_object_without_a_name_is_named_by_its_class() -> None:
    assert play(bots.Remembering(), bots.last, matches=1)[0].bots == ("Remembering", "last")


def test_a_bot_that_no_module_has_is_refused_before_workers_start() -> None:
    with pytest.raises(LabBotRefused, match=r"the bot a: worker processes cannot import it .*lambda"):
        lab.play({"a": lambda turn: turn.legal_moves[0], "b": bots.last}, TERMS, 1, 1)


@pytest.mark.slow
def test_workers_hand_over_the_records_of_a_packed_file(tmp_path: Path) -> None:
    packed = tmp_path / "run" / "all.pack"
    played = list(lab.play(["random", "random"], TERMS, 300, 2, records=packed))
    with packed.open("rb") as file:
        records = dict(PackedFile(file).records())
    assert set(records) == {result.match_id for result in played}


def test_a_packed_file_of_another_run_can_be_continued_but_holds_no_match_twice(tmp_path: Path) -> None:
    packed = tmp_path / "all.pack"
    for seed in ("0", "1"):
        list(lab.play(["random", "random"], TERMS, 2, 0, seed, packed))
    with pytest.raises(NotPackable, match="is packed already"):
        lab.play(["random", "random"], TERMS, 2, 0, "1", packed)  # Before a match is played.
    with packed.open("rb") as file:
        assert len(list(PackedFile(file).records())) == 4


def test_other_paths_of_records_are_folders(tmp_path: Path) -> None:
    list(lab.play(["random", "random"], TERMS, 2, 0, records=tmp_path / "records"))
    assert sorted(file.name for file in (tmp_path / "records").iterdir()) == ["1.jsonl", "2.jsonl"]


def test_a_record_that_is_too_large_for_a_packed_file_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_records, "MAX_RECORD_BYTES", 100)
    list(lab.play(["random", "random"], TERMS, 1, 0, records=tmp_path / "all.pack"))
    assert (tmp_path / "all" / "1.jsonl").exists()


def test_the_lab_starts_no_program_before_the_first_turn_is_due() -> None:
    assert play(f"a={sys.executable} {bots.__file__} plays", bots.last, matches=0) == []
