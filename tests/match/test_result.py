"""Results: scores and ranks for any number of seats and sides, for every kind of end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Outcome, Table
from referee.match.result import (
    EndCause,
    EndKind,
    Forfeit,
    InvalidOutcome,
    Result,
    rank_sides,
    result_by_rank,
    result_by_rules,
    void_result,
)

TWO = Table(("a", "b"), ((0,), (1,)))
FOUR = Table(("a", "b", "c", "d"), ((0,), (1,), (2,), (3,)))
TEAMS = Table(("a", "b", "c", "d"), ((0, 2), (1, 3)))


@pytest.mark.parametrize(
    ("table", "side_ranks", "scores"),
    [
        (TWO, (1, 2), (1.0, 0.0)),
        (TWO, (2, 1), (0.0, 1.0)),
        (TWO, (1, 1), (0.5, 0.5)),
        (FOUR, (1, 2, 3, 4), (1.0, 2 / 3, 1 / 3, 0.0)),
        (FOUR, (4, 1, 1, 1), (0.0, 2 / 3, 2 / 3, 2 / 3)),
        (FOUR, (1, 1, 3, 3), (5 / 6, 5 / 6, 1 / 6, 1 / 6)),
        (FOUR, (1, 1, 1, 1), (0.5, 0.5, 0.5, 0.5)),
        (TEAMS, (2, 1), (0.0, 1.0, 0.0, 1.0)),
    ],
)
def test_the_score_of_a_side_is_the_share_of_sides_behind_it(
    table: Table, side_ranks: tuple[int, ...], scores: tuple[float, ...]
) -> None:
    result = result_by_rank(table, EndKind.PLAYED, EndCause.RESIGNATION, side_ranks)
    assert result.scores == pytest.approx(scores)
    assert result.side_ranks == side_ranks
    assert [result.ranks[seat] for side in table.sides for seat in side] == [
        rank for rank, side in zip(side_ranks, table.sides, strict=True) for _ in side
    ]


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6))
def test_scores_of_an_early_end_add_up_to_half_the_number_of_sides(standing: list[int]) -> None:
    table = Table(tuple("abcdef"[: len(standing)]), tuple((seat,) for seat in range(len(standing))))
    result = result_by_rank(
        table, EndKind.PLAYED, EndCause.RESIGNATION, rank_sides(tuple(map(float, standing)), frozenset())
    )
    assert sum(result.side_scores) == pytest.approx(len(standing) / 2)


@pytest.mark.parametrize(
    ("standing", "last", "ranks"),
    [
        ((3.0, 5.0, 1.0), [], (2, 1, 3)),
        ((3.0, 5.0, 1.0), [1], (1, 3, 2)),
        ((3.0, 5.0, 1.0), [1, 0], (2, 2, 1)),  # Seats that dropped out share a rank, whatever their scores.
        ((3.0, 3.0, 1.0), [], (1, 1, 3)),
        ((0.0, -5.0), [0], (2, 1)),
        ((0.0, 0.0), [1], (1, 2)),
        ((0.0, 0.0), [0, 1], (1, 1)),
    ],
)
def test_sides_rank_by_standing_and_sides_that_dropped_out_are_last(
    standing: tuple[float, ...], last: list[int], ranks: tuple[int, ...]
) -> None:
    assert rank_sides(standing, frozenset(last)) == ranks


def test_an_end_by_the_rules_has_the_scores_of_the_game() -> None:
    outcome = Outcome("no_men", (7.0, 3.0, 7.0, 3.0), (14.0, 6.0))
    assert result_by_rules(outcome, TEAMS) == Result(
        EndKind.PLAYED, EndCause.RULES, "no_men", (7.0, 3.0, 7.0, 3.0), (1, 2, 1, 2), (14.0, 6.0), (1, 2)
    )


def test_an_outcome_of_another_table_has_no_result() -> None:
    with pytest.raises(InvalidOutcome, match="not one score for each seat"):
        result_by_rules(Outcome("no_men", (7.0, 3.0), (7.0, 3.0)), TEAMS)


def test_a_void_match_has_no_scores() -> None:
    assert void_result(EndCause.DECLARED, "the power went") == Result(EndKind.VOID, EndCause.DECLARED, "the power went")


def test_a_result_has_a_one_line_summary() -> None:
    assert str(void_result(EndCause.ABORTED)) == "void, aborted"
    assert (
        str(result_by_rank(TWO, EndKind.PLAYED, EndCause.RULES, (2, 1), "no_men"))
        == "played, rules (no_men), ranks 2 1"
    )
    forfeits = (Forfeit(0, "time", 3),)
    lost = result_by_rank(TWO, EndKind.FORFEITED, EndCause.FAULT, (2, 1), "", forfeits)
    assert str(lost) == "forfeited, fault, ranks 2 1"
    assert result_by_rank(TWO, EndKind.PLAYED, EndCause.RESIGNATION, (2, 1)).reason == ""
    assert lost.forfeits == forfeits
