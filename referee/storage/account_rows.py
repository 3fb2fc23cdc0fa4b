"""Bots, tokens, invitations and bot logs as rows of tables, in the form that all databases share.

A row is a sequence of columns in the order of the lists below. JSON is stored as text, encoded by `value_codec`.
"""

import json
from collections.abc import Iterable
from typing import Any

from msgspec.structs import fields

from referee.accounts.bot_log import Note, NoteKind, NumberedNote
from referee.accounts.bots import Bot, BotPause, PauseCause
from referee.accounts.consent import DEFAULT_CONSENT, Consent
from referee.accounts.invitations import Invitation
from referee.accounts.tokens import Quota, Role, Token
from referee.storage.value_codec import ValueCodec

TOKEN_COLUMNS = "sha256, role, holder, created_ms, bot, label, expires_ms, used_ms, revoked"
INVITATION_COLUMNS = "sha256, organiser, created_ms, expires_ms, max_uses, label, revoked, uses"
QUOTA_COLUMNS = ", ".join(field.name for field in fields(Quota))

CONSENT_CODEC: ValueCodec[Consent] = ValueCodec(Consent)
NOTE_CODEC: ValueCodec[NoteKind] = ValueCodec(NoteKind)


def read_bot(row: Iterable[Any]) -> Bot:
    """Decode name, owner, creation, description, pause (3 columns), latest version, faults and consent."""
    name, owner, created_ms, description, cause, message, paused_ms, latest, faults, consent = row
    pause = BotPause(PauseCause(cause), message, paused_ms) if cause else None
    return Bot(name, owner, created_ms, description, pause, latest or "", faults, _read_consent(consent))


def pause_columns(pause: BotPause | None) -> tuple[str | None, str | None, int | None]:
    """Return cause, message and time."""
    return (pause.cause.value, pause.message, pause.since_ms) if pause else (None, None, None)


def write_consent(consent: Consent) -> str | None:
    return None if consent == DEFAULT_CONSENT else json.dumps(CONSENT_CODEC.encode(consent))


def _read_consent(text: str | None) -> Consent:
    return CONSENT_CODEC.decode(json.loads(text)) if text else DEFAULT_CONSENT


def token_row(token: Token) -> tuple[Any, ...]:
    return (
        token.sha256,
        token.role.value,
        token.holder,
        token.created_ms,
        token.bot,
        token.label,
        token.expires_ms,
        token.used_ms,
        int(token.revoked),
    )


def read_token(row: Iterable[Any]) -> Token:
    sha256, role, holder, created_ms, bot, label, expires_ms, used_ms, revoked = row
    return Token(sha256, Role(role), holder, created_ms, bot, label, expires_ms, used_ms, bool(revoked))


def invitation_row(invitation: Invitation) -> tuple[Any, ...]:
    return (
        invitation.sha256,
        invitation.organiser,
        invitation.created_ms,
        invitation.expires_ms,
        invitation.max_uses,
        invitation.label,
        int(invitation.revoked),
        invitation.uses,
    )


def read_invitation(row: Iterable[Any]) -> Invitation:
    sha256, organiser, created_ms, expires_ms, max_uses, label, revoked, uses = row
    return Invitation(sha256, organiser, created_ms, expires_ms, max_uses, label, bool(revoked), uses)


def note_row(note: Note) -> tuple[Any, ...]:
    """Return time, version, match, seat, ply, and what happened as JSON. Raises MalformedValue."""
    what = json.dumps(NOTE_CODEC.encode(note.what))
    NOTE_CODEC.decode(json.loads(what))  # A note that cannot be read would hide all others of its bot.
    return note.at_ms, note.version, note.match_id, note.seat, note.ply, what


def read_line(row: Iterable[Any]) -> NumberedNote:
    """Decode the number of a line and the columns of `note_row`."""
    number, at_ms, version, match_id, seat, ply, what = row
    return NumberedNote(number, Note(at_ms, version, NOTE_CODEC.decode(json.loads(what)), match_id, seat, ply))
