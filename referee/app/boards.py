"""The boards at which this process plays: every match that is not over."""

import asyncio
from collections import Counter, defaultdict

from engines.api import Seat
from referee.app.alarm_clock import AlarmClock
from referee.app.runner import MatchRunner
from referee.app.sessions import Session
from referee.app.story import Story
from referee.app.turns import SeatClock, clocks_at_entry, seat_clocks
from referee.app.wish import MAKER
from referee.core.clock import Micros
from referee.core.match import Match


class Board:
    """One match that is not over."""

    def __init__(self, story: Story, runner: MatchRunner | None = None) -> None:
        self.story = story
        self.runner = runner
        """None: its time stands still, until its bots are back after a restart."""
        self.waking: asyncio.Task[None] | None = None
        """Its time begins to run again."""
        self.asked_of: dict[Seat, Session] = {}
        """The session that was last asked for each seat's turn."""
        self.tokens_told: dict[Seat, str] = {}
        """Of the turn that each seat was last told of."""
        self.nonces_until_us: Micros | None = None
        """Until when nonces are waited for, in match time."""
        self.alarm: AlarmClock | None = None
        """While it waits: for its start."""

    @property
    def match(self) -> Match:
        return self.story.match

    @property
    def running(self) -> MatchRunner:
        """The runner, where its time does run."""
        assert self.runner
        return self.runner

    @property
    def match_id(self) -> str:
        return self.match.setup.match_id

    def clocks(self) -> tuple[SeatClock, ...]:
        """Every seat's clock as it stands now."""
        match, runner = self.match, self.runner
        if runner is None:
            return clocks_at_entry(match)
        stalls_us = [runner.stall_us(turn.seat) if turn else 0 for turn in match.turns]
        return seat_clocks(match, runner.match_now(), stalls_us)

    @property
    def maker(self) -> str:
        """Who made it; empty: nobody in particular."""
        return dict(self.match.setup.labels).get(MAKER, "")

    def holds(self, bot: str, seat: Seat) -> bool:
        """Does that bot sit there?"""
        players = self.match.players
        return bool(bot) and 0 <= seat < len(players) and players[seat].bot == bot

    def seats_of(self, bot: str) -> list[Seat]:
        return [seat for seat, player in enumerate(self.match.players) if player.bot == bot]


class Boards:
    """By their matches, and by the bots that sit there."""

    def __init__(self) -> None:
        self._by_id: dict[str, Board] = {}
        self._by_bot: defaultdict[str, dict[str, Board]] = defaultdict(dict)
        self._made: Counter[str] = Counter()
        """How many are here, by who made them."""

    def add(self, board: Board) -> None:
        self._by_id[board.match_id] = board
        self._made[board.maker] += 1
        self.seated(board)

    def seated(self, board: Board) -> None:
        """Somebody may have taken a seat there."""
        for player in board.match.players:
            if player.bot:
                self._by_bot[player.bot][board.match_id] = board

    def remove(self, match_id: str) -> Board | None:
        """It has left; None: it had before."""
        board = self._by_id.pop(match_id, None)
        if board:
            self._made[board.maker] -= 1
            if not self._made[board.maker]:
                del self._made[board.maker]
        for player in board.match.players if board else ():
            boards = self._by_bot[player.bot]
            boards.pop(match_id, None)
            if not boards:
                del self._by_bot[player.bot]
        return board

    def find(self, match_id: str) -> Board | None:
        return self._by_id.get(match_id)

    def of_bot(self, bot: str) -> list[Board]:
        """In the order in which they were opened."""
        return list(self._by_bot[bot].values()) if bot in self._by_bot else []

    def made_by(self, maker: str) -> int:
        """How many are here of that maker."""
        return self._made[maker]

    def all(self) -> list[Board]:
        """In the order in which they were opened."""
        return list(self._by_id.values())
