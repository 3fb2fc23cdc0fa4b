"""Recovery: restores unfinished matches from their logs after a start, while the server serves bots already.

Matches that someone needs are restored first, then those whose bots are all online, then the others in the order in
which they were created. Nothing starts before all matches are restored, since only then it is known which bots have
room for more. The time of a match stands still until it is restored and its bots are back.
"""

import asyncio
from collections.abc import Collection, Sequence
from itertools import islice

from referee.live.live_match import LiveMatch
from referee.live.match_history import MatchHistory
from referee.live.ports import Conflict, Entry, StoreUnavailable
from referee.live.registry import LiveMatches
from referee.live.stored_matches import REPLAY_CHUNK, UnplayableLog, replay_log
from referee.match.clock import Micros
from referee.match.events import MatchCreated, PlayEnded
from referee.match.result import EndCause, void_result
from referee.match.state import Match, MatchPhase

MAX_MATCHES, MAX_ENTRIES = 16, 1_000
"""Limits of what is read at once; a longer log is read alone."""


class MatchRecovery:
    """A PresenceObserver while it has matches to restore."""

    sees_moves = False

    def __init__(self, live: LiveMatches, return_within_us: Micros) -> None:
        """`return_within_us`: how long the time of matches in play stands still, unless all their bots are back."""
        self._live = live
        self._return_within_us = return_within_us
        self._log = live.dependencies.log
        self._lock = asyncio.Lock()
        self._pending: dict[str, Sequence[str]] = {}
        """The matches to restore, each with its bots if it is in play."""
        self._by_bot: dict[str, dict[str, None]] = {}
        """Those of them that are in play, by bot."""
        self._urgent: dict[str, None] = {}
        """Those of them whose bots are all online."""
        self._restored: list[LiveMatch] = []
        self._found: set[str] = set()
        """All matches that were to be restored so far."""
        self._complete = False
        """Whether all of them are restored."""
        live.stored.restore_by(self.restore)

    async def begin(self) -> None:
        """Find all unfinished matches that are not live here. Raises StoreUnavailable."""
        self._complete = False
        bots = await self._log.bots_in_play()
        for match_id in await self._log.unfinished():
            if not self._live.index.find(match_id):
                self._found.add(match_id)
                self._pending[match_id] = bots.get(match_id, ())
                for bot in self._pending[match_id]:
                    self._by_bot.setdefault(bot, {})[match_id] = None
        if self._pending:
            self._live.starter.pause()
            self._live.subscribe(self)

    async def run(self) -> int:
        """Restore all of these matches, and return their number. Raises StoreUnavailable.

        A match whose game cannot apply its log is voided; one that cannot be read is left out. Matches that wait for
        their start continue to wait. The time of matches in play stands still until their bots are back or a time limit
        is over; on a node that has become the coordinator, bots can be back already.
        """
        while self._pending:
            await self._restore(list(islice(self._urgent or self._pending, MAX_MATCHES)))
        self._live.starter.unpause()
        restored, self._restored = self._restored, []
        for live_match in self._live.index.all():
            if live_match.match.phase is MatchPhase.WAITING:
                if live_match.runner:
                    self._live.starter.start_if_ready(live_match)
                else:
                    self._live.resume(live_match)
        self._live.resume_later(restored, self._return_within_us)
        self._complete = True
        return len(restored)

    async def restore_unknown(self, unfinished: Collection[str]) -> None:
        """Restore the matches among these that an earlier coordinator has created too late for `begin` to find them.

        Each is tried once: what cannot be restored is left out, as in `run`. Raises StoreUnavailable.
        """
        found = {match_id for match_id in unfinished if not self._live.is_known(match_id)} - self._found
        if found and self._complete:
            self._found |= found
            self._pending.update(dict.fromkeys(found, ()))
            await self.run()

    async def restore(self, match_id: str) -> None:
        """Restore a match now, if that has not been done yet. Raises StoreUnavailable."""
        await self._restore([match_id])

    async def restore_matches_of(self, bot: str) -> None:
        """Restore the matches in play of a bot now. Raises StoreUnavailable."""
        while matches := self._by_bot.get(bot):
            await self._restore(list(islice(matches, MAX_MATCHES)))

    def count_in_play(self, bot: str) -> int:
        """Return the number of matches in play of the bot that are not restored yet."""
        return len(self._by_bot.get(bot, ()))

    async def _restore(self, match_ids: Sequence[str]) -> None:
        if self._pending.keys().isdisjoint(match_ids):
            return
        async with self._lock:
            wanted = [match_id for match_id in match_ids if match_id in self._pending]
            logs, replayed = await self._read(wanted) if wanted else (), 0
            for match_id, entries in zip(wanted, logs, strict=False):  # Fewer logs than asked for, if they are long.
                history = await self._replay(match_id, entries)
                self._forget(match_id)
                # Another process may have ended the match meanwhile, or may have told this one to follow it.
                if history and history.match.phase is not MatchPhase.OVER and not self._live.index.find(match_id):
                    self._add(LiveMatch(history, history.state.owing))
                replayed += history.number if history else 0
                if replayed >= REPLAY_CHUNK:  # Not after each short log: matches that resume together share a commit.
                    replayed = 0
                    await asyncio.sleep(0)

    def _forget(self, match_id: str) -> None:
        self._urgent.pop(match_id, None)
        for bot in self._pending.pop(match_id):
            matches = self._by_bot.get(bot, {})
            matches.pop(match_id, None)
            if not matches:
                self._by_bot.pop(bot, None)

    async def _read(self, match_ids: Sequence[str]) -> Sequence[list[Entry] | Exception]:
        """Return the logs of the first of these matches, or why one cannot be read. Raises StoreUnavailable."""
        try:
            return await self._log.read_matches(match_ids, MAX_ENTRIES)
        except StoreUnavailable:
            raise
        except Exception as fault:
            if len(match_ids) == 1:
                return [fault]
            return [log for match_id in match_ids for log in await self._read([match_id])]

    async def _replay(self, match_id: str, entries: list[Entry] | Exception) -> MatchHistory | None:
        try:
            if isinstance(entries, Exception):
                raise entries
            return await replay_log(entries, self._live.find_game)
        except UnplayableLog as error:
            self._live.on_fault(match_id, error)
            await self._declare_void(error)
        except Exception as fault:  # An unreadable match cannot be ended either. Other matches are not affected.
            self._live.on_fault(match_id, fault)
        return None

    async def _declare_void(self, error: UnplayableLog) -> None:
        first, last = error.entries[0], error.entries[-1]
        if not isinstance(first.event, MatchCreated):
            return  # It is not the log of a match, so nothing may be appended to it.
        end = PlayEnded(last.event.at_us, void_result(EndCause.ENGINE_FAULT, str(error)), first.event.setup.seed)
        try:
            await self._log.append(first.match_id, last.number, [end])
        except Conflict as fault:
            self._live.on_fault(first.match_id, fault)

    def _add(self, live_match: LiveMatch) -> None:
        self._live.index.add(live_match)
        self._restored.append(live_match)
        if live_match.match.phase is MatchPhase.PLAYING:
            self._live.starter.occupy(live_match.match)
            self._live.resume_if_online(live_match)

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Do nothing: what happens in live matches concerns no other."""

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: it is logged."""

    def on_presence_changed(self, bot: str) -> None:
        online = self._live.sessions.of_bot
        for match_id in self._by_bot.get(bot, ()) if online(bot) else ():
            if all(map(online, self._pending[match_id])):
                self._urgent[match_id] = None
