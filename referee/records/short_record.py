"""The short form of a record, which has only what cannot be computed again.

The first line is that of the record, without its hash. Of each entry there is one line:

    [late_ms,seat,"move",waited_us,…]     a move, whose clock charge follows from the clocks before it (`ShortMove`)
    late_ms{"kind":…}                     another event, as msgspec writes it
    ~{"entry":…                           a line that would not be the same again, without `after` and `hash`

So does the last line begin with `~`, if it is there. `late_ms` is the time at which the entry was written, beyond its
match time; of the first one it is all of `at_ms`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw, Struct

from referee.match.clock import Clock, TimeControl, controls_of
from referee.match.clock_charge import TurnMeasurement, charge
from referee.match.events import Event, FlagFell, MatchCreated, MovePlayed, MoveRejected, MoveSource, PlayEnded
from referee.match.plain_run import LoggedItem, PlainMove
from referee.records.record_format import RECORD_CODEC, RECORDED, RecordedEnd, parse_entry
from referee.storage.codec import MalformedEntry

RAW = b"~"
MAX_LINE_ADDED = 900
"""Limit of the bytes that a line of a record has beyond its text."""
MAX_ESCAPED = 6
"""Limit of the bytes in a record for a byte of text."""
_AFTER = re.compile(rb',"after":"[0-9a-f]{64}"(?=$|,"signature":"[0-9a-f]{128}"$)')
_EVENT = re.compile(rb"(-?[0-9]{1,15})(\{.*)", re.DOTALL)
Small = Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)]
Recorded = Event | RecordedEnd


class ShortMove(Struct, array_like=True, frozen=True, gc=False, forbid_unknown_fields=True):
    """A move of a bot, with all that its clock charge is computed from."""

    late_ms: Small
    seat: Annotated[int, Meta(ge=0, le=1000)]
    move: str
    waited_us: Small
    """From the event before until the turn was asked."""
    took_us: Small
    """From there until the answer arrived."""
    stall_us: Small
    stored_us: Small
    """From there until the event."""
    network_us: Small
    network_credit_us: Small
    token: str
    """Empty if it is that of the next ply."""
    request_id: str
    score: Small | None


_encoder = msgspec.json.Encoder()
_decode_event = msgspec.json.Decoder(RECORDED).decode
_decode_move = msgspec.json.Decoder(ShortMove).decode


_UNREADABLE = (msgspec.MsgspecError, ValueError, LookupError, ArithmeticError, RecursionError)
"""What reading a line may raise that no writer writes."""


class _Course:
    """What is known of a match after some of its events."""

    def __init__(self) -> None:
        self._began_ms = 0
        self._controls: Sequence[TimeControl] = ()
        self.clocks: list[Clock] = []
        self.attempts: list[int] = []
        self.at_us = 0
        self.ply = 0

    def note(self, event: Recorded, at_ms: int) -> None:
        if isinstance(event, MatchCreated):
            seats = len(event.setup.players)
            self._controls = controls_of(event.setup.terms.time_control, seats)
            self.clocks = [control.initial_clock() for control in self._controls]
            self.attempts = [1] * seats
            self._began_ms = at_ms
        elif isinstance(event, MoveRejected):
            self.attempts[event.seat] += 1
        elif isinstance(event, MovePlayed):
            self.attempts[event.seat] = 1
            self.ply += 1
        if isinstance(event, MovePlayed | FlagFell) and event.row:
            self.clocks[event.seat] = event.row.after
        self.at_us = event.at_us

    def read(self, line: bytes) -> tuple[int, str]:
        """Return the time at which the next entry was written and its event as text, and note the event."""
        event: Recorded
        if line.startswith(b"["):
            move = _decode_move(line)
            late_ms, event = move.late_ms, self._move(move)
        else:
            found = _EVENT.fullmatch(line)
            if not found:
                raise MalformedEntry("no line of a short record begins like this")
            late_ms, event = int(found[1]), _decode_event(found[2])
        at_ms = self._began_ms + event.at_us // 1000 + late_ms
        text = RECORD_CODEC.encode(event)
        self.note(event, at_ms)
        return at_ms, text

    def add(self, event: Recorded, at_ms: int) -> bytes | None:
        """Note the next entry, and return its line; None, and note nothing, if `read` would return another one."""
        late_ms = at_ms - self._began_ms - event.at_us // 1000
        try:
            line = self._move_line(event, late_ms) if isinstance(event, MovePlayed) else None
            if line is None:
                read = _decode_event(_encoder.encode(event))  # It has a float for each integer in a field for floats.
                line = b"%d%b" % (late_ms, _encoder.encode(read)) if read == event else None
            if line:
                self.note(event, at_ms)
        except _UNREADABLE:
            return None
        return line

    def _move_line(self, event: MovePlayed, late_ms: int) -> bytes | None:
        row = event.row
        if row is None:
            return None
        short = ShortMove(
            late_ms,
            event.seat,
            event.move,
            row.asked_us - self.at_us,
            row.arrived_us - row.asked_us,
            row.stall_us,
            event.at_us - row.arrived_us,
            row.network_us,
            row.network_credit_us,
            "" if event.token == self._token(event.seat) else event.token,
            event.request_id,
            None if event.score is UNSET else event.score,
        )
        line = _encoder.encode(short)
        return line if self._move(_decode_move(line)) == event else None

    def _move(self, move: ShortMove) -> MovePlayed:
        seat, asked_us = move.seat, self.at_us + move.waited_us
        measured = TurnMeasurement(asked_us + move.took_us, move.network_us, move.stall_us)
        row = charge(self._controls[seat], self.clocks[seat], asked_us, measured, move.network_credit_us)
        at_us, token = measured.arrived_us + move.stored_us, move.token or self._token(seat)
        score = UNSET if move.score is None else move.score
        return MovePlayed(at_us, seat, token, move.move, MoveSource.BOT, row, move.request_id, score)

    def _token(self, seat: int) -> str:
        return f"{seat}.{self.ply}.{self.attempts[seat]}"


def write_short(header: bytes, items: Sequence[LoggedItem], began_ms: int) -> bytes | None:
    """Return the short form of all entries of a match, each written at its match time; None if there is none."""
    course, last = _Course(), dict[int, PlainMove]()
    lines: list[object] = [Raw(header)]
    for item in items:
        if isinstance(item, PlainMove):
            seat, at_us, asked_us = item.seat, item.at_us, item.asked_us
            waited_us, took_us = asked_us - course.at_us, at_us - asked_us
            lines.append((0, seat, item.move, waited_us, took_us, item.stall_us, 0, 0, 0, "", "", None))
            course.at_us = at_us
            course.ply += 1
            course.attempts[seat] = 1
            last[seat] = item
            continue
        while last:
            seat, played = last.popitem()
            course.clocks[seat] = played.after
        event = RecordedEnd(item.at_us, item.result, item.seed) if isinstance(item, PlayEnded) else item
        line = course.add(event, began_ms + event.at_us // 1000)
        if line is None:
            return None
        lines.append(Raw(line))
    return _encoder.encode_lines(lines)[:-1]


def shorten(bodies: Iterable[bytes]) -> bytes:
    """Return the short form of the lines of a record, which are given without their hashes."""
    course, lines = _Course(), list[bytes]()
    for body in bodies:
        line = _entry_line(course, len(lines), body) if lines else body
        lines.append(line or RAW + _AFTER.sub(b"", body))
    return b"\n".join(lines)


def _entry_line(course: _Course, number: int, body: bytes) -> bytes | None:
    found = parse_entry(body)
    if found is None or found.number != number:
        return None
    try:
        event = RECORD_CODEC.decode(found.event)
        return course.add(event, found.at_ms) if RECORD_CODEC.encode(event) == found.event else None
    except MalformedEntry:
        return None


def full_lines(short: bytes) -> Iterator[bytes]:
    """Yield the lines of the record, without `after` and `hash`. Raises ValueError."""
    course = _Course()
    for number, line in enumerate(short.split(b"\n")):
        if number == 0 or line.startswith(RAW):
            yield line if number == 0 else line[1:]
            continue
        try:
            at_ms, text = course.read(line)
        except _UNREADABLE as why:
            raise ValueError(f"line {number + 1} cannot be read: {why}") from None
        yield f'{{"entry":{number},"at_ms":{at_ms},"event":{text}'.encode("ascii")


def max_full_bytes(short: bytes) -> int:
    """Return how many bytes the record has at most: those that lines have in common, and escaped text."""
    return MAX_LINE_ADDED * (short.count(b"\n") + 3) + MAX_ESCAPED * len(short)
