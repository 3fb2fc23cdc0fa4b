"""A tournament is tried on paper before anything is started."""

from pathlib import Path

import pytest

from engines.refusals import Refusal
from referee.arena.contest_file import read_tournament
from referee.arena.on_paper import check_begins
from referee.core.policy import Policies


def check(folder: Path, text: str, bots: str = "abc") -> None:
    file = folder / "cup.toml"
    named = "".join(f'{bot} = "random"\n' for bot in bots)
    file.write_text(f'game = "alquerque"\n{text}\n[bots]\n{named}', encoding="utf-8")
    plan = read_tournament(file, Policies())
    check_begins(plan.terms, plan.entrants)


@pytest.mark.parametrize(
    "text", ["", "swiss = { rounds = 2 }", 'gauntlet = { challengers = ["a"] }', "elimination = { twice = true }"]
)
def test_what_can_begin_is_not_refused(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("swiss = {}", "rounds must be from 1 to 1000"),
        ("swiss = { rounds = 3 }", "takes 4 to 1000 entrants, and this would be 3"),
        ('gauntlet = { challengers = ["a", "b", "c"] }', "challengers are everybody"),
        ('tie_breaks = ["wins", "wins"]', "name one twice"),
        ("late_entry_rounds = 1", "only a Swiss and pools"),
        ('duplicate = { openings = ["nowhere"] }', "cannot read the position 'nowhere'"),
        ("sprt = { elo1 = 5 }", "takes 2 entrants"),
        ('seeding = "rating"', "without a ladder"),
    ],
)
def test_what_cannot_begin_is_refused_with_what_would_be_right(tmp_path: Path, text: str, right: str) -> None:
    with pytest.raises(Refusal) as refused:
        check(tmp_path, text)
    assert right in str(refused.value)
