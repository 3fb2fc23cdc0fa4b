"""The state of an SPRT: verdict, log-likelihood ratio between its bounds, and counts of outcomes."""

from referee.reporting.formatting import MINUS, counted, points_text, signed
from referee.reporting.markup import Markup, joined, tag
from referee.reporting.report import Sprt
from referee.reporting.scale import Scale

VERDICTS = {
    "passed": "Passed: the first bot is stronger by at least elo1.",
    "failed": "Failed: the first bot is stronger by at most elo0.",
    "undecided": "Undecided: the maximum number of matches was reached.",
    "open": "Not decided yet.",
}


def sprt_gauge(sprt: Sprt) -> Markup:
    """Return the verdict, the gauge and the counts."""
    estimate = sprt.estimate
    lead = (
        f"{signed(estimate.elo)} Elo, 95 % interval {signed(estimate.low)} to {signed(estimate.high)}; "
        f"probability of being stronger {100 * estimate.superiority:.1f} %."
    )
    to_go = f" Expected: {counted(sprt.to_go, 'match', 'matches')} to go." if sprt.to_go else ""
    text = tag("p", tag("b", VERDICTS.get(sprt.verdict, sprt.verdict)), f" {lead}{to_go}")
    return joined(text, _gauge(sprt) if sprt.llr is not None else "", _counts(sprt))


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
    """Draw the counts of outcomes, from the worst to the best for the first bot."""
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
        tag("p", "Number of sets by points of the first bot.", class_="note"),
    )
