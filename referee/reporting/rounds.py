"""The rounds of a tournament: pairings and results."""

from referee.reporting.formatting import points_text
from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Meeting, Report

OPEN_AT_FIRST = 1
"""Number of latest rounds that the page shows unfolded."""


def pairing_text(meeting: Meeting) -> str:
    """Format as `anna – bert`."""
    return " – ".join(meeting.entrants)  # An en dash.


def result_text(meeting: Meeting) -> str:
    """Return `1 : 0`, `bye`, or the state of an unfinished pairing."""
    if len(meeting.entrants) == 1:
        return "bye"
    return " : ".join(map(points_text, meeting.points)) if meeting.points else meeting.state


def rounds(report: Report) -> Markup | None:
    """Return the pairings of each round, latest first; None if there are none."""
    found = sorted(report.rounds.items(), reverse=True)
    folds = [_round(number, meetings, place < OPEN_AT_FIRST) for place, (number, meetings) in enumerate(found)]
    return joined(*folds) if folds else None


def _round(number: int, meetings: list[Meeting], unfolded: bool) -> Markup:
    done = sum(it.state == "done" for it in meetings)
    heads = (("Board", "number"), ("Pairing", "name"), ("Result", "number"))
    table = tag(
        "table",
        tag("thead", tag("tr", *(tag("th", head, scope="col", class_=kind) for head, kind in heads))),
        tag("tbody", *map(_row, meetings)),
        class_="rounds",
    )
    summary = tag("summary", f"Round {number}: {done} of {len(meetings)} done")
    content = tag("div", table, class_="scrolls", tabindex="0")
    return tag("details", summary, content, open="open") if unfolded else tag("details", summary, content)


def _row(meeting: Meeting) -> Markup:
    return tag(
        "tr",
        tag("td", meeting.board, class_="number"),
        tag("td", pairing_text(meeting), class_="name"),
        tag("td", result_text(meeting), class_="number"),
    )
