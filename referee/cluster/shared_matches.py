"""Matches that several nodes run: following them here for the bots that are connected here.

A node follows a match in play while one of its bots is connected to this node. The node that coordinates has every
match that is not over, and follows those of bots that are offline.
"""

from collections.abc import Callable, Collection, Sequence
from itertools import accumulate

from referee.cluster.lost_bots import LostBots, Uses
from referee.cluster.node_stream.node_link import MAX_SILENCE_US, PING_INTERVAL_US
from referee.cluster.rated_ends import RemoteRatedEnds
from referee.live.live_match import LiveMatch
from referee.live.match_history import MatchHistory
from referee.live.match_timing import TurnUse
from referee.live.other_nodes import OtherNodes
from referee.live.outbox import MatchEnded
from referee.live.ports import Append, Conflict, Entry
from referee.live.queued_command import MatchMoving
from referee.live.rated_end import append_decision
from referee.live.registry import LiveMatches
from referee.live.runner import MatchRunner
from referee.match.clock import Micros
from referee.match.decision import Decision
from referee.match.setup import Player
from referee.match.state import Match, MatchPhase, evolve

NOTICE_WITHIN_US: Micros = MAX_SILENCE_US + PING_INTERVAL_US
"""Time in which the coordinator notices that it cannot hear a node.

It decides a deadline of a bot that is offline so much later: the bot may have been connected to such a node.
"""


