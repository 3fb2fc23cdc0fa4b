"""Proving a memory: every match is played again from its log, and every finished one makes a record that verifies."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from io import BytesIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.api import Game
from engines.refusals import UnknownGame
from referee.app.faults import LogDamaged, missing
from referee.app.ports import Entry
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
            entries = await log.read(match_id)
        except LogDamaged as why:
            yield Proven(match_id, match_id not in unfinished, str(why))
        else:
            yield _proven(match_id, entries, key, referee, find_game)


def _proven(
    match_id: str, entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str, find_game: FindGame
) -> Proven:
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
    if lacks := missing(entries):
        return str(LogDamaged(entries[0].match_id, lacks))
    opened = entries[0].event
    assert isinstance(opened, Opened)
    try:
        followed([entry.event for entry in entries], find_game(opened.setup.game))
    except (UnknownGame, Differs) as why:
        return str(why)
    return ""
