"""What a run of the lab has shown: losses and results by length, and the page of them."""

import re

from referee.cli._shared.lab_summary import LENGTH_GROUPS, length_groups, loss_groups, summarise
from referee.lab.lab_match import LabResult
from referee.match.result import EndCause, EndKind, Result, void_result
from referee.show.lab_page import LossGroup, lab_page


def result(number: int, ranks: tuple[int, int], moves: int = 10, bots: tuple[str, str] = ("new", "old")) -> LabResult:
    played = Result(EndKind.PLAYED, EndCause.RULES, "no_men", (), ranks, (), ranks)
    return LabResult(number, f"{number}.1", "alquerque", bots, played, moves, f"moves {number}")


def void(number: int) -> LabResult:
    return LabResult(number, f"{number}.1", "alquerque", ("new", "old"), void_result(EndCause.ENGINE_FAULT), 3, "")


def test_losses_are_counted_by_bot_seat_and_reason_with_the_first_matches() -> None:
    lost = [result(number, (2, 1)) for number in range(1, 6)]
    others = [result(6, (1, 1)), void(7), result(8, (1, 2), bots=("old", "new"))]
    assert loss_groups([*lost, *others]) == [
        LossGroup("new", 0, "no_men", 5, ("1.1", "2.1", "3.1")),
        LossGroup("new", 1, "no_men", 1, ("8.1",)),
    ]


def test_matches_of_equal_length_are_in_one_group() -> None:
    short = [result(number, (1, 2), moves=10) for number in range(20)]
    longer = [result(20 + number, (2, 1), moves=20 + number) for number in range(LENGTH_GROUPS)]
    groups = length_groups([*longer, result(40, (1, 1), moves=90), void(50), *short], "new")
    assert [(group.fewest, group.most) for group in groups] == [(10, 10), (20, 23), (24, 27), (90, 90)]
    assert [(group.won, group.drawn, group.lost) for group in groups] == [(20, 0, 0), (0, 0, 4), (0, 0, 4), (0, 1, 0)]


def test_the_page_shows_losses_and_results_by_length_with_names_escaped() -> None:
    results = [result(1, (2, 1), bots=("<b>", "old")), result(2, (1, 2), moves=30, bots=("<b>", "old"))]
    page = lab_page(summarise("a plan", ["<b>", "old"], results, None, ()))
    assert "<b></b>" not in page
    assert "&lt;b&gt;, seat 0" in page
    assert re.findall(r"<h2>(.*?)</h2>", page) == ["Standings", "Where bots lost", "Results by length"]


def test_with_three_bots_there_are_no_results_by_length() -> None:
    summary = summarise("a plan", ["new", "old", "idle"], [result(1, (1, 2)), void(2)], None, ())
    assert not summary.lengths
    assert dict(summary.facts) == {"Games": "alquerque", "Matches": "2", "Moves": "13", "Void": "1"}
    assert "idle" in lab_page(summary)
