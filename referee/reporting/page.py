"""The report as one page that needs nothing else: no network, no script; for a browser, a phone or a printer."""

from importlib.resources import files

from referee.reporting.bars import end_bars, time_bars
from referee.reporting.heat_map import heat_map
from referee.reporting.legend import legend
from referee.reporting.markup import Markup, joined, tag
from referee.reporting.rating_chart import rating_chart
from referee.reporting.report import Report
from referee.reporting.rounds import rounds
from referee.reporting.sprt_gauge import sprt_gauge
from referee.reporting.standings_table import standings_table
from referee.reporting.words import counted

NOTHING_FROM_OUTSIDE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
ELO_NOTE = "The line is the 95 % interval of Elo; where two of them overlap, it is not known who is stronger."

CHART_NOTES = {
    "ladder": "The rating of the table after each match.",
    "tournament": "Ratings like those of a ladder, from 1500, by the matches of this tournament alone.",
}


def page(report: Report) -> str:
    """HTML."""
    title = report.title or report.name
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=NOTHING_FROM_OUTSIDE),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Markup(files("referee.reporting").joinpath("style.css").read_text(encoding="utf-8"))),
    )
    body = tag("body", _heading(report, title), tag("main", *_sections(report)), _foot(report))
    return f"<!doctype html>{tag('html', head, body, lang='en')}\n"


def _heading(report: Report, title: str) -> Markup:
    facts = (tag("div", tag("dt", word), tag("dd", said)) for word, said in report.facts)
    return tag("header", tag("p", report.kind, class_="kind-of"), tag("h1", title), tag("dl", *facts, class_="facts"))


def _sections(report: Report) -> list[Markup]:
    what_stands = {
        "The test": (sprt_gauge(report.sprt) if report.sprt else None, ""),
        "Table": (standings_table(report), ELO_NOTE),
        "Rounds": (rounds(report), ""),
        "Rating over time": (
            rating_chart(report),
            f"{CHART_NOTES[report.kind]} The band is the 95 % interval of who is first in the table. Times are UTC.",
        ),
        "Cross table": (heat_map(report), ""),
        "Time used": (time_bars(report), _timed(report)),
        "How matches ended": (end_bars(report), ""),
        "Lost by an illegal move": (_illegal_moves(report), ""),
        "Legend": (_legend(report), ""),
    }
    return [
        tag("section", tag("h2", title), drawn, tag("p", note, class_="note") if note else "")
        for title, (drawn, note) in what_stands.items()
        if drawn
    ]


def _illegal_moves(report: Report) -> Markup | None:
    return tag("ul", *(tag("li", str(move)) for move in report.illegal_moves)) if report.illegal_moves else None


def _legend(report: Report) -> Markup | None:
    terms = [tag("div", tag("dt", term), tag("dd", means)) for term, means in legend(report)]
    return tag("dl", *terms, class_="legend") if terms else None


def _timed(report: Report) -> str:
    bar = "The strong bar is what half of the moves took at the most, the faint one what 19 of 20 took."
    if report.timed_matches >= len(report.games):
        return bar
    return f"{bar} From the last {counted(report.timed_matches, 'match', 'matches')}."


def _foot(report: Report) -> Markup:
    return tag("footer", joined(f"{report.kind} ", tag("code", report.name), " · made by referee report"))
