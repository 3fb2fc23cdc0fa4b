"""Proving a memory: every match is played again from its log, and every finished one makes a record that verifies."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from io import BytesIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.api import Game
from engines.refusals import UnknownGame
from referee.app.faults import LogDamaged
from referee.app.ports import Entry, EventLog
from referee.core.events import Opened, PlayEnded
from referee.storage.record.again import Differs, followed
from referee.storage.record.keys import public_hex
from referee.storage.record.verdict import Status
from referee.storage.record.verifying import verified
from referee.storage.record.writing import written

FindGame = Callable[[str], Game]

OPENINGS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Proven:
    """What there is to say of one match."""

    match_id: str
    over: bool
    doubt: str
    """Why it is not proven; empty: it is."""


async def proven(log: EventLog, key: Ed25519PrivateKey, referee: str, find_game: FindGame) -> AsyncIterator[Proven]:
    """Every match that the log holds, the newest first. Raises LogUnavailable."""
    before = ""
    while openings := await log.openings(before, OPENINGS_AT_ONCE):
        for opening in openings:
            yield await _proven(log, opening.match_id, key, referee, find_game)
        before = openings[-1].match_id


async def _proven(log: EventLog, match_id: str, key: Ed25519PrivateKey, referee: str, find_game: FindGame) -> Proven:
    entries = await log.read(match_id)
    if isinstance(entries[-1].event, PlayEnded):
        return Proven(match_id, True, _doubt_of_record(entries, key, referee, find_game))
    return Proven(match_id, False, _doubt_of_log(entries, find_game))


def _doubt_of_record(entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str, find_game: FindGame) -> str:
    try:
        record = BytesIO(b"".join(written(entries, key, referee)))
    except LogDamaged as why:
        return str(why)
    verdict = verified(record, public_hex(key), find_game)
    return "" if verdict.status is Status.FINE else str(verdict)


def _doubt_of_log(entries: Sequence[Entry], find_game: FindGame) -> str:
    opened = entries[0].event
    assert isinstance(opened, Opened)
    try:
        followed([entry.event for entry in entries], find_game(opened.setup.game))
    except (UnknownGame, Differs) as why:
        return str(why)
    return ""
