"""Proving a memory: every match is played again from its log, and every finished one makes a record that verifies."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from io import BytesIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.api import Game
from engines.refusals import UnknownGame
from referee.app.faults import UNREADABLE, LogDamaged, missing
from referee.app.ports import Entry, LogUnavailable
from referee.core.events import Opened, PlayEnded
from referee.storage.record.again import Differs, followed
from referee.storage.record.keys import public_hex
from referee.storage.record.verdict import Status
from referee.storage.record.verifying import verified
from referee.storage.record.writing import written
from referee.storage.sqlite import SqliteEventLog

FindGame = Callable[[str], Game]


@dataclass(frozen=True, slots=True)
class Proven:
    """What there is to say of one match."""

    match_id: str
    over: bool
    doubt: str
    """Why it is not proven; empty: it is."""


async def proven(
    log: SqliteEventLog, key: Ed25519PrivateKey, referee: str, find_game: FindGame
) -> AsyncIterator[Proven]:
    """Every match that the log holds, the newest first. Raises LogUnavailable."""
    unfinished = set(await log.unfinished())
    for match_id in await log.held():
        try:
            doubt = _doubt(await log.read(match_id), key, referee, find_game)
        except LogUnavailable:
            raise
        except LogDamaged as why:
            doubt = str(why)
        except Exception as why:  # What a damaged log tells may be anything, and concerns no other match.
            doubt = f"{type(why).__name__}: {why}"
        yield Proven(match_id, match_id not in unfinished, doubt)


def _doubt(entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str, find_game: FindGame) -> str:
    if isinstance(entries[-1].event, PlayEnded):
        return _doubt_of_record(entries, key, referee, find_game)
    return _doubt_of_log(entries, find_game)


def _doubt_of_record(entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str, find_game: FindGame) -> str:
    record = BytesIO(b"".join(written(entries, key, referee)))
    verdict = verified(record, public_hex(key), find_game)
    return "" if verdict.status is Status.FINE else str(verdict)


def _doubt_of_log(entries: Sequence[Entry], find_game: FindGame) -> str:
    if lacks := missing(entries):
        raise LogDamaged(entries[0].match_id, lacks)
    opened = entries[0].event
    if not isinstance(opened, Opened):
        raise LogDamaged(entries[0].match_id, 1, UNREADABLE)
    try:
        followed([entry.event for entry in entries], find_game(opened.setup.game))
    except (UnknownGame, Differs) as why:
        return str(why)
    return ""
