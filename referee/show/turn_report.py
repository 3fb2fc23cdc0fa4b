"""Format the turns of a seat as a text table and as an HTML page with a chart of the time used."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from msgspec import UNSET

from engines.api import Seat
from referee.match.adjudication import LEVEL, LOST, STOPPED
from referee.match.clock import Micros
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MovePlayed, MoveRejected, MoveSource
from referee.match.result import EndKind, Fault
from referee.match.state import Match
from referee.records.describe_event import bot_text, escape_unprintable, score_text
from referee.records.seat_turns import SeatTurn

BAR_CHARS = 40
THINKING, NETWORK, REFEREE = "█", "▒", "░"
HEAD = ("ply", "answer", "moves", "before", "thinking", "network", "referee", "credited", "charged", "after")
MOVE_CHARS = 24


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """Elapsed time of one turn by cause, in microseconds."""

    thinking: Micros
    network: Micros
    referee: Micros

    @property
    def all(self) -> Micros:
        return self.thinking + self.network + self.referee


def time_spent(row: ClockCharge) -> TimeSpent:
    """Split the elapsed time of a turn; the network time is limited to what remains."""
    whole = max(0, row.arrived_us - row.asked_us)
    referee = min(row.stall_us, whole)
    network = min(row.network_us, whole - referee)
    return TimeSpent(whole - referee - network, network, referee)


def format_table(turns: Sequence[SeatTurn]) -> Iterator[str]:
    """Yield a line for each turn, with its clock charge and a bar that is scaled to the longest turn."""
    longest = max((time_spent(one.row).all for one in turns if one.row), default=0)
    lines = [HEAD, *(format_cells(one) for one in turns)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    for number, line in enumerate(lines):
        row = turns[number - 1].row if number else None
        bar = _bar(time_spent(row), longest) if row and longest else ""
        yield f"{_aligned(line, widths)}  {bar}".rstrip()
    yield f"{THINKING} thinking  {NETWORK} network  {REFEREE} referee; a full bar is {seconds(longest)} s"


def format_cells(one: SeatTurn) -> tuple[str, ...]:
    """Return the cells of the columns in HEAD. Times are in seconds."""
    due, row = one.due, one.row
    start = (str(due.match.ply), answer_text(one), str(due.legal_moves(0).count))
    if row is None:
        return (*start, *("",) * (len(HEAD) - len(start)))
    parts = time_spent(row)
    credited = row.stall_us + row.network_credit_us
    clocks = [_left(due.seat, one, clock_us) for clock_us in (row.before.left_us, row.after.left_us)]
    times = [seconds(time) for time in (parts.thinking, parts.network, parts.referee, credited, row.charged_us)]
    return (*start, clocks[0], *times, clocks[1])


def answer_text(one: SeatTurn) -> str:
    """Return the answer, with its verdict unless it was accepted."""
    match one.answer:
        case MovePlayed(source=MoveSource.BOT, move=move, score=score):
            return _move(move) if score is UNSET else f"{_move(move)} ({score_text(score)})"
        case MovePlayed(source=source, move=move):
            return f"({source.value}) {_move(move)}"
        case MoveRejected(move=move):
            return f"{_move(move)} REJECTED"
        case FlagFell(move=""):
            return "none: FLAG FELL"
        case FlagFell(move=move):
            return f"{_move(move)} TOO LATE"
        case _:
            return "none needed"


def seconds(time_us: Micros) -> str:
    return f"{time_us / 1_000_000:.3f}"


def _left(seat: Seat, one: SeatTurn, left_us: Micros) -> str:
    """Format the time left; empty without a clock."""
    return "" if one.due.clocks[seat].left_us is None else seconds(left_us)


def _move(move: str) -> str:
    text = escape_unprintable(move)
    return text if len(text) <= MOVE_CHARS else f"{text[: MOVE_CHARS - 1]}…"


def _bar(parts: TimeSpent, longest: Micros) -> str:
    """Draw a bar in which each nonzero part has at least one character."""
    signs = ((THINKING, parts.thinking), (NETWORK, parts.network), (REFEREE, parts.referee))
    return "".join(sign * max(1, round(time / longest * BAR_CHARS)) for sign, time in signs if time)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    """Align the column of answers to the left, all others to the right."""
    return "  ".join(
        cell.ljust(width) if column == 1 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    )


FAULTS = {
    Fault.TIME: "ran out of time",
    Fault.ILLEGAL_MOVE: "used up its attempts with illegal moves",
    Fault.DISCONNECTED: "was disconnected for too long",
    Fault.WITHDRAWN: "was withdrawn by its owner",
}


TERMS_REASONS = {
    STOPPED: "the terms end the match after this many plies (max_plies)",
    LOST: "both sides expected it for as many moves as the terms say (resign_score)",
    LEVEL: "both sides expected a draw for as many moves as the terms say (draw_score)",
}


def describe_ending(match: Match) -> str:
    """Return how the match ended, in one or more sentences."""
    result = match.result
    if result is None:
        return "The record ends before the end of the match."
    if result.kind is EndKind.VOID:
        return f"The match is void ({result.cause.value}): no bot is responsible, and it is not scored."
    if result.kind is EndKind.FORFEITED:
        faults = "; ".join(f"{_who(match, one.seat)} {FAULTS[one.fault]}" for one in result.forfeits)
        return f"The match was forfeited: {faults}."
    resigned = "".join(f" {_who(match, seat)} resigned." for seat in match.resigned)
    first = [_who(match, seat) for seat, rank in enumerate(result.ranks) if rank == 1]
    whose = "Nobody won" if len(first) == len(result.ranks) else f"{' and '.join(first)} won"
    return f"{whose}: {TERMS_REASONS.get(result.reason, result.headline) or result.cause.value}.{resigned}"


def _who(match: Match, seat: Seat) -> str:
    bot = bot_text(match, seat)
    return f"seat {seat} ({bot})" if bot else f"seat {seat}"


WIDTH, ROW, BAR, LEFT = 720, 18, 12, 60
COLOURS = (("thinking", "#2f6fb2"), ("network", "#e0a030"), ("referee", "#c0504d"))
STYLE = """
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: .2rem; } p { margin: .2rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin-top: 1.5rem; width: 100%; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }
th:nth-child(2), td:nth-child(2) { text-align: left; font-family: ui-monospace, monospace; }
tr.trouble td { background: #c0504d33; } svg { margin-top: 1.5rem; width: 100%; height: auto; }
text { fill: currentColor; font-size: 12px; } .key { display: inline-block; width: .8em; height: .8em; }
"""


def format_page(title: str, facts: Sequence[str], turns: Sequence[SeatTurn]) -> str:
    """Return an HTML page with a chart and a table. `facts` are shown above the chart."""
    keys = " &nbsp; ".join(f'<span class="key" style="background:{colour}"></span> {name}' for name, colour in COLOURS)
    said = "".join(f"<p>{escape(fact)}</p>" for fact in facts)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{STYLE}</style>'
        f"<h1>{escape(title)}</h1>{said}<p>Time used in each turn: {keys}</p>{_picture(turns)}{_table(turns)}"
        "</html>\n"
    )


def _picture(turns: Sequence[SeatTurn]) -> str:
    timed = [(one.due.match.ply, time_spent(one.row)) for one in turns if one.row]
    longest = max((parts.all for _, parts in timed), default=0) or 1
    rows: list[str] = []
    for number, (ply, parts) in enumerate(timed):
        y, x = number * ROW, float(LEFT)
        rows.append(f'<text x="{LEFT - 8}" y="{y + BAR}" text-anchor="end">{ply}</text>')
        for (name, colour), time in zip(COLOURS, (parts.thinking, parts.network, parts.referee), strict=True):
            width = time / longest * (WIDTH - LEFT - 60)
            tip = f"<title>ply {ply}: {seconds(time)} s {name}</title>"
            rows.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{colour}">{tip}</rect>')
            x += width
        rows.append(f'<text x="{x + 6:.1f}" y="{y + BAR}">{seconds(parts.all)} s</text>')
    return f'<svg viewBox="0 0 {WIDTH} {max(1, len(timed)) * ROW}" role="img">{"".join(rows)}</svg>'


def _table(turns: Sequence[SeatTurn]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in HEAD)
    rows = "".join(
        f"<tr{_trouble(one)}>{''.join(f'<td>{escape(cell)}</td>' for cell in format_cells(one))}</tr>" for one in turns
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _trouble(one: SeatTurn) -> str:
    fine = one.row is not None and not one.row.late
    return "" if fine or one.answer is None else ' class="trouble"'
