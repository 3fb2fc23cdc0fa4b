"""The whole server, from `open` to `close`: start, readiness, graceful shutdown."""

import asyncio
import os
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path

import structlog

from referee.cluster.membership.compatibility import IncompatibleNode
from referee.cluster.shared_matches import SharedMatches
from referee.live.match_timing import LoopTime
from referee.live.other_nodes import connect_to_none
from referee.live.ports import StoreUnavailable
from referee.live.referee import RefereeDraining
from referee.match.clock import SECOND, Micros
from referee.observability.event_log_metrics import OutageCallback, ignore_outage
from referee.observability.http_server import HttpResponse, HttpServer, page_on_loop, server_pages
from referee.observability.metrics import CONTENT_TYPE, GaugeSources, Metrics
from referee.observability.tracing import UNTRACED, Tracing
from referee.server.application import Application
from referee.server.cluster_wiring import create_member
from referee.server.edge_process import EdgeProcess, open_socket
from referee.server.grpc_frontend import (
    VERSION,
    GrpcFrontend,
    door_contexts,
    identity_provider,
    play_tools,
    server_credentials,
    server_limits,
)
from referee.server.setting_types import Address, setting_text
from referee.server.settings import Settings
from referee.server.site_process import SiteProcess, SiteUnavailable, site_secret
from referee.server.stores import StartupError, open_stores
from referee.storage.codec import MalformedEntry
from referee.storage.shared_time import SharedTime
from referee.transport.door_link import DOOR_HANGS_US
from referee.transport.door_port import DoorPort
from referee.transport.guards.identity_tokens import OidcUnavailable, create_identity_tokens
from referee.transport.server import ListenError
from referee.transport.tls import InvalidTlsFiles, certificate_ends_s

CLOSE_GRACE_US: Micros = 2 * SECOND
"""Time for streams to end with a status after the last decision has been stored."""

log = structlog.get_logger("referee")


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """Addresses of a started server, and the first administrator token."""

    grpc: str
    http: str
    site: str
    """Empty if there is no web site."""
    admin_token: str
    """Empty if an administrator exists already or the token was written to `admin_token_file`."""
    admin_token_file: str
    """Empty if no token was written to a file."""