class SharedMatches(OtherNodes):
    """The other nodes, as the live matches of this one see them."""

    in_charge = False

    def __init__(self, live: LiveMatches) -> None:
        """`live` is being made, and not used before it is."""
        self.live = live
        self.lost = LostBots(live.time, live.on_sessions_changed, self._excuse, self.uses)
        """Bots that have lost their node, to which no time is charged until they are back."""
        self.rated_ends = RemoteRatedEnds(live.log, live.time)
        """Ends of rated matches that run here while another node is the coordinator."""
        self._loading: set[str] = set()
        """Matches that are being read from the log."""
        self._watched: set[str] = set()
        """Matches that are watched here and were run by other nodes when their watches began."""
        self._elsewhere: dict[str, Collection[str]] = {}
        """The other nodes to which each bot is connected, as the coordinator has told this node."""
        self._on_watched: list[Callable[[Match], None]] = []

    def coordinate(self, *, coordinates: bool) -> None:
        """Set whether this node is the coordinator, which starts matches and looks after bots that are offline."""
        self.in_charge = coordinates
        self.lost.clear()
        self._elsewhere.clear()

    # As the port of live matches

    def is_expected(self, bot: str, *, online: bool) -> bool:
        return self.lost.update(bot, online=online) or not self.in_charge

    def decision_delay_us(self, bot: str) -> Micros | None:
        if self.in_charge and not self.live.sessions.of_bot(bot):
            return None if bot in self.lost else NOTICE_WITHIN_US
        return 0 if self.live.sessions.is_local(bot) else None

    async def store_end(self, append: Append) -> list[Entry] | None:
        return None if self.in_charge else await self.rated_ends.store(append)

    async def read_on(self, match_id: str, *, watched: bool = False) -> None:
        live_match = self.live.index.find(match_id)
        if live_match is None or self.is_followed(live_match):
            return
        if watched and match_id not in self._watched:
            self._watched.add(match_id)
            for watch in self._on_watched:
                watch(live_match.match)
        missed = await self.live.log.read(match_id, live_match.match.number) if live_match.runner else ()
        if missed and live_match.runner:
            live_match.runner.receive(missed)
            if live_match.match.game.is_slow:  # It applies them later.
                await live_match.runner.wait_until_idle()

    # As the other nodes need

    def is_online(self, player: Player) -> bool:
        """Return whether the bot is connected to some node, as far as this one knows."""
        return self.live.sessions.is_online(player) or player.bot in self._elsewhere

    def set_elsewhere(self, bot: str, nodes: Collection[str]) -> None:
        """Note to which other nodes a bot is connected, as the coordinator has told."""
        if nodes:
            self._elsewhere[bot] = nodes
        else:
            self._elsewhere.pop(bot, None)

    def elsewhere(self, bot: str) -> Collection[str]:
        """Return the other nodes to which the bot is connected, as the coordinator has told."""
        return self._elsewhere.get(bot, ())

    def on_watched(self, watch: Callable[[Match], None]) -> None:
        """Call `watch` with each match of other nodes that is watched here from now on."""
        self._on_watched.append(watch)

    def receive(self, entries: Sequence[Entry]) -> None:
        """Handle the news, perhaps late, repeated or partial, that another node has stored entries of one match."""
        live_match = self.live.index.find(entries[0].match_id)
        if live_match and live_match.runner:
            live_match.runner.receive(entries)

    def catch_up(self, match_ids: Sequence[str]) -> None:
        """Read what other nodes have stored of these matches, as far as they are live here."""
        for match_id in match_ids:
            live_match = self.live.index.find(match_id)
            if live_match and live_match.runner:
                live_match.runner.catch_up()

    async def follow(self, match_id: str, uses: Sequence[TurnUse], *, began: bool) -> None:
        """Run a match in play for the bots that are connected here. Idempotent.

        `uses` says what other nodes have measured, and `began` whether the bots must be told that play has begun.
        Raises NoSuchMatch, StoreUnavailable, or EngineFault or LogDamaged.
        """
        live_match = self.live.index.find(match_id)
        if live_match is None and match_id not in self._loading:
            self._loading.add(match_id)
            try:
                history = await self.live.stored.read_history(match_id)
                # It may have been restored meanwhile, since this node has become the coordinator.
                live_match = self.live.index.find(match_id) or self._begin(history, began=began)
            finally:
                self._loading.discard(match_id)
        if live_match and live_match.runner:
            self.set_uses([(match_id, used) for used in uses])
            live_match.runner.catch_up()  # What was stored while the log was read may have been notified too early.

    def _begin(self, history: MatchHistory, *, began: bool) -> LiveMatch | None:
        live_match = LiveMatch(history)
        if history.match.phase is MatchPhase.OVER:
            for seat, player in enumerate(history.match.players):
                self.live.sessions.notify_end(player, MatchEnded(live_match.match_id, seat))
            return None
        self.live.index.add(live_match)
        self.live.attach_runner(live_match, MatchRunner(history.match, self.live.dependencies))
        if began:
            self.live.notifier.notify_start(live_match)
        return live_match

    def is_followed(self, live_match: LiveMatch) -> bool:
        """Return whether this node decides something in the match, so that it is notified of every entry."""
        return any(self.decision_delay_us(player.bot) is not None for player in live_match.match.players)

    def runs(self, match_id: str) -> bool:
        """Return whether this node runs the match, and knows every entry of it at once."""
        live_match = self.live.index.find(match_id)
        return live_match is not None and self.is_followed(live_match)

    def is_watched(self, match_id: str) -> bool:
        return match_id in self._watched

    def in_play(self, bot: str) -> list[Match]:
        """Return the matches in play of the bot that run here."""
        live_matches = self.live.index.of_bot(bot)
        return [each.match for each in live_matches if each.runner and each.match.phase is MatchPhase.PLAYING]

    def adopt(self, match_id: str) -> Match | None:
        """Let a match that was restored from the log run on, since another node has followed it all the time.

        Return it; None: it runs already, or is about to be resumed.
        """
        live_match = self.live.index.find(match_id)
        if live_match is None or live_match.runner or live_match.resuming:
            return None
        self.live.attach_runner(live_match, MatchRunner(live_match.match, self.live.dependencies))
        self.catch_up([match_id])
        return live_match.match

    def offline_bots(self) -> set[str]:
        """Return the bots in matches in play that have no session."""
        in_play = [each.match for each in self.live.index.all() if each.match.phase is MatchPhase.PLAYING]
        bots = {player.bot for match in in_play for player in match.players if player.bot}
        return {bot for bot in bots if not self.live.sessions.of_bot(bot)}

    def hold_time(self, unheard_us: Micros = 0) -> None:
        """Charge no time to bots that are offline, or will be: they may be connected to a node that cannot be heard.

        Nothing was heard of that node for `unheard_us` already.
        """
        self.lost.hold(self.offline_bots(), unheard_us)

    def set_uses(self, uses: Uses) -> None:
        """Note how much time was used in turns on another node, and look after these turns here from now on."""
        for match_id, used in uses:
            live_match = self.live.index.find(match_id)
            if live_match and live_match.runner:
                runner = live_match.runner
                runner.delays.set_used(runner.match, used, runner.match_now())
                runner.catch_up()

    def excuse(self, bot: str) -> None:
        """Charge no time so far for the turns of a bot that has just connected here.

        The coordinator looked after them and tells how much time they have used. While it does not, nobody knows.
        """
        if not self.in_charge:
            self._excuse(bot, ())

    def _excuse(self, bot: str, before: Uses) -> None:
        """Charge no time for the turns of a bot, but for what it had used before."""
        known = {(match_id, used.token): used for match_id, used in before}
        self.set_uses(
            [(match_id, known.get((match_id, used.token), TurnUse(used.token, 0))) for match_id, used in self.uses(bot)]
        )

    @property
    def followed(self) -> dict[str, int]:
        """Return the matches of which this node must know every entry, with the number of the last one it knows."""
        live_matches = [live_match for live_match in self.live.index.all() if live_match.runner]
        self._watched.intersection_update(live_match.match_id for live_match in live_matches)
        return {
            live_match.match_id: live_match.match.number
            for live_match in live_matches
            if live_match.match_id in self._watched or self.is_followed(live_match)
        }

    @property
    def unfinished(self) -> list[str]:
        """Return the ids of all matches that run here and are not over, as far as this node knows."""
        return [live_match.match_id for live_match in self.live.index.all() if live_match.runner]

    def release(self, bot: str) -> None:
        """Follow no match any more in which the bot plays and no bot is connected here."""
        self._release(self.live.index.of_bot(bot))

    def release_all(self) -> None:
        """Follow only matches in play of which a bot is connected here."""
        self._release(self.live.index.all())

    def _release(self, live_matches: Sequence[LiveMatch]) -> None:
        for live_match in live_matches if not self.in_charge else ():
            here = any(self.live.sessions.is_local(player.bot) for player in live_match.match.players)
            if not here or live_match.match.phase is MatchPhase.WAITING or live_match.runner is None:
                self.forget(live_match.match_id)

    def forget(self, match_id: str) -> None:
        """Stop to run a match here; other nodes run it."""
        live_match = self.live.index.remove(match_id)
        if live_match:
            if live_match.runner:
                live_match.runner.stop()
            self.live.starter.release(live_match)
            live_match.history.end_watches(MatchMoving(match_id))

    def uses(self, bot: str) -> list[tuple[str, TurnUse]]:
        """Return how much time the bot has used in each turn that it owes here, with the id of the match."""
        found = []
        for live_match in self.live.index.of_bot(bot):
            runner = live_match.runner
            for turn in live_match.match.owing if runner else ():
                if runner and live_match.holds(bot, turn.seat):
                    used = TurnUse(turn.token, runner.delays.used_us(turn, runner.match_now()))
                    found.append((live_match.match_id, used))
        return found

    async def _check_after(self, append: Append) -> None:
        """Raise Conflict if the log has other entries already: an earlier coordinator has stored the end."""
        last = (await self.live.log.heads([append.match_id])).get(append.match_id, 0)
        if last != append.after:
            raise Conflict(append.match_id, append.after, last)

    async def end_rated(self, append: Append) -> list[Entry]:
        """Store the end of a rated match for another node, with its rating changes; return all entries after `after`.

        Raises Conflict if the log of the match has other entries after that number, StoreUnavailable, or MatchMoving.
        """
        live_match = self.live.index.find(append.match_id)
        if live_match is None or live_match.runner is None:
            await self._check_after(append)
            raise MatchMoving(append.match_id)
        match = live_match.match  # Before reading: entries may be applied meanwhile.
        missed = await self.live.log.read(append.match_id, match.number)
        for entry in missed:
            match = evolve(match, entry.event)
        if match.number != append.after:
            raise Conflict(append.match_id, append.after, match.number)
        states = tuple(accumulate(append.events, evolve, initial=match))[1:]
        decided = Decision(append.events, states, states[-1])
        _, entries = await append_decision(self.live.dependencies, append.after, decided, append.request)
        live_match.runner.receive([*missed, *entries])
        return list(entries)
