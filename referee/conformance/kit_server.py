"""The gRPC server of the kit, which runs the clauses: its Play service does what the current clause needs."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Iterable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from google.rpc.code_pb2 import Code
from grpc_health.v1 import health, health_pb2_grpc
from referee_api.v1 import play_pb2
from referee_api.v1.game_service_pb2_grpc import add_GameServiceServicer_to_server
from referee_api.v1.play_service_pb2 import PlayRequest
from referee_api.v1.play_service_pb2_grpc import PlayServiceServicer, add_PlayServiceServicer_to_server

from engines.registry import games
from referee.conformance.bot_match import MAX_LEGAL_MOVES
from referee.conformance.bot_session import PING_EVERY_S, BotSession
from referee.conformance.clause import Clause, ClauseFailed, ClauseResult
from referee.conformance.program import BotProgram
from referee.conformance.protocol_observer import PATIENCE_PER_PROMPTNESS
from referee.transport.services.games import Games
from referee.transport.wire.error_mapping import WireError

BOT = "bot-on-trial"
FIRST_VERSION = "1"
"""Version of a bot that names none."""
HEARTBEAT_TIMEOUT_MS = 15_000
MAX_MESSAGE_BYTES = 1 << 20
RETRY_AFTER_MS = 100
CERTIFICATE_LASTS = dt.timedelta(days=1)


class KitServer(PlayServiceServicer):
    """Serves one bot at a time, from `open` to `close`."""

    def __init__(self, program: BotProgram, patience_s: float, untrusted_ca: Path | None = None) -> None:
        """`untrusted_ca` is a file with another authority than that of the kit. None: the kit does not use TLS."""
        self.program = program
        self.untrusted_ca = untrusted_ca
        self.patience_s = patience_s
        self.promptness_s = patience_s / PATIENCE_PER_PROMPTNESS
        """How late a bot may do what it should do at once or at a given time."""
        self._streams: asyncio.Queue[BotSession] = asyncio.Queue()
        self._session: BotSession | None = None
        self.stream_count = 0
        """Number of streams opened in this clause."""
        self._server = grpc.aio.server(options=[("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)])
        add_PlayServiceServicer_to_server(self, self._server)
        add_GameServiceServicer_to_server(Games(games(), MAX_LEGAL_MOVES), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), self._server)

    async def open(self, address: str, credentials: grpc.ServerCredentials | None) -> int:
        """Start serving and return the port. Raises RuntimeError if the address cannot be used."""
        return await start_server(self._server, address, credentials)

    async def close(self) -> None:
        await self.program.end()
        await self._server.stop(0)

    async def Play(  # type: ignore[override]  # It writes responses itself.
        self, request_iterator: AsyncIterator[PlayRequest], context: Any
    ) -> None:
        session = BotSession(context, self.program.observer, self.patience_s)
        self._streams.put_nowait(session)
        await session.serve(request_iterator, context)

    async def session(self) -> BotSession:
        """Return the open session, or wait for the next one and welcome it. Raises ClauseFailed."""
        if self._session is None or not self._session.open:
            self._session = await self.next_stream()
            self.send_welcome(self._session, await self._session.hello())
        return self._session

    async def next_stream(self) -> BotSession:
        """Wait for the next stream; nothing has been sent to it. Raises ClauseFailed."""
        coming = asyncio.create_task(self._next_open())
        ending = asyncio.create_task(self._program_exit())
        done, pending = await asyncio.wait({coming, ending}, timeout=self.patience_s, return_when="FIRST_COMPLETED")
        for task in pending:
            task.cancel()
        if coming in done:
            self.stream_count += 1
            return coming.result()
        if ending in done:
            raise ClauseFailed(f"the program exited: {self.program.exit_summary()}")
        raise ClauseFailed(
            f"no stream was opened within {self.patience_s:g} s: {self.program.exit_summary()}".rstrip(": ")
        )

    def send_welcome(
        self, session: BotSession, hello: play_pb2.Hello, heartbeat_timeout_ms: int = HEARTBEAT_TIMEOUT_MS
    ) -> None:
        session.send(
            welcome=play_pb2.Welcome(
                bot=BOT,
                version=hello.version or FIRST_VERSION,
                session_id="session-on-trial",
                referee_version="conformance",
                max_matches=hello.max_matches if hello.HasField("max_matches") else 1,
                ping_interval_ms=round(PING_EVERY_S * 1_000),
                heartbeat_timeout_ms=heartbeat_timeout_ms,
                max_message_bytes=MAX_MESSAGE_BYTES,
            )
        )

    async def expect_no_stream(self, within_s: float) -> None:
        """Raise ClauseFailed if a stream is opened within the time."""
        try:
            async with asyncio.timeout(within_s):
                await self._streams.get()
        except TimeoutError:
            return
        raise ClauseFailed("the bot opened a stream")

    def close_session(self) -> None:
        """Close the open session, if any."""
        if self._session and self._session.open:
            self._session.end(unavailable("the next clause"))

    async def finish_clause(self) -> None:
        """Wait until the bot has handled everything. Raises ClauseFailed if anything broke a rule."""
        observer, session = self.program.observer, self._session
        if session and session.open and session.observer is observer and not observer.is_stopping:
            await session.wait_until_handled()
        observer.check()

    async def start_clause(self) -> None:
        """Prepare for a clause. Restart a program that has exited; within a clause it has to keep running."""
        self.stream_count = 0
        if await self.program.ensure_running():
            self._session = None  # The end of the old stream may not have been noticed yet.
        if self._session:
            self._session.start_clause()

    async def _next_open(self) -> BotSession:
        """Wait for a stream, skipping those that the bot has closed already."""
        while not (session := await self._streams.get()).open:
            pass
        return session

    async def _program_exit(self) -> None:
        """Wait until the program exits; forever if that cannot be observed."""
        try:
            await self.program.wait_for_exit(self.patience_s + 1)
        except Exception:
            await asyncio.Event().wait()


def unavailable(why: str) -> WireError:
    """Return the error of a referee that restarts: the bot is to reconnect at once."""
    metadata = {"retry_after_ms": str(RETRY_AFTER_MS)}
    return WireError("DRAINING", Code.UNAVAILABLE, why, metadata, retry_after_ms=RETRY_AFTER_MS)


async def run_clauses(kit: KitServer, clauses: Iterable[Clause]) -> AsyncIterator[ClauseResult]:
    """Run clauses one after another and yield their results. After a failure the bot gets a new session.

    A program whose stream was broken is restarted, or its backoff would grow from clause to clause.
    """
    for clause in clauses:
        await kit.start_clause()
        result = await clause.run(kit)
        if result.passed:
            result = await _finish(kit, result)
        if not result.passed:
            kit.close_session()
        yield result
        if kit.stream_count > 1:
            await kit.program.end()


async def _finish(kit: KitServer, result: ClauseResult) -> ClauseResult:
    try:
        await kit.finish_clause()
    except ClauseFailed as why:
        return ClauseResult(result.clause, False, str(why))
    return result


async def start_server(server: grpc.aio.Server, address: str, credentials: grpc.ServerCredentials | None) -> int:
    """Start serving and return the port. Raises RuntimeError if the address cannot be used."""
    if credentials:
        port = server.add_secure_port(address, credentials)
    else:
        port = server.add_insecure_port(address)
    await server.start()
    return port


def throwaway_tls(now: dt.datetime) -> tuple[grpc.ServerCredentials, bytes]:
    """Return server credentials for loopback addresses, valid for a day, and their root certificates in PEM."""
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority_name = _common_name("Referee conformance authority")
    authority = (
        _certificate_draft(authority_name, authority_name, authority_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority_key, hashes.SHA256())
    )
    hosts = [x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1")), x509.IPAddress(ip_address("::1"))]
    certificate = (
        _certificate_draft(_common_name("localhost"), authority_name, key.public_key(), now)
        .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    shown = certificate.public_bytes(serialization.Encoding.PEM)
    return grpc.ssl_server_credentials([(private, shown)]), authority.public_bytes(serialization.Encoding.PEM)


def _certificate_draft(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: dt.datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CERTIFICATE_LASTS)
        .not_valid_after(now + CERTIFICATE_LASTS)
    )


def _common_name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
