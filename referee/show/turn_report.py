"""Format the turns of a seat as a text table and as an HTML page with a chart of the time used."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import UNSET

from engines.api import Seat
from referee.match.clock import Micros
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MovePlayed, MoveRejected, MoveSource
from referee.records.describe_event import escape_unprintable, score_text
from referee.records.seat_turns import SeatTurn
from referee.show.markup import Markup, tag
from referee.show.page import document, heading
from referee.show.table import Column, Table, number

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


def turns_table(turns: Sequence[SeatTurn]) -> Table:
    """Return a row for each turn, with its clock charge, and for a terminal a bar on the scale of the longest turn."""
    longest = longest_us(turns)
    columns = (number("ply"), Column("answer", "answer"), *map(number, HEAD[2:]), Column("", only="text"))
    return Table(
        columns,
        ((*format_cells(turn), _bar(time_spent(turn.row), longest) if turn.row and longest else "") for turn in turns),
    )


def longest_us(turns: Sequence[SeatTurn]) -> Micros:
    return max((time_spent(turn.row).all for turn in turns if turn.row), default=0)


def bars_legend(turns: Sequence[SeatTurn]) -> str:
    full = f"a full bar is {seconds(longest_us(turns))} s"
    return f"{THINKING} thinking  {NETWORK} network  {REFEREE} referee; {full}"


def format_cells(turn: SeatTurn) -> tuple[str, ...]:
    """Return the cells of the columns in HEAD. Times are in seconds."""
    due, row = turn.due, turn.row
    start = (str(due.match.ply), answer_text(turn), str(due.legal_moves(0).count))
    if row is None:
        return (*start, *("",) * (len(HEAD) - len(start)))
    parts = time_spent(row)
    credited = row.stall_us + row.network_credit_us
    clocks = [_left(due.seat, turn, clock_us) for clock_us in (row.before.left_us, row.after.left_us)]
    times = [seconds(time) for time in (parts.thinking, parts.network, parts.referee, credited, row.charged_us)]
    return (*start, clocks[0], *times, clocks[1])


def answer_text(turn: SeatTurn) -> str:
    """Return the answer, with its verdict unless it was accepted."""
    match turn.answer:
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


def _left(seat: Seat, turn: SeatTurn, left_us: Micros) -> str:
    """Format the time left; empty without a clock."""
    return "" if turn.due.clocks[seat].left_us is None else seconds(left_us)


def _move(move: str) -> str:
    text = escape_unprintable(move)
    return text if len(text) <= MOVE_CHARS else f"{text[: MOVE_CHARS - 1]}…"


def _bar(parts: TimeSpent, longest: Micros) -> str:
    """Draw a bar in which each nonzero part has at least one character."""
    signs = ((THINKING, parts.thinking), (NETWORK, parts.network), (REFEREE, parts.referee))
    return "".join(sign * max(1, round(time / longest * BAR_CHARS)) for sign, time in signs if time)


WIDTH, ROW, BAR, LEFT = 720, 18, 12, 60
COLOURS = (("thinking", "c1"), ("network", "c5"), ("referee", "c2"))


def format_page(title: str, facts: Sequence[str], turns: Sequence[SeatTurn]) -> str:
    """Return an HTML page with a chart and a table. `facts` are shown above the chart."""
    keys = (tag("li", tag("i", class_=f"seat {colour}"), name) for name, colour in COLOURS)
    late = ["late" if turn.answer and (turn.row is None or turn.row.late) else "" for turn in turns]
    return document(
        title,
        heading("turns", title, ()),
        *(tag("p", fact) for fact in facts),
        tag("section", tag("h2", "Time used in each turn"), tag("ul", *keys, class_="keys"), _picture(turns)),
        tag("section", turns_table(turns).to_html("turns", row_classes=late)),
    )


def _picture(turns: Sequence[SeatTurn]) -> Markup:
    timed = [(turn.due.match.ply, time_spent(turn.row)) for turn in turns if turn.row]
    longest = longest_us(turns) or 1
    rows: list[Markup] = []
    for row, (ply, parts) in enumerate(timed):
        y, x = row * ROW, float(LEFT)
        rows.append(tag("text", ply, x=LEFT - 8, y=y + BAR, text_anchor="end"))
        for (name, colour), time_us in zip(COLOURS, (parts.thinking, parts.network, parts.referee), strict=True):
            width = round(time_us / longest * (WIDTH - LEFT - 60), 1)
            tip = tag("title", f"ply {ply}: {seconds(time_us)} s {name}")
            rows.append(tag("rect", tip, x=x, y=y, width=width, height=BAR, class_=colour))
            x = round(x + width, 1)
        rows.append(tag("text", f"{seconds(parts.all)} s", x=x + 6, y=y + BAR))
    box = f"0 0 {WIDTH} {max(1, len(timed)) * ROW}"
    return tag("svg", *rows, viewBox=box, role="img", aria_label="Time used", class_="chart")
