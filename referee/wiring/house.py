"""One referee, from `open` to `close`: its books, its hall, and what is served where."""

import asyncio
import os
from dataclasses import dataclass
from http import HTTPStatus

import structlog

from referee.app.loop_time import LoopTime
from referee.app.ports import LogUnavailable
from referee.core.clock import SECOND, Micros
from referee.settings.declared import Settings
from referee.storage.line import MalformedEntry
from referee.telemetry.http import Answer, HttpPort, made_on, pages
from referee.telemetry.metrics import CONTENT_TYPE, Metrics
from referee.telemetry.outages import Outage, untold
from referee.telemetry.readings import Readings
from referee.telemetry.tracing import UNTRACED, Tracing
from referee.transport.certificates import TlsUnusable, certificate_ends_s
from referee.transport.server import CannotListen
from referee.wiring import bounds
from referee.wiring.books import CannotStart, open_books
from referee.wiring.front import Front
from referee.wiring.hall import Hall

LAST_WORDS_US: Micros = 2 * SECOND
"""For streams to end with a reason, when all is decided and written."""

log = structlog.get_logger("referee")


@dataclass(frozen=True, slots=True)
class Open:
    """Where it is served, and by which token one comes in first."""

    grpc: str
    http: str
    admin_token: str
    """Empty: there is an administrator already, or the token is in `admin_token_file`."""
    admin_token_file: str
    """Empty: no token was written to a file."""


class House:
    def __init__(self, settings: Settings, tracing: Tracing = UNTRACED, outage: Outage = untold) -> None:
        """Raises CannotStart. `tracing` is closed with it; `outage` hears what the log says of it, too."""
        self._settings = settings
        self._tracing = tracing
        self._time = LoopTime()
        self._metrics = Metrics(bounds.VERSION)
        self._books = open_books(settings, self._time, self._metrics.committed)
        self._hall = Hall(settings, self._books, self._metrics, self._time, tracing, outage)
        self._front = Front(settings, self._books, self._hall, self._metrics, self._time, tracing, self.go)
        metrics = made_on(asyncio.get_running_loop(), self._page_of_metrics)
        self._http = HttpPort(pages(metrics, self._not_ready, self._hall.lag.silent_us))
        self._going = asyncio.Event()
        self._grace_us: Micros = settings.drain_grace_s * SECOND

    async def open(self) -> Open:
        """Take up all that goes on, and serve. Raises CannotStart."""
        settings, server = self._settings, self._front.server
        try:
            await self._hall.open()
            port = await server.open(str(settings.listen), bounds.tls(settings, self._time.monotonic_us))
            # After gRPC: a probe that finds the referee ready must be able to call it.
            http_port = self._http.open(settings.http_listen.host, settings.http_listen.port)
            # Last: the token is shown once, so nothing that can fail may come between it and its reader.
            secret, secret_file = await self._first_admin()
        except (LogUnavailable, MalformedEntry, CannotListen, TlsUnusable, OSError) as why:
            self._http.close()
            await server.close(0)
            await self._hall.close_contests(why)
            await self._books.close()
            raise CannotStart(str(why)) from None
        self._metrics.read(self._readings())
        log.info("the referee serves", port=port, http_port=http_port)
        host, http_host = settings.listen, settings.http_listen
        grpc, http = type(host)(host.host, port), type(http_host)(http_host.host, http_port)
        return Open(str(grpc), str(http), secret, secret_file)

    async def _first_admin(self) -> tuple[str, str]:
        """Create the first administrator's token: its secret, or the file that it was written to. Raises OSError."""
        if await self._front.has_admin():
            return "", ""
        path = self._settings.admin_token_file
        if path is None:
            return await self._front.make_admin(), ""
        # Opened before the token exists: a token that cannot be written would be lost.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            path.chmod(0o600)
            file.write(f"{await self._front.make_admin()}\n")
        return "", str(path)

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
        await self._front.server.stop_serving()
        await self._hall.drain(self._grace_us, self._settings.return_after_ms)
        await self._front.server.close(LAST_WORDS_US)
        self._http.close()
        await self._hall.close()
        await self._books.close()
        await asyncio.to_thread(self._tracing.close)
        log.info("the referee has gone")

    def _readings(self) -> Readings:
        settings, referee = self._settings, self._hall.referee
        return Readings(
            lambda: referee.live,
            lambda: [session.player.bot for session in referee.sessions.all()],
            self._hall.lag.total_us,
            lambda: self._hall.lag.stalls,
            lambda: not self._not_ready(),
            lambda: certificate_ends_s(settings.tls_cert) if settings.tls_cert else None,
            None if settings.ephemeral else settings.data_dir,
            self._hall.queues,
        )

    def _page_of_metrics(self) -> Answer:
        return Answer(HTTPStatus.OK, self._metrics.text(), CONTENT_TYPE)

    def _not_ready(self) -> str:
        return "it is about to go" if self._going.is_set() else ""
