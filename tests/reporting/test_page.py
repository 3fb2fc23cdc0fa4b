"""The HTML page is well-formed, escaped and self-contained."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from referee.contests.strength.elo import EloEstimate
from referee.reporting.markup import VOID
from referee.reporting.page import page
from referee.reporting.report import Report, Row, Sprt
from referee.reporting.result_tables import SHADES, shade
from tests.reporting.season import NASTY, report

SVG_VOID = frozenset(VOID)


class Reading(HTMLParser):
    """The page as a browser takes it: every element closed, its texts, its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in SVG_VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def of(self, *kinds: str) -> list[str]:
        """The classes of the elements of one of these kinds."""
        return [attributes.get("class") or "" for tag, attributes in self.tags if tag in kinds]


@pytest.mark.parametrize("many", [2, 8, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["tournament", "ladder"])
def test_every_element_is_closed_and_every_entrant_has_a_row_and_a_column(many: int, kind: str) -> None:
    read = Reading(page(report(many, cycles=1, kind=kind)))
    assert read.open == []
    assert read.of("td").count("self") == many
    assert read.of("div").count("lane axis") == 1


def test_a_name_that_would_be_markup_is_text() -> None:
    html = page(report(3))
    assert "<b onclick" not in html
    read = Reading(html)
    assert NASTY in read.texts
    assert not any("onclick" in attributes for _, attributes in read.tags)
    assert any(NASTY in (attributes.get("title") or "") for _, attributes in read.tags)


def test_nothing_is_fetched_and_nothing_runs() -> None:
    html = page(report(8))
    read = Reading(html)
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in read.tags}
    assert not any({"src", "href"} & attributes.keys() for _, attributes in read.tags)
    assert "url(" not in html
    assert "@import" not in html
    assert any("default-src 'none'" in (attributes.get("content") or "") for _, attributes in read.tags)


def test_both_themes_a_phone_and_paper_are_thought_of() -> None:
    html = page(report(3))
    for query in ("prefers-color-scheme: dark", "max-width: 46rem", "@media print"):
        assert query in html


def test_a_number_stands_in_every_cell_and_the_colours_have_a_legend() -> None:
    html = page(report(8, cycles=2))
    cells = re.findall(r'<td class="h\d" title="[^"]*">([^<]*)<small>/2</small></td>', html)
    assert len(cells) == 8 * 7
    assert set(cells) <= {"0", "1", "2"}
    assert html.count('class="swatch h') == SHADES


def test_shades_go_from_lost_all_to_won_all_with_even_in_the_middle() -> None:
    assert [shade(share) for share in (0, 0.5, 1)] == [0, 4, 8]
    assert all(one <= other for one, other in pairwise(shade(part / 100) for part in range(101)))


def test_the_best_eight_lines_have_colours_and_the_others_are_counted() -> None:
    read = Reading(page(report(12, cycles=1)))
    assert sorted(kind for kind in read.of("path") if kind.startswith("line")) == sorted(
        [*(f"line c{number}" for number in range(1, 9)), *["line c0"] * 4]
    )
    assert "4 more" in read.texts


def test_what_there_is_nothing_to_tell_of_is_left_out() -> None:
    html = page(Report("ladder", "main", "Main", (), (Row(1, "anna"),), ()))
    assert re.findall(r"<h2>(.*?)</h2>", html) == ["Table"]


@pytest.mark.parametrize(
    ("many", "origin"), [(2, "relative to the other at 0"), (3, "relative to the average of the field at 0")]
)
def test_of_two_each_is_measured_by_the_other(many: int, origin: str) -> None:
    assert origin in page(report(many))


def test_times_of_some_matches_only_are_told_as_such() -> None:
    told = report(3)
    assert "From the last" not in page(told)
    assert "From the last 4 matches." in page(replace(told, timed_matches=4))


@pytest.mark.parametrize(("llr", "gauge"), [(1.5, True), (None, False)])
def test_a_test_tells_its_verdict_its_ratio_if_it_has_one_and_its_counts(llr: float | None, gauge: bool) -> None:
    sprt = Sprt("open", (1, 2, 3, 2, 9), EloEstimate(12, -3, 27, 0.95), llr, (-2.94, 2.94), 34, 120)
    html = page(replace(report(2), sprt=sprt))
    assert "Not decided yet." in html
    assert "Expected: 120 matches to go." in html
    assert ("ratio 1.50" in html) is gauge
    assert "<b>9</b>" in html


def test_the_rounds_tell_who_met_whom_and_the_latest_is_unfolded() -> None:
    drawn = page(report(3))
    assert drawn.count("<details") == len(report(3).rounds) == 3
    assert drawn.count('open="open"') == 1
    assert "Round 4: 1 of 2 done" in drawn
    assert '<td class="name">bot-02</td><td class="number">bye</td>' in drawn
    assert '<td class="number">playing</td>' in drawn
    assert '<td class="number">1 : 0</td>' in drawn


@pytest.mark.parametrize(
    ("kind", "terms"), [("tournament", ["points", "elo", "± n"]), ("ladder", ["rating", "?", "elo"])]
)
def test_a_legend_explains_every_scale(kind: str, terms: list[str]) -> None:
    drawn = page(report(3, kind=kind))
    assert all(f"<dt>{term}</dt>" in drawn for term in terms)
