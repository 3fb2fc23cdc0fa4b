"""Questions and answers as a table, with a picture of where the time went."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.api import Seat
from referee.core.clock import Micros
from referee.core.events import FlagFell, MovePlayed, MoveRefused, Source
from referee.core.row import ClockRow
from referee.debugging.questions import Question
from referee.storage.record.wording import plain

BAR_CHARS = 40
THINKING, NETWORK, REFEREE = "█", "▒", "░"
HEAD = ("ply", "answer", "moves", "before", "thinking", "network", "referee", "given back", "charged", "after")
MOVE_CHARS = 24


@dataclass(frozen=True, slots=True)
class Spent:
    """Where the time of one turn went, in microseconds. Their sum is the time from asking to answer."""

    thinking: Micros
    network: Micros
    referee: Micros

    @property
    def all(self) -> Micros:
        return self.thinking + self.network + self.referee


def spent(row: ClockRow) -> Spent:
    """The network's part is what was measured, but no more than there was."""
    whole = max(0, row.arrived_us - row.asked_us)
    referee = min(row.stall_us, whole)
    network = min(row.network_us, whole - referee)
    return Spent(whole - referee - network, network, referee)


def table(asked: Sequence[Question]) -> Iterator[str]:
    """A line a question, with its clock row and a bar; the longest turn fills it."""
    longest = max((spent(one.row).all for one in asked if one.row), default=0)
    lines = [HEAD, *(cells(one) for one in asked)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEAD))]
    for number, line in enumerate(lines):
        row = asked[number - 1].row if number else None
        bar = _bar(spent(row), longest) if row and longest else ""
        yield f"{_aligned(line, widths)}  {bar}".rstrip()
    yield f"{THINKING} thinking  {NETWORK} network  {REFEREE} referee; a whole bar is {seconds(longest)} s"


def cells(one: Question) -> tuple[str, ...]:
    """By the columns of HEAD. Times are in seconds."""
    due, row = one.due, one.row
    start = (str(due.match.ply), answer_text(one), str(due.legal_moves(0).count))
    if row is None:
        return (*start, *("",) * (len(HEAD) - len(start)))
    parts = spent(row)
    given_back = row.stall_us + row.network_credit_us
    clocks = [_left(due.seat, one, clock_us) for clock_us in (row.before.left_us, row.after.left_us)]
    times = [seconds(time) for time in (parts.thinking, parts.network, parts.referee, given_back, row.charged_us)]
    return (*start, clocks[0], *times, clocks[1])


def answer_text(one: Question) -> str:
    """What it answered, and what came of it where that was not simply taken."""
    match one.answer:
        case MovePlayed(source=Source.BOT, move=move):
            return _move(move)
        case MovePlayed(source=source, move=move):
            return f"({source.value}) {_move(move)}"
        case MoveRefused(move=move):
            return f"{_move(move)} REFUSED"
        case FlagFell(move=""):
            return "none: FLAG FELL"
        case FlagFell(move=move):
            return f"{_move(move)} TOO LATE"
        case _:
            return "none was needed"


def seconds(time_us: Micros) -> str:
    return f"{time_us / 1_000_000:.3f}"


def _left(seat: Seat, one: Question, left_us: Micros) -> str:
    """A clock, where there is one."""
    return "" if one.due.clocks[seat].left_us is None else seconds(left_us)


def _move(move: str) -> str:
    text = plain(move)
    return text if len(text) <= MOVE_CHARS else f"{text[: MOVE_CHARS - 1]}…"


def _bar(parts: Spent, longest: Micros) -> str:
    """Each part that is there is seen."""
    signs = ((THINKING, parts.thinking), (NETWORK, parts.network), (REFEREE, parts.referee))
    return "".join(sign * max(1, round(time / longest * BAR_CHARS)) for sign, time in signs if time)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    """Words to the left, numbers to the right."""
    return "  ".join(
        cell.ljust(width) if column == 1 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    )
