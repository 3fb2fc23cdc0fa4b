"""Looks up matches, live or finished, with an LRU cache of the histories of finished ones.

The log alone says which matches exist, since a list in memory could differ from it and would grow without bound. Lists
of matches are read from stored summaries, without folding any log.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.api import Game
from engines.refusals import Refusal
from referee.live.live_errors import LogDamaged, UnknownMatch, first_missing
from referee.live.live_match import LiveMatchIndex
from referee.live.match_history import (
    MatchHistory,
    MatchStatus,
    UnplayableLog,
    ended_as_unplayable,
    read_summary,
    replay_log,
)
from referee.live.match_request import MatchFilter
from referee.live.ports import Entry, EventLog
from referee.live.verdict import EngineFault
from referee.match.events import PlayEnded

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


class FinishedMatches:
    def __init__(
        self,
        log: EventLog,
        find_game: Callable[[str], Game],
        live_matches: LiveMatchIndex,
        broke: Callable[[str, Exception], None],
    ) -> None:
        """`broke` is called with each match whose log cannot be read or folded, unless that was reported before."""
        self._log = log
        self._find_game = find_game
        self._live = live_matches
        self._on_fault = broke
        self._cache: OrderedDict[str, MatchHistory | Refusal] = OrderedDict()
        """LRU cache of finished matches: the history, or the error if the log cannot be read or folded.

        The error for a damaged log is cached even if the match is not over, since no runner runs it.
        """

    async def history(self, match_id: str) -> MatchHistory:
        """Return the history of a match. Raises UnknownMatch, LogUnavailable, or EngineFault or LogDamaged.

        The last two mean that its log cannot be folded or read.
        """
        live_match = self._live.find(match_id)
        if live_match:
            return live_match.history
        if match_id in self._cache:
            self._cache.move_to_end(match_id)
            history = self._cache[match_id]
        else:
            history = await self._load(match_id)
        if isinstance(history, Refusal):
            raise history
        return history

    def remember(self, history: MatchHistory) -> None:
        """Cache the history of a match that has just ended."""
        self._remember(history.match.setup.match_id, history)

    async def list_matches(self, wanted: MatchFilter, after: str, at_most: int) -> MatchPage:
        """Return a page of matches older than the match `after`, the newest first. Raises LogUnavailable.

        Matches whose summary cannot be read, or whose game is unknown, are left out.
        """
        found: list[MatchStatus] = []
        for left in range(at_most, 0, -SUMMARY_BATCH):
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

    async def _load(self, match_id: str) -> MatchHistory | Refusal:
        """Fold the log of a match; return the error instead if that is impossible."""
        try:
            entries = await self._log.read(match_id)
        except LogDamaged as error:
            self._on_fault(match_id, error)
            self._remember(match_id, error)
            return error
        if not entries:
            raise UnknownMatch(match_id)
        history: MatchHistory | Refusal
        try:
            history = await replay_log(entries, self._find_game)
        except UnplayableLog as error:
            lacks = first_missing(entries)
            history = LogDamaged(match_id, lacks) if lacks else EngineFault(match_id)
            if not ended_as_unplayable(entries):  # Otherwise it was reported when the match was voided.
                self._on_fault(match_id, error)
        if isinstance(entries[-1].event, PlayEnded):
            self._remember(match_id, history)
        return history

    def _remember(self, match_id: str, history: MatchHistory | Refusal) -> None:
        self._cache[match_id] = history
        if len(self._cache) > HISTORY_CACHE_SIZE:
            self._cache.popitem(last=False)
