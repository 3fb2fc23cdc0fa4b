"""Whether a tournament can start is checked before anything is started."""

from pathlib import Path

import pytest

from engines.refusals import Refusal
from referee.local.contest_file import read_tournament
from referee.local.local_tournament import check_can_start
from referee.match.setup import Policies


def check(folder: Path, text: str, bots: str = "abc") -> None:
    file = folder / "cup.toml"
    named = "".join(f'{bot} = "random"\n' for bot in bots)
    file.write_text(f'game = "alquerque"\n{text}\n[bots]\n{named}', encoding="utf-8")
    plan = read_tournament(file, Policies())
    check_can_start(plan.terms, plan.entrants)


@pytest.mark.parametrize(
    "text",
    ["", "swiss = { rounds = 2 }", 'gauntlet = { challengers = ["a"] }', "elimination = { double_elimination = true }"],
)
def test_what_can_begin_is_not_refused(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("swiss = {}", "rounds must be from 1 to 1000"),
        ("swiss = { rounds = 3 }", "takes 4 to 1000 entrants, not 3"),
        ('gauntlet = { challengers = ["a", "b", "c"] }', "challengers are all entrants"),
        ('tie_breaks = ["wins", "wins"]', "contain a repetition"),
        ("last_entry_round = 1", "only Swiss and pools"),
        ('duplicate = { openings = ["nowhere"] }', "cannot read the position 'nowhere'"),
        ("sprt = { elo1 = 5 }", "takes 2 entrants"),
        ('seeding = "rating"', "needs a ladder"),
    ],
)
def test_what_cannot_begin_is_refused_with_what_would_be_right(tmp_path: Path, text: str, right: str) -> None:
    with pytest.raises(Refusal) as refused:
        check(tmp_path, text)
    assert right in str(refused.value)
