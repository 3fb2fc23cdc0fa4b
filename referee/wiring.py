"""Joins the rooms: which books are kept, who is told, what is served where.

Only here is chosen which adapter stands behind a port.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path

import grpc
import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from referee_api.v1.admin_service_pb2_grpc import add_AdminServiceServicer_to_server
from referee_api.v1.bot_service_pb2_grpc import add_BotServiceServicer_to_server
from referee_api.v1.game_service_pb2_grpc import add_GameServiceServicer_to_server
from referee_api.v1.ladder_service_pb2_grpc import add_LadderServiceServicer_to_server
from referee_api.v1.match_service_pb2_grpc import add_MatchServiceServicer_to_server
from referee_api.v1.play_service_pb2_grpc import add_PlayServiceServicer_to_server
from referee_api.v1.tournament_service_pb2_grpc import add_TournamentServiceServicer_to_server

from engines.registry import games
from referee.app.accounts import Accounts
from referee.app.bot_log import BotLog
from referee.app.conduct import Conduct
from referee.app.contests.ladders import Ladders, faults_at_most, shelf_of_ladders
from referee.app.contests.log import LADDER, TOURNAMENT, ContestLog
from referee.app.contests.making import Making
from referee.app.contests.matchmaker import Around
from referee.app.contests.present import Present
from referee.app.contests.queue import Queue
from referee.app.contests.ratings import Ratings
from referee.app.contests.sealed import Sealed
from referee.app.contests.tournaments import Tournaments
from referee.app.ends import UnheardEnds
from referee.app.faults import fault_id
from referee.app.floor import Listener
from referee.app.lag import Lag
from referee.app.loop_time import LoopTime
from referee.app.mishaps import Mishaps
from referee.app.notices import Notices
from referee.app.ports import Entry, EventLog, LogUnavailable, Time
from referee.app.quotas import Quota, Quotas
from referee.app.referee import Referee
from referee.app.scribe import Scribe
from referee.app.sessions import Session
from referee.app.tokens import SECRET_BYTES, Role, Tokens, WantedTokens
from referee.app.wish import Limits
from referee.core.clock import MS, SECOND, Micros
from referee.core.match import Match
from referee.core.row import NetworkCredit
from referee.core.setup import SEED_BYTES
from referee.settings.declared import Settings
from referee.storage.accounts_memory import MemoryAccounts, MemoryQuotas, MemoryTokens
from referee.storage.accounts_sqlite import SqliteAccounts
from referee.storage.bot_log_memory import MemoryBotLog
from referee.storage.bot_log_sqlite import SqliteBotLog
from referee.storage.clerk import Clerk
from referee.storage.line import MalformedEntry
from referee.storage.memory import MemoryEventLog
from referee.storage.quotas_sqlite import SqliteQuotas
from referee.storage.record.keys import KeyUnusable, load_or_create
from referee.storage.record.writing import written
from referee.storage.sqlite import SqliteEventLog
from referee.storage.sqlite_file import NewerDatabase
from referee.storage.tokens_sqlite import SqliteTokens
from referee.storage.unheard_memory import MemoryUnheardEnds
from referee.storage.unheard_sqlite import SqliteUnheardEnds
from referee.telemetry.http import Answer, HttpPort, pages
from referee.telemetry.metrics import CONTENT_TYPE, Metrics
from referee.telemetry.readings import Readings
from referee.telemetry.tracing import UNTRACED, Tracing
from referee.transport import server as grpc_server
from referee.transport.admin import Admin
from referee.transport.auth import Gate
from referee.transport.bots import Bots
from referee.transport.conversation import Pace
from referee.transport.convert.matches import Aside
from referee.transport.convert.terms import Customs
from referee.transport.door import Door, counted
from referee.transport.games import Games
from referee.transport.keys import Keys
from referee.transport.ladders import Ladders as LadderServicer
from referee.transport.matches import Matches, Terms
from referee.transport.noting import Noting
from referee.transport.play import Play, Table
from referee.transport.quota import Allowances
from referee.transport.rated_matches import RatedMatches
from referee.transport.records import Records
from referee.transport.server import CannotListen, Server
from referee.transport.tls import TlsFiles, TlsUnusable, certificate_ends_s, credentials
from referee.transport.tournaments import Tournaments as TournamentServicer

DATABASE = "referee.db"
KEY = "referee-key.pem"
FIRST_ADMIN = "admin"
LAST_WORDS_US: Micros = 2 * SECOND
"""For streams to end with a reason, when all is decided and written."""

log = structlog.get_logger("referee")


class CannotStart(Exception):
    """`str()` is one sentence."""


@dataclass(frozen=True, slots=True)
class Books:
    """Everything that is remembered."""

    events: EventLog
    contests: ContestLog
    unheard: UnheardEnds
    accounts: Accounts
    tokens: Tokens
    quotas: Quotas
    bot_log: BotLog
    key: Ed25519PrivateKey
    close: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Open:
    """Where it is served, and by which token one comes in first."""

    grpc: str
    http: str
    admin_token: str
    """Empty: there was an administrator already."""


def open_books(settings: Settings, time: Time, committed: Callable[[int], None]) -> Books:
    """`committed` hears of each transaction of the log. Raises CannotStart."""
    if settings.ephemeral:
        return _in_memory(settings, time)
    try:
        # The seeds of matches that are being played lie there.
        settings.data_dir.mkdir(0o700, parents=True, exist_ok=True)
        return _on_disk(settings, settings.data_dir / DATABASE, time, committed)
    except (OSError, LogUnavailable, NewerDatabase, KeyUnusable) as why:
        raise CannotStart(f"cannot use {settings.data_dir}: {why}") from None


def _in_memory(settings: Settings, time: Time) -> Books:
    events, tokens = MemoryEventLog(time.wall_ms), MemoryTokens()
    return Books(
        events,
        events.contests,
        MemoryUnheardEnds(events),
        MemoryAccounts(tokens),
        tokens,
        MemoryQuotas(),
        MemoryBotLog(settings.bot_log_lines_at_most),
        Ed25519PrivateKey.generate(),
        events.close,
    )


def _on_disk(settings: Settings, path: Path, time: Time, committed: Callable[[int], None]) -> Books:
    events = SqliteEventLog(path, time.wall_ms, settings.durability, committed=committed)
    clerk = Clerk(path, settings.durability)

    async def close() -> None:
        await events.close()
        await clerk.close()

    return Books(
        events,
        events.contests,
        SqliteUnheardEnds(clerk),
        SqliteAccounts(clerk),
        SqliteTokens(clerk),
        SqliteQuotas(clerk),
        SqliteBotLog(clerk, settings.bot_log_lines_at_most),
        load_or_create(settings.data_dir / KEY),
        close,
    )


class _FaultLog:
    """A listener that writes down what broke."""

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Nothing is broken."""

    def broke(self, match_id: str, fault: Exception) -> None:
        log.error("something broke in a match", match_id=match_id, fault_id=fault_id(match_id), exc_info=fault)


