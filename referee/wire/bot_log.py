"""Converts entries of the private log of a bot."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import bot_pb2, clock_pb2, error_pb2, play_pb2

from referee.accounts.bot_log import (
    ForfeitNote,
    LateMoveNote,
    Note,
    NoticeNote,
    NumberedNote,
    RefusedNote,
    SessionLostNote,
)
from referee.wire.basic_types import timestamp
from referee.wire.clocks import clock_charge_of
from referee.wire.error_mapping import reason_number
from referee.wire.results import forfeit_of

NOTICES = {
    "paused": play_pb2.NOTICE_KIND_PAUSED,
    "returned": play_pb2.NOTICE_KIND_RESUMED,
    "fault_counted": play_pb2.NOTICE_KIND_FAULT_COUNTED,
    "quota_near": play_pb2.NOTICE_KIND_QUOTA_NEARLY_EXHAUSTED,
}


def line_of(line: NumberedNote) -> bot_pb2.BotLogEntry:
    note = line.note
    name, convert = CONVERTERS[type(note.what)]
    entry = bot_pb2.BotLogEntry(
        number=line.number,
        create_time=timestamp(note.at_ms),
        version=note.version,
        match_id=note.match_id,
        seat=note.seat,
        ply=note.ply,
    )
    getattr(entry, name).CopyFrom(convert(note.what, note))
    return entry


def _refused(what: RefusedNote, _: Note) -> bot_pb2.RejectedItem:
    refusal = error_pb2.ErrorDetail(
        reason=reason_number(what.reason), message=what.message, metadata=dict(what.details)
    )
    return bot_pb2.RejectedItem(move=what.move, error=refusal)


def _late(what: LateMoveNote, note: Note) -> clock_pb2.ClockCharge:
    assert note.seat is not None
    return clock_charge_of(what.row, note.seat, what.control)


def _session_lost(what: SessionLostNote, _: Note) -> bot_pb2.SessionLost:
    return bot_pb2.SessionLost(session_id=what.session_id, reason=reason_number(what.reason))


def _noticed(what: NoticeNote, _: Note) -> play_pb2.Notice:
    return play_pb2.Notice(kind=NOTICES[what.about], message=what.message, metadata=dict(what.details))


CONVERTERS: dict[type, tuple[str, Callable[[Any, Note], Any]]] = {
    RefusedNote: ("item_rejected", _refused),
    LateMoveNote: ("clock_expired", _late),
    ForfeitNote: ("forfeited", lambda what, _: forfeit_of(what.forfeit)),
    SessionLostNote: ("session_lost", _session_lost),
    NoticeNote: ("notice", _noticed),
}
"""Field of each kind of note in `BotLogEntry`, and the function that makes its message."""
