"""How a sequential test stands: where the ratio is between its bounds, and what was counted."""

from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Sprt
from referee.reporting.scale import Scale
from referee.reporting.words import MINUS, counted, points_text, signed

VERDICTS = {
    "passed": "Passed: the first is better by as much as was asked.",
    "failed": "Failed: the first is not better by as much as was asked.",
    "undecided": "Undecided: the matches were used up first.",
    "open": "Not decided yet.",
}


def sprt_gauge(sprt: Sprt) -> Markup:
    """The verdict in words, the gauge, and the counts."""
    estimate = sprt.estimate
    lead = (
        f"{signed(estimate.elo)} Elo, between {signed(estimate.low)} and {signed(estimate.high)} in 95 of 100 cases; "
        f"better with a likelihood of {100 * estimate.superiority:.1f} %."
    )
    to_go = f" Probably {counted(sprt.to_go, 'match', 'matches')} to go." if sprt.to_go else ""
    said = tag("p", tag("b", VERDICTS.get(sprt.verdict, sprt.verdict)), f" {lead}{to_go}")
    return joined(said, _gauge(sprt) if sprt.llr is not None else "", _counts(sprt))


def _gauge(sprt: Sprt) -> Markup:
    low, high = sprt.bounds
    scale = Scale(low, high)
    assert sprt.llr is not None
    needle = tag("i", class_="needle", style=f"left:{scale.at(sprt.llr)}%")
    zero = tag("i", class_="zero", style=f"left:{scale.at(0)}%")
    return tag(
        "div",
        tag("span", f"fails at {low:.2f}".replace("-", MINUS), class_="low"),
        tag("div", zero, needle, class_="lane", title=f"log-likelihood ratio {sprt.llr:.2f}"),
        tag("span", f"passes at {high:.2f}", class_="high"),
        tag("span", f"ratio {sprt.llr:.2f}".replace("-", MINUS), class_="now"),
        class_="gauge",
    )


def _counts(sprt: Sprt) -> Markup:
    """From the worst outcome for the first to the best."""
    if not sprt.counts:
        return joined("")
    most, points_a_set = max(*sprt.counts, 1), (len(sprt.counts) - 1) / 2
    columns = (
        tag(
            "div",
            tag("b", many),
            tag("i", style=f"height:{60 * many / most:.1f}px"),
            tag("span", points_text(number * points_a_set / (len(sprt.counts) - 1))),
        )
        for number, many in enumerate(sprt.counts)
    )
    return joined(
        tag("div", *columns, class_="counts"),
        tag("p", "How often the first had so many points out of each set.", class_="note"),
    )
