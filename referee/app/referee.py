"""The referee: all that can be asked of it, for whoever speaks with the world.

Whether somebody may ask is settled before; seats are checked to exist, and not to be the caller's.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engines.api import Game, Seat, Viewer
from engines.refusals import Refusal
from referee.app.answering import Answer, Answering, outcome
from referee.app.answers import Answered, Done
from referee.app.archive import Listed
from referee.app.asking import Asking
from referee.app.boards import Board
from referee.app.desk import Desk, Rater, as_it_is
from referee.app.ends import UnheardEnds
from referee.app.floor import Floor, Follower, Listener
from referee.app.lag import Arrival, Lag
from referee.app.lobby import Free
from referee.app.making import Created, Maker
from referee.app.outbox import Draining
from referee.app.ports import EventLog, Time
from referee.app.recovery import recover
from referee.app.story import Standing
from referee.app.taking_turns import TakingTurns
from referee.app.turns import SeatClock, TurnDue, clocks_at_entry
from referee.app.watching import Watching, Whole
from referee.app.wish import EVERY_MATCH, Limits, MatchFilter, MatchWish
from referee.app.worker_pool import Run, run_here
from referee.core.clock import LONGEST, MS, Micros
from referee.core.commands import (
    Abort,
    AcceptDraw,
    Adjudicate,
    ClaimDraw,
    DeclineDraw,
    GiveNonce,
    OfferDraw,
    Resign,
    Void,
)
from referee.core.deciding import Decided
from referee.core.errors import NonceRefused, NotAllowedNow
from referee.core.match import Match, Phase, Turn
from referee.core.result import Cause
from referee.core.setup import Player


class RefereeDraining(Refusal):
    def __init__(self, retry_after_ms: int) -> None:
        super().__init__(
            f"the referee is about to go and starts nothing new; try again in {retry_after_ms} ms",
            retry_after_ms=str(retry_after_ms),
        )


class Referee:
    """One for each process, on one event loop.

    Every method that names a match raises UnknownMatch if there is none, NotRunHere if it goes on elsewhere,
    and LogUnavailable if the log cannot be used now.
    """

    def __init__(
        self,
        log: EventLog,
        unheard: UnheardEnds,
        time: Time,
        games: Mapping[str, Game],
        limits: Limits,
        mint_id: Callable[[], str],
        draw_seed: Callable[[], bytes],
        lag: Lag,
        listeners: Sequence[Listener] = (),
        rater: Rater | None = None,
        around: Callable[[Desk], Desk] = as_it_is,
        run: Run = run_here,
    ) -> None:
        """`draw_seed` gives 32 bytes that nobody knows, `mint_id` an id that nothing else has.

        `unheard` are those of the `log`. `lag` is started and stopped by the caller. Without a `rater` nothing is
        rated. `around` puts somebody around the desk who looks on. `run` runs what may take long.
        """
        self._log = log
        self._time = time
        self._limits = limits
        self._floor = Floor(log, unheard, time, games, mint_id, lag, listeners, rater, around)
        self._answering = Answering(self._floor)
        self._asking = Asking(self._floor)
        self._maker = Maker(self._floor, limits, mint_id, draw_seed, run)
        self._going_back = TakingTurns()
        """Of those who watch from long ago."""
        self._draining: RefereeDraining | None = None
        self.sessions = self._floor.sessions
        """Who is there. To open or to close a session is all it takes: the matches are told."""

    async def recover(self) -> int:
        """Take up every match that is not over, as its log tells it; how many. Before anything else is asked."""
        return await recover(self._floor, self._limits.return_within_us)

    def follow(self, follower: Follower) -> None:
        """Tell it of all that happens in all matches, and of who comes and goes, from now on."""
        self._floor.follow(follower)

    # Matches

    async def create(self, wish: MatchWish) -> Created:
        """Make a match, or find the one that this very request (labels `maker` and `request_id`) has made.

        Whoever hangs up may miss the answer; the match is there. Raises a refusal of its terms, RequestIdReused
        or RefereeDraining.
        """
        if self._draining:
            raise self._draining
        return await asyncio.shield(self._floor.start(self._maker.create(wish)))

    async def created_before(self, wish: MatchWish) -> Created | None:
        """What this very request has made, also if it could not be made now; None: nothing. Raises RequestIdReused."""
        return await self._maker.created_before(wish)

    async def join(self, match_id: str, seat: Seat | None, player: Player) -> Seat:
        """Take that seat, or the first that is open. To take what one holds is no fault.

        Raises SeatHeld, NoSuchSeat, MatchOver or RefereeDraining.
        """
        if self._draining:
            raise self._draining
        return await self._maker.join(match_id, seat, player)

    async def standing(self, match_id: str) -> Standing:
        """The whole truth about a match as it stands. What of it somebody may see is for the caller to say."""
        return (await self._floor.archive.story(match_id)).standing

    async def match(self, match_id: str) -> Match:
        """The match as it stands."""
        board = self._floor.boards.find(match_id)
        return board.match if board else (await self._floor.archive.story(match_id)).match

    async def seen(self, match_id: str, viewer: Viewer) -> Match | None:
        """The match as it was when `viewer` may see it now: of one shown late, as it was. None: nothing yet."""
        whole, _ = await self.watch(match_id, None, viewer)
        return whole.state

    def clocks(self, match: Match) -> tuple[SeatClock, ...]:
        """Every seat's clock: as it is now, if that is how the match stands, and else at that entry of it."""
        board = self._floor.boards.find(match.setup.match_id)
        return board.clocks() if board and board.match is match else clocks_at_entry(match)

    async def matches(self, wanted: MatchFilter = EVERY_MATCH, after: str = "", at_most: int = 100) -> Listed:
        """Matches, the newest first, from the first older than the match `after`; a part, if it takes long to find."""
        return await self._floor.archive.standings(wanted, after, at_most)

    def free(self, player: Player, game: str) -> Free | None:
        """Could that bot begin a match of the game now? None: it is not there, or does not take the game.

        Room that a match needs which only waits for nonces is not free.
        """
        free = self._floor.lobby.free(player, game)
        if free is None:
            return None
        boards = (board for board in self._floor.boards.of_bot(player.bot) if free.player in board.match.players)
        return replace(free, room=max(0, free.room - sum(map(self._floor.lobby.about_to_begin, boards))))

    @property
    def draining(self) -> RefereeDraining | None:
        """Why nothing new is started. None: it is."""
        return self._draining

    def in_play_of(self, bot: str) -> int:
        """In how many matches the bot is in the middle of."""
        return sum(board.match.phase is Phase.PLAYING for board in self._floor.boards.of_bot(bot))

    @property
    def live(self) -> list[Match]:
        """Matches that are not over, as they stand."""
        return [board.match for board in self._floor.boards.all()]

    def not_over_of(self, maker: str) -> int:
        """How many matches of that maker are not over."""
        return self._floor.boards.made_by(maker)

    # Turns

    def arrival(self, holder: str) -> Arrival:
        """A message of that holder is read now."""
        return self._floor.lag.arrival(holder)

    def submit(
        self,
        match_id: str,
        seat: Seat,
        token: str,
        move: str,
        request_id: str = "",
        offers_draw: bool = False,
        arrival: Arrival | None = None,
    ) -> Coroutine[Any, Any, Answered]:
        """Answer a turn. The same answer again gets its first verdict, by its token or, ever after, its request id.

        Raises AttemptRefused, LateAnswer, StaleTurn, MatchOver, NotAllowedNow, RequestIdReused or EngineFault.
        """
        return self._answering.submit(Answer(match_id, seat, token, move, request_id, offers_draw, arrival))

    def begin(self, answer: Answer, bot: str) -> asyncio.Future[Decided] | None:
        """Have the answer of that bot decided, where nothing need be looked up for it; else None, and `submit` it.

        What came of it says `outcome` when it is done, or else `conclude`.
        """
        return self._answering.begin(answer, bot)

    def outcome(self, answer: Answer, decision: asyncio.Future[Decided]) -> Answered | Exception | None:
        """What came of a decision that is done, with what `submit` would raise. None: it has to be looked up."""
        return outcome(answer, decision)

    async def conclude(self, answer: Answer, decision: asyncio.Future[Decided]) -> Answered:
        """What came of a decision, looked up. Raises what `submit` raises."""
        return await self._answering.conclude(answer, decision)

    async def validate(self, match_id: str, seat: Seat, token: str, move: str) -> int:
        """Could this be played? The number of the match as it stands. Nothing is played, and no attempt counted.

        Raises what `submit` would raise.
        """
        return await self._answering.validate(Answer(match_id, seat, token, move))

    def turn_due(self, match_id: str, seat: Seat) -> TurnDue | None:
        """What the seat owes, at this moment; None: nothing. It is for telling: the next time, it is `again`."""
        board = self._floor.boards.find(match_id)
        turn = board.match.turns[seat] if board else None
        if board is None or board.runner is None or turn is None:
            return None
        token = turn.token
        again = board.tokens_told.get(seat) == token
        board.tokens_told[seat] = token
        story = board.story
        return TurnDue(board.match, turn, story.moves, story.last_move_of.get(seat, 0), board.clocks(), again)

    async def turns_of(self, bot: str, match_id: str = "") -> list[TurnDue]:
        """What a bot owes now, in one match or in all of them, the most pressing first."""
        boards = [board for board in self._floor.boards.of_bot(bot) if match_id in ("", board.match_id)]
        for board in boards:
            await self._floor.runner(board.match_id)
        due = [self.turn_due(board.match_id, seat) for board in boards for seat in board.seats_of(bot)]
        return sorted(filter(None, due), key=_pressing)

    # Other things that a seat may say. With a request id, the same again has the same answer: ever after.

    async def give_nonce(self, match_id: str, seat: Seat, nonce: bytes) -> Done:
        """Raises NonceRefused, also if play has begun, or MatchOver."""
        try:
            return await self._asking.ask(match_id, GiveNonce(seat, nonce), seat)
        except NotAllowedNow:
            raise NonceRefused("play has begun") from None

    async def resign(self, match_id: str, seat: Seat, request_id: str = "") -> Done:
        """Raises SeatOut, NotAllowedNow, MatchOver or RequestIdReused."""
        return await self._asking.ask(match_id, Resign(seat), seat, request_id)

    async def offer_draw(self, match_id: str, seat: Seat, request_id: str = "") -> Done:
        """Offer a draw, or accept the offers that stand. Raises NoDraw, OfferedBefore, or what `resign` raises."""
        return await self._asking.ask(match_id, OfferDraw(seat), seat, request_id)

    async def accept_draw(self, match_id: str, seat: Seat, request_id: str = "") -> Done:
        """Accept the offers that stand. Raises NoDraw, OfferedBefore, or what `resign` raises."""
        return await self._asking.ask(match_id, AcceptDraw(seat), seat, request_id)

    async def decline_draw(self, match_id: str, seat: Seat, request_id: str = "") -> Done:
        """Raises NoDraw, or what `resign` raises."""
        return await self._asking.ask(match_id, DeclineDraw(seat), seat, request_id)

    async def claim_draw(self, match_id: str, seat: Seat, request_id: str = "") -> Done:
        """Raises NoDraw, NotAllowedNow, MatchOver or RequestIdReused."""
        return await self._asking.ask(match_id, ClaimDraw(seat), seat, request_id)

    # What people decide. Request ids are kept apart by who decides: `by`.

    async def abort(self, match_id: str, message: str = "", by: str = "", request_id: str = "") -> Done:
        """Whoever made the match calls it off. Raises MatchOver or RequestIdReused."""
        command = Void(Cause.ABORTED, message) if message else Abort()
        return await self._asking.ask(match_id, command, by, request_id)

    async def void(self, match_id: str, cause: Cause, reason: str, by: str = "", request_id: str = "") -> Done:
        """Raises BadVerdict, MatchOver or RequestIdReused."""
        return await self._asking.ask(match_id, Void(cause, reason), by, request_id)

    async def adjudicate(
        self, match_id: str, side_ranks: tuple[int, ...], reason: str, by: str = "", request_id: str = ""
    ) -> Done:
        """Raises BadVerdict, NotAllowedNow, MatchOver or RequestIdReused."""
        return await self._asking.ask(match_id, Adjudicate(side_ranks, reason), by, request_id)

    # Watching

    async def watch(self, match_id: str, after: int | None, viewer: Viewer) -> tuple[Whole, Watching]:
        """The match at that number (None: now), and what follows, to be iterated over. Raises NumberAhead."""
        story = await self._floor.archive.story(match_id)
        behind_at_most = self._limits.watcher_behind_at_most
        watching = Watching(self._log, self._floor.find_game, story, viewer, behind_at_most, self._going_back)
        return await watching.begin(after), watching

    # Going

    async def drain(self, grace_us: Micros, return_after_ms: int) -> None:
        """Start nothing new, tell every session, and wait for the turns that are asked now; not beyond the grace.

        Turns that follow from the answers are not asked any more. Then `close`.
        """
        self._draining = RefereeDraining(return_after_ms)
        self._floor.crier.asks = False
        for session in self.sessions.all():
            session.outbox.put("draining", Draining(grace_us // MS, return_after_ms))
        until_us = self._time.monotonic_us() + grace_us
        asked = [(board, turn) for board in self._floor.boards.all() if board.runner for turn in board.match.owing]
        while self._time.monotonic_us() < until_us and any(self._thinks(*one) for one in asked):
            self._floor.moved.clear()
            alarm = self._time.call_at(until_us, self._floor.moved.set)
            await self._floor.moved.wait()
            alarm.cancel()

    async def close(self) -> None:
        """Decide what was asked, and stop. Every match stands in its log and goes on after the next `recover`."""
        self._draining = self._draining or RefereeDraining(0)
        await self._floor.close(self._draining)

    def _thinks(self, board: Board, turn: Turn) -> bool:
        """Does a bot that is there still owe the answer to that turn?"""
        return turn in board.match.owing and self.sessions.present(board.match.players[turn.seat])


def _pressing(due: TurnDue) -> Micros:
    return LONGEST if due.left_us is None else due.left_us
