"""A referee with ladders and tournaments in one process, bots that answer their turns, and logs that can fail.

A move depends only on the match and the ply, so a match has the same result in every run.
"""

import asyncio
import zlib
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from referee_values import DuplicatePlay, Opening, PartnerRule

from engines.api import Game
from engines.game_errors import DetailedError
from referee.accounts.bots import Bot, MaxNames, Version
from referee.accounts.tokens import Role, Token
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_log import ContestEntry, ContestEvent, UnreadableContest
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.contest_worker import HostingDependencies
from referee.hosting.joined_matches import JoinedMatches, PairingOwners
from referee.hosting.ladder_host import LadderHost, ladder_registry, max_faults_for
from referee.hosting.ladder_ratings import LadderRatings
from referee.hosting.match_factory import MatchFactory
from referee.hosting.tournament_host import TournamentHost, TournamentRequest, tournament_registry
from referee.hosting.tournament_state import TournamentState
from referee.live.bot_notices import AutoPause, BotLogRecorder, BotNotifier
from referee.live.loop_lag import LoopLag
from referee.live.match_request import REQUEST_ID, LiveLimits
from referee.live.outbox import TurnNotice
from referee.live.ports import CoAppend, Entry, Request, StoreUnavailable
from referee.live.queued_command import MatchMoving
from referee.live.referee import Referee
from referee.live.registry import LiveMatches, MatchSurroundings
from referee.live.sessions import Hello, Session
from referee.match.clock import SECOND, Micros, SuddenDeath
from referee.match.events import Event
from referee.match.match_errors import MatchOver
from referee.match.match_terms import MatchTerms
from referee.match.result import EndCause
from referee.match.setup import Player
from referee.match.state import Match
from referee.storage.sqlite.database import in_memory
from referee.storage.sqlite.event_log import SqliteEventLog
from referee.storage.stored_bot_log import StoredBotLog
from referee.storage.stored_undelivered_ends import StoredUndeliveredEnds
from tests.contests.tournament_harness import play_terms
from tests.live.fake_time import FakeTime, settle
from tests.live.referee_harness import GAMES
from tests.live.runner_harness import PROCESSES, AwaitedLog, ServerProcess
from tests.match.setups import time_control
from tests.storage.account_stores import accounts_in
from tests.storage.memory import MemoryDatabase

MANY_MATCHES = Hello(max_matches=1000)
Choose = Callable[[Match, int, Sequence[str]], str]
"""Returns the move of a seat out of its legal moves. Empty: the bot does not answer."""


TIMEOUT_S = 180
"""Timeout of whatever a test waits for."""


class SimulatedCrash:
    """Simulates a crash: after that many durable writes, every read and write hangs."""

    def __init__(self, writes: int | None = None) -> None:
        """None: there is no crash."""
        self._writes = writes
        self.written = 0
        self.store_unavailable = False
        """Whether the log is unavailable for now."""
        self.happened = asyncio.Event()

    def trigger_after(self, more: int | None) -> None:
        """Crash after that many more durable writes; None: not at all."""
        self._writes = None if more is None else self.written + more

    async def count_write(self) -> None:
        self.written += 1
        if self.written == self._writes:
            self.happened.set()
        await self.check()

    async def check(self) -> None:
        if self.store_unavailable:
            raise StoreUnavailable("the disk is full")
        if self.happened.is_set():
            await asyncio.Event().wait()


class CrashingContestLog:
    """A ContestLog that fails in a simulated crash."""

    def __init__(self, stored: SqliteEventLog, crash: SimulatedCrash) -> None:
        self._stored = stored.contests
        self._crash = crash

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        await self._crash.check()
        entries = await self._stored.append(contest, after, events)
        await self._crash.count_write()
        return entries

    async def read(self, contest: str, after: int = 0, limit: int | None = None) -> list[ContestEntry]:
        await self._crash.check()
        return await self._stored.read(contest, after, limit)

    async def first_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        await self._crash.check()
        return await self._stored.first_entries(kind)

    async def last_entries(self, kind: str) -> Sequence[ContestEntry | UnreadableContest]:
        await self._crash.check()
        return await self._stored.last_entries(kind)


