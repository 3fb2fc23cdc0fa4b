"""Integrity check: replays every match, verifies the record of every finished one, and reads every contest."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.api import Game
from engines.game_errors import UnknownGame
from referee.hosting.contest_log import LADDER, TOURNAMENT, ContestLog
from referee.hosting.contest_store import ContestStore, Fold
from referee.hosting.ladder_state import LadderFold
from referee.hosting.tournament_state import fold_tournament
from referee.live.log_history import State, first_missing
from referee.live.ports import UNREADABLE, Entry, LogDamaged, StoreUnavailable
from referee.match.events import MatchCreated, PlayEnded
from referee.records.record_format import format_record
from referee.records.record_reader import RecordStatus
from referee.records.signing_key import public_hex
from referee.records.verify import ReplayMismatch, replay_and_compare, verify_file
from referee.storage.sqlite.event_log import SqliteEventLog

FindGame = Callable[[str], Game]


@dataclass(frozen=True, slots=True)
class MatchCheck:
    """Result of the check of one match."""

    match_id: str
    over: bool
    problem: str
    """Why the match could not be verified; empty if it was."""


async def check_matches(
    log: SqliteEventLog, key: Ed25519PrivateKey, referee: str, find_game: FindGame
) -> AsyncIterator[MatchCheck]:
    """Check every match in the log, the newest first. Raises StoreUnavailable."""
    unfinished = set(await log.unfinished())
    for match_id in await log.stored_matches():
        try:
            problem = _match_problem(await log.read(match_id), key, referee, find_game)
        except StoreUnavailable:
            raise
        except LogDamaged as why:
            problem = str(why)
        except Exception as why:  # A damaged log can cause any exception; the other matches are still checked.
            problem = f"{type(why).__name__}: {why}"
        yield MatchCheck(match_id, match_id not in unfinished, problem)


def _match_problem(entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str, find_game: FindGame) -> str:
    if isinstance(entries[-1].event, PlayEnded):
        return _record_match_problem(entries, key, referee, find_game)
    return _log_match_problem(entries, find_game)


def _record_match_problem(entries: Sequence[Entry], key: Ed25519PrivateKey, referee: str, find_game: FindGame) -> str:
    record = BytesIO(b"".join(format_record(entries, key, referee)))
    verdict = verify_file(record, public_hex(key), find_game)
    return "" if verdict.status is RecordStatus.FINE else str(verdict)


def _log_match_problem(entries: Sequence[Entry], find_game: FindGame) -> str:
    if lacks := first_missing(entries):
        raise LogDamaged(entries[0].match_id, lacks)
    opened = entries[0].event
    if not isinstance(opened, MatchCreated):
        raise LogDamaged(entries[0].match_id, 1, UNREADABLE)
    try:
        replay_and_compare([entry.event for entry in entries], find_game(opened.setup.terms.game))
    except (UnknownGame, ReplayMismatch) as why:
        return str(why)
    return ""


@dataclass(frozen=True, slots=True)
class DamagedContest:
    """A contest whose log cannot be read to its end."""

    contest: str
    why: str


async def find_damaged_contests(log: ContestLog, games: Mapping[str, Game]) -> AsyncIterator[DamagedContest]:
    """Yield every damaged contest. Raises StoreUnavailable."""
    async for damaged in _check_contests(log, LADDER, LadderFold(games)):
        yield damaged
    async for damaged in _check_contests(log, TOURNAMENT, fold_tournament):
        yield damaged


async def _check_contests(log: ContestLog, kind: str, fold: Fold[State]) -> AsyncIterator[DamagedContest]:
    for last in await log.last_entries(kind):
        try:
            await ContestStore.read(log, fold, last.contest)
        except StoreUnavailable:
            raise
        except Exception as fault:  # A damaged log can cause any exception.
            yield DamagedContest(last.contest, f"{type(fault).__name__}: {fault}")
