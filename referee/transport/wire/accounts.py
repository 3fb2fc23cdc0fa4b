"""Converts bots, versions, tokens, quotas, and entries of the private log of a bot."""

from collections.abc import Callable, Sequence
from typing import Any

from referee_api.v1 import bot_pb2, clock_pb2, error_pb2, invitation_pb2, play_pb2, quota_pb2, token_pb2

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
from referee.accounts.bots import Bot, BotPause, PauseCause, Version
from referee.accounts.consent import DEFAULT_CONSENT, Consent, ConsentScope
from referee.accounts.invitations import Invitation, Redemption
from referee.accounts.tokens import Quota, Role, Token
from referee.live.sessions import Session
from referee.transport.wire.basic_types import enum_value, maybe_timestamp, parse_enum_or_default, timestamp
from referee.transport.wire.clocks import clock_charge_of
from referee.transport.wire.error_mapping import reason_number
from referee.transport.wire.results import forfeit_of

ROLES = {
    token_pb2.ROLE_SPECTATOR: Role.SPECTATOR,
    token_pb2.ROLE_BOT: Role.BOT,
    token_pb2.ROLE_AUTHOR: Role.AUTHOR,
    token_pb2.ROLE_ORGANISER: Role.ORGANISER,
    token_pb2.ROLE_ADMIN: Role.ADMIN,
}
_ROLES = {role: number for number, role in ROLES.items()}

MAX_STORED_BYTES = 2**63 - 1
"""Largest integer of a database column."""

SCOPES = {
    bot_pb2.CONSENT_SCOPE_OWN_AND_CONTESTS: ConsentScope.OWN_AND_CONTESTS,
    bot_pb2.CONSENT_SCOPE_OWN: ConsentScope.OWN,
    bot_pb2.CONSENT_SCOPE_ANYONE: ConsentScope.ANYONE,
}
"""The first is the default."""

PAUSES = {PauseCause.FAULTS: bot_pb2.PAUSE_CAUSE_FAULTS, PauseCause.ADMIN: bot_pb2.PAUSE_CAUSE_ADMIN}


def bot_of(bot: Bot, sessions: Sequence[Session], since_ms: int, matches_in_play: int) -> bot_pb2.Bot:
    return bot_pb2.Bot(
        name=bot.name,
        owner=bot.owner,
        description=bot.description,
        latest_version=bot.latest_version,
        presence=bot_pb2.Presence(
            sessions=map(_session_of, sessions),
            change_time=timestamp(since_ms) if since_ms else None,
            matches_in_play=matches_in_play,
        ),
        pause=_pause_of(bot.pause) if bot.pause else None,
        create_time=timestamp(bot.created_ms),
        consent=consent_of(bot.consent),
    )


def read_consent(consent: bot_pb2.Consent) -> Consent:
    """Raises BadField."""
    has_first = consent.HasField("min_first_move_ms")
    return Consent(
        parse_enum_or_default(SCOPES, consent.scope, "consent.scope"),
        tuple(consent.games),
        consent.min_first_move_ms if has_first else DEFAULT_CONSENT.min_first_move_ms,
        consent.min_move_ms,
        consent.accept_odds,
        consent.max_matches_per_maker or DEFAULT_CONSENT.max_matches_per_maker,
    )


def consent_of(consent: Consent) -> bot_pb2.Consent:
    return bot_pb2.Consent(
        scope=enum_value(SCOPES, consent.scope),
        games=consent.games,
        min_first_move_ms=consent.min_first_move_ms,
        min_move_ms=consent.min_move_ms,
        accept_odds=consent.accept_odds,
        max_matches_per_maker=consent.max_matches_per_maker,
    )


def version_of(version: Version) -> bot_pb2.BotVersion:
    return bot_pb2.BotVersion(version=version.version, note=version.note, create_time=timestamp(version.created_ms))


