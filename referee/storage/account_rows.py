"""Bots, tokens, invitations and bot logs as rows of tables, in the form that all databases share.

A row is a sequence of columns in the order of the lists below, which are the fields of the values. JSON is stored as
text, encoded by `value_codec`.
"""

import json
from collections.abc import Iterable
from typing import Any, TypeVar

from msgspec import Struct, convert, to_builtins
from msgspec.structs import astuple

from referee.accounts.bot_log import Note, NoteKind, NumberedNote
from referee.accounts.bots import Bot, BotPause, PauseCause
from referee.accounts.consent import DEFAULT_CONSENT, Consent
from referee.accounts.invitations import Invitation
from referee.accounts.tokens import Quota, Token
from referee.storage.value_codec import ValueCodec

S = TypeVar("S", bound=Struct)

TOKEN_COLUMNS, INVITATION_COLUMNS, QUOTA_COLUMNS = (
    ", ".join(kind.__struct_fields__) for kind in (Token, Invitation, Quota)
)

CONSENT_CODEC: ValueCodec[Consent] = ValueCodec(Consent)
NOTE_CODEC: ValueCodec[NoteKind] = ValueCodec(NoteKind)


def read_bot(row: Iterable[Any]) -> Bot:
    """Decode name, owner, creation, description, pause (3 columns), latest version, faults and consent."""
    name, owner, created_ms, description, cause, message, paused_ms, latest, faults, consent = row
    pause = BotPause(PauseCause(cause), message, paused_ms) if cause else None
    agreed = CONSENT_CODEC.decode(json.loads(consent)) if consent else DEFAULT_CONSENT
    return Bot(name, owner, created_ms, description, pause, latest or "", faults, agreed)


def pause_columns(pause: BotPause | None) -> tuple[str | None, str | None, int | None]:
    """Return cause, message and time."""
    return (pause.cause.value, pause.message, pause.since_ms) if pause else (None, None, None)


def write_consent(consent: Consent) -> str | None:
    return None if consent == DEFAULT_CONSENT else json.dumps(CONSENT_CODEC.encode(consent))


def row_of(stored: Struct) -> tuple[Any, ...]:
    """Return the columns of a token or an invitation."""
    values = to_builtins(astuple(stored), builtin_types=(bytes,))
    return tuple(int(value) if isinstance(value, bool) else value for value in values)


def read_row(kind: type[S], row: Iterable[Any]) -> S:
    """Decode a token or an invitation."""
    return convert(dict(zip(kind.__struct_fields__, row, strict=True)), kind, strict=False)


def note_row(note: Note) -> tuple[Any, ...]:
    """Return time, version, match, seat, ply, and what happened as JSON. Raises MalformedValue."""
    what = json.dumps(NOTE_CODEC.encode(note.what))
    NOTE_CODEC.decode(json.loads(what))  # A note that cannot be read would hide all others of its bot.
    return note.at_ms, note.version, note.match_id, note.seat, note.ply, what


def read_line(row: Iterable[Any]) -> NumberedNote:
    """Decode the number of a line and the columns of `note_row`."""
    number, at_ms, version, match_id, seat, ply, what = row
    return NumberedNote(number, Note(at_ms, version, NOTE_CODEC.decode(json.loads(what)), match_id, seat, ply))
