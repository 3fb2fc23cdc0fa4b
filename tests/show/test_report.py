"""Cross table, estimates and results of a report."""

from dataclasses import replace

from referee.show.report import End, Game, Report, Row, Score

NOTHING = Report("tournament", "cup", "Cup", (), (Row(1, "anna"), Row(2, "bert")), ())


def game(*ranks: int, end: End | None = None) -> Game:
    return Game("m", 0, (("anna",), ("bert",)), ranks, end or End("played", "no_men"))


def test_a_cell_counts_one_point_per_win_and_half_a_point_per_draw() -> None:
    report_data = replace(NOTHING, games=(game(1, 2), game(1, 1), game(2, 1), game(1, 2)))
    assert report_data.cells() == {("anna", "bert"): Score(2.5, 4), ("bert", "anna"): Score(1.5, 4)}


def test_a_void_match_is_counted_as_an_end_only() -> None:
    report_data = replace(NOTHING, games=(game(end=End("void", "aborted")), game(1, 2)))
    assert report_data.cells()["anna", "bert"] == Score(1, 1)
    assert report_data.ends() == [(End("played", "no_men"), 1), (End("void", "aborted"), 1)]


def test_partners_get_the_points_of_their_side_and_none_against_each_other() -> None:
    team_match = Game("m", 0, (("anna", "carl"), ("bert", "dora")), (2, 1), End("played", "home"))
    cells = replace(NOTHING, games=(team_match,)).cells()
    assert cells["dora", "anna"] == Score(1, 1)
    assert ("anna", "carl") not in cells
    assert len(cells) == 8


def test_a_match_of_a_bot_against_itself_gives_no_estimate() -> None:
    self_match = Game("m", 0, (("anna",), ("anna",)), (1, 2), End("played", "no_men"))
    assert replace(NOTHING, games=(self_match,)).estimates() == {}


def test_ends_are_sorted_by_kind_and_frequency() -> None:
    time_forfeit, disconnect_forfeit = End("forfeited", "time"), End("forfeited", "disconnected")
    report_data = replace(
        NOTHING,
        games=(
            game(1, 2, end=disconnect_forfeit),
            game(1, 2, end=time_forfeit),
            game(1, 2, end=time_forfeit),
            game(1, 2),
        ),
    )
    assert [end.reason for end, _ in report_data.ends()] == ["no_men", "time", "disconnected"]
