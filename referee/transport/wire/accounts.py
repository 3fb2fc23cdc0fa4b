"""Converts bots, versions, tokens, quotas, and entries of the private log of a bot."""

from collections.abc import Callable, Sequence
from typing import Any

from referee_api.conversion import enum_number
from referee_api.v1 import bot_pb2, clock_pb2, error_pb2, invitation_pb2, play_pb2, quota_pb2, result_pb2, token_pb2

from referee.accounts.account_errors import BadField
from referee.accounts.bot_log import (
    ForfeitNote,
    LateMoveNote,
    Note,
    NoticeNote,
    NumberedNote,
    RefusedNote,
    SessionLostNote,
)
from referee.accounts.bots import Bot, Version
from referee.accounts.consent import DEFAULT_CONSENT, Consent, ConsentScope
from referee.accounts.invitations import Invitation, Redemption
from referee.accounts.tokens import Quota, Token
from referee.live.sessions import Session
from referee.transport.wire.basic_types import add_event, copy_fields, maybe_timestamp, read_word, timestamp
from referee.transport.wire.clocks import clock_charge_of
from referee.transport.wire.error_mapping import reason_number

MAX_STORED_BYTES = 2**63 - 1
"""Largest integer of a database column."""


def bot_of(bot: Bot, sessions: Sequence[Session], since_ms: int, matches_in_play: int) -> bot_pb2.Bot:
    presence = bot_pb2.Presence(
        sessions=map(_session_of, sessions),
        change_time=timestamp(since_ms) if since_ms else None,
        matches_in_play=matches_in_play,
    )
    pause = bot.pause and copy_fields(bot.pause, bot_pb2.Pause, pause_time=timestamp(bot.pause.since_ms))
    return copy_fields(bot, bot_pb2.Bot, presence=presence, pause=pause, create_time=timestamp(bot.created_ms))


def read_consent(consent: bot_pb2.Consent) -> Consent:
    """Raises BadField."""
    has_first = consent.HasField("min_first_move_ms")
    scope = read_word(bot_pb2.ConsentScope, consent.scope, "consent.scope") if consent.scope else ""
    return Consent(
        ConsentScope[scope.upper()] if scope else DEFAULT_CONSENT.scope,
        tuple(consent.games),
        consent.min_first_move_ms if has_first else DEFAULT_CONSENT.min_first_move_ms,
        consent.min_move_ms,
        consent.accept_odds,
        consent.max_matches_per_maker or DEFAULT_CONSENT.max_matches_per_maker,
    )


def version_of(version: Version) -> bot_pb2.BotVersion:
    return copy_fields(version, bot_pb2.BotVersion, create_time=timestamp(version.created_ms))


def token_of(token: Token) -> token_pb2.Token:
    return copy_fields(
        token,
        token_pb2.Token,
        create_time=timestamp(token.created_ms) if token.is_stored else None,
        expire_time=maybe_timestamp(token.expires_ms),
        last_use_time=maybe_timestamp(token.used_ms),
    )


def invitation_of(invitation: Invitation) -> invitation_pb2.Invitation:
    times = {"create_time": timestamp(invitation.created_ms), "expire_time": timestamp(invitation.expires_ms)}
    return copy_fields(invitation, invitation_pb2.Invitation, **times)


def redemption_of(redemption: Redemption) -> invitation_pb2.Redemption:
    return copy_fields(redemption, invitation_pb2.Redemption, create_time=timestamp(redemption.at_ms))


def read_quota(quota: quota_pb2.Quota) -> Quota:
    """Raises BadField."""
    for field in ("max_stored_bytes", "max_received_bytes"):
        if getattr(quota, field) > MAX_STORED_BYTES:
            raise BadField(f"quota.{field}", f"the limit is {MAX_STORED_BYTES}")
    limits = {field.name: getattr(quota, field.name) for field in quota.DESCRIPTOR.fields}
    return Quota(calls_per_minute=limits.pop("max_calls_per_minute"), **limits)


def quota_of(quota: Quota) -> quota_pb2.Quota:
    return copy_fields(quota, quota_pb2.Quota, max_calls_per_minute=quota.calls_per_minute)


def _session_of(session: Session) -> bot_pb2.Session:
    return bot_pb2.Session(
        id=session.id,
        version=session.player.version,
        games=sorted(session.hello.games),
        max_matches=session.hello.max_matches,
        round_trip_us=session.round_trip_us,
        open_time=timestamp(session.opened_ms),
    )


def bot_log_entry_of(line: NumberedNote) -> bot_pb2.BotLogEntry:
    note = line.note
    entry = copy_fields(note, bot_pb2.BotLogEntry, number=line.number, create_time=timestamp(note.at_ms))
    add_event(entry, NOTE_CONVERTERS[type(note.what)](note.what, note))
    return entry


def _rejected_item(what: RefusedNote, _: Note) -> bot_pb2.RejectedItem:
    refusal = error_pb2.ErrorDetail(
        reason=reason_number(what.reason), message=what.message, metadata=dict(what.details)
    )
    return bot_pb2.RejectedItem(move=what.move, error=refusal)


def _clock_expired(what: LateMoveNote, note: Note) -> clock_pb2.ClockCharge:
    assert note.seat is not None
    return clock_charge_of(what.row, note.seat, what.control)


def _session_lost(what: SessionLostNote, _: Note) -> bot_pb2.SessionLost:
    return bot_pb2.SessionLost(session_id=what.session_id, reason=reason_number(what.reason))


def notice_of(what: NoticeNote) -> play_pb2.Notice:
    kind = enum_number(play_pb2.NoticeKind, what.about)
    return play_pb2.Notice(kind=kind, message=what.message, metadata=dict(what.details))


NOTE_CONVERTERS: dict[type, Callable[[Any, Note], Any]] = {
    RefusedNote: _rejected_item,
    LateMoveNote: _clock_expired,
    ForfeitNote: lambda what, _: copy_fields(what.forfeit, result_pb2.Forfeit),
    SessionLostNote: _session_lost,
    NoticeNote: lambda what, _: notice_of(what),
}
"""Functions that make the event of each kind of note."""
