"""The HTML page is well-formed, escaped and self-contained."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from referee_values import SprtState

from referee.show.page import page
from referee.show.report import Report, Row
from referee.show.result_tables import SHADES, shade
from tests.show.parsed_page import ParsedPage
from tests.show.season import MARKUP_NAME, report


@pytest.mark.parametrize("count", [2, 8, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["tournament", "ladder"])
def test_every_element_is_closed_and_every_entrant_has_a_row_and_a_column(count: int, kind: str) -> None:
    parsed = ParsedPage(page(report(count, cycles=1, kind=kind)))
    assert parsed.open == []
    assert parsed.classes_of("td").count("self") == count
    assert parsed.classes_of("div").count("lane axis") == 1


def test_a_name_with_markup_is_escaped() -> None:
    html = page(report(3))
    assert "<b onclick" not in html
    parsed = ParsedPage(html)
    assert MARKUP_NAME in parsed.texts
    assert not any("onclick" in attributes for _, attributes in parsed.tags)
    assert any(MARKUP_NAME in (attributes.get("title") or "") for _, attributes in parsed.tags)


def test_the_page_loads_nothing_and_has_no_scripts() -> None:
    html = page(report(8))
    parsed = ParsedPage(html)
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in parsed.tags}
    assert not any({"src", "href"} & attributes.keys() for _, attributes in parsed.tags)
    assert "url(" not in html
    assert "@import" not in html
    assert any("default-src 'none'" in (attributes.get("content") or "") for _, attributes in parsed.tags)


def test_every_cell_has_a_number_and_the_colours_have_a_legend() -> None:
    html = page(report(8, cycles=2))
    cells = re.findall(r'<td class="h\d" title="[^"]*">([^<]*)<small>/2</small></td>', html)
    assert len(cells) == 8 * 7
    assert set(cells) <= {"0", "1", "2"}
    assert html.count('class="swatch h') == SHADES


def test_shades_grow_with_the_score() -> None:
    assert [shade(share) for share in (0, 0.5, 1)] == [0, 4, 8]
    assert all(lower <= higher for lower, higher in pairwise(shade(part / 100) for part in range(101)))


def test_the_best_eight_lines_are_coloured_and_the_others_counted() -> None:
    parsed = ParsedPage(page(report(12, cycles=1)))
    assert sorted(kind for kind in parsed.classes_of("path") if kind.startswith("line")) == sorted(
        [*(f"line c{number}" for number in range(1, 9)), *["line c0"] * 4]
    )
    assert "4 more" in parsed.texts


def test_empty_sections_are_omitted() -> None:
    html = page(Report("ladder", "main", "Main", (), (Row(1, "anna"),), ()))
    assert re.findall(r"<h2>(.*?)</h2>", html) == ["Table"]


def test_times_of_a_part_of_the_matches_are_marked() -> None:
    report_data = report(3)
    assert "From the last" not in page(report_data)
    assert "From the last 4 matches." in page(replace(report_data, timed_matches=4))


@pytest.mark.parametrize(("llr", "gauge"), [(1.5, True), (None, False)])
def test_an_sprt_is_shown_with_verdict_ratio_and_counts(llr: float | None, gauge: bool) -> None:
    sprt = SprtState(
        verdict="open", counts=(1, 2, 3, 2, 9), llr=llr, llr_lower=-2.94, llr_upper=2.94, expected_matches_left=120
    )
    html = page(replace(report(2), sprt=sprt))
    assert "Not decided yet." in html
    assert "Expected: 120 matches to go." in html
    assert ("ratio 1.50" in html) is gauge
    assert "<b>9</b>" in html


def test_the_rounds_list_their_pairings_and_the_latest_is_open() -> None:
    parsed = ParsedPage(page(report(3)))
    assert [attributes.get("open") for tag, attributes in parsed.tags if tag == "details"] == ["open", None, None]
    assert "Round 4: 1 of 2 done" in parsed.texts
    first = parsed.rows.index(["Board", "Pairing", "Result"])
    assert parsed.rows[first : first + 3] == [
        ["Board", "Pairing", "Result"],
        ["1", f"{MARKUP_NAME} – bot-02", "playing"],
        ["2", "bot-02", "bye"],
    ]
    assert {row[-1] for row in parsed.rows if row[0] in {"1", "2", "3"} and len(row) == 3} == {
        "playing",
        "bye",
        "1 : 0",
        "0 : 1",
    }


@pytest.mark.parametrize(
    ("kind", "terms"), [("tournament", ["points", "elo", "± n"]), ("ladder", ["rating", "?", "elo"])]
)
def test_a_legend_explains_every_scale(kind: str, terms: list[str]) -> None:
    html = page(report(3, kind=kind))
    assert all(f"<dt>{term}</dt>" in html for term in terms)
