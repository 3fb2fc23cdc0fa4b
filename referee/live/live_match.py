"""Live matches: all matches of this process that are not over."""

import asyncio
from collections import Counter, defaultdict

from engines.api import Seat
from referee.live.match_history import MatchHistory
from referee.live.match_request import MAKER
from referee.live.match_timing import DeadlineTimer
from referee.live.runner import MatchRunner
from referee.live.sessions import Session
from referee.live.turn_view import SeatClock, clocks_at_entry, seat_clocks
from referee.match.clock import Micros
from referee.match.state import Match


class LiveMatch:
    """One match that is not over."""

    def __init__(self, history: MatchHistory, runner: MatchRunner | None = None) -> None:
        self.history = history
        self.runner = runner
        """None: match time stands still, because the bots have not returned yet after a restart."""
        self.resuming: asyncio.Task[None] | None = None
        """Task that resumes the match. None: there is none."""
        self.notified_sessions: dict[Seat, Session] = {}
        """The session to which each seat's last turn or nonce request was sent."""
        self.sent_tokens: dict[Seat, str] = {}
        """Turn token of the last turn that was sent to each seat."""
        self.nonces_due_us: Micros | None = None
        """Match time until which the match waits for nonces. None: it has not requested any."""
        self.start_timer: DeadlineTimer | None = None
        """Timer of the match while it waits for its start."""

    @property
    def match(self) -> Match:
        return self.history.match

    @property
    def active_runner(self) -> MatchRunner:
        """The runner of the match, whose time must be running."""
        assert self.runner
        return self.runner

    @property
    def match_id(self) -> str:
        return self.match.setup.match_id

    def clocks(self) -> tuple[SeatClock, ...]:
        """Return the clock of every seat, as of now."""
        match, runner = self.match, self.runner
        if runner is None:
            return clocks_at_entry(match)
        stalls_us = [runner.delay_us(turn.seat) if turn else 0 for turn in match.turns]
        return seat_clocks(match, runner.match_now(), stalls_us)

    @property
    def maker(self) -> str:
        """The creator of the match; empty: unknown."""
        return dict(self.match.setup.labels).get(MAKER, "")

    def holds(self, bot: str, seat: Seat) -> bool:
        """Return whether the bot holds that seat."""
        players = self.match.players
        return bool(bot) and 0 <= seat < len(players) and players[seat].bot == bot

    def seats_of(self, bot: str) -> list[Seat]:
        return [seat for seat, player in enumerate(self.match.players) if player.bot == bot]


class LiveMatchIndex:
    """Live matches by id, by bot and by creator."""

    def __init__(self) -> None:
        self._by_id: dict[str, LiveMatch] = {}
        self._by_bot: defaultdict[str, dict[str, LiveMatch]] = defaultdict(dict)
        self._count_by_maker: Counter[str] = Counter()
        """Number of live matches by creator."""

    def add(self, live_match: LiveMatch) -> None:
        self._by_id[live_match.match_id] = live_match
        self._count_by_maker[live_match.maker] += 1
        self.index_seats(live_match)

    def index_seats(self, live_match: LiveMatch) -> None:
        """Index the bots of the match again, after a seat may have been taken."""
        for player in live_match.match.players:
            if player.bot:
                self._by_bot[player.bot][live_match.match_id] = live_match

    def remove(self, match_id: str) -> LiveMatch | None:
        """Remove and return a match; None: it was removed before."""
        live_match = self._by_id.pop(match_id, None)
        if live_match:
            self._count_by_maker[live_match.maker] -= 1
            if not self._count_by_maker[live_match.maker]:
                del self._count_by_maker[live_match.maker]
        for player in live_match.match.players if live_match else ():
            live_matches = self._by_bot[player.bot]
            live_matches.pop(match_id, None)
            if not live_matches:
                del self._by_bot[player.bot]
        return live_match

    def find(self, match_id: str) -> LiveMatch | None:
        return self._by_id.get(match_id)

    def of_bot(self, bot: str) -> list[LiveMatch]:
        """Return the matches of a bot in the order in which they were created."""
        return list(self._by_bot[bot].values()) if bot in self._by_bot else []

    def count_made_by(self, maker: str) -> int:
        """Return the number of live matches of that creator."""
        return self._count_by_maker[maker]

    def all(self) -> list[LiveMatch]:
        """Return all matches in the order in which they were created."""
        return list(self._by_id.values())
