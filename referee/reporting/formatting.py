"""Format numbers, times and results as text."""

from datetime import UTC, datetime

from referee.reporting.report import End

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


def counted(many: int, thing: str, things: str = "") -> str:
    return f"{many:,} {thing if many == 1 else things or thing + 's'}".replace(",", "\u202f")


SCORE_LEGEND = "score: points per match; in brackets, its 95 % confidence interval"


def score_text(share: float, low: float, high: float) -> str:
    """Format as `46 % (20–73)`."""
    return f"{100 * share:.0f} % ({100 * low:.0f}–{100 * high:.0f})"  # An en dash for the range.
