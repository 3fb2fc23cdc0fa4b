"""Bars: time used, how matches ended, and the state of an SPRT between its bounds."""

from referee_values import EloEstimate, SprtState

from referee.show.formatting import MINUS, counted, is_clear, points_text, repeated_text, signed
from referee.show.markup import Markup, Scale, joined, tag
from referee.show.report import Report

VERDICTS = {
    "passed": "Passed: the first bot is stronger by at least elo1.",
    "failed": "Failed: the first bot is stronger by at most elo0.",
    "undecided": "Undecided: the maximum number of matches was reached, or the bots only repeated earlier matches.",
    "open": "Not decided yet.",
}


def faults_note(report: Report) -> Markup | None:
    """Return the numbers of forfeits by entrant; None if there are none."""
    forfeits = [(name, sum(name in game.at_fault for game in report.games)) for name in report.names]
    text = ", ".join(f"{name} {many}" for name, many in forfeits if many)
    return tag("p", f"Forfeits: {text}.", class_="note") if text else None


def sprt_gauge(sprt: SprtState) -> Markup:
    """Return the verdict, the gauge and the counts."""
    estimate = sprt.estimate or EloEstimate()
    lead = (
        f"{signed(estimate.elo)} Elo, 95 % interval {signed(estimate.low_elo)} to {signed(estimate.high_elo)}; "
        f"probability of being stronger {100 * estimate.superiority:.1f} %."
    )
    to_go = (
        f" Expected: {counted(sprt.expected_matches_left, 'match', 'matches')} to go."
        if sprt.expected_matches_left
        else ""
    )
    clear = " A clear lead ended the test before the ratio reached a bound." if is_clear(sprt) else ""
    seat = f" The first seat is worth {signed(sprt.first_seat_elo)} Elo." if sprt.first_seat_elo else ""
    repeated = f" {repeated_text(sprt.repeated_matches)} not counted." if sprt.repeated_matches else ""
    text = tag("p", tag("b", VERDICTS.get(sprt.verdict, sprt.verdict)), f"{clear} {lead}{to_go}{seat}{repeated}")
    return joined(text, _gauge(sprt) if sprt.llr is not None else "", _counts(sprt))


def _gauge(sprt: SprtState) -> Markup:
    low, high = sprt.llr_lower, sprt.llr_upper
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


def _counts(sprt: SprtState) -> Markup:
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
        tag("div", *columns, class_="counts"), tag("p", "Number of sets by points of the first bot.", class_="note")
    )