def token_of(token: Token) -> token_pb2.Token:
    return token_pb2.Token(
        id=token.id,
        role=_ROLES[token.role],
        holder=token.holder,
        bot=token.bot,
        label=token.label,
        create_time=timestamp(token.created_ms) if token.is_stored else None,
        expire_time=maybe_timestamp(token.expires_ms),
        last_use_time=maybe_timestamp(token.used_ms),
        revoked=token.revoked,
    )


def invitation_of(invitation: Invitation) -> invitation_pb2.Invitation:
    return invitation_pb2.Invitation(
        id=invitation.id,
        organiser=invitation.organiser,
        label=invitation.label,
        max_uses=invitation.max_uses,
        uses=invitation.uses,
        create_time=timestamp(invitation.created_ms),
        expire_time=timestamp(invitation.expires_ms),
        revoked=invitation.revoked,
    )


def redemption_of(redemption: Redemption) -> invitation_pb2.Redemption:
    return invitation_pb2.Redemption(
        holder=redemption.holder, token_id=redemption.token_id, create_time=timestamp(redemption.at_ms)
    )


def read_quota(quota: quota_pb2.Quota) -> Quota:
    """Raises BadField."""
    for field in ("max_stored_bytes", "max_received_bytes"):
        if getattr(quota, field) > MAX_STORED_BYTES:
            raise BadField(f"quota.{field}", f"the limit is {MAX_STORED_BYTES}")
    return Quota(
        quota.max_matches,
        quota.max_streams,
        quota.max_calls_per_minute,
        quota.max_bots,
        quota.max_tokens,
        quota.max_stored_bytes,
        quota.max_authors,
        quota.max_bot_streams,
        quota.max_contests,
        quota.max_received_bytes,
    )


def quota_of(quota: Quota) -> quota_pb2.Quota:
    return quota_pb2.Quota(
        max_matches=quota.max_matches,
        max_streams=quota.max_streams,
        max_calls_per_minute=quota.calls_per_minute,
        max_bots=quota.max_bots,
        max_tokens=quota.max_tokens,
        max_stored_bytes=quota.max_stored_bytes,
        max_authors=quota.max_authors,
        max_bot_streams=quota.max_bot_streams,
        max_contests=quota.max_contests,
        max_received_bytes=quota.max_received_bytes,
    )


def _session_of(session: Session) -> bot_pb2.Session:
    return bot_pb2.Session(
        id=session.id,
        version=session.player.version,
        games=sorted(session.hello.games),
        max_matches=session.hello.max_matches,
        round_trip_us=session.round_trip_us,
        open_time=timestamp(session.opened_ms),
    )


def _pause_of(pause: BotPause) -> bot_pb2.Pause:
    return bot_pb2.Pause(cause=PAUSES[pause.cause], message=pause.message, pause_time=timestamp(pause.since_ms))


NOTICES = {
    "paused": play_pb2.NOTICE_KIND_PAUSED,
    "returned": play_pb2.NOTICE_KIND_RESUMED,
    "fault_counted": play_pb2.NOTICE_KIND_FAULT_COUNTED,
    "quota_near": play_pb2.NOTICE_KIND_QUOTA_NEARLY_EXHAUSTED,
}


def bot_log_entry_of(line: NumberedNote) -> bot_pb2.BotLogEntry:
    note = line.note
    name, convert = NOTE_CONVERTERS[type(note.what)]
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
    return play_pb2.Notice(kind=NOTICES[what.about], message=what.message, metadata=dict(what.details))


NOTE_CONVERTERS: dict[type, tuple[str, Callable[[Any, Note], Any]]] = {
    RefusedNote: ("item_rejected", _rejected_item),
    LateMoveNote: ("clock_expired", _clock_expired),
    ForfeitNote: ("forfeited", lambda what, _: forfeit_of(what.forfeit)),
    SessionLostNote: ("session_lost", _session_lost),
    NoticeNote: ("notice", lambda what, _: notice_of(what)),
}
"""Field of each kind of note in `BotLogEntry`, and the function that makes its message."""
