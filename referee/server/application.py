"""The application: live matches, ladders and tournaments, and the listeners of their events."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence

import structlog

from engines.registry import games
from referee.hosting.contest_log import LADDER, TOURNAMENT
from referee.hosting.contest_worker import HostingDependencies
from referee.hosting.contest_workers import DuplicateSecrecy
from referee.hosting.joined_matches import JoinedMatches, PairingOwners
from referee.hosting.ladder_host import LadderHost, ladder_registry, max_faults_for
from referee.hosting.ladder_ratings import LadderRatings
from referee.hosting.match_factory import MatchFactory, MatchQueue
from referee.hosting.tournament_host import TournamentHost, tournament_registry
from referee.live.bot_notices import AutoPause, BotLogRecorder, BotNotifier, FaultRecorder
from referee.live.loop_lag import LoopLag
from referee.live.match_request import LiveLimits
from referee.live.other_nodes import OtherNodes, connect_to_none
from referee.live.ports import Entry, MatchObserver, Time, fault_id
from referee.live.referee import Referee
from referee.live.registry import LiveMatches, MatchSurroundings
from referee.live.sessions import Session
from referee.live.worker_pool import WorkerPool
from referee.match.clock import MS, SECOND, Micros
from referee.match.setup import SEED_BYTES
from referee.match.state import Match
from referee.observability.event_log_metrics import OutageCallback
from referee.observability.metrics import Metrics
from referee.observability.tracing import Tracing
from referee.server.settings import Settings
from referee.server.stores import Stores

log = structlog.get_logger("referee")


class _FaultLog:
    """A MatchObserver that logs faults."""

    sees_moves = False

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Does nothing: entries are no faults."""

    def on_fault(self, match_id: str, fault: Exception) -> None:
        log.error("match fault", match_id=match_id, fault_id=fault_id(match_id), exc_info=fault)


