"""Format the parts of a report as text: numbers, times, results, pairings, and what its columns mean."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from referee_values import EloEstimate, Pairing, SprtState

from referee.show.report import End, Report, Row

TIME_UNITS = ((86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"))
FORFEITS = {"time": "lost on time", "illegal_move": "illegal moves", "disconnected": "disconnected"}
MINUS = "−"


def points_text(points: float) -> str:
    """Format points, with halves as 2½."""
    whole, rest = divmod(points, 1)
    if rest == 0.5:
        return f"{whole:.0f}½" if whole else "½"
    return f"{points:.2f}".rstrip("0").rstrip(".")


def signed(value: float) -> str:
    text = f"{abs(value):.0f}"
    return text if text == "0" else f"{'+' if value > 0 else MINUS}{text}"


def time_text(us: float) -> str:
    """Format microseconds with two or three digits in a suitable unit."""
    for unit_us, unit in TIME_UNITS:
        if us >= unit_us:
            value = us / unit_us
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return f"{us / 1_000:.0f} ms" if us >= 10_000 else f"{us / 1_000:.2g} ms"


def end_text(end: End) -> str:
    if end.kind == "forfeited":
        return FORFEITS.get(end.reason, plain(end.reason))
    return plain(end.reason) or "?"


def plain(word: str) -> str:
    return word.replace("_", " ")


def moment(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1_000, UTC):%Y-%m-%d %H:%M} UTC"


def local_moment(ms: int) -> str:
    """Format a time in the zone of the reader, with its difference from UTC."""
    return f"{datetime.fromtimestamp(ms / 1_000).astimezone():%Y-%m-%d %H:%M (UTC%z)}"


def counted(many: int, thing: str, things: str = "") -> str:
    return f"{many:,} {thing if many == 1 else things or thing + 's'}".replace(",", "\u202f")


SCORE_LEGEND = "score: points per match; in brackets, its 95 % confidence interval"


def score_text(share: float, low: float, high: float) -> str:
    """Format as `46 % (20–73)`."""
    return f"{100 * share:.0f} % ({100 * low:.0f}–{100 * high:.0f})"  # An en dash for the range.


def sprt_text(sprt: SprtState) -> str:
    """Format as `LLR 1.20 (−2.94, 2.94), +12 Elo (−8 to +32), 3-10-40-22-7`; narrow terminals cut off the end."""
    estimate = sprt.estimate or EloEstimate()
    ratio = [] if sprt.llr is None else [f"LLR {_ratio(sprt.llr)} ({_ratio(sprt.llr_lower)}, {_ratio(sprt.llr_upper)})"]
    lead = f"{signed(estimate.elo)} Elo ({signed(estimate.low_elo)} to {signed(estimate.high_elo)})"
    counts = ["-".join(map(str, sprt.counts))] if sprt.counts else []
    repeated = [f"{repeated_text(sprt.repeated_matches)} not counted"] if sprt.repeated_matches else []
    clear = ["by a clear lead"] if is_clear(sprt) else []
    seat = [f"first seat {signed(sprt.first_seat_elo)} Elo"] if sprt.first_seat_elo else []
    return ", ".join([*ratio, *clear, lead, *counts, *seat, *repeated])


def is_clear(sprt: SprtState) -> bool:
    """Return whether a clear lead ended the test before the ratio reached a bound."""
    ended = sprt.verdict in ("passed", "failed")
    return ended and sprt.llr is not None and sprt.llr_lower < sprt.llr < sprt.llr_upper


def repeated_text(many: int) -> str:
    return counted(many, "repeated match", "repeated matches")


def _ratio(llr: float) -> str:
    return f"{llr:.2f}".replace("-0.00", "0.00").replace("-", MINUS)


def meeting_text(pairing: Pairing) -> str:
    """Format as `anna – bert`."""
    return " – ".join(pairing.entrants)  # An en dash.


def result_text(pairing: Pairing) -> str:
    """Return `1 : 0`, `bye`, or the state of an unfinished pairing."""
    if len(pairing.entrants) == 1:
        return "bye"
    text = " : ".join(map(points_text, pairing.points)) if pairing.points else pairing.phase
    absent = absent_names(pairing)
    return f"{text} ({absent_text(absent)})" if absent else text


def absent_names(pairing: Pairing) -> tuple[str, ...]:
    """Return who lost a pairing by absence; of a team that lost only some boards, each of them."""
    boards = [
        f"{name} on board {lost.board}"
        for lost in pairing.absent_boards
        for name in lost.entrants
        if name not in pairing.absent_entrants
    ]
    return (*pairing.absent_entrants, *boards)


def absent_text(names: Sequence[str]) -> str:
    return f"{' and '.join(names)} absent"


def forfeits_text(row: Row) -> str:
    """Return the number of forfeits, with that of pairings lost by absence; empty if there are none."""
    if not row.forfeits:
        return ""
    return f"{row.forfeits} ({row.no_shows} absent)" if row.no_shows else str(row.forfeits)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "< 1 %"


def estimate_text(report: Report) -> str:
    """Return what the estimate says about the game, and how many matches it leaves out; may be empty."""
    repeated = [f"{repeated_text(len(report.repeated))} of {len(report.games)}"] if report.repeated else []
    if not any(len(finish.sides) == 2 for finish in report.finishes):
        return ", ".join(repeated)
    first = report.strengths.first_seat
    advantage = f"first seat: {signed(first.elo)} ± {(first.high - first.low) / 2:.0f} Elo"
    draws = f"draws: {percent(report.strengths.draw_rate) if report.strengths.draw_rate else 'none'}"
    return ", ".join([advantage, draws, *repeated])


def elo_baseline(report: Report) -> str:
    """Return what Elo values are relative to."""
    return "the other" if len(report.estimates()) == 2 else "the average of the field"


def legend(report: Report) -> Iterator[tuple[str, str]]:
    """Yield the terms that the report uses, with their meanings."""
    if any(row.rating for row in report.rows):
        yield "rating", "strength, updated after each match from 1500; comparable only within a ladder"
        yield "?", "provisional: too few matches for a rank"
    if report.boards:
        yield "points", "match points: 2 for more board points than the other team or a bye, 1 for equally many"
    elif any(row.points is not None for row in report.rows):
        yield "points", "1 for a win or a bye, ½ for a draw; with more than two sides, a share by rank"
    if report.estimates():
        yield "elo", f"strength from all results (Bradley–Terry), relative to {elo_baseline(report)} at 0"
        yield "± n", "95 % confidence interval"
        yield "best", "probability of being the strongest of the field, given the results"
    if report.repeated:
        yield "repeated", "all moves and seats as in another match; such matches count once in estimates"
    if "first seat" in estimate_text(report):
        yield "first seat", "how far it puts an entrant ahead of an equal one, in matches of two sides"
