"""Matches that several nodes run: following them here for the bots that are connected here.

A node follows a match in play while one of its bots is connected to this node. The node that coordinates has every
match that is not over, and follows those of bots that are offline.
"""

from collections.abc import Sequence

from referee.live.live_match import LiveMatch
from referee.live.match_history import MatchHistory
from referee.live.match_timing import TurnUse
from referee.live.outbox import MatchEnded
from referee.live.ports import Append, Conflict, Entry
from referee.live.queued_command import NotRunHere
from referee.live.rated_end import append_decision
from referee.live.registry import LiveMatches
from referee.live.runner import MatchRunner
from referee.match.decision import Decision
from referee.match.state import MatchPhase, evolve


class SharedMatches:
    def __init__(self, live: LiveMatches) -> None:
        self._live = live
        self._loading: set[str] = set()
        """Matches that are being read from the log."""

    def receive(self, entries: Sequence[Entry]) -> None:
        """Handle the news, perhaps late, repeated or partial, that another node has stored entries of one match."""
        live_match = self._live.index.find(entries[0].match_id)
        if live_match and live_match.runner:
            live_match.runner.receive(entries)

    def catch_up(self, match_ids: Sequence[str]) -> None:
        """Read what other nodes have stored of these matches, as far as they are live here."""
        for match_id in match_ids:
            live_match = self._live.index.find(match_id)
            if live_match and live_match.runner:
                live_match.runner.catch_up()

    async def follow(self, match_id: str, uses: Sequence[TurnUse], *, began: bool) -> None:
        """Run a match in play for the bots that are connected here. Idempotent.

        `uses` says what other nodes have measured, and `began` whether the bots must be told that play has begun.
        Raises UnknownMatch, LogUnavailable, or EngineFault or LogDamaged.
        """
        live_match = self._live.index.find(match_id)
        if live_match is None and match_id not in self._loading:
            self._loading.add(match_id)
            try:
                live_match = self._begin(await self._live.stored.read_history(match_id), began=began)
            finally:
                self._loading.discard(match_id)
        if live_match and live_match.runner:
            runner = live_match.runner
            for used in uses:
                runner.delays.set_used(runner.match, used, runner.match_now())
            runner.catch_up()  # What was stored while the log was read may have been notified too early.

    def _begin(self, history: MatchHistory, *, began: bool) -> LiveMatch | None:
        live_match = LiveMatch(history)
        if history.match.phase is MatchPhase.OVER:
            for seat, player in enumerate(history.match.players):
                self._live.sessions.notify_end(player, MatchEnded(live_match.match_id, seat))
            return None
        runner = MatchRunner(history.match, self._live.dependencies)
        self._live.index.add(live_match)
        self._live.attach_runner(live_match, runner)
        if began:
            self._live.notifier.notify_start(live_match)
        return live_match

    def release(self, bot: str) -> None:
        """Follow no match any more in which the bot plays and no bot is connected here."""
        for live_match in self._live.index.of_bot(bot):
            if not any(self._live.sessions.is_local(player.bot) for player in live_match.match.players):
                self.forget(live_match.match_id)

    def forget(self, match_id: str) -> None:
        """Stop to run a match here; other nodes run it."""
        live_match = self._live.index.remove(match_id)
        if live_match:
            if live_match.runner:
                live_match.runner.stop()
            self._live.starter.release(live_match)
            live_match.history.end_watches(NotRunHere(match_id))

    def uses(self, bot: str) -> list[tuple[str, TurnUse]]:
        """Return how much time the bot has used in each turn that it owes here, with the id of the match."""
        found = []
        for live_match in self._live.index.of_bot(bot):
            runner = live_match.runner
            for turn in live_match.match.owing if runner else ():
                if runner and live_match.holds(bot, turn.seat):
                    used = TurnUse(turn.token, runner.delays.used_us(turn, runner.match_now()))
                    found.append((live_match.match_id, used))
        return found

    async def end_rated(self, append: Append) -> list[Entry]:
        """Store the end of a rated match for another node, with its rating changes; return all entries after `after`.

        Raises Conflict if the log of the match has other entries after that number, LogUnavailable, or NotRunHere.
        """
        live_match = self._live.index.find(append.match_id)
        if live_match is None or live_match.runner is None:
            raise NotRunHere(append.match_id)
        missed = await self._live.dependencies.log.read(append.match_id, live_match.match.number)
        match = live_match.match
        for entry in missed:
            match = evolve(match, entry.event)
        if match.number != append.after:
            raise Conflict(append.match_id, append.after, match.number)
        for event in append.events:
            match = evolve(match, event)
        decided = Decision(append.events, match)
        _, entries = await append_decision(self._live.dependencies, append.after, decided, append.request)
        live_match.runner.receive([*missed, *entries])
        return list(entries)
