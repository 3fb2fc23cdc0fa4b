"""`referee explain`: a match as the author of a bot sees it."""

from pathlib import Path
from typing import Any

import pytest
from referee_values import Adjudication, ClockRule, Fischer, NetworkCredit, TimeControl

from engines.registry import find
from referee.match.clock import MS, SECOND
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import FallFlag, Resign, StartPlay, SubmitMove
from referee.match.events import Event
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player, Setup
from tests.cli.runner import output_of, refusal_of
from tests.records.forgery import record_of
from tests.records.matches import decided_events

ALQUERQUE = find("alquerque")
TEN_SECONDS = TimeControl(
    rule=ClockRule(fischer=Fischer(main_ms=10_000, increment_ms=1_000)),
    network_credit=NetworkCredit(per_move_ms=100, per_match_ms=1_000),
)


def alquerque_match(*commands: tuple[int, object], **terms: Any) -> list[Event]:
    setup = Setup(
        "m-1",
        ALQUERQUE.version,
        MatchTerms("alquerque", ALQUERQUE.settings(), TEN_SECONDS, **terms),
        (Player("ada", "1"), Player("bob", "2")),
        bytes(32),
    )
    return decided_events(setup, (0, StartPlay()), *commands)  # type: ignore[arg-type]  # They are commands.


REJECTED_MOVE = SubmitMove(0, "0.0.1", "a1-a2", TurnMeasurement(SECOND))
ACCEPTED_MOVE = SubmitMove(0, "0.0.2", "c2-c3", TurnMeasurement(3 * SECOND, 150 * MS, 250 * MS))
MATCH = (
    (SECOND, REJECTED_MOVE),
    (3 * SECOND, ACCEPTED_MOVE),
    (4 * SECOND, SubmitMove(1, "1.1.1", "c4xc2", TurnMeasurement(4 * SECOND))),
    (20 * SECOND, FallFlag(0, TurnMeasurement(20 * SECOND))),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record_of(alquerque_match(*MATCH)))
    return path


def explained(path: Path, *arguments: object) -> str:
    return output_of("explain", path, "--seat", *arguments)


def test_each_attempt_is_a_line_with_its_clock_charge(path: Path) -> None:
    lines = explained(path, "ada").splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("ply"))
    table = [line.split() for line in lines[head : head + 4]]

    assert table[1][:4] == ["0", "a1-a2", "REJECTED", "4"]
    # 3 s from asking to answering: 250 ms were the referee's, 150 ms the network's, of which 100 ms are given back.
    assert table[2][:-1] == ["0", "c2-c3", "4", "10.000", "2.600", "0.150", "0.250", "0.350", "2.650", "8.350"]
    assert table[3][:5] == ["2", "none:", "FLAG", "FELL", "1"]


def test_the_bars_show_how_the_time_was_used(path: Path) -> None:
    lines = explained(path, 0).splitlines()
    move_line, flag_line = (next(line for line in lines if word in line) for word in ("c2-c3", "FELL"))

    assert move_line.count("█") == round(2.6 / 16 * 40)
    assert (move_line.count("▒"), move_line.count("░")) == (1, 1)
    assert flag_line.count("█") == 40


def test_the_turns_of_one_ply_are_shown_as_they_were_sent(path: Path) -> None:
    output = explained(path, 0, "--ply", 0)

    assert output.count('"match_id": "m-1"') == 2
    assert '"turn_token": "0.0.1"' in output
    assert '"turn_token": "0.0.2"' in output
    assert "answered: a1-a2 REJECTED" in output
    assert "ILLEGAL_MOVE; 2 attempts left" in output
    assert '"charged_us": "2650000"' in output


def test_the_html_page_is_self_contained_and_escapes_moves(tmp_path: Path) -> None:
    path, html = tmp_path / "match.jsonl", tmp_path / "match.html"
    script_move = SubmitMove(0, "0.0.1", "<script>x</script>", TurnMeasurement(SECOND))
    path.write_bytes(record_of(alquerque_match((SECOND, script_move), (2 * SECOND, Resign(0)))))

    explained(path, 0, "--html", html)
    page = html.read_text(encoding="utf-8")

    assert "&lt;script&gt;x" in page
    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page
    assert "<svg" in page


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--seat", "carol"), "seats: 0 (ada), 1 (bob)"),
        (("--seat", "7"), "seats: 0 (ada), 1 (bob)"),
        (("--seat", "0", "--ply", "1"), "no turn at ply 1; it had turns at 0, 2"),
    ],
)
def test_an_invalid_option_is_rejected_with_a_hint(path: Path, arguments: tuple[str, ...], hint: str) -> None:
    assert hint in refusal_of("explain", path, *arguments)


def test_a_file_that_is_no_record_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "no.jsonl"
    path.write_text("nothing\n")
    assert "cannot be read" in refusal_of("explain", path, "--seat", 0)


def test_a_page_that_cannot_be_written_is_reported_in_one_sentence(path: Path, tmp_path: Path) -> None:
    page = tmp_path / "nowhere" / "match.html"
    refused = refusal_of("explain", path, "--seat", 0, "--html", page, status=1)
    assert "nowhere/match.html: No such file or directory" in refused


def test_scores_and_an_end_by_the_terms_are_explained(tmp_path: Path) -> None:
    adjudication = Adjudication(resign_score=300, resign_moves=1)
    first = SubmitMove(0, "0.0.1", "c2-c3", TurnMeasurement(SECOND), score=305)
    second = SubmitMove(1, "1.1.1", "c4xc2", TurnMeasurement(2 * SECOND), score=-300)
    events = alquerque_match((SECOND, first), (2 * SECOND, second), adjudication=adjudication)
    path = tmp_path / "match.jsonl"
    path.write_bytes(record_of(events))
    for seat, answer in (("0", "c2-c3 (+3.05)"), ("1", "c4xc2 (-3.00)")):
        output = explained(path, seat)
        assert answer in output
        assert "The match ended: ada wins, resign score" in output
    replayed = output_of("replay", path)
    assert "+3.05" in replayed
    assert "-3.00" in replayed
    assert "+3.05" not in output_of("replay", path, "--seat", 1)
    assert ": fine: match " in output_of("verify", path)


@pytest.mark.parametrize("command", [["explain", "--seat", "0"], ["replay"]])
@pytest.mark.parametrize("match_id", ["0123456789abcdef01234567", "mabcdefghijklmnopqrstuvwx2"])
def test_the_id_of_a_match_without_a_file_is_fetched_from_the_configured_server(
    command: list[str], match_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {"BOT_REFEREE": None, "BOT_TOKEN": None}
    assert "BOT_REFEREE" in refusal_of(*command, match_id, status=1, env=environment)


def test_a_file_whose_name_looks_like_the_id_of_a_match_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("0123456789abcdef01234567").write_bytes(record_of(alquerque_match(*MATCH)))
    explained(Path("0123456789abcdef01234567"), 0)


def test_another_name_without_a_file_is_not_fetched(tmp_path: Path) -> None:
    assert "cannot be read" in refusal_of("explain", tmp_path / "no-such-file", "--seat", 0)
