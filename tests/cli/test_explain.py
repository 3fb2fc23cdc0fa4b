"""What a bot's author is shown of a match."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engines.registry import find
from referee.cli import main
from referee.match.clock import MS, SECOND, Fischer
from referee.match.clock_charge import NetworkCredit, TurnMeasurement
from referee.match.commands import FallFlag, Resign, StartPlay, SubmitMove, VoidMatch
from referee.match.events import Event
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from tests.records.forgery import record_of
from tests.records.matches import happened

ALQUERQUE = find("alquerque")


def alquerque(*asked: tuple[int, object]) -> list[Event]:
    setup = Setup(
        "m-1",
        "alquerque",
        ALQUERQUE.version,
        ALQUERQUE.settings(),
        (Player("ada", "1"), Player("bob", "2")),
        (Fischer(10 * SECOND, SECOND),) * 2,
        bytes(32),
        NetworkCredit(100 * MS, SECOND),
    )
    return happened(setup, (0, StartPlay()), *asked)  # type: ignore[arg-type]  # They are commands.


REFUSED = SubmitMove(0, "0.0.1", "a1-a2", TurnMeasurement(SECOND))
TAKEN = SubmitMove(0, "0.0.2", "c2-c3", TurnMeasurement(3 * SECOND, 150 * MS, 250 * MS))
MATCH = (
    (SECOND, REFUSED),
    (3 * SECOND, TAKEN),
    (4 * SECOND, SubmitMove(1, "1.1.1", "c4xc2", TurnMeasurement(4 * SECOND))),
    (20 * SECOND, FallFlag(0, TurnMeasurement(20 * SECOND))),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record_of(alquerque(*MATCH)))
    return path


def explained(path: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["explain", str(path), *words])


def test_each_attempt_is_a_line_with_its_clock_row(path: Path) -> None:
    lines = explained(path, "--seat", "ada").stdout.splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("ply"))
    table = [line.split() for line in lines[head : head + 4]]

    assert table[1][:4] == ["0", "a1-a2", "REJECTED", "4"]
    # 3 s from asking to answering: 250 ms were the referee's, 150 ms the network's, of which 100 ms are given back.
    assert table[2][:-1] == ["0", "c2-c3", "4", "10.000", "2.600", "0.150", "0.250", "0.350", "2.650", "8.350"]
    assert table[3][:5] == ["2", "none:", "FLAG", "FELL", "1"]


def test_the_bars_say_where_the_time_went(path: Path) -> None:
    lines = explained(path, "--seat", "0").stdout.splitlines()
    taken, fell = (next(line for line in lines if word in line) for word in ("c2-c3", "FELL"))

    assert taken.count("█") == round(2.6 / 16 * 40)
    assert (taken.count("▒"), taken.count("░")) == (1, 1)
    assert fell.count("█") == 40


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (MATCH, "The match was forfeited: seat 0 (ada) ran out of time."),
        (((SECOND, Resign(0)),), "seat 1 (bob) won: resignation. seat 0 (ada) resigned."),
        (
            ((SECOND, VoidMatch(EndCause.REFEREE_FAULT, "it broke")),),
            "The match is void (referee_fault): no bot is responsible, and it is not scored.",
        ),
    ],
)
def test_the_end_is_told_with_who_is_to_blame(tmp_path: Path, asked: tuple[tuple[int, object]], sentence: str) -> None:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record_of(alquerque(*asked)))

    assert sentence in explained(path, "--seat", "1").stdout


def test_one_ply_is_shown_as_it_was_sent_with_every_attempt(path: Path) -> None:
    shown = explained(path, "--seat", "0", "--ply", "0").stdout

    assert shown.count('"match_id": "m-1"') == 2
    assert '"turn_token": "0.0.1"' in shown
    assert '"turn_token": "0.0.2"' in shown
    assert "answered: a1-a2 REJECTED" in shown
    assert "ILLEGAL_MOVE; 2 attempts left" in shown
    assert '"charged_us": "2650000"' in shown


def test_hidden_cards_stay_hidden(tmp_path: Path) -> None:
    toc = find("toc")
    setup = Setup(
        "t-1",
        "toc",
        toc.version,
        toc.settings(),
        tuple(Player(f"bot{seat}") for seat in range(4)),
        (Fischer(10 * SECOND, SECOND),) * 4,
        bytes(32),
    )
    path = tmp_path / "toc.jsonl"
    path.write_bytes(record_of(happened(setup, (0, StartPlay()), (SECOND, Resign(1)))))

    shown = explained(path, "--seat", "2", "--ply", "0").stdout

    assert "?????/?????/" in shown
    assert "?????" in shown.split('"position": "')[1].split('"')[0].split(" ")[4].split("/")[3]


def test_the_page_needs_nothing_else_and_obeys_nobody(tmp_path: Path) -> None:
    path, html = tmp_path / "match.jsonl", tmp_path / "match.html"
    evil = SubmitMove(0, "0.0.1", "<script>x</script>", TurnMeasurement(SECOND))
    path.write_bytes(record_of(alquerque((SECOND, evil), (2 * SECOND, Resign(0)))))

    assert explained(path, "--seat", "0", "--html", str(html)).exit_code == 0
    page = html.read_text(encoding="utf-8")

    assert "&lt;script&gt;x" in page
    assert "<script" not in page
    assert "http" not in page.replace("<!doctype html>", "")
    assert "<svg" in page


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (("--seat", "carol"), "seats: 0 (ada), 1 (bob)"),
        (("--seat", "7"), "seats: 0 (ada), 1 (bob)"),
        (("--seat", "0", "--ply", "1"), "no turn at ply 1; it had turns at 0, 2"),
    ],
)
def test_a_mistake_is_answered_with_what_would_have_been_right(path: Path, words: tuple[str, ...], right: str) -> None:
    result = explained(path, *words)

    assert result.exit_code == 2
    assert right in " ".join(result.stderr.split())


def test_what_is_no_record_is_said_to_be_none(tmp_path: Path) -> None:
    path = tmp_path / "no.jsonl"
    path.write_text("nothing\n")

    result = explained(path, "--seat", "0")

    assert result.exit_code == 2
    assert "cannot be read" in " ".join(result.stderr.split())


def test_a_page_that_cannot_be_written_is_told_in_a_sentence(path: Path, tmp_path: Path) -> None:
    result = explained(path, "--seat", "0", "--html", str(tmp_path / "nowhere" / "match.html"))

    assert result.exit_code == 1
    assert "nowhere/match.html: No such file or directory" in result.stderr
