"""Parts that several pages use."""

import pytest

from referee.show.markup import tag
from referee.show.table import Table
from tests.site.parsed_document import ParsedDocument


def scroller_of(*cells: object) -> dict[str, str | None]:
    return ParsedDocument(Table(("", "Bot", "Rating"), [cells]).to_html()).tags[0][1]


def test_a_table_can_be_scrolled_with_the_keyboard_only() -> None:
    attributes = scroller_of(1, "<a href=''>anna</a>", 1500)
    assert attributes == {"class": "scrolls", "tabindex": "0", "role": "group", "aria-label": "Table: Bot, Rating"}


@pytest.mark.parametrize(
    "cell", [tag("a", "anna", href="/bots/anna"), tag("button", "Pause", type="submit"), tag("input", type="text")]
)
def test_a_table_with_something_to_reach_is_no_further_stop_of_the_keyboard(cell: str) -> None:
    assert scroller_of(1, cell, 1500) == {"class": "scrolls"}
