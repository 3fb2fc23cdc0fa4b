"""Matches as they are stored: replays their logs, with an LRU cache of the histories of finished ones.

The log alone says which matches exist, since a list in memory could differ from it and would grow without bound. Lists
of matches are read from stored summaries, without replaying any log.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from msgspec import structs

from engines.api import Game
from engines.game_errors import DetailedError
from referee.live.engine_calls import call_engine
from referee.live.live_match import LiveMatchIndex
from referee.live.log_history import LogStep, first_missing
from referee.live.match_history import MatchFold, MatchHistory, MatchStatus
from referee.live.match_request import MatchFilter
from referee.live.ports import (
    UNREADABLE,
    EngineFault,
    Entry,
    EventLog,
    LogDamaged,
    NoSuchMatch,
)
from referee.match.events import MatchCreated, PlayEnded, PlayStarted, SeatTaken, SeatVacated
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from referee.match.state import MatchPhase, replace_at

REPLAY_CHUNK = 25
"""Entries to replay before the event loop runs other tasks."""
HISTORY_CACHE_SIZE = 128
"""Number of finished matches in the cache: some ten KB each, more if the match was watched."""
SUMMARY_BATCH = 50
"""Number of summaries that one read of the log returns; other tasks run between two reads."""


@dataclass(frozen=True, slots=True)
class MatchPage:
    """One page of a list of matches."""

    matches: list[MatchStatus]
    next_after: str = ""
    """Pass it as `after` to get the next page. Empty: this is the last page (see `ports.Summaries.stopped_at`)."""


@dataclass(frozen=True, slots=True)
class UnplayableMatch:
    """What the log says of a match whose game cannot apply it, such as one whose game was removed."""

    error: EngineFault
    setup: Setup
    """With the players that the seats have now."""
    requests: dict[tuple[int | str, str], Entry]
    """The entry that answers each request other than a move, by caller and request id."""


class UnplayableLog(Exception):
    """The game cannot apply the log: its rules have changed, or the game was removed."""

    def __init__(self, entries: Sequence[Entry], error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.entries = entries


class StoredMatches:
    def __init__(
        self,
        log: EventLog,
        find_game: Callable[[str], Game],
        live_matches: LiveMatchIndex,
        on_fault: Callable[[str, Exception], None],
    ) -> None:
        """`on_fault` is called with each match whose log is unusable, unless that was reported before."""
        self._log = log
        self._find_game = find_game
        self._live = live_matches
        self._on_fault = on_fault
        self._restore: Callable[[str], Awaitable[None]] = _restore_nothing
        self._cache: OrderedDict[str, MatchHistory | UnplayableMatch | DetailedError] = OrderedDict()
        """LRU cache of finished matches: the history, what is known without it, or the error if the log is damaged.

        The error for a damaged log is cached even if the match is not over, since no runner runs it.
        """

    def restore_by(self, restore: Callable[[str], Awaitable[None]]) -> None:
        """Let `restore` make a match live that is not restored from its log yet. It may raise StoreUnavailable."""
        self._restore = restore

    async def history(self, match_id: str) -> MatchHistory:
        """Return the history of a match. Raises NoSuchMatch, StoreUnavailable, or EngineFault or LogDamaged.

        The last two mean that its log cannot be replayed or read.
        """
        found = await self.history_or_log(match_id)
        if isinstance(found, UnplayableMatch):
            raise found.error
        return found

    async def read_log(self, match_id: str) -> MatchHistory:
        """Return the history of a match by its log as it is now. Raises what `history` raises."""
        found = await self._load(match_id)
        if isinstance(found, MatchHistory):
            return found
        raise found.error if isinstance(found, UnplayableMatch) else found

    async def read_history(self, match_id: str) -> MatchHistory:
        """Return the history of a match by its log as it is now. Raises what `history` raises."""
        self._cache.pop(match_id, None)
        return await self.history(match_id)

    async def history_or_log(self, match_id: str) -> MatchHistory | UnplayableMatch:
        """Return the history of a match, or what its log says if its game cannot apply it.

        Raises NoSuchMatch, StoreUnavailable or LogDamaged.
        """
        if not self._live.find(match_id):
            await self._restore(match_id)
        live_match = self._live.find(match_id)
        if live_match:
            return live_match.history
        if match_id in self._cache:
            self._cache.move_to_end(match_id)
            found = self._cache[match_id]
        else:
            found = await self._load(match_id)
        if isinstance(found, DetailedError):
            raise found
        return found

    async def setup(self, match_id: str) -> Setup:
        """Return the setup of a match with the players that its seats have now, also if its game was removed.

        Raises NoSuchMatch, StoreUnavailable or LogDamaged.
        """
        found = await self.history_or_log(match_id)
        if isinstance(found, UnplayableMatch):
            return found.setup
        return structs.replace(found.match.setup, players=found.match.players)

    def remember(self, history: MatchHistory) -> None:
        """Cache the history of a match that has just ended."""
        self._remember(history.match.setup.match_id, history)

    async def list_matches(self, wanted: MatchFilter, after: str, limit: int) -> MatchPage:
        """Return a page of matches older than the match `after`, the newest first. Raises StoreUnavailable.

        Matches whose summary cannot be read, or whose game is unknown, are left out.
        """
        found: list[MatchStatus] = []
        for left in range(limit, 0, -SUMMARY_BATCH):
            asked = min(left, SUMMARY_BATCH)
            part = await self._log.summaries(wanted, after, asked)
            found += [standing for summary in part.found if (standing := self._read_summary(summary))]
            after = part.stopped_at
            if len(part.found) < asked:
                break
        return MatchPage(found, after)

    def _read_summary(self, summary: Sequence[Entry]) -> MatchStatus | None:
        try:
            return read_summary(summary, self._find_game)
        except Exception:  # Left out of the list; a request for the match by its id gets the reason.
            return None

    async def _load(self, match_id: str) -> MatchHistory | UnplayableMatch | LogDamaged:
        """Replay the log of a match; if that is impossible, return what is known, or else the error."""
        try:
            entries = await self._log.read(match_id)
        except LogDamaged as error:
            self._on_fault(match_id, error)
            self._remember(match_id, error)
            return error
        if not entries:
            raise NoSuchMatch(match_id)
        history: MatchHistory | UnplayableMatch | LogDamaged
        try:
            history = await replay_log(entries, self._find_game)
        except UnplayableLog as error:
            lacks = first_missing(entries)
            history = LogDamaged(match_id, lacks) if lacks else read_without_game(match_id, entries)
            if not ended_as_unplayable(entries):  # Otherwise it was reported when the match was voided.
                self._on_fault(match_id, error)
        if isinstance(entries[-1].event, PlayEnded):
            self._remember(match_id, history)
        return history

    def _remember(self, match_id: str, history: MatchHistory | UnplayableMatch | LogDamaged) -> None:
        self._cache[match_id] = history
        if len(self._cache) > HISTORY_CACHE_SIZE:
            self._cache.popitem(last=False)


async def _restore_nothing(_: str) -> None:
    """Do nothing: no match is to be restored."""


async def replay_log(entries: Sequence[Entry], find_game: Callable[[str], Game]) -> MatchHistory:
    """Fold a whole log. Raises UnplayableLog.

    A match that was ended because its log was unplayable is folded as far as possible, then ended.
    """
    void = ended_as_unplayable(entries)
    try:
        history = MatchHistory(LogStep(entries[0], None, MatchFold(find_game)(None, entries[0])))
        fold, game = partial(history.fold, void=void), history.match.game
        for done in range(1, len(entries), REPLAY_CHUNK):
            if done > 1:
                await asyncio.sleep(0)
            await call_engine(game, fold, entries[done : done + REPLAY_CHUNK])
    except Exception as error:
        raise UnplayableLog(entries, error) from error
    return history


def read_without_game(match_id: str, entries: Sequence[Entry]) -> UnplayableMatch | LogDamaged:
    """Return what a whole log says of a match without its game; LogDamaged if it is not the log of a match."""
    first = entries[0].event
    if not isinstance(first, MatchCreated):
        return LogDamaged(match_id, 1, UNREADABLE)
    players = first.setup.players
    for entry in entries:
        if isinstance(entry.event, SeatTaken):
            missing = max(0, entry.event.seat + 1 - len(players))
            players = replace_at((*players, *[Player()] * missing), entry.event.seat, entry.event.player)
        elif isinstance(entry.event, SeatVacated) and entry.event.seat < len(players):
            players = replace_at(players, entry.event.seat, Player())
        elif isinstance(entry.event, PlayStarted):
            players = entry.event.seated
    requests = {(entry.request.by, entry.request.id): entry for entry in entries if entry.request}
    return UnplayableMatch(EngineFault(match_id), structs.replace(first.setup, players=players), requests)


def read_summary(summary: Sequence[Entry], find_game: Callable[[str], Game]) -> MatchStatus:
    """Return the status of a match from the entries of its summary (see `ports.Summaries`), without its position.

    Raises LogDamaged, UnknownGame, or any other exception if the log is damaged or the game has changed.
    """
    first = summary[0]
    fold = MatchFold(find_game)
    match = fold(None, first)
    started_ms = ended_ms = None
    for entry in summary[1:]:
        if isinstance(entry.event, PlayStarted):  # Setting up the position would be expensive.
            match = structs.replace(match, phase=MatchPhase.PLAYING, players=entry.event.seated)
            started_ms = entry.at_ms
        else:
            match = fold(match, entry)
        if isinstance(entry.event, PlayEnded):
            ended_ms = entry.at_ms
    return MatchStatus(match, first.at_ms, started_ms, ended_ms)


def ended_as_unplayable(entries: Sequence[Entry]) -> bool:
    last = entries[-1].event
    return isinstance(last, PlayEnded) and last.result.cause is EndCause.ENGINE_FAULT
