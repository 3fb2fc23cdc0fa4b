"""Numbers out of range are rejected before anything starts, with the valid range."""

import pytest
from click.testing import CliRunner

from referee.cli import main

HUGE = "99999999999999999999"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("match", "--games", HUGE), "1<=x<=1000"),
        (("match", "--parallel", HUGE), "1<=x<=1000"),
        (("match", "--start-within", HUGE), "1<=x<=86400"),
        (("sprt", "--parallel", HUGE), "1<=x<=1000"),
        (("sprt", "--max-matches", HUGE), "1<=x<=1000000"),
        (("sprt", "--max-matches", "1"), "at least 2, the size of a set"),
        (("sprt", "--alpha", "0"), "0<x<0.5"),
        (("sprt", "--beta", "0"), "0<x<0.5"),
        (("sprt", "--alpha", "nan"), "between 0 and 0.5"),
        (("sprt", "--elo0", "20"), "elo1 must be at least 20.01"),
        (("sprt", "--elo1", "1e308"), "at most 2000"),
    ],
)
def test_a_number_out_of_range_is_rejected_with_the_valid_range(arguments: tuple[str, ...], hint: str) -> None:
    result = CliRunner().invoke(main, [arguments[0], "random", "greedy", *arguments[1:]])

    assert result.exit_code == 2
    assert hint in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--min-first-move-ms", "0<=x<=4294967295"),
        ("--min-move-ms", "0<=x<=4294967295"),
        ("--matches-per-maker", "1<=x<=1000"),
    ],
)
def test_a_condition_of_a_consent_is_rejected_with_the_valid_range(option: str, hint: str) -> None:
    result = CliRunner().invoke(main, ["bot", "update", "anna", option, HUGE])

    assert result.exit_code == 2
    assert hint in " ".join(result.stderr.split())


@pytest.mark.parametrize(("option", "hint"), [("--uses", "1<=x<=1000"), ("--days", "1<=x<=3650")])
@pytest.mark.parametrize("number", [HUGE, "0"])
def test_an_invitation_out_of_range_is_rejected_with_the_valid_range(option: str, hint: str, number: str) -> None:
    result = CliRunner().invoke(main, ["invitation", "make", option, number])

    assert result.exit_code == 2
    assert hint in " ".join(result.stderr.split())