class CrashingEventLog(AwaitedLog):
    """An EventLog that fails in a simulated crash."""

    def __init__(self, stored: SqliteEventLog, crash: SimulatedCrash) -> None:
        super().__init__(stored)
        self._crash = crash

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        co_append: CoAppend[Any] | None = None,
    ) -> list[Entry]:
        await self._crash.check()
        entries = await self._log.append(match_id, after, events, request, co_append)
        await self._crash.count_write()
        return entries

    async def read(self, match_id: str, after: int = 0, limit: int | None = None) -> list[Entry]:
        await self._crash.check()
        return await self._log.read(match_id, after, limit)

    async def close(self) -> None:
        """Leave the log open for the next process."""


class Store:
    """Everything that is stored, and so outlives a process."""

    def __init__(self, on_disk: Path | None = None) -> None:
        """None: store everything in memory."""
        self.time = FakeTime()
        """Clock of the process that uses the store."""
        place = in_memory()
        self._on_disk = on_disk
        self.matches = SqliteEventLog(on_disk or place, self._wall_ms)
        self.database = MemoryDatabase(place)
        self.undelivered_ends = StoredUndeliveredEnds(self.database)
        stores = accounts_in(self.database)
        self.accounts, self.tokens, self.quotas = stores.accounts, stores.tokens, stores.quotas
        self._tokens = count(1)

    async def reopen(self) -> None:
        """Open the database again after its process was killed; pending writes are durable."""
        if self._on_disk:
            await self.matches.close()
            self.matches = SqliteEventLog(self._on_disk, self._wall_ms)

    def _wall_ms(self) -> int:
        return self.time.wall_ms()

    async def register(self, *bots: str, versions: Sequence[str] = ("1",), owner: str = "owner") -> None:
        for name in bots:
            token = Token(next(self._tokens).to_bytes(32, "little"), Role.BOT, owner, 1, bot=name)
            await self.accounts.register(f"r-{name}", Bot(name, owner, 1), token, MaxNames(1000, 1000))
            for version in versions:
                await self.accounts.add_version(Version(name, version, 1), 100)

    async def add_author(self, holder: str) -> None:
        """Give a holder the token of an author; a holder without one counts as staff."""
        await self.tokens.add_token(Token(next(self._tokens).to_bytes(32, "little"), Role.AUTHOR, holder, 1), 10)

    async def match_ids(self) -> list[str]:
        """Return the ids of all matches."""
        return [summary[0].match_id for summary in (await self.matches.summaries(limit=10_000)).found]


