"""Lines of a bot's private log."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import bot_pb2, clock_pb2, play_pb2, refusal_pb2

from referee.app.bot_log import Forfeited, Late, Line, Note, Noticed, Refused, SessionLost
from referee.transport.convert.clocks import row_of
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
    getattr(told, name).CopyFrom(message(note.what, note))
    return told


def _refused(what: Refused, _: Note) -> bot_pb2.RefusedItem:
    refusal = refusal_pb2.Refusal(reason=reason_number(what.reason), message=what.message, metadata=dict(what.details))
    return bot_pb2.RefusedItem(move=what.move, refusal=refusal)


def _late(what: Late, note: Note) -> clock_pb2.ClockRow:
    assert note.seat is not None
    return row_of(what.row, note.seat, what.control)


def _session_lost(what: SessionLost, _: Note) -> bot_pb2.SessionLost:
    return bot_pb2.SessionLost(session_id=what.session_id, reason=reason_number(what.reason))


def _noticed(what: Noticed, _: Note) -> play_pb2.Notice:
    return play_pb2.Notice(kind=NOTICES[what.about], message=what.message, metadata=dict(what.details))


WHAT: dict[type, tuple[str, Callable[[Any, Note], Any]]] = {
    Refused: ("refused", _refused),
    Late: ("late", _late),
    Forfeited: ("forfeited", lambda what, _: forfeit_of(what.forfeit)),
    SessionLost: ("session_lost", _session_lost),
    Noticed: ("notice", _noticed),
}
"""The field of each kind of note, and its message."""
