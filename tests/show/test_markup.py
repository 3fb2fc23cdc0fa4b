"""Scales of charts and their ticks."""

import re

import pytest
from click import unstyle
from hypothesis import given
from hypothesis import strategies as st

from referee.contests.strength.elo import EloEstimate
from referee.show.elo_chart import MAX_POINTS, EloPoint, elo_chart
from referee.show.markup import DAY, HOUR, SECOND, Markup, Scale, fit_scale, tag, tick_values, time_ticks
from referee.show.table import Cell, Column, Table, number, picture
from tests.show.parsed_page import ParsedPage


@given(st.floats(-3000, 3000, allow_subnormal=False), st.floats(1, 4000), st.integers(2, 8))
def test_ticks_are_limited_evenly_spaced_and_on_the_scale(low: float, length: float, max_count: int) -> None:
    scale = Scale(low, low + length)
    ticks = tick_values(scale, max_count)
    assert len(ticks) <= max_count
    assert all(scale.low <= mark <= scale.high for mark in ticks)
    assert len({ticks[number + 1] - ticks[number] for number in range(len(ticks) - 1)}) <= 1


@given(st.integers(0, 2_000_000_000_000), st.integers(SECOND, 400 * DAY))
def test_time_ticks_are_limited_and_have_distinct_labels(low: int, length: int) -> None:
    ticks = time_ticks(Scale(low, low + length), 5)
    assert len(ticks) <= 5
    assert len({text for _, text in ticks}) == len(ticks)


def test_labels_of_time_ticks_have_the_necessary_precision() -> None:
    assert [text for _, text in time_ticks(Scale(0, 20 * SECOND), 5)] == [
        "00:00:00",
        "00:00:05",
        "00:00:10",
        "00:00:15",
        "00:00:20",
    ]
    assert [text for _, text in time_ticks(Scale(0, 4 * HOUR), 5)] == ["00:00", "01:00", "02:00", "03:00", "04:00"]
    assert [text for _, text in time_ticks(Scale(0, DAY), 3)] == ["01 Jan 00:00", "01 Jan 12:00", "02 Jan 00:00"]
    assert time_ticks(Scale(0, 3 * DAY), 5)[0][1] == "01 Jan"


def test_a_scale_contains_all_values_and_has_a_minimum_length() -> None:
    assert fit_scale([1500.0], 100.0) == Scale(1450.0, 1550.0)
    assert fit_scale([], 100.0) == Scale(-50.0, 50.0)
    assert fit_scale([0.0, 200.0], 100.0, margin=0.1) == Scale(-20.0, 220.0)


def test_values_outside_the_scale_are_clamped() -> None:
    assert [Scale(0, 10).at(value) for value in (-5, 2.5, 99)] == [0, 25, 100]


def points(widths: list[float]) -> list[EloPoint]:
    return [
        EloPoint(2 * number, EloEstimate(20.0, 20.0 - width, 20.0 + width, 0.9))
        for number, width in enumerate(widths, 1)
    ]


def curve(drawn: object) -> list[tuple[float, float]]:
    found = re.search(r'<path d="M([^"]*)" class="curve', str(drawn))
    assert found
    return [(float(x), float(y)) for x, y in (pair.split() for pair in found[1].split("L"))]


def test_the_curve_goes_from_the_first_to_the_last_match() -> None:
    drawn = elo_chart(points([90, 80, 70]), ("new", "old"))
    assert "Lead of new over old in Elo" in str(drawn)
    assert "after 2 matches" in str(drawn)
    assert "after 6 matches" in str(drawn)
    assert len(curve(drawn)) == 3


def test_first_estimates_with_a_very_wide_interval_are_left_out() -> None:
    drawn = elo_chart(points([1000, 400, 100, 90]), ("new", "old"))
    assert "after 6 matches" in str(drawn)
    assert len(curve(drawn)) == 2


def test_of_many_estimates_evenly_spaced_ones_are_drawn_up_to_the_last() -> None:
    drawn = elo_chart(points([50.0] * 5 * MAX_POINTS), ("new", "old"))
    assert len(curve(drawn)) == MAX_POINTS
    assert f"after {10 * MAX_POINTS} matches" in str(drawn)


def test_several_estimates_for_the_same_matches_are_one_point() -> None:
    assert len(curve(elo_chart([*points([50, 50]), *points([50, 50])], ("new", "old")))) == 2


def test_nothing_is_drawn_of_less_than_two_estimates() -> None:
    assert elo_chart([], ("new", "old")) is None
    assert elo_chart(points([50]), ("new", "old")) is None


ROWS = [("anna", 12, Markup("<i></i>"), Cell("1", tag("b", "one"), {"title": "a tip"}), "x, y"), ("<b>", 3, "", "", "")]
COLUMNS = (
    Column("Bot", "name"),
    number("95 %", title="a share"),
    picture("Bar", "bar"),
    "ID",
    Column("Only text", only="text"),
)
TABLE = Table(COLUMNS, ROWS)


def test_numbers_are_aligned_to_the_right_and_pictures_left_out_on_a_terminal() -> None:
    heading, *lines = TABLE.to_text().splitlines()
    assert unstyle(heading) == "bot   95 %  ID  only text"
    assert heading != unstyle(heading)
    assert lines == ["anna    12  1   x, y", "<b>      3"]


def test_a_page_has_headings_of_columns_and_rows_and_pictures() -> None:
    parsed = ParsedPage(TABLE.to_html("seats", row_classes=["", "late"], id="all"))
    assert parsed.open == []
    assert parsed.rows == [["Bot", "95 %", "Bar", "ID"], ["anna", "12", "", "one"], ["<b>", "3", "", ""]]
    assert parsed.tags[0] == (
        "div",
        {"class": "scrolls", "tabindex": "0", "role": "group", "aria-label": "Table: Bot, 95 %, Bar, ID", "id": "all"},
    )
    assert parsed.classes_of("table", "tr") == ["seats", "", "", "late"]
    assert [attributes for name, attributes in parsed.tags if attributes.get("scope") == "row"] == [
        {"class": "name", "scope": "row"}
    ] * 2
    assert ("td", {"title": "a tip"}) in parsed.tags


def test_without_rows_a_page_has_a_sentence_or_nothing() -> None:
    assert Table(COLUMNS, []).to_html(empty="None yet.") == '<p class="note">None yet.</p>'
    assert Table(COLUMNS, []).to_html() == ""


def test_cells_with_commas_are_quoted_in_csv() -> None:
    assert TABLE.to_csv().decode().splitlines()[:2] == ["Bot,95 %,Bar,ID,Only text", 'anna,12,<i></i>,1,"x, y"']


@pytest.mark.parametrize(
    "cell", [tag("a", "anna", href="/bots/anna"), tag("button", "Pause", type="submit"), tag("input", type="text")]
)
def test_a_table_with_something_to_reach_is_no_further_stop_of_the_keyboard(cell: Markup) -> None:
    assert ParsedPage(Table(("", "Bot", "Rating"), [(1, cell, 1500)]).to_html()).tags[0] == (
        "div",
        {"class": "scrolls"},
    )