class HostingHarness(ServerProcess):
    """One server process, until `close`, until the end of the test, or until it is killed."""

    def __init__(self, store: Store, crash: SimulatedCrash | None = None, games: dict[str, Game] = GAMES) -> None:
        self.store = store
        self.crash = crash or SimulatedCrash()
        self.time = store.time = FakeTime()
        self.faults: list[tuple[str, Exception]] = []
        self.choose: Choose = choose_by_match
        self.voided: frozenset[str] = frozenset()
        """Ids of due matches that are declared void before their first move."""
        ids = count(1)
        self.contests = CrashingContestLog(store.matches, self.crash)
        self.registry = ladder_registry(self.contests, games, self._report_fault)
        tournaments = tournament_registry(self.contests, self._report_fault)
        self.bot_log = BotLogRecorder(StoredBotLog(store.database, 1000))
        notifier = BotNotifier(self.bot_log, self._sessions_of, self.time)
        joined_matches = JoinedMatches(self.registry, tournaments)
        self.auto_pause = AutoPause(
            store.accounts,
            notifier,
            self.time,
            lambda match: max_faults_for(self.registry, match, 1000),
            joined_matches.contains,
        )
        owners = PairingOwners(store.accounts, store.quotas)
        ratings = LadderRatings(self.registry, games, owners, self.time)

        def mint_id() -> str:
            return f"s{next(ids)}"

        around = MatchSurroundings([self.auto_pause], ratings, joined_matches)
        log, lag = CrashingEventLog(store.matches, self.crash), LoopLag(self.time)
        live = LiveMatches(log, store.undelivered_ends, self.time, games, mint_id, lag, around)
        self.referee = Referee(live, LiveLimits(), mint_id, lambda: bytes(32))
        self.factory = MatchFactory(self.referee, store.accounts)
        dependencies = HostingDependencies(
            self.referee,
            self.factory,
            store.accounts,
            self.time,
            games,
            LiveLimits(),
            lambda: bytes(32),
            self._report_fault,
            notifier,
            owners,
        )
        self.ladders = LadderHost(self.registry, dependencies, ratings, self.auto_pause.flush)
        self.tournaments = TournamentHost(tournaments, dependencies, self.ladders)
        self._playing: set[asyncio.Task[None]] = set()
        super().__init__()

    async def open(self) -> None:
        await self.ladders.load()
        await self.tournaments.load()
        await self.referee.recover()
        await self.ladders.start_workers()
        await self.tournaments.start_workers()

    async def close(self) -> None:
        PROCESSES.get([self]).remove(self)
        await self.ladders.stop(MatchMoving(""))
        await self.tournaments.stop(MatchMoving(""))
        await self.referee.close()
        if self._playing:
            await asyncio.wait(self._playing)
        assert self.faults == []

    def connect(self, *names: str, hello: Hello = MANY_MATCHES, version: str = "1") -> list[Session]:
        """Connect bots, which answer their turns."""
        sessions = [self.referee.sessions.open(Player(name, version), hello) for name in names]
        for session in sessions:
            task = asyncio.create_task(self._play(session))
            self._playing.add(task)
            task.add_done_callback(self._playing.discard)
        return sessions

    async def until_over(self, name: str) -> TournamentState:
        """Return the tournament when it is over."""
        return await self.until(name, lambda state: state.over)

    async def until(self, name: str, condition: Callable[[TournamentState], bool]) -> TournamentState:
        """Return the tournament as soon as the condition holds."""
        state, watch = await self.tournaments.watch(name, None)
        async with asyncio.timeout(TIMEOUT_S):
            while not condition(state):
                state = (await anext(watch))[-1].state
        return state

    def _report_fault(self, contest: str, fault: Exception) -> None:
        self.faults.append((contest, fault))

    def _sessions_of(self, bot: str) -> Sequence[Session]:
        return self.referee.sessions.of_bot(bot)

    async def _play(self, session: Session) -> None:
        while not session.outbox.closed:
            await session.outbox.wait()
            for item in session.outbox.drain(1000):
                if isinstance(item, TurnNotice):
                    await self._answer_turn(item)

    async def _answer_turn(self, turn_notice: TurnNotice) -> None:
        due = self.referee.turn_due(turn_notice.match_id, turn_notice.seat)
        if due and dict(due.match.setup.labels).get(REQUEST_ID) in self.voided:
            with suppress(MatchOver):
                await self.referee.void(turn_notice.match_id, EndCause.DECLARED, "power failure")
        elif due:
            moves = due.match.require_position().moves(turn_notice.seat)
            move = self.choose(due.match, turn_notice.seat, moves)
            with suppress(DetailedError, MatchMoving):  # The match was aborted.
                if move:
                    await self.referee.submit(turn_notice.match_id, turn_notice.seat, due.turn.token, move)


async def open_process(
    *bots: str,
    store: Store | None = None,
    crash: SimulatedCrash | None = None,
    online: Hello | None = None,
    silent: bool = False,
    **registration: Any,
) -> HostingHarness:
    """Open a process in which these bots are registered. `online`: they are connected; `silent`: bots never answer."""
    harness = HostingHarness(store or Store(), crash)
    if silent:
        harness.choose = lambda *_: ""
    await harness.store.register(*bots, **registration)
    await harness.open()
    if online:
        harness.connect(*bots, hello=online)
    return harness


