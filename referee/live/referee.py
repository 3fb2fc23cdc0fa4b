"""Facade: everything that adapters can call to work with matches.

Authorisation is up to the caller; seats are checked to exist, but not to belong to the caller.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from engines.api import Seat, Viewer
from engines.game_errors import DetailedError
from referee.live.create import CreatedMatch, MatchCreator
from referee.live.live_match import FreeCapacity, LiveMatch
from referee.live.loop_lag import MessageArrival
from referee.live.match_history import MatchHistory, MatchStatus
from referee.live.match_request import EVERY_MATCH, LiveLimits, MatchFilter, MatchRequest, check_withdrawable
from referee.live.outbox import DrainNotice, MoveAccepted, RequestAccepted
from referee.live.recovery import MatchRecovery
from referee.live.registry import LiveMatches
from referee.live.reserved_places import Labels
from referee.live.stored_matches import MatchPage
from referee.live.submit import AnswerSubmitter, RequestSubmitter, TurnAnswer
from referee.live.turns import SeatClock, TurnDue, clocks_at_entry, live_clocks, turn_due
from referee.live.watch import CooperativeYield, MatchWatch, WatchStart
from referee.live.worker_pool import RunFunction, run_inline
from referee.match.clock import MAX_TIME_US, MS, Micros
from referee.match.commands import (
    AbortMatch,
    AcceptDraw,
    AddNonce,
    AdjudicateMatch,
    ClaimDraw,
    DeclineDraw,
    OfferDraw,
    Resign,
    VoidMatch,
    WithdrawBot,
)
from referee.match.decision import Decision
from referee.match.match_errors import NonceRefused, NotAllowedNow
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from referee.match.state import Match, MatchPhase, Turn


class RefereeDraining(DetailedError):
    def __init__(self, retry_after_ms: int) -> None:
        super().__init__(
            f"the server is shutting down and starts nothing new; try again in {retry_after_ms} ms",
            retry_after_ms=str(retry_after_ms),
        )


class Referee:
    """One for each process, on one event loop.

    Every method that names a match raises NoSuchMatch if there is none, MatchMoving if another process runs it, and
    StoreUnavailable if the log cannot be used now.
    """

    def __init__(
        self,
        live: LiveMatches,
        limits: LiveLimits,
        mint_id: Callable[[], str],
        draw_seed: Callable[[], bytes],
        run: RunFunction = run_inline,
    ) -> None:
        """`draw_seed` returns 32 unpredictable bytes, `mint_id` a unique id. `run` runs computations of unknown length.

        The caller starts and stops the `lag` of `live`.
        """
        self._time = live.time
        self._limits = limits
        self._live = live
        self._answers = AnswerSubmitter(self._live)
        self.try_submit = self._answers.try_submit
        self._requests = RequestSubmitter(self._live)
        self._creator = MatchCreator(self._live, limits, mint_id, draw_seed, run)
        self._cooperative_yield = CooperativeYield()
        """Shared by all watches that read long logs."""
        self._draining: RefereeDraining | None = None
        self.lag = live.lag
        self.sessions = self._live.sessions
        """Sessions of bots. Opening or closing a session notifies the matches."""
        self.reserved_places = self._live.starter.reserved_places
        self.recovery = MatchRecovery(self._live, limits.return_within_us)
        self.start_task = self._live.start_task
        """Runs a coroutine in the background; `close` waits for it."""
        self.subscribe = self._live.subscribe
        """Notifies an observer of everything that happens in all matches, and of presence."""
        self.end_streams = self._live.end_streams
        """Ends all streams at once, whatever matches wait for; to be called between `drain` and `close`."""

    async def recover(self) -> int:
        """Restore all unfinished matches from their logs; return their number. Raises StoreUnavailable."""
        await self.recovery.begin()
        return await self.recovery.run()

    # Matches

    async def create(self, request: MatchRequest) -> CreatedMatch:
        """Create a match, or return the one that the same request (labels `maker`, `request_id`) has created.

        A caller that disconnects may miss the answer; the match exists. Raises an error of its terms, RequestIdReused
        or RefereeDraining.
        """
        if self._draining:
            raise self._draining
        return await asyncio.shield(self._live.start_task(self._creator.create(request)))

    async def find_created(self, request: MatchRequest) -> CreatedMatch | None:
        """Return what this request has created; None: nothing. Raises RequestIdReused."""
        return await self._creator.find_created(request)

    async def join(self, match_id: str, seat: Seat | None, player: Player) -> Seat:
        """Take that seat, or the first open one. Idempotent for a seat that the bot holds.

        Raises SeatHeld, NoSuchSeat, MatchOver or RefereeDraining.
        """
        if self._draining:
            raise self._draining
        return await self._creator.join(match_id, seat, player)

    async def status(self, match_id: str) -> MatchStatus:
        """Return the full state of a match. The caller decides what of it may be shown."""
        return (await self._history(match_id)).status

    async def match(self, match_id: str) -> Match:
        """Return the current state of a match."""
        return (await self._history(match_id)).match

    async def ended_match(self, match_id: str) -> Match:
        """Return a match that is over, also if this process has not been notified of its end yet."""
        history = await self._history(match_id)
        return (history if history.match.result else await self._live.stored.read_log(match_id)).match

    async def _history(self, match_id: str, *, watched: bool = False) -> MatchHistory:
        """Return the current history of a match. If it is `watched`, it is extended by what other nodes store, too."""
        await self._live.others.read_on(match_id, watched=watched)
        return await self._live.stored.history(match_id)

    async def setup(self, match_id: str) -> Setup:
        """Return the setup of a match with the players that its seats have now, also if its game was removed."""
        return await self._live.stored.setup(match_id)

    async def match_as_seen(self, match_id: str, viewer: Viewer) -> Match | None:
        """Return the match as `viewer` may see it now, possibly an earlier state. None: nothing yet."""
        return (await self.watch(match_id, None, viewer))[0].state

    def clocks(self, match: Match) -> tuple[SeatClock, ...]:
        """Return the clock of every seat: current if `match` is the current state, else as of its last entry."""
        live_match = self._live.index.find(match.setup.match_id)
        return live_clocks(live_match) if live_match and live_match.match is match else clocks_at_entry(match)

    async def list_matches(self, wanted: MatchFilter = EVERY_MATCH, after: str = "", limit: int = 100) -> MatchPage:
        """Return a page of matches, the newest first, older than the match `after`."""
        return await self._live.stored.list_matches(wanted, after, limit)

    def free_capacity(self, player: Player, game: str, labels: Labels | None = None) -> FreeCapacity | None:
        """Return the free capacity of the bot for that game; None: it is offline or does not accept the game.

        `labels`: see `MatchStarter.free_capacity`. Room needed by a match that only waits for nonces is not free.
        """
        free = self._live.starter.free_capacity(player, game, labels)
        if free is None:
            return None
        live_matches = (each for each in self._live.index.of_bot(player.bot) if free.player in each.match.players)
        return replace(free, room=max(0, free.room - sum(map(self._live.starter.awaits_nonces, live_matches))))

    @property
    def draining(self) -> RefereeDraining | None:
        """The error for requests to start something new. None: the server is not draining."""
        return self._draining

    def count_in_play(self, bot: str) -> int:
        """Return the number of matches in play of the bot."""
        live_matches = self._live.index.of_bot(bot)
        return self.recovery.count_in_play(bot) + sum(each.match.phase is MatchPhase.PLAYING for each in live_matches)

    @property
    def live_matches(self) -> list[Match]:
        """Return the current states of all live matches."""
        return [live_match.match for live_match in self._live.index.all()]

    def count_unfinished(self, maker: str) -> int:
        """Return the number of live matches of that creator."""
        return self._live.index.count_made_by(maker)

    def count_unfinished_of(self, bot: str, maker: str) -> int:
        """Return the number of live matches of that bot by that creator."""
        return self._live.index.count_of_bot(bot, maker)

    # Turns

    def submit(
        self,
        match_id: str,
        seat: Seat,
        token: str,
        move: str,
        request_id: str = "",
        offers_draw: bool = False,
        arrival: MessageArrival | None = None,
        score: int | None = None,
    ) -> Coroutine[Any, Any, MoveAccepted]:
        """Answer a turn. A resent answer gets its original verdict, by its token or at any time by its request id.

        Raises AttemptRefused, LateAnswer, StaleTurn, MatchOver, NotAllowedNow, RequestIdReused or EngineFault.
        """
        return self._answers.submit(TurnAnswer(match_id, seat, token, move, request_id, offers_draw, arrival, score))

    async def find_verdict(self, answer: TurnAnswer, decided: Decision | Exception) -> MoveAccepted:
        """Return the verdict by a decision, looked up if necessary. Raises what `submit` raises."""
        return await self._answers.find_verdict(answer, decided)

    async def validate(self, match_id: str, seat: Seat, token: str, move: str) -> int:
        """Check an answer without playing it; return the number of the last entry. Raises what `submit` would raise."""
        return await self._answers.validate(TurnAnswer(match_id, seat, token, move))

    def turn_due(self, match_id: str, seat: Seat) -> TurnDue | None:
        """Return the turn that the seat owes now; None: none. The next call for this turn is marked `repeated`."""
        return turn_due(self._live.index.find(match_id), seat)

    async def due_turns(self, bot: str, match_id: str = "") -> list[TurnDue]:
        """Return the turns that a bot owes, in one match or in all of them, the most urgent first."""
        await self.recovery.restore_matches_of(bot)
        live_matches = [each for each in self._live.index.of_bot(bot) if match_id in ("", each.match_id)]
        for live_match in live_matches:
            await self._live.runner(live_match.match_id)
        due = [turn_due(live_match, seat) for live_match in live_matches for seat in live_match.seats_of(bot)]
        return sorted(filter(None, due), key=_urgency)

    # Other requests of a seat. With a request id they are idempotent, even after the end of the match.

    async def give_nonce(self, match_id: str, seat: Seat, nonce: bytes) -> RequestAccepted:
        """Add the nonce of a seat to the seed. Raises NonceRefused, also after the start of play, or MatchOver."""
        try:
            return await self._requests.submit(match_id, AddNonce(seat, nonce), seat)
        except NotAllowedNow:
            raise NonceRefused("play has started") from None

    async def resign(self, match_id: str, seat: Seat, request_id: str = "") -> RequestAccepted:
        """Resign for a seat. Raises SeatOut, NotAllowedNow, MatchOver or RequestIdReused."""
        return await self._requests.submit(match_id, Resign(seat), seat, request_id)

    async def withdraw(self, match_id: str, bot: str, by: str, request_id: str) -> RequestAccepted:
        """Take a bot out of a match for its owner `by`. Raises NotWithdrawable, MatchOver or RequestIdReused."""
        match = await self.match(match_id)
        check_withdrawable(match, bot, self.reserved_places.was_invited(bot, dict(match.setup.labels)))
        return await self._requests.submit(match_id, WithdrawBot(bot), by, request_id)

    async def offer_draw(self, match_id: str, seat: Seat, request_id: str = "") -> RequestAccepted:
        """Offer a draw, or accept pending offers.

        Raises DrawNotClaimable, DrawOfferedBefore, or what `resign` raises.
        """
        return await self._requests.submit(match_id, OfferDraw(seat), seat, request_id)

    async def accept_draw(self, match_id: str, seat: Seat, request_id: str = "") -> RequestAccepted:
        """Accept pending draw offers. Raises DrawNotClaimable, DrawOfferedBefore, or what `resign` raises."""
        return await self._requests.submit(match_id, AcceptDraw(seat), seat, request_id)

    async def decline_draw(self, match_id: str, seat: Seat, request_id: str = "") -> RequestAccepted:
        """Decline pending draw offers. Raises DrawNotClaimable, or what `resign` raises."""
        return await self._requests.submit(match_id, DeclineDraw(seat), seat, request_id)

    async def claim_draw(self, match_id: str, seat: Seat, request_id: str = "") -> RequestAccepted:
        """Claim a draw by the rules of the game.

        Raises DrawNotClaimable, NotAllowedNow, MatchOver or RequestIdReused.
        """
        return await self._requests.submit(match_id, ClaimDraw(seat), seat, request_id)

    # Decisions by people. Request ids are separate for each person, `by`.

    async def abort(self, match_id: str, message: str = "", by: str = "", request_id: str = "") -> RequestAccepted:
        """Abort a match on behalf of its creator. Raises MatchOver or RequestIdReused."""
        command = VoidMatch(EndCause.ABORTED, message) if message else AbortMatch()
        return await self._requests.submit(match_id, command, by, request_id)

    async def void(
        self, match_id: str, cause: EndCause, reason: str, by: str = "", request_id: str = ""
    ) -> RequestAccepted:
        """Declare a match void. Raises BadVerdict, MatchOver or RequestIdReused."""
        return await self._requests.submit(match_id, VoidMatch(cause, reason), by, request_id)

    async def adjudicate(
        self, match_id: str, side_ranks: tuple[int, ...], reason: str, by: str = "", request_id: str = ""
    ) -> RequestAccepted:
        """Set the result of a match. Raises BadVerdict, NotAllowedNow, MatchOver or RequestIdReused."""
        return await self._requests.submit(match_id, AdjudicateMatch(side_ranks, reason), by, request_id)

    # Watching

    async def watch(self, match_id: str, after: int | None, viewer: Viewer) -> tuple[WatchStart, MatchWatch]:
        """Return the match at that number (None: now) and an iterator over what follows. Raises NumberAhead."""
        history = await self._history(match_id, watched=True)
        watching = await self._begin_watch(history, after, viewer)
        return WatchStart(history.status, watching.number, watching.state), watching

    async def watch_number(self, match_id: str, viewer: Viewer) -> int:
        """Return the number of the last entry that the viewer may see now. Other nodes notify this one of no more."""
        history = await self._history(match_id)
        return (await self._begin_watch(history, None, viewer)).number

    async def _begin_watch(self, history: MatchHistory, after: int | None, viewer: Viewer) -> MatchWatch:
        max_behind = self._limits.max_watcher_lag
        watching = MatchWatch(
            self._live.log, self._live.find_game, history, viewer, max_behind, self._cooperative_yield
        )
        await watching.begin(after)
        return watching

    # Shutdown

    async def drain(self, grace_us: Micros, reconnect_delay_ms: int) -> None:
        """Start nothing new, notify every session, and wait for open turns within the grace period. Then call `close`.

        Turns that follow from the answers are not sent.
        """
        self._draining = RefereeDraining(reconnect_delay_ms)
        self._live.notifier.stop_turns()
        for session in self.sessions.all():
            session.outbox.put("draining", DrainNotice(grace_us // MS, reconnect_delay_ms))
        until_us = self._time.monotonic_us() + grace_us
        asked = [
            (live_match, turn)
            for live_match in self._live.index.all()
            if live_match.runner
            for turn in live_match.match.owing
        ]
        while self._time.monotonic_us() < until_us and any(self._is_thinking(*pair) for pair in asked):
            self._live.changed.clear()
            timer = self._time.call_at(until_us, self._live.changed.set)
            await self._live.changed.wait()
            timer.cancel()

    async def close(self) -> None:
        """Decide queued commands and stop. Matches continue after the next `recover`."""
        self._draining = self._draining or RefereeDraining(0)
        await self._live.close(self._draining)

    def _is_thinking(self, live_match: LiveMatch, turn: Turn) -> bool:
        """Return whether a bot that is connected here still owes the answer to that turn."""
        return turn in live_match.match.owing and self.sessions.is_local(live_match.match.players[turn.seat].bot)


def _urgency(due: TurnDue) -> Micros:
    return MAX_TIME_US if due.left_us is None else due.left_us
