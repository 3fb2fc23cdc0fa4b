"""The cross table of a tournament: complete, and small enough for 150 entrants."""

import pytest
from referee_api.v1 import tournament_pb2, tournament_service_pb2

from referee.site.layout import document
from referee.site.tournament_page import cross_table, cross_table_page
from tests.site.fake_upstream import FakeUpstream
from tests.site.fast_time import in_fast_time
from tests.site.parsed_document import check_inert
from tests.site.samples import MATCH_ID

MAX_BYTES = 2_000_000


def rows_of(count: int) -> list[tournament_pb2.CrossTableRow]:
    """Return the table of a round robin, in which whoever is ahead in the alphabet wins both matches."""
    names = [f"a-team-with-a-long-but-allowed-name-{number:03}" for number in range(count)]
    return [
        tournament_pb2.CrossTableRow(
            entrant=mine,
            cells=[
                tournament_pb2.CrossTableCell(opponent=other, points=2.0 * (mine < other), match_ids=[MATCH_ID] * 2)
                for other in names
                if other != mine
            ],
        )
        for mine in names
    ]


@pytest.mark.parametrize("count", [2, 16, 41, 150])
def test_every_entrant_has_a_row_and_a_column(count: int) -> None:
    answer = tournament_service_pb2.GetCrossTableResponse(rows=rows_of(count))
    html = document(in_fast_time(cross_table_page(FakeUpstream(answer), "cup")), "/")
    assert len(html.encode()) < MAX_BYTES
    parsed = check_inert(html)
    assert parsed.classes_of("td").count("self") == count
    assert sum(tag == "tr" for tag, _ in parsed.tags) == count + 1
    assert sum(tag == "th" for tag, _ in parsed.tags) == 2 * count + 2
    assert parsed.attributes_of("href").count(f"/matches/{MATCH_ID}") == count * (count - 1)


def test_points_are_summed_and_missing_meetings_are_empty() -> None:
    rows = rows_of(3)
    del rows[0].cells[1]
    rows[1].cells[0].points = 0.5
    parsed = check_inert(cross_table(rows, {}))
    assert parsed.classes_of("td").count("none") == 1
    assert parsed.texts.count("2½") == 1


def test_a_pairing_that_was_lost_by_absence_has_points_and_no_link() -> None:
    row = tournament_pb2.CrossTableRow(
        entrant="anna", cells=[tournament_pb2.CrossTableCell(opponent="bert", points=1, no_shows=1)]
    )
    parsed = check_inert(cross_table([row, tournament_pb2.CrossTableRow(entrant="bert")], {}))
    assert "/matches/" not in "".join(parsed.attributes_of("href"))
    assert parsed.texts.count("1") == 4  # The rank in the row and the column, the cell, and the sum.
