"""Numbers out of range, and openings and adjudications that cannot be played, are refused before anything starts."""

from pathlib import Path

import pytest

from tests.cli.runner import refusal_of

HUGE = "99999999999999999999"
BOTS = ("random", "greedy")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("match", *BOTS, "--games", HUGE), "1<=x<=1000"),
        (("match", *BOTS, "--parallel", HUGE), "1<=x<=1000"),
        (("match", *BOTS, "--start-within", HUGE), "1<=x<=86400"),
        (("sprt", *BOTS, "--parallel", HUGE), "1<=x<=1000"),
        (("sprt", *BOTS, "--max-matches", HUGE), "1<=x<=1000000"),
        (("sprt", *BOTS, "--max-matches", "1"), "at least 2, the size of a set"),
        (("sprt", *BOTS, "--alpha", "0"), "0<x<0.5"),
        (("sprt", *BOTS, "--beta", "0"), "0<x<0.5"),
        (("sprt", *BOTS, "--alpha", "nan"), "between 0 and 0.5"),
        (("sprt", *BOTS, "--elo0", "20"), "elo1 must be at least 20.01"),
        (("sprt", *BOTS, "--elo1", "1e308"), "at most 2000"),
        (("bot", "update", "anna", "--min-first-move-ms", HUGE), "0<=x<=4294967295"),
        (("bot", "update", "anna", "--min-move-ms", HUGE), "0<=x<=4294967295"),
        (("bot", "update", "anna", "--matches-per-maker", HUGE), "1<=x<=1000"),
        (("invitation", "make", "--uses", HUGE), "1<=x<=1000"),
        (("invitation", "make", "--uses", "0"), "1<=x<=1000"),
        (("invitation", "make", "--days", HUGE), "1<=x<=3650"),
        (("invitation", "make", "--days", "0"), "1<=x<=3650"),
    ],
)
def test_a_number_out_of_range_is_rejected_with_the_valid_range(arguments: tuple[str, ...], hint: str) -> None:
    assert hint in refusal_of(*arguments)


@pytest.mark.parametrize("command", ["match", "sprt"])
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--adjudicate", "plies=3"), "--adjudicate takes NAME=NUMBER, not 'plies=3'; names: max_plies, resign_score"),
        (("--adjudicate", "max_plies"), "--adjudicate takes NAME=NUMBER"),
        (("--adjudicate", "max_plies=-1"), "--adjudicate takes NAME=NUMBER"),
        (("--adjudicate", "max_plies=²"), "--adjudicate takes NAME=NUMBER"),
        (("--adjudicate", "max_plies=9999999999"), "--adjudicate takes NAME=NUMBER"),
        (("--adjudicate", "max_plies=2000000"), "adjudication.max_plies must be from 0 to 1000000"),
        (("--adjudicate", "resign_score=300"), "must have both resign_score and resign_moves"),
        (("--clock", "slow"), "60+1"),
        (("--openings", "none"), "none: cannot be read: No such file or directory"),
        (("--openings", "book.epd"), "EPD is a notation of chess, and this is alquerque"),
        (("--openings", "book"), "book, line 2: cannot read the position 'nowhere'"),
        (("--openings", "book", "--opening-plies", "2"), "only for books with moves"),
        (("--openings", "book", "--opening-start", "9"), "book has 2 openings, and none with the number 9"),
    ],
)
def test_what_cannot_be_played_is_an_error_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, arguments: tuple[str, ...], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book").write_text("3bb/5/5/5/w4 w 0\nnowhere\n", encoding="utf-8")
    (tmp_path / "book.epd").write_text("4k3/8/8/8/8/8/4P3/4K3 w - -\n", encoding="utf-8")
    assert error in refusal_of(command, *BOTS, *arguments, "--out", "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", ["match", "sprt"])
@pytest.mark.parametrize("bot", ["{}", "mine={}", "grpc:{}", "{} --fast", "gtp:{}"])
@pytest.mark.parametrize(
    ("program", "why"), [("./gone", "No such file or directory"), ("./text", "not executable; `chmod +x ./text` makes")]
)
def test_a_program_that_cannot_be_started_is_refused_before_anything_starts(
    command: str, bot: str, program: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").touch()
    game = ("--game", "go") if "gtp" in bot else ()
    refused = refusal_of(command, bot.format(program), "random", *game)
    assert f"the bot '{program}' cannot be started: {why}" in refused
    assert [*tmp_path.iterdir()] == [tmp_path / "text"]


@pytest.mark.parametrize("command", ["match", "sprt"])
def test_a_python_file_that_does_not_exist_is_refused_before_anything_starts(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = refusal_of(command, "python:gone.py:choose", "random")
    assert "the bot 'gone.py:choose' cannot be started: there is no file gone.py" in refused
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("command", ["match", "sprt"])
@pytest.mark.parametrize(("bot", "only"), [("uci:fish", "chess"), ("gtp:gnugo --mode gtp", "go")])
def test_an_engine_of_another_game_is_refused_before_anything_starts(
    command: str, bot: str, only: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = refusal_of(command, f"mine={bot}", "random")
    assert f"the bot mine plays only {only}, not alquerque" in refused
    assert [*tmp_path.iterdir()] == []
