"""The hall: where matches, ladders and tournaments are held, and who hears of what happens there."""

import asyncio
import secrets
from collections.abc import Sequence

import structlog

from engines.registry import games
from referee.app.conduct import Conduct
from referee.app.contests.ladders import Ladders, faults_at_most, shelf_of_ladders
from referee.app.contests.log import LADDER, TOURNAMENT
from referee.app.contests.making import Making
from referee.app.contests.matchmaker import Around
from referee.app.contests.present import Present
from referee.app.contests.queue import Queue
from referee.app.contests.ratings import Ratings
from referee.app.contests.sealed import Sealed
from referee.app.contests.tournaments import Tournaments
from referee.app.faults import fault_id
from referee.app.floor import Listener
from referee.app.lag import Lag
from referee.app.mishaps import Mishaps
from referee.app.notices import Notices
from referee.app.ports import Entry, Time
from referee.app.referee import Referee
from referee.app.scribe import Scribe
from referee.app.sessions import Session
from referee.app.worker_pool import WorkerPool
from referee.core.clock import Micros
from referee.core.match import Match
from referee.core.setup import SEED_BYTES
from referee.settings.declared import Settings
from referee.telemetry.metrics import Metrics
from referee.telemetry.outages import Outage
from referee.telemetry.tracing import Tracing
from referee.wiring.books import Books
from referee.wiring.bounds import limits

log = structlog.get_logger("referee")


class _FaultLog:
    """A listener that writes down what broke."""

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Nothing is broken."""

    def broke(self, match_id: str, fault: Exception) -> None:
        log.error("something broke in a match", match_id=match_id, fault_id=fault_id(match_id), exc_info=fault)


class Hall:
    """From `open` to `close`."""

    def __init__(
        self, settings: Settings, books: Books, metrics: Metrics, time: Time, tracing: Tracing, outage: Outage
    ) -> None:
        self._books = books
        self._outage = outage
        self._metrics = metrics
        self._time = time
        self.lag = Lag(time)
        self.pool = WorkerPool(max_cpu_s=settings.compute_at_most_ms / 1000)
        """For whatever strangers may ask at length."""
        self.scribe = Scribe(books.bot_log)
        self.notices = Notices(self.scribe, self._sessions_of, time)
        self.events = metrics.measured(books.events, time, self._log_is_away)
        contests = metrics.measured_contests(books.contests)
        self._shelf = shelf_of_ladders(contests, games(), self._contest_broke)
        self._conduct = Conduct(
            books.accounts,
            self.notices,
            time,
            lambda match: faults_at_most(self._shelf, match, settings.faults_in_a_row_at_most),
        )
        self._listeners: Sequence[Listener] = [metrics.matches, _FaultLog(), Mishaps(self.scribe), self._conduct]
        ratings = Ratings(self._shelf, games())
        self.referee = Referee(
            self.events,
            books.unheard,
            time,
            games(),
            limits(settings),
            lambda: secrets.token_hex(12),
            _seed,
            self.lag,
            self._listeners,
            ratings,
            tracing.around,
            self.pool.run,
        )
        making = Making(self.referee, books.accounts)
        around = Around(
            self.referee,
            making,
            Present(self.referee, making, books.accounts),
            ratings.played,
            self._conduct.counted,
            time,
            self._contest_broke,
        )
        self.ladders = Ladders(contests, self._shelf, around, games(), limits(settings), _seed, self.pool.run)
        self.tournaments = Tournaments(
            contests,
            self.referee,
            books.accounts,
            self.ladders,
            making,
            time,
            games(),
            limits(settings),
            _seed,
            self._contest_broke,
            self.pool.run,
        )
        self.sealed = Sealed({LADDER: self.ladders, TOURNAMENT: self.tournaments})

    async def open(self) -> None:
        """Take up all that goes on. Raises LogUnavailable, or MalformedEntry."""
        self.lag.charge_tasks(asyncio.get_running_loop())
        self.lag.start()
        began_us = self._time.monotonic_us()
        ladders = len(await self._shelf.open())  # Before any match goes on: its end may be rated.
        matches = await self.referee.recover()
        self._metrics.recovered(matches, self._time.monotonic_us() - began_us)
        self.ladders.open()
        tournaments = await self.tournaments.open()
        log.info("the referee takes up", matches=matches, ladders=ladders, tournaments=tournaments)

    async def drain(self, grace_us: Micros, return_after_ms: int) -> None:
        """Start nothing new, and let turns in the air finish."""
        await self.referee.drain(grace_us, return_after_ms)
        assert self.referee.draining
        await self.close_contests(self.referee.draining)
        await self.referee.close()

    async def close_contests(self, why: Exception) -> None:
        await self.ladders.stop(why)
        await self.tournaments.close(why)

    async def close(self) -> None:
        """Come back when all that happened is written."""
        self.lag.stop()
        asyncio.get_running_loop().set_task_factory(None)
        await self._conduct.counted()
        await self.scribe.written()
        await self.pool.close()

    def queues(self) -> dict[str, Queue]:
        now_ms = self._time.wall_ms()
        return {LADDER: self.ladders.queue(now_ms), TOURNAMENT: self.tournaments.queue(now_ms)}

    def match_broke(self, match_id: str, fault: Exception) -> None:
        for listener in self._listeners:
            listener.broke(match_id, fault)

    def _log_is_away(self, why: str) -> None:
        if why:
            log.error("moves cannot be written, and matches stand still", why=why)
        else:
            log.info("moves can be written again, and matches go on")
        self._outage(why)

    def _contest_broke(self, contest: str, fault: Exception) -> None:
        log.error("something broke in a contest", contest=contest, fault_id=fault_id(contest), exc_info=fault)
        self._metrics.matches.broke(contest, fault)

    def _sessions_of(self, bot: str) -> Sequence[Session]:
        return self.referee.sessions.of_bot(bot)


def _seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)
