"""The plans in `bench/corpus`, whose figures are in docs/lab.md: the lab can play them beside two engines."""

from pathlib import Path

import pytest

from referee.lab.lab_plan import read_lab_plan

CORPUS = Path(__file__).parents[2] / "bench" / "corpus"
GAMES = {"alquerque": "reference", "toc": "reference", "chess": "pyspiel", "troke": "reference", "trox": "reference"}


@pytest.mark.parametrize(("game", "against"), GAMES.items())
def test_a_plan_can_be_played_beside_the_second_engine(game: str, against: str) -> None:
    plan = read_lab_plan(CORPUS / f"{game}.toml")
    (match,) = plan.source("0", against).take(1)
    assert (match.setup.terms.game, match.setup.terms.checked_by) == (game, against)


def test_each_plan_is_tested() -> None:
    assert {file.stem for file in CORPUS.glob("*.toml")} == GAMES.keys()