class Application:
    """Runs from `open` to `close`."""

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        metrics: Metrics,
        time: Time,
        tracing: Tracing,
        outage: OutageCallback,
        connect: Callable[[LiveMatches], OtherNodes] = connect_to_none,
    ) -> None:
        """`connect`: see `MatchSurroundings`."""
        self._stores = stores
        self._outage = outage
        self.metrics = metrics
        self.time = time
        self.tracing = tracing
        self.recovered = asyncio.Event()
        """Set when all matches and contests are recovered, or never will be. Calls that need them wait for it."""
        self._recovery_began_us: Micros = 0
        self._loaded: dict[str, int] = {}
        """Number of contests that were loaded, by kind."""
        self.lag = LoopLag(time)
        self.pool = WorkerPool(max_cpu_s=settings.max_compute_ms / 1000)
        """Runs computations of unknown length that callers can cause."""
        self.bot_log_recorder = BotLogRecorder(stores.bot_log)
        self.notifier = BotNotifier(self.bot_log_recorder, self._sessions_of, time)
        self.events = metrics.meter_event_log(stores.events, time, self._log_outage)
        contests = metrics.meter_contest_log(stores.contests)
        ladders = ladder_registry(contests, games(), self._report_contest_fault)
        tournaments = tournament_registry(contests, self._report_contest_fault)
        joined_matches = JoinedMatches(ladders, tournaments)
        self._auto_pause = AutoPause(
            stores.accounts,
            self.notifier,
            time,
            lambda match: max_faults_for(ladders, match, settings.max_consecutive_faults),
            joined_matches.contains,
        )
        self._observers: Sequence[MatchObserver] = [metrics.matches, _FaultLog(), FaultRecorder(self.bot_log_recorder)]
        owners = PairingOwners(stores.accounts, stores.quotas)
        ratings = LadderRatings(ladders, games(), owners, time)
        around = MatchSurroundings(self._observers, ratings, joined_matches, tracing.around, connect)
        live = LiveMatches(self.events, stores.undelivered_ends, time, games(), _mint_id, self.lag, around)
        self.others = live.others
        self.referee = Referee(live, live_limits(settings), _mint_id, _draw_seed, self.pool.run)
        dependencies = HostingDependencies(
            self.referee,
            MatchFactory(self.referee, stores.accounts),
            stores.accounts,
            time,
            games(),
            live_limits(settings),
            _draw_seed,
            self._report_contest_fault,
            self.notifier,
            owners,
            self.pool.run,
        )
        self.ladders = LadderHost(ladders, dependencies, ratings, self._auto_pause.flush)
        self.tournaments = TournamentHost(tournaments, dependencies, self.ladders)
        self._runs_contests = False
        self.duplicate_secrecy = DuplicateSecrecy(
            {LADDER: self.ladders.workers, TOURNAMENT: self.tournaments.workers}, lambda: self._runs_contests
        )

    async def open(self) -> None:
        """Start, and `begin_recovery` unless another node may be in charge.

        Raises StoreUnavailable or MalformedEntry.
        """
        self.lag.charge_tasks(asyncio.get_running_loop())
        self.lag.start()
        if self.others.in_charge:
            await self.begin_recovery()

    async def begin_recovery(self) -> None:
        """Load all active contests, and find unfinished matches: what must be known before bots connect.

        In a cluster, the coordinator does so. Raises StoreUnavailable or MalformedEntry.
        """
        self._recovery_began_us = self.time.monotonic_us()
        self.referee.subscribe(self._auto_pause)  # Before the workers of ladders, which wait for what it counts.
        # Ladders before matches, since matches that resume may end and be rated.
        self._loaded = {"ladders": await self.ladders.load(), "tournaments": await self.tournaments.load()}
        if self.others.in_charge:
            await self.referee.recovery.begin()

    async def finish_recovery(self, recover: Callable[[], Awaitable[int]] | None = None) -> None:
        """Recover these matches and contests, and run them. Raises StoreUnavailable or MalformedEntry.

        `recover` recovers the matches of a node that is not in charge yet, and returns their number.
        """
        began_us = self._recovery_began_us
        matches = await (recover or self.referee.recovery.run)()
        self.metrics.recovered(matches, self.time.monotonic_us() - began_us)
        await self.ladders.start_workers()
        await self.tournaments.start_workers()
        self._runs_contests = True
        self.recovered.set()
        seconds = round((self.time.monotonic_us() - began_us) / SECOND, 3)
        log.info("state recovered", matches=matches, **self._loaded, seconds=seconds)

    async def drain(self, grace_us: Micros, reconnect_delay_ms: int) -> None:
        """Start nothing new, and let pending turns be answered for a grace period. Then call `close_matches`."""
        self.recovered.set()  # Calls that wait for it get the error of a server that shuts down.
        await self.referee.drain(grace_us, reconnect_delay_ms)
        assert self.referee.draining
        await self.close_contests(self.referee.draining)

    async def close_matches(self) -> None:
        """Stop all matches, and end all sessions."""
        await self.referee.close()

    async def close_contests(self, why: Exception) -> None:
        await self.ladders.stop(why)
        await self.tournaments.stop(why)

    async def close(self) -> None:
        """Stop background work, and return when everything has been stored."""
        self.lag.stop()
        asyncio.get_running_loop().set_task_factory(None)
        await self._auto_pause.flush()
        await self.bot_log_recorder.flush()
        await self.pool.close()

    def queues(self) -> dict[str, MatchQueue]:
        now_ms = self.time.wall_ms()
        return {LADDER: self.ladders.queue(now_ms), TOURNAMENT: self.tournaments.queue(now_ms)}

    def report_match_fault(self, match_id: str, fault: Exception) -> None:
        for observer in self._observers:
            observer.on_fault(match_id, fault)

    def _log_outage(self, why: str) -> None:
        if why:
            log.error("match log unavailable, matches suspended", reason=why)
        else:
            log.info("match log available again, matches resumed")
        self._outage(why)

    def _report_contest_fault(self, contest: str, fault: Exception) -> None:
        log.error("contest fault", contest=contest, fault_id=fault_id(contest), exc_info=fault)
        self.metrics.matches.on_fault(contest, fault)

    def _sessions_of(self, bot: str) -> Sequence[Session]:
        return self.referee.sessions.of_bot(bot)


def live_limits(settings: Settings) -> LiveLimits:
    return LiveLimits(
        start_timeout_us=settings.start_timeout_ms * MS, max_watcher_lag=settings.max_queued_watch_entries
    )


def _mint_id() -> str:
    return secrets.token_hex(12)


def _draw_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)
