"""A tournament is checked before any bot is started."""

from pathlib import Path

import pytest
from referee_values import Policies

from engines.game_errors import DetailedError
from referee.local.contest_file import read_tournament
from referee.local.local_tournament import check_can_start


def check_tournament(folder: Path, text: str, bots: str = "abc") -> None:
    file = folder / "cup.toml"
    bot_lines = "".join(f'{bot} = "random"\n' for bot in bots)
    file.write_text(f'game = "alquerque"\n{text}\n[bots]\n{bot_lines}', encoding="utf-8")
    plan = read_tournament(file, Policies())
    check_can_start(plan.terms, plan.entrants)


@pytest.mark.parametrize(
    "text",
    ["", "swiss = { rounds = 2 }", 'gauntlet = { challengers = ["a"] }', "elimination = { double_elimination = true }"],
)
def test_a_tournament_that_can_start_is_accepted(tmp_path: Path, text: str) -> None:
    check_tournament(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("swiss = {}", "rounds must be from 1 to 1000"),
        ("swiss = { rounds = 3 }", "takes 4 to 1000 entrants, not 3"),
        ('gauntlet = { challengers = ["a", "b", "c"] }', "challengers are all entrants"),
        ('tie_breaks = ["wins", "wins"]', "contain a repetition"),
        ("last_entry_round = 1", "only Swiss and pools"),
        ('duplicate_play = { openings = ["nowhere"] }', "cannot read the position 'nowhere'"),
        ("sprt = { elo1 = 5 }", "takes 2 entrants"),
        ('seeding = "rating"', "needs a ladder"),
    ],
)
def test_a_tournament_that_cannot_start_is_rejected_with_a_hint(tmp_path: Path, text: str, hint: str) -> None:
    with pytest.raises(DetailedError) as error:
        check_tournament(tmp_path, text)
    assert hint in str(error.value)