async def reopen(harness: HostingHarness, after_us: Micros | None = None) -> HostingHarness:
    """Close a process, and open another one on its logs that much later. None: its clock starts anew."""
    await harness.close()
    again = HostingHarness(harness.store)
    if after_us is not None:
        again.time.us = harness.time.us + after_us
    await again.open()
    return again


def choose_by_match(match: Match, seat: int, moves: Sequence[str]) -> str:
    """Return a move that depends only on the match, the ply and the seat."""
    return moves[zlib.crc32(f"{match.setup.match_id} {match.ply} {seat}".encode()) % len(moves)]


def cup_terms(
    form: TournamentFormat,
    game: str = "nim",
    options: dict[str, Any] | None = None,
    openings: tuple[Opening, ...] = (),
    partners: PartnerRule = "individual",
    nonce_timeout_us: int = 0,
    **more: Any,
) -> HostedTournamentTerms:
    """Return terms with small matches of ten seconds for each seat."""
    chosen_options = {"heap": 6} if game == "nim" and options is None else options or {}
    match_terms = MatchTerms(
        game,
        GAMES[game].settings(chosen_options),
        time_control((SuddenDeath(10 * SECOND),)),
        nonce_timeout_us=nonce_timeout_us,
    )
    if openings:
        more["duplicate_play"] = DuplicatePlay(openings=openings)
    return HostedTournamentTerms((match_terms,), play_terms(form, b"", partner_rule=partners, **more))


def tournament_request(
    terms: HostedTournamentTerms, *entrants: str | ContestEntrant, name: str = "cup", request_id: str = "r1"
) -> TournamentRequest:
    """Return a request with these entrants; a text is the name of an entrant and its bot."""
    given = tuple(entrant(each) if isinstance(each, str) else each for each in entrants)
    return TournamentRequest(name, "org", request_id, terms, entrants=given)


async def start_tournament(
    harness: HostingHarness, terms: HostedTournamentTerms, *entrants: str | ContestEntrant, name: str = "cup"
) -> None:
    """Create and start a tournament."""
    await harness.tournaments.create(tournament_request(terms, *entrants, name=name, request_id=name))
    await harness.tournaments.start(name)
    await settle()


async def open_with_tournament(terms: HostedTournamentTerms, *bots: str, **process: Any) -> HostingHarness:
    """Open a process, and start a tournament of these bots in it."""
    harness = await open_process(*bots, **process)
    await start_tournament(harness, terms, *bots)
    return harness


def entrant(bot: str, *partners: str, name: str = "") -> ContestEntrant:
    return ContestEntrant(name or bot, bots=tuple(Player(partner) for partner in (bot, *partners)))


def other_tasks() -> set[asyncio.Task[Any]]:
    current = asyncio.current_task()
    return {task for task in asyncio.all_tasks() if task is not current}


async def kill_process() -> None:
    """Cancel all tasks but that of the test, as if the process were killed."""
    PROCESSES.get([]).clear()
    tasks = other_tasks()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def run_with_crashes(
    store: Store, run: Callable[[HostingHarness], Coroutine[Any, Any, Any]], writes_per_process: Sequence[int]
) -> tuple[HostingHarness, int]:
    """Run processes that each crash after a number of durable writes, until one does not; the last one never does.

    Return that one, which is still open, and how many processes it took.
    """
    for processes, writes in enumerate(writes_per_process, 1):
        harness = HostingHarness(store, SimulatedCrash(writes))
        await run_until_first(run(harness), harness.crash.happened.wait())
        if not harness.crash.happened.is_set():
            harness.crash.trigger_after(None)
            return harness, processes
        await kill_process()
        await store.reopen()
    harness = HostingHarness(store)
    await run(harness)
    return harness, len(writes_per_process) + 1


async def run_until_first(*work: Coroutine[Any, Any, Any]) -> None:
    """Return when one of the coroutines is done, and cancel the others."""
    done, others = await asyncio.wait([asyncio.create_task(job) for job in work], return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    for task in done:
        task.result()
