"""The commands about games, as a person types them."""

from pathlib import Path

import pytest

from engines.registry import PREFIX, find, games, own_games
from tests.cli.runner import output_of, refusal_of


def test_games_lists_every_game() -> None:
    listed = output_of("games")
    assert all(name.removeprefix(PREFIX) in listed for name in games())


@pytest.mark.parametrize("game", list(own_games()))
def test_rules_explains_options_presets_and_notation(game: str) -> None:
    explained = output_of("rules", game)
    game_rules = find(game)
    assert game_rules.rules in explained
    assert all(
        f"{option.name} = " in explained and option.meaning in explained for option in game_rules.options.declared
    )
    assert all(preset.name in explained for preset in game_rules.options.presets)
    assert "Moves" in explained


@pytest.mark.parametrize("game", list(own_games()))
def test_show_draws_the_first_position_and_lists_its_moves(game: str) -> None:
    shown = output_of("show", game, "--seed", "1")
    game_rules = find(game)
    start = game_rules.start(game_rules.settings(), b"1")
    assert str(start) in shown
    assert start.moves(start.owing[0])[0] in shown


def test_show_draws_a_given_position() -> None:
    shown = output_of("show", "alquerque", "4b/5/5/5/w4 b 7")
    assert "● black to move, 7 plies without a capture" in shown
    assert "black, 3 moves: e5-d4 e5-d5 e5-e4" in shown


def test_show_reports_the_result_of_a_finished_game() -> None:
    assert "black won: no_men (white 0, black 1)" in output_of("show", "alquerque", "5/5/2b2/5/5 w 0")


def test_perft_counts_lines_and_can_divide_them_by_first_move() -> None:
    assert "99 lines of 6 moves in " in output_of("game", "perft", "alquerque", "6")
    assert "109 lines of 6 moves" in output_of("game", "perft", "alquerque", "6", "--option", "capture_choice=any")
    divided = output_of("game", "perft", "alquerque", "3", "--divide")
    assert "b2-c3" in divided
    assert "6 lines of 3 moves" in divided
    assert "3 lines of 1 move in" in output_of("game", "perft", "alquerque", "1", "--position", "4b/5/5/5/w4 w 0")


@pytest.mark.parametrize("game", list(own_games()))
def test_play_plays_a_whole_game_that_a_seed_reproduces(game: str) -> None:
    first_output = output_of("play", game, "--seed", "1")
    assert "   1. " in first_output
    assert " won: " in first_output or "drawn: " in first_output
    assert first_output == output_of("play", game, "--seed", "1")


def test_play_draws_the_board_after_every_move_on_request() -> None:
    assert output_of("play", "alquerque", "--seed", "1", "--boards").count("a   b   c   d   e") > 10


@pytest.mark.parametrize("game", list(own_games()))
def test_a_recorded_match_can_be_verified(game: str, tmp_path: Path) -> None:
    record = str(tmp_path / "match.jsonl")
    assert f"recorded in {record}" in output_of("play", game, "--seed", "1", "--record", record)
    assert ": fine: match random" in output_of("verify", record)


def test_a_record_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    assert "cannot write" in refusal_of("play", "alquerque", "--record", tmp_path / "no" / "match.jsonl")


def test_show_reports_a_draw() -> None:
    assert "drawn: no_capture (white 0.5, black 0.5)" in output_of("show", "alquerque", "4b/5/5/5/w4 w 100")


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (("show", "alquerqe"), "unknown game 'alquerqe'; known: alquerque"),
        (("show", "alquerque", "-o", "huf=true"), "unknown option 'huf'; known: capture_choice"),
        (("show", "alquerque", "-o", "huff=maybe"), "it must be true | false"),
        (("show", "alquerque", "-o", "huff"), "an option is written NAME=VALUE"),
        (("show", "alquerque", "-o", "huff=@/no/such/file"), "cannot read /no/such/file"),
        (("show", "alquerque", "nonsense"), "cannot read the position 'nonsense'"),
        (("play", "alquerque", "--preset", "none"), "unknown preset 'none'"),
        (("game", "perft", "alquerque", "-1"), "-1"),
        (("rules", "shogi"), "unknown game 'shogi'"),
    ],
)
def test_an_invalid_argument_is_reported_in_one_sentence(arguments: tuple[str, ...], answer: str) -> None:
    assert answer in refusal_of(*arguments)


def test_the_value_of_an_option_can_be_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "value"
    path.write_text("any")
    assert "109 lines" in output_of("game", "perft", "alquerque", "6", "-o", f"capture_choice=@{path}")
