"""The commands about games, as a person types them."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engines.registry import games
from referee.cli import main


def run(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def said(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.output


def test_games_lists_every_game() -> None:
    listed = said("games")
    assert all(name in listed for name in games())


@pytest.mark.parametrize("game", list(games()))
def test_rules_explains_options_presets_and_notation(game: str) -> None:
    explained = said("rules", game)
    known = games()[game]
    assert known.rules in explained
    assert all(f"{option.name} = " in explained and option.meaning in explained for option in known.options.declared)
    assert all(preset.name in explained for preset in known.options.presets)
    assert "Moves" in explained


@pytest.mark.parametrize("game", list(games()))
def test_show_draws_the_first_position_and_lists_its_moves(game: str) -> None:
    shown = said("show", game, "--seed", "1")
    known = games()[game]
    start = known.start(known.settings(), b"1")
    assert str(start) in shown
    assert start.moves(start.owing[0])[0] in shown


def test_show_draws_a_position_that_is_given() -> None:
    shown = said("show", "alquerque", "4b/5/5/5/w4 b 7")
    assert "● black to move, 7 plies without a capture" in shown
    assert "black, 3 moves: e5-d4 e5-d5 e5-e4" in shown


def test_show_says_how_a_finished_game_ended() -> None:
    assert "black won: no_men (white 0, black 1)" in said("show", "alquerque", "5/5/2b2/5/5 w 0")


def test_perft_counts_and_divides() -> None:
    assert "99 lines of 6 moves in " in said("perft", "alquerque", "6")
    assert "109 lines of 6 moves" in said("perft", "alquerque", "6", "--option", "capture_choice=any")
    divided = said("perft", "alquerque", "3", "--divide")
    assert "b2-c3" in divided
    assert "6 lines of 3 moves" in divided
    assert "3 lines of 1 move in" in said("perft", "alquerque", "1", "--position", "4b/5/5/5/w4 w 0")


@pytest.mark.parametrize("game", list(games()))
def test_play_plays_a_whole_game_and_a_seed_gives_the_same_one(game: str) -> None:
    game_one = said("play", game, "--seed", "1")
    assert "   1. " in game_one
    assert " won: " in game_one or "drawn: " in game_one
    assert game_one == said("play", game, "--seed", "1")


def test_play_draws_the_board_after_every_move_when_asked() -> None:
    assert said("play", "alquerque", "--seed", "1", "--boards").count("a   b   c   d   e") > 10


@pytest.mark.parametrize("game", list(games()))
def test_a_match_that_is_recorded_can_be_verified(game: str, tmp_path: Path) -> None:
    record = str(tmp_path / "match.jsonl")
    assert f"recorded in {record}" in said("play", game, "--seed", "1", "--record", record)
    assert ": fine: match random" in said("verify", record)


def test_a_record_that_cannot_be_written_is_a_mistake(tmp_path: Path) -> None:
    result = run("play", "alquerque", "--record", str(tmp_path / "no" / "match.jsonl"))
    assert result.exit_code == 2
    assert "cannot write" in result.output


def test_a_drawn_game_is_called_drawn() -> None:
    assert "drawn: no_capture (white 0.5, black 0.5)" in said("show", "alquerque", "4b/5/5/5/w4 w 100")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("show", "alquerqe"), "unknown game 'alquerqe'; known: alquerque"),
        (("show", "alquerque", "-o", "huf=true"), "unknown option 'huf'; known: capture_choice"),
        (("show", "alquerque", "-o", "huff=maybe"), "it must be true | false"),
        (("show", "alquerque", "-o", "huff"), "an option is written NAME=VALUE"),
        (("show", "alquerque", "-o", "huff=@/no/such/file"), "cannot read /no/such/file"),
        (("show", "alquerque", "nonsense"), "cannot read the position 'nonsense'"),
        (("play", "alquerque", "--preset", "none"), "unknown preset 'none'"),
        (("perft", "alquerque", "-1"), "-1"),
        (("rules", "chess"), "unknown game 'chess'"),
    ],
)
def test_a_mistake_is_answered_in_one_sentence_and_status_two(words: tuple[str, ...], answer: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert answer in result.output
    assert "Traceback" not in result.output


def test_an_option_can_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "value"
    path.write_text("any")
    assert "109 lines" in said("perft", "alquerque", "6", "-o", f"capture_choice=@{path}")
