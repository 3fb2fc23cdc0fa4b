"""One table: aligned on a terminal, with headings of rows on a page, and as CSV."""

import pytest
from click import unstyle

from referee.show.markup import Markup, tag
from referee.show.table import Cell, Column, Table, number, picture
from tests.show.parsed_page import ParsedPage

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