class House:
    """One referee, from `open` to `close`."""

    def __init__(self, settings: Settings, tracing: Tracing = UNTRACED) -> None:
        """Raises CannotStart. `tracing` is closed with it."""
        self._settings = settings
        self._tracing = tracing
        self._time = LoopTime()
        self._metrics = Metrics(version("referee"))
        self._books = open_books(settings, self._time, self._metrics.committed)
        self._lag = Lag(self._time)
        self._scribe = Scribe(self._books.bot_log)
        self._notices = Notices(self._scribe, self._sessions_of, self._time)
        contests = self._metrics.measured_contests(self._books.contests)
        self._shelf = shelf_of_ladders(contests, games())
        self._conduct = Conduct(
            self._books.accounts,
            self._notices,
            self._time,
            lambda match: faults_at_most(self._shelf, match, settings.faults_in_a_row_at_most),
        )
        self._going = asyncio.Event()
        self._grace_us: Micros = settings.drain_grace_s * SECOND
        self._listeners: Sequence[Listener] = [self._metrics.matches, _FaultLog(), Mishaps(self._scribe), self._conduct]
        self._events = self._metrics.measured(self._books.events, self._time)
        limits = self._limits = Limits(
            start_within_us=settings.start_within_ms * MS,
            watcher_behind_at_most=settings.watch_entries_waiting_at_most,
        )
        ratings = Ratings(self._shelf, games())
        self._referee = Referee(
            self._events,
            self._books.unheard,
            self._time,
            games(),
            limits,
            lambda: secrets.token_hex(12),
            lambda: secrets.token_bytes(SEED_BYTES),
            self._lag,
            self._listeners,
            ratings,
            self._tracing.around,
        )
        making = Making(self._referee, self._books.accounts)
        self._ladders = Ladders(
            contests,
            self._shelf,
            Around(
                self._referee,
                making,
                Present(self._referee, making, self._books.accounts),
                ratings.played,
                self._conduct.counted,
                self._time,
                self._contest_broke,
            ),
            games(),
            limits,
            lambda: secrets.token_bytes(SEED_BYTES),
        )
        self._tournaments = Tournaments(
            contests,
            self._referee,
            self._books.accounts,
            self._ladders,
            making,
            self._time,
            games(),
            limits,
            lambda: secrets.token_bytes(SEED_BYTES),
            self._contest_broke,
        )
        self._allowances = Allowances(self._books.quotas, _usual_quota(settings), settings.streams_at_most, self._time)
        self._gate = Gate(self._books.tokens, self._time)
        self._keys = Keys(
            self._books.tokens, self._gate, self._allowances, self._time, lambda: secrets.token_bytes(SECRET_BYTES)
        )
        self._http = HttpPort(pages(self._page_of_metrics, self._not_ready))
        self._server = self._wired_server()

    async def open(self) -> Open:
        """Take up the matches, and serve. Raises CannotStart."""
        self._lag.start()
        settings = self._settings
        try:
            began_us = self._time.monotonic_us()
            ladders = len(await self._shelf.open())  # Before any match goes on: its end may be rated.
            recovered = await self._referee.recover()
            self._metrics.recovered(recovered, self._time.monotonic_us() - began_us)
            self._ladders.open()
            tournaments = await self._tournaments.open()
            secret = await self._first_admin()
            port = await self._server.open(str(settings.listen), self._credentials())
            # Only now: who is told that the referee is ready can call it.
            http_port = await self._http.open(settings.http_listen.host, settings.http_listen.port)
        except (LogUnavailable, MalformedEntry, CannotListen, TlsUnusable, OSError) as why:
            await self._server.close(0)
            await self._ladders.stop(why)
            await self._tournaments.close(why)
            await self._books.close()
            raise CannotStart(str(why)) from None
        self._metrics.read(self._readings())
        log.info(
            "the referee serves",
            matches=recovered,
            ladders=ladders,
            tournaments=tournaments,
            port=port,
            http_port=http_port,
        )
        host, http_host = settings.listen, settings.http_listen
        return Open(str(type(host)(host.host, port)), str(type(http_host)(http_host.host, http_port)), secret)

    def go(self, grace_us: Micros | None = None) -> None:
        """Begin to go. To say so twice is no fault."""
        if not self._going.is_set():
            self._grace_us = self._grace_us if grace_us is None else grace_us
            self._going.set()

    async def until_it_goes(self) -> None:
        await self._going.wait()

    async def close(self) -> None:
        """Start nothing new, let turns in the air finish, put everything on disk, and stop."""
        log.info("the referee is about to go", grace_us=self._grace_us)
        await self._server.stop_serving()
        await self._referee.drain(self._grace_us, self._settings.return_after_ms)
        assert self._referee.draining
        await self._ladders.stop(self._referee.draining)
        await self._tournaments.close(self._referee.draining)
        await self._referee.close()
        await self._server.close(LAST_WORDS_US)
        self._http.close()
        self._lag.stop()
        await self._conduct.counted()
        await self._scribe.written()
        await self._books.close()
        await asyncio.to_thread(self._tracing.close)
        log.info("the referee has gone")

    def _wired_server(self) -> Server:
        settings, books, referee = self._settings, self._books, self._referee
        known = games()
        served = Games(known, settings.legal_moves_at_most)
        noting = Noting(self._scribe, self._time)
        customs = Customs(known, _credit(settings), self._limits)
        aside = Aside(referee.sessions.present, Sealed({LADDER: self._ladders, TOURNAMENT: self._tournaments}))
        matches = Matches(
            referee,
            customs,
            books.accounts,
            Records(self._events, lambda entries: written(entries, books.key, version("referee")), self._match_broke),
            self._allowances,
            noting,
            Terms(settings.legal_moves_at_most, settings.items_per_message_at_most),
            RatedMatches(self._ladders, known),
            aside,
        )
        at_once = settings.items_per_message_at_most
        ladders = LadderServicer(self._ladders, books.accounts, customs, self._allowances, at_once)
        tournaments = TournamentServicer(self._tournaments, books.accounts, customs, self._allowances, at_once)
        say = counted(self._metrics.refused)
        play = Play(referee, known, books.accounts, noting, self._allowances, self._time, say, aside, _table(settings))
        bots = Bots(
            referee,
            books.accounts,
            books.tokens,
            self._scribe,
            self._notices,
            self._keys,
            self._allowances,
            self._time,
            settings.versions_per_bot_at_most,
        )
        admin = Admin(
            referee,
            books.accounts,
            books.tokens,
            books.quotas,
            self._notices,
            self._keys,
            self._allowances,
            self._time,
            self.go,
        )
        measured = self._metrics.interceptor(self._time, grpc_server.METHODS)
        door = Door(self._gate, self._allowances, settings.message_at_most_bytes, say)
        return Server(
            [
                lambda server: add_GameServiceServicer_to_server(served, server),
                lambda server: add_MatchServiceServicer_to_server(matches, server),
                lambda server: add_PlayServiceServicer_to_server(play, server),
                lambda server: add_BotServiceServicer_to_server(bots, server),
                lambda server: add_AdminServiceServicer_to_server(admin, server),
                lambda server: add_LadderServiceServicer_to_server(ladders, server),
                lambda server: add_TournamentServiceServicer_to_server(tournaments, server),
            ],
            [*self._tracing.interceptors(), measured, door],
            _limits(settings),
        )

    def _readings(self) -> Readings:
        settings = self._settings
        return Readings(
            lambda: self._referee.live,
            lambda: [session.player.bot for session in self._referee.sessions.all()],
            self._lag.total_us,
            lambda: not self._not_ready(),
            lambda: certificate_ends_s(settings.tls_cert) if settings.tls_cert else None,
            None if settings.ephemeral else settings.data_dir,
            self._queues,
        )

    def _queues(self) -> dict[str, Queue]:
        now_ms = self._time.wall_ms()
        return {LADDER: self._ladders.queue(now_ms), TOURNAMENT: self._tournaments.queue(now_ms)}

    def _credentials(self) -> grpc.ServerCredentials | None:
        settings = self._settings
        if not (settings.tls_cert and settings.tls_key):
            return None
        files = TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
        return credentials(files, settings.tls_reload_every_ms * MS, self._time.monotonic_us)

    async def _first_admin(self) -> str:
        """The secret of an administrator's token, if there is no administrator yet."""
        tokens = await self._books.tokens.tokens(WantedTokens(good_at_ms=self._time.wall_ms()))
        if any(token.role is Role.ADMIN for token in tokens):
            return ""
        secret, _ = await self._keys.make(Role.ADMIN, FIRST_ADMIN, label="made at the first start")
        return secret

    def _sessions_of(self, bot: str) -> Sequence[Session]:
        return self._referee.sessions.of_bot(bot)

    def _match_broke(self, match_id: str, fault: Exception) -> None:
        for listener in self._listeners:
            listener.broke(match_id, fault)

    def _contest_broke(self, contest: str, fault: Exception) -> None:
        log.error("something broke in a contest", contest=contest, exc_info=fault)
        self._metrics.matches.broke(contest, fault)

    def _page_of_metrics(self) -> Answer:
        return Answer(HTTPStatus.OK, self._metrics.text(), CONTENT_TYPE)

    def _not_ready(self) -> str:
        return "it is about to go" if self._going.is_set() else ""


def _usual_quota(settings: Settings) -> Quota:
    return Quota(
        settings.matches_per_holder_at_most,
        settings.streams_per_holder_at_most,
        settings.calls_per_minute,
        settings.bots_per_holder_at_most,
        settings.tokens_per_holder_at_most,
    )


def _credit(settings: Settings) -> NetworkCredit:
    return NetworkCredit(settings.credit_per_move_ms * MS, settings.credit_per_match_ms * MS)


def _table(settings: Settings) -> Table:
    return Table(
        settings.hello_within_ms,
        Pace(settings.items_per_message_at_most, settings.ping_every_ms, settings.gone_after_ms * MS),
        settings.legal_moves_at_most,
        settings.matches_per_bot_at_most,
        settings.versions_per_bot_at_most,
        settings.message_at_most_bytes,
        version("referee"),
    )


def _limits(settings: Settings) -> grpc_server.Limits:
    return grpc_server.Limits(
        settings.message_at_most_bytes,
        settings.keepalive_every_ms,
        settings.keepalive_within_ms,
        settings.client_pings_apart_ms,
        settings.streams_per_holder_at_most,
    )
