"""Lines of a bot's private log."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import bot_pb2, clock_pb2, play_pb2, refusal_pb2

from referee.app.bot_log import Forfeited, Late, Line, Noticed, Refused, SessionLost
from referee.core.clock import Clock
from referee.core.row import ClockRow
from referee.transport.convert.results import forfeit_of
from referee.transport.convert.times import timestamp
from referee.transport.refusals import reason_number
from referee.transport.speaking import NOTICES


def line_of(line: Line) -> bot_pb2.BotLogLine:
    note = line.note
    name, message = WHAT[type(note.what)]
    told = bot_pb2.BotLogLine(
        number=line.number,
        at=timestamp(note.at_ms),
        version=note.version,
        match_id=note.match_id,
        seat=note.seat,
        ply=note.ply,
    )
    getattr(told, name).CopyFrom(message(note.what))
    return told


def _refused(what: Refused) -> bot_pb2.RefusedItem:
    refusal = refusal_pb2.Refusal(reason=reason_number(what.reason), message=what.message, metadata=dict(what.details))
    return bot_pb2.RefusedItem(move=what.move, refusal=refusal)


def _late(what: Late) -> clock_pb2.ClockRow:
    """The log of a bot knows the row, and not by which rule the clock ran."""
    row: ClockRow = what.row
    return clock_pb2.ClockRow(
        asked_us=row.asked_us,
        arrived_us=row.arrived_us,
        network_us=row.network_us,
        network_credit_us=row.network_credit_us,
        stall_us=row.stall_us,
        charged_us=row.charged_us,
        before=_clock(row.before),
        after=_clock(row.after),
        late=row.late,
    )


def _clock(clock: Clock) -> clock_pb2.Clock:
    return clock_pb2.Clock(main_us=clock.left_us)


def _noticed(what: Noticed) -> play_pb2.Notice:
    return play_pb2.Notice(kind=NOTICES[what.about], message=what.message, metadata=dict(what.details))


WHAT: dict[type, tuple[str, Callable[[Any], Any]]] = {
    Refused: ("refused", _refused),
    Late: ("late", _late),
    Forfeited: ("forfeited", lambda what: forfeit_of(what.forfeit)),
    SessionLost: (
        "session_lost",
        lambda what: bot_pb2.SessionLost(session_id=what.session_id, reason=reason_number(what.reason)),
    ),
    Noticed: ("notice", _noticed),
}
"""The field of each kind of note, and its message."""