class RefereeServer:
    def __init__(
        self,
        settings: Settings,
        tracing: Tracing = UNTRACED,
        outage: OutageCallback = ignore_outage,
        own_listen: Address | None = None,
        edge_program: Path | None = None,
    ) -> None:
        """Lock the data directory, if there is one. Raises StartupError.

        `tracing` is closed with the server. `outage` is called when the match log becomes unavailable or available. If
        `own_listen` is given, the server also listens there, and shares the port of `listen` with other processes.
        `edge_program` is the front door through which bots connect; None: they connect to this process.
        """
        self._settings = settings
        self._own_listen = own_listen
        self._edge_program = edge_program
        self._edge: EdgeProcess | None = None
        self._door_port: DoorPort | None = None
        self._tracing = tracing
        self._time = SharedTime() if settings.database else LoopTime()
        self._outage = outage
        try:
            self._identity = create_identity_tokens(identity_provider(settings), self._time)
        except OidcUnavailable as why:
            raise StartupError(str(why)) from None
        self._metrics = Metrics(VERSION)
        self._stores = open_stores(settings, self._time, self._metrics.committed, self._on_lock_lost)
        self._site: SiteProcess | None = None
        self._shutting_down = asyncio.Event()
        self._recovery: asyncio.Task[None] | None = None
        """Task that recovers all matches and contests. None: it has not begun, or this server belongs to a cluster."""
        self._grace_us: Micros = settings.drain_grace_s * SECOND
        self.failure = ""
        """Why the server stopped by itself, in one sentence; empty: it was told to, or is running."""
        self.restarts = False
        """Whether another server must be started in place of this one, which has ended."""

    async def open(self) -> ServerInfo:
        """Recover the state and listen. Raises StartupError."""
        settings = self._settings
        await self._stores.open()
        self._create_services()
        server = self._frontend.server
        try:
            if settings.database:
                self._frontend.revocation_check.open()
            await self._application.open()
            if settings.site_listen:
                self._site = SiteProcess(settings.site_listen)
            port = await self._listen()
            if self._member:
                await self._member.open(str(settings.advertised(port)), VERSION)
            # After gRPC: a server whose probe says it is ready must accept calls.
            http_port = self._open_http(settings.http_listen)
            if self._site:
                await self._start_site(self._site, port)
            # Last: the token is shown once, so nothing that can fail may come between it and its reader.
            secret, secret_file = await self._first_admin()
        except (
            StoreUnavailable,
            MalformedEntry,
            ListenError,
            InvalidTlsFiles,
            IncompatibleNode,
            SiteUnavailable,
            OSError,
        ) as why:
            self._http.close()
            await self._close_children()
            await self._frontend.revocation_check.close()
            await self._frontend.links.close(0)
            await server.close(0)
            await self._application.close_contests(why)
            if self._member:
                await self._member.close()
            await self._stores.close()
            raise StartupError(str(why)) from None
        self._metrics.register_gauges(self._gauge_sources())
        if self._member:
            self._metrics.register(self._member.collector())
        if self._member is None:
            self._recovery = asyncio.create_task(self._finish_recovery())
        log.info("listening", port=port, http_port=http_port)
        grpc_address, http_address = replace(settings.listen, port=port), replace(settings.http_listen, port=http_port)
        site_address = str(self._site.address) if self._site else ""
        return ServerInfo(str(grpc_address), str(http_address), site_address, secret, secret_file)

    def _create_services(self) -> None:
        """Create everything that uses the stores, which must be open."""
        settings, stores = self._settings, self._stores
        connect = SharedMatches if settings.nats else connect_to_none
        self._application = application = Application(
            settings, stores, self._metrics, self._time, self._tracing, self._outage, connect
        )
        shared = application.others if isinstance(application.others, SharedMatches) else None
        tools = play_tools(application, (shared or application.referee.sessions).is_online)
        self._member = create_member(settings, stores, application, shared, tools, self._end) if shared else None
        self._frontend = GrpcFrontend(
            settings,
            stores,
            application,
            tools,
            self._identity,
            self.shutdown,
            server_limits(
                settings,
                shares_port=self._own_listen is not None,
                behind_edge=self._edge_program is not None or settings.edge_listen is not None,
            ),
            self._member,
        )
        page = page_on_loop(asyncio.get_running_loop(), self._metrics_page)
        self._http = HttpServer(server_pages(page, self._not_ready, self._application.lag.unresponsive_us))

    def _open_http(self, listen: Address) -> int:
        """Serve metrics and probes, and return the port. Raises ListenError."""
        try:
            return self._http.open(listen.host, listen.port)
        except OSError as why:
            reason = os.strerror(why.errno) if why.errno else why
            raise ListenError(f"cannot listen on {listen} (http_listen): {reason}") from None

    def _door_hangs(self) -> bool:
        door_lag = self._application.lag.door
        return door_lag.is_late(door_lag.own, DOOR_HANGS_US)

    async def _close_children(self) -> None:
        for child in (self._site, self._edge):
            if child:
                await child.close()
        if self._door_port:
            await self._door_port.close(0)

    async def _listen(self) -> int:
        """Let bots connect, and return the port. Raises ListenError or InvalidTlsFiles."""
        settings, server, links = self._settings, self._frontend.server, self._frontend.links
        tls = server_credentials(settings, self._time.monotonic_us)
        contexts = door_contexts(settings, self._time.monotonic_us)
        if settings.edge_listen and contexts:
            self._door_port = DoorPort(links, contexts, open_socket(settings.edge_listen))
        local_paths = [local.server_path for local in (self._site, self._door_port) if local]
        if self._edge_program is None:
            port = await server.open(str(settings.listen), tls, str(self._own_listen or ""), local_paths)
        else:
            self._edge = EdgeProcess(self._edge_program, settings, self._own_listen)
            port = self._edge.port
            await server.open(f"unix:{self._edge.server_path}", None, local_paths=local_paths)
            await links.open(self._edge.link_path)
            self._edge.start(self._door_hangs)
        if self._door_port:
            await self._door_port.open()
        return port

    async def _start_site(self, site: SiteProcess, port: int) -> None:
        settings = self._settings
        # Without a host, it is that by which the visitor reached the site.
        bots_address = settings.bots_address or settings.advertised(port) or f":{port}"
        stores, now_ms = self._stores, self._time.wall_ms()
        site.start(
            await site_secret(stores.tokens, stores.quotas, stores.key(), now_ms),
            str(bots_address),
            names=setting_text(settings.site_names),
            proxies=setting_text(settings.site_proxies),
            tls_cert=settings.tls_cert,
            # Without this setting, a server without TLS is reached from elsewhere by a proxy that has TLS.
            plaintext=settings.public_without_tls and not settings.tls_cert,
        )

    async def _finish_recovery(self) -> None:
        """Recover all matches and contests while bots connect already, or stop."""
        try:
            await self._application.finish_recovery()
        except Exception as why:
            log.error("state not recovered", exc_info=why)
            self._fail(f"the matches and contests cannot be restored: {why}")

    async def _first_admin(self) -> tuple[str, str]:
        """Create an administrator token if there is none; return its secret or its file. Raises OSError."""
        if await self._frontend.has_admin():
            return "", ""
        path = self._settings.admin_token_file
        if path is None:
            return await self._frontend.create_admin(), ""
        # Opened before the token exists: a token that cannot be written would be lost.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            path.chmod(0o600)
            file.write(f"{await self._frontend.create_admin()}\n")
        return "", str(path)

    def shutdown(self, grace_us: Micros | None = None) -> None:
        """Begin a shutdown, with another grace period if one is given. Calling it again has no effect."""
        if not self._shutting_down.is_set():
            self._grace_us = self._grace_us if grace_us is None else grace_us
            self._shutting_down.set()

    def _on_lock_lost(self, why: str) -> None:
        """Stop at once: another server runs the matches now."""
        log.error("lock of the database lost", reason=why)
        self._fail(why)

    def _fail(self, why: str) -> None:
        self.failure = why
        self.shutdown(grace_us=0)

    def _end(self, why: str, restart: bool) -> None:
        """End this node of a cluster, perhaps to start again as another one."""
        if not restart:
            self._fail(why)
            return
        if not self.restarts:
            log.warning("this node ends, and starts again as another one", reason=why)
        self.restarts = True
        self.shutdown(grace_us=0)

    async def wait_for_shutdown(self) -> None:
        """Return when a shutdown has begun."""
        await self._shutting_down.wait()

    async def close(self) -> None:
        """Start nothing new, let pending turns be answered, store everything, and stop."""
        log.info("shutting down", grace_us=self._grace_us)
        await self._frontend.server.stop_serving()
        if self._recovery:
            self._recovery.cancel()
            await asyncio.wait([self._recovery])
        if self._member:
            await self._member.resign(RefereeDraining(self._settings.reconnect_delay_ms))
        if self.failure or self.restarts:
            await self._end_streams()
        await self._application.drain(self._grace_us, self._settings.reconnect_delay_ms)
        if self._member:
            self._member.leave_matches()
        await self._application.close_matches()
        if self._site:
            await self._site.close()
        await self._close_calls()
        if self._door_port:
            await self._door_port.close(CLOSE_GRACE_US / SECOND)
        if self._edge:
            await self._edge.close()
        self._http.close()
        await self._frontend.revocation_check.close()
        await self._application.close()
        if self._member:
            await self._member.close()
        await self._stores.close()
        await asyncio.to_thread(self._tracing.close)
        log.info("shutdown complete")

    async def _end_streams(self) -> None:
        """End all calls, and store nothing more: others decide from now on, and the store may be out of reach."""
        referee = self._application.referee
        await referee.drain(self._grace_us, self._settings.reconnect_delay_ms)
        assert referee.draining
        referee.end_streams(referee.draining)
        # The log waits until it is known what became of its last appends, or until it cannot be known.
        await asyncio.gather(self._close_calls(), self._stores.events.close())

    async def _close_calls(self) -> None:
        frontend = self._frontend
        await asyncio.gather(frontend.server.close(CLOSE_GRACE_US), frontend.links.close(CLOSE_GRACE_US / SECOND))

    def _gauge_sources(self) -> GaugeSources:
        settings, referee = self._settings, self._application.referee
        return GaugeSources(
            lambda: referee.live_matches,
            lambda: [session.player.bot for session in referee.sessions.all() if not session.remote],
            self._application.lag.total_us,
            lambda: self._application.lag.stalls,
            lambda: not self._not_ready(),
            lambda: certificate_ends_s(settings.tls_cert) if settings.tls_cert else None,
            None if settings.ephemeral or settings.database else settings.data_dir,
            self._application.queues,
            self._frontend.links.counts,
        )

    def _metrics_page(self) -> HttpResponse:
        return HttpResponse(HTTPStatus.OK, self._metrics.text(), CONTENT_TYPE)

    def _not_ready(self) -> str:
        """Return why this server should get no new bots; empty: it should. Called by any thread."""
        if self._shutting_down.is_set():
            return "shutting down"
        return self._member.not_ready if self._member else ""
