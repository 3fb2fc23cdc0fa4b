"""The floor on which the matches are played: who sits there, who comes and goes, and who is told.

It keeps the runners, and is told by them. A match that is over leaves it. After a restart the time of a
match in play stands still until its bots are back, or have been waited for long enough.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol, TypeVar

from engines.api import Game, Seat
from engines.refusals import Refusal
from referee.app.absences import Absences
from referee.app.archive import Archive
from referee.app.asked import NotRunHere
from referee.app.boards import Board, Boards
from referee.app.crier import Crier
from referee.app.desk import Delays, Desk, Rater, as_it_is
from referee.app.ends import Ends, UnheardEnds
from referee.app.lag import Lag
from referee.app.lobby import Lobby
from referee.app.ports import Conflict, Entry, EventLog, LogUnavailable, Time
from referee.app.requests import Requests
from referee.app.runner import MatchRunner
from referee.app.sessions import Sessions
from referee.app.story import Story, steps
from referee.app.wish import find_game
from referee.core.clock import SECOND, Micros
from referee.core.commands import Begin, Command, Leave, Return
from referee.core.deciding import Decided
from referee.core.errors import MatchOver
from referee.core.events import PlayBegan, RefereeBack, SeatBack, SeatGone, SeatTaken
from referee.core.match import Match, Phase

T = TypeVar("T")

COMING_OR_GOING = (PlayBegan, RefereeBack, SeatGone, SeatBack)
EXPECTED = (Refusal, LogUnavailable, NotRunHere)
"""What may come of a command without anything being broken."""
WAKING_AGAIN_US = SECOND
"""After how long it is tried again to let a match go on whose log could not be written."""


class Listener(Protocol):
    """Who hears of all that happens in all matches, such as those who count. To take note and return at once."""

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """See `desk.Keeper`."""

    def broke(self, match_id: str, fault: Exception) -> None:
        """See `desk.Keeper`."""


class Follower(Listener, Protocol):
    """Who also makes matches, and so wants to know who could play."""

    def presence_changed(self, bot: str) -> None:
        """The bot came, went, or wants something else. To take note and return at once."""


class Floor:
    """A `desk.Keeper`."""

    def __init__(
        self,
        log: EventLog,
        unheard: UnheardEnds,
        time: Time,
        games: Mapping[str, Game],
        mint_id: Callable[[], str],
        lag: Lag,
        listeners: Sequence[Listener] = (),
        rater: Rater | None = None,
        around: Callable[[Desk], Desk] = as_it_is,
    ) -> None:
        self.games = games
        self.lag = lag
        self.boards = Boards()
        self.sessions = Sessions(time, mint_id, self.sessions_changed, Ends(unheard, self.start))
        self.absences = Absences(time, self._absence_due)
        self.crier = Crier(self.sessions)
        self.lobby = Lobby(self.sessions, time, self.submit)
        self.archive = Archive(log, self.find_game, self.boards, self.broke)
        self.desk = around(Desk(log, time, self, rater))
        self.requests = Requests(log)
        self.moved = asyncio.Event()
        """Set whenever something has happened."""
        self._listeners = listeners
        self._followers: list[Follower] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closed = False

    def follow(self, follower: Follower) -> None:
        """Tell it of all that happens from now on."""
        self._followers.append(follower)

    def find_game(self, name: str) -> Game:
        """Raises UnknownGame."""
        return find_game(self.games, name)

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        news = steps(before, entries, match)
        board = self.boards.find(match.setup.match_id)
        if before is None:
            board = Board(Story(news[0]))
            self.boards.add(board)
        assert board
        if before:
            board.story.goes_on(news)
        if before is None or entries[-1].request:
            self.requests.note(entries)
        self.moved.set()
        for listener in chain(self._listeners, self._followers):
            try:
                listener.announce(before, entries, match)
            except Exception as fault:
                self.broke(match.setup.match_id, fault)
        self.crier.happened(board, news)
        self._see_to(board, {type(entry.event) for entry in entries})

    def delays(self, match_id: str, seat: Seat) -> Delays:
        board = self.boards.find(match_id)
        if board is None:
            return Delays(0, self.lag.total_us())
        player = board.match.players[seat]
        session = self.sessions.of_player(player)
        own_us = self.lag.own_us(self.sessions.holder_of(player.bot))
        return Delays(session.path_us if session else 0, self.lag.total_us() - own_us)

    def broke(self, match_id: str, fault: Exception) -> None:
        for listener in chain(self._listeners, self._followers):
            listener.broke(match_id, fault)

    def left(self, match_id: str) -> None:
        board = self.boards.remove(match_id)
        self.requests.forget(match_id)
        if board:
            self.lobby.leaves(board)
            board.story.close(NotRunHere(match_id))

    def submit(self, board: Board, command: Command, since_us: Micros | None = None) -> None:
        """Have a match decide something, whatever comes of it. `since_us`: see `MatchRunner.submit`."""
        try:
            asked = board.running.submit(command, since_us=since_us)
        except NotRunHere:  # It closes, and others will look after it.
            return
        asked.add_done_callback(lambda answer: self._noted(board, command, answer))

    def sessions_changed(self, bot: str) -> None:
        """Some of its sessions came, went, or want something else."""
        self.moved.set()
        if self._closed:
            return
        self.absences.note(bot, here=bool(self.sessions.of_bot(bot)))
        for board in self.boards.of_bot(bot):
            if board.match.phase is Phase.WAITING:
                self.lobby.look(board)
            elif board.runner:
                self.attend(board, board.seats_of(bot))
            elif self._all_back(board):
                self.wake(board)
        for follower in self._followers:
            follower.presence_changed(bot)

    def attend(self, board: Board, seats: Sequence[Seat]) -> None:
        """See who of them is there: the log is to say so, and who has just come is asked what it owes."""
        match = board.match
        for seat in seats if match.phase is Phase.PLAYING else ():
            player, gone = match.players[seat], match.gone_us[seat] is not None
            here = self.sessions.present(player)
            if here and gone:
                self.submit(board, Return(seat))
            elif not here and not gone and (since_us := self.absences.written_from(player.bot)) is not None:
                self.submit(board, Leave(seat), since_us)
            self.crier.comes(board, seat)

    def seat(self, board: Board, runner: MatchRunner) -> None:
        """Its time runs from now on."""
        board.runner = runner
        self.lobby.look(board)
        self.attend(board, range(len(board.match.players)))

    async def runner(self, match_id: str) -> MatchRunner:
        """The runner of a match, which goes on now. Raises UnknownMatch, MatchOver, NotRunHere or LogUnavailable."""
        board = self.boards.find(match_id)
        if board is None:
            result = (await self.archive.story(match_id)).match.result
            raise MatchOver(str(result)) if result else NotRunHere(match_id)
        if board.runner is None:
            await asyncio.wait([self.wake(board)])
        if board.runner is None:
            raise LogUnavailable(f"match {match_id} cannot go on now")
        return board.runner

    def wake(self, board: Board) -> asyncio.Task[None]:
        """Let the time of a match run again. Done when it does, or cannot now."""
        if board.waking is None:
            board.waking = self.start(self._go_on(board))
        return board.waking

    def wake_later(self, board: Board) -> None:
        """An alarm says so. By now it may have been woken, or have left."""
        if not self._closed and board.runner is None and self.boards.find(board.match_id) is board:
            self.wake(board)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Have something done even if nobody waits for it; `close` does."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    async def close(self, why: Exception) -> None:
        """Every match decides what it was asked, and stops; then whoever watches or plays is sent away."""
        self._closed = True
        self.absences.close()
        while self._tasks:
            await asyncio.wait(self._tasks)
        boards = self.boards.all()
        await asyncio.gather(*(board.runner.close() for board in boards if board.runner))
        for board in boards:
            self.lobby.rest(board)
            board.story.close(why)
        for session in self.sessions.all():
            session.outbox.close(why)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        fault = None if task.cancelled() else task.exception()
        if isinstance(fault, Exception) and not isinstance(fault, EXPECTED):
            self.broke("", fault)

    def _see_to(self, board: Board, kinds: set[type]) -> None:
        if board.match.phase is Phase.OVER:
            self._clear(board)
            return
        if SeatTaken in kinds:
            self.boards.seated(board)
        if PlayBegan in kinds:
            self.lobby.plays(board)
        if board.match.phase is Phase.WAITING:
            self.lobby.look(board)
        elif board.runner and not kinds.isdisjoint(COMING_OR_GOING):
            self.attend(board, range(len(board.match.players)))

    def _clear(self, board: Board) -> None:
        """It is over: it leaves, and its players have room for another match."""
        self.boards.remove(board.match_id)
        self.archive.keep(board.story)
        self.requests.forget(board.match_id)
        self.lobby.leaves(board)
        self.start(board.running.close())
        for bot in {player.bot for player in board.match.players}:
            for other in self.boards.of_bot(bot):
                if other.match.phase is Phase.WAITING:
                    self.lobby.look(other)

    def _absence_due(self, bot: str) -> None:
        for board in self.boards.of_bot(bot):
            if board.runner:
                self.attend(board, board.seats_of(bot))

    def _all_back(self, board: Board) -> bool:
        return all(self.sessions.present(player) for player in board.match.players)

    async def _go_on(self, board: Board) -> None:
        try:
            runner = await MatchRunner.go_on(board.match, board.story.at_ms, self.desk)
        except Conflict:
            self.left(board.match_id)
        except LogUnavailable:
            board.waking = None
            self.desk.time.call_at(self.desk.time.monotonic_us() + WAKING_AGAIN_US, lambda: self.wake_later(board))
        else:
            self.seat(board, runner)

    def _noted(self, board: Board, command: Command, answer: "asyncio.Future[Decided]") -> None:
        why = answer.exception()
        if why and isinstance(command, Begin):
            self.lobby.leaves(board)
        if isinstance(why, Exception) and not isinstance(why, EXPECTED):
            self.broke(board.match_id, why)
