"""Bars: where the time went, and how matches ended."""

from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Report, Times
from referee.reporting.words import counted, end_text, time_text

HOLLOW = 0.4
"""The least that a bar shows, in per cent, so that something is told from nothing."""


def time_bars(report: Report) -> Markup | None:
    """None: nobody's time is known."""
    known = [(name, report.times[name]) for name in report.names if name in report.times]
    if not known:
        return None
    slowest = max(times.slow_us for _, times in known) or 1
    heads = (
        ("Entrant", "name"),
        ("A move takes", "bar"),
        ("half within", "number"),
        ("19 of 20", "number"),
        ("longest", "number wide"),
        ("in all", "number"),
        ("flags", "number wide"),
    )
    return tag(
        "div",
        tag(
            "table",
            tag("thead", tag("tr", *(tag("th", text, scope="col", class_=kind) for text, kind in heads))),
            tag("tbody", *(_times(name, times, slowest) for name, times in known)),
            class_="times",
        ),
        class_="scrolls",
        tabindex="0",
    )


def _times(name: str, times: Times, slowest: int) -> Markup:
    bar = tag(
        "div",
        tag("i", class_="slow", style=f"width:{_width(times.slow_us, slowest)}%"),
        tag("i", class_="usual", style=f"width:{_width(times.middle_us, slowest)}%"),
        class_="lane",
        title=f"{counted(times.moves, 'move')} of {name}",
    )
    return tag(
        "tr",
        tag("th", name, scope="row", class_="name"),
        tag("td", bar, class_="bar"),
        tag("td", time_text(times.middle_us), class_="number"),
        tag("td", time_text(times.slow_us), class_="number"),
        tag("td", time_text(times.longest_us), class_="number wide"),
        tag("td", time_text(times.all_us), class_="number"),
        tag("td", times.flags or "–", class_="number wide"),
    )


def end_bars(report: Report) -> Markup | None:
    """None: nothing has ended."""
    ends = report.ends()
    if not ends:
        return None
    most, total = max(many for _, many in ends), sum(many for _, many in ends)
    rows = (
        tag(
            "tr",
            tag("th", end_text(end), scope="row", class_="name"),
            tag("td", end.kind, class_="kind"),
            tag(
                "td",
                tag("div", tag("i", class_=end.kind, style=f"width:{_width(many, most)}%"), class_="lane"),
                class_="bar",
            ),
            tag("td", many, class_="number"),
            tag("td", _percent(many / total), class_="number"),
        )
        for end, many in ends
    )
    table = tag("div", tag("table", tag("tbody", *rows), class_="ends"), class_="scrolls", tabindex="0")
    faults = _faults(report)
    return joined(table, faults) if faults else table


def _faults(report: Report) -> Markup | None:
    """Who forfeited, and by what."""
    guilty = [(name, sum(name in game.at_fault for game in report.games)) for name in report.names]
    said = ", ".join(f"{name} {many}" for name, many in guilty if many)
    return tag("p", f"Forfeits: {said}.", class_="note") if said else None


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "< 1 %"


def _width(part: float, whole: float) -> float:
    return round(max(HOLLOW, 100 * part / whole), 2) if part else 0
