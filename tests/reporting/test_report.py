"""Cross table, estimates and results of a report."""

from dataclasses import replace

from referee.reporting.report import Cell, End, Game, Report, Row
from tests.reporting.season import report

NOTHING = Report("tournament", "cup", "Cup", (), (Row(1, "anna"), Row(2, "bert")), ())


def game(*ranks: int, end: End | None = None) -> Game:
    return Game("m", 0, (("anna",), ("bert",)), ranks, end or End("played", "no_men"))


def test_a_cell_holds_a_point_for_each_match_in_which_one_was_ahead_and_half_if_level() -> None:
    told = replace(NOTHING, games=(game(1, 2), game(1, 1), game(2, 1), game(1, 2)))
    assert told.cells() == {("anna", "bert"): Cell(2.5, 4), ("bert", "anna"): Cell(1.5, 4)}


def test_a_void_match_is_an_end_and_counts_for_nothing_else() -> None:
    told = replace(NOTHING, games=(game(end=End("void", "aborted")), game(1, 2)))
    assert told.cells()["anna", "bert"] == Cell(1, 1)
    assert told.ends() == [(End("played", "no_men"), 1), (End("void", "aborted"), 1)]


def test_partners_share_what_their_side_scored_and_nothing_against_each_other() -> None:
    four = Game("m", 0, (("anna", "carl"), ("bert", "dora")), (2, 1), End("played", "home"))
    cells = replace(NOTHING, games=(four,)).cells()
    assert cells["dora", "anna"] == Cell(1, 1)
    assert ("anna", "carl") not in cells
    assert len(cells) == 8


def test_who_met_itself_says_nothing_about_its_strength() -> None:
    alone = Game("m", 0, (("anna",), ("anna",)), (1, 2), End("played", "no_men"))
    assert replace(NOTHING, games=(alone,)).estimates() == {}


def test_ends_come_by_kind_and_the_most_frequent_first() -> None:
    time, gone = End("forfeited", "time"), End("forfeited", "disconnected")
    told = replace(NOTHING, games=(game(1, 2, end=gone), game(1, 2, end=time), game(1, 2, end=time), game(1, 2)))
    assert [end.reason for end, _ in told.ends()] == ["no_men", "time", "disconnected"]


def test_estimates_are_surer_the_more_was_played() -> None:
    few, many = report(4, cycles=2).estimates(), report(4, cycles=40).estimates()
    assert all(many[name].high - many[name].low < few[name].high - few[name].low for name in many)
    assert abs(sum(it.elo for it in many.values())) < 1e-6
