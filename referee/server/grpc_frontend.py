"""The gRPC frontend: creates every servicer, the interceptors around them, and the server."""

import secrets
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import grpc
from msgspec.structs import replace
from referee_values import NetworkCredit

from engines.registry import games
from referee.accounts.tokens import FIRST_ADMIN, SECRET_BYTES, DefaultQuotas, Quota, Role, TokenFilter
from referee.hosting.given_terms import TermsReader
from referee.live.bot_notices import QuotaNotifier
from referee.match.clock import MS, Micros
from referee.match.setup import Player
from referee.records.contest_record import ContestRecordWriter
from referee.records.record_format import format_record
from referee.server.application import Application, live_limits
from referee.server.open_files import max_connections, open_files_limits
from referee.server.settings import Settings
from referee.server.stores import Stores
from referee.transport.door_link import DoorLinks
from referee.transport.forwarding.cluster_gate import ClusterGate
from referee.transport.guards.admission import Admission
from referee.transport.guards.authentication import Authenticator
from referee.transport.guards.consent_guard import ConsentGuard
from referee.transport.guards.contest_changes import ContestChanges
from referee.transport.guards.error_interceptor import ErrorInterceptor, count_errors
from referee.transport.guards.identity_tokens import IdentityProvider, IdentityTokens
from referee.transport.guards.open_calls import OpenCalls
from referee.transport.guards.pace import AddressPace
from referee.transport.guards.permissions import MatchLabels
from referee.transport.guards.public_reading import PublicLimits, PublicReading
from referee.transport.guards.quota_cache import QuotaCache
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.guards.revocation_check import RevocationCheck
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls
from referee.transport.play.reader import HeartbeatConfig
from referee.transport.server import MAX_INT32, MAX_STREAMS_PER_CONNECTION, METHODS, Server, ServerLimits
from referee.transport.services.admin import Admin
from referee.transport.services.bot_requests import PlayTools, RejectionRecorder
from referee.transport.services.bots import Bots, TokenIssuer
from referee.transport.services.contest_servicer import ContestServiceParts
from referee.transport.services.games import Games
from referee.transport.services.holder_usage import ContestLimit, HolderUsage
from referee.transport.services.invitations import InvitationServicer
from referee.transport.services.ladders import Ladders
from referee.transport.services.matches import AnswerLimits, Matches, MatchGuards
from referee.transport.services.own_tokens import OwnTokens
from referee.transport.services.play import Play, PlayLimits
from referee.transport.services.records import ContestRecords, Records
from referee.transport.services.tournaments import Tournaments
from referee.transport.tls import DoorContexts, TlsFiles, credentials
from referee.transport.wire.matches import MatchContext
from referee.transport.wire.terms import TermsConverter

VERSION = version("referee")
MS_PER_S = 1_000


def play_tools(application: Application, is_online: Callable[[Player], bool]) -> PlayTools:
    """Return what all Play streams use; `is_online` returns whether a bot is connected, perhaps to another node."""
    metrics = application.metrics
    return PlayTools(
        count_errors(metrics.refused),
        MatchContext(is_online, application.duplicate_secrecy),
        RejectionRecorder(application.bot_log_recorder, application.time),
        metrics.repeated,
    )


class GrpcFrontend:
    """Every servicer with the interceptors around it, and the gRPC server."""

    def __init__(
        self,
        settings: Settings,
        stores: Stores,
        application: Application,
        tools: PlayTools,
        identity: IdentityTokens | None,
        shutdown: Callable[[int | None], None],
        limits: ServerLimits,
        gate: ClusterGate | None = None,
    ) -> None:
        """`shutdown` is called when an administrator drains the server, with a grace period in microseconds or None.

        `gate`: None, there are no other nodes.
        """
        self._stores = stores
        self._time = time = application.time
        quota_notifier = QuotaNotifier(stores.accounts, application.notifier, application.referee.sessions.of_bot)
        rate_limit = RateLimiter(
            stores.quotas,
            QuotaCache(stores.quotas, DefaultQuotas(_organiser_quota(settings), _author_quota(settings)), time),
            settings.max_streams,
            time,
            quota_notifier.check_usage,
            settings.max_concurrent_calls_per_holder,
        )
        authentication = Authenticator(stores.tokens, time, identity, is_shared=bool(settings.database))
        self.revocation_check = RevocationCheck(stores.tokens, authentication, rate_limit, time)
        """Must run while the database is shared."""
        random_bytes = partial(secrets.token_bytes, SECRET_BYTES)
        self._token_issuer = token_issuer = TokenIssuer(stores.tokens, authentication, rate_limit, time, random_bytes)
        known_games, referee = games(), application.referee
        games_service = Games(known_games, settings.max_legal_moves, application.pool.run)
        credit = NetworkCredit(per_move_ms=settings.credit_per_move_ms, per_match_ms=settings.credit_per_match_ms)
        term_defaults = TermsConverter(TermsReader(known_games, credit), live_limits(settings))
        max_items = settings.max_items_per_message
        records = Records(
            application.events,
            lambda entries: format_record(entries, stores.key(), VERSION),
            application.report_match_fault,
        )
        labels = MatchLabels(application.ladders, application.tournaments, known_games)
        consent_guard = ConsentGuard(stores.accounts, referee, application.ladders, known_games)
        matches = Matches(
            referee,
            term_defaults,
            stores.accounts,
            records,
            rate_limit,
            AnswerLimits(settings.max_legal_moves, max_items),
            MatchGuards(labels, consent_guard),
            tools,
        )
        play = Play(referee, known_games, stores.accounts, rate_limit, time, tools, _play_limits(settings), gate)
        bots = Bots(
            referee,
            stores.accounts,
            application.bot_log_recorder,
            application.notifier,
            token_issuer,
            rate_limit,
            time,
            settings.max_versions_per_bot,
        )
        invitations = InvitationServicer(
            stores.invitations,
            token_issuer,
            rate_limit,
            AddressPace(settings.redemptions_per_minute, time),
            time,
            random_bytes,
        )
        contest_limit = ContestLimit(application.ladders, application.tournaments, rate_limit)
        holder_usage = HolderUsage(
            referee, stores.accounts, stores.tokens, stores.quotas, stores.invitations, contest_limit, rate_limit, time
        )
        admin = Admin(
            referee,
            stores.accounts,
            stores.quotas,
            holder_usage,
            application.notifier,
            token_issuer,
            rate_limit,
            shutdown,
        )
        contest_records = ContestRecords(lambda contest: ContestRecordWriter(contest, stores.key(), VERSION))
        contest_changes = ContestChanges(settings.max_contest_changes_per_day, time)
        contest_parts = ContestServiceParts(
            stores.accounts,
            consent_guard,
            term_defaults,
            rate_limit,
            contest_limit,
            contest_changes,
            contest_records,
            max_items,
        )
        ladders = Ladders(application.ladders, contest_parts)
        tournaments = Tournaments(application.tournaments, contest_parts, labels)
        services = (
            games_service,
            matches,
            play,
            bots,
            invitations,
            OwnTokens(holder_usage),
            admin,
            ladders,
            tournaments,
        )
        open_calls = OpenCalls(settings.read_timeout_ms / MS_PER_S)
        unauthenticated_calls = UnauthenticatedCalls(
            settings.max_calls_without_token, settings.max_calls_without_token_per_address
        )
        public_limits = PublicLimits(
            settings.public_calls_per_minute, settings.max_public_streams_per_address, settings.max_public_streams
        )
        admission = Admission(
            authentication,
            rate_limit,
            open_calls,
            unauthenticated_calls,
            settings.hello_timeout_ms,
            PublicReading(public_limits, time) if settings.public_reading else None,
            application.recovered,
            gate,
        )
        error_interceptor = ErrorInterceptor(application.lag, settings.max_message_bytes, tools.map_error)
        interceptors = [
            admission,
            *application.tracing.interceptors(),
            application.metrics.interceptor(time, METHODS),
            error_interceptor,
        ]
        self.links = DoorLinks(play.method(interceptors), application.lag.door)
        self.server = Server(
            [service.add_to for service in services],
            interceptors,
            limits,
            open_calls,
        )

    async def has_admin(self) -> bool:
        """Return whether a valid administrator token exists."""
        tokens = await self._stores.tokens.tokens(TokenFilter(valid_at_ms=self._time.wall_ms()))
        return any(token.role is Role.ADMIN for token in tokens)

    async def create_admin(self) -> str:
        """Create an administrator token and return its secret."""
        secret, _ = await self._token_issuer.issue(Role.ADMIN, FIRST_ADMIN, label="created at the first start")
        return secret


def _organiser_quota(settings: Settings) -> Quota:
    return Quota(
        settings.max_matches_per_holder,
        settings.max_streams_per_holder,
        settings.calls_per_minute,
        settings.max_bots_per_holder,
        settings.max_tokens_per_holder,
        settings.max_stored_per_holder_bytes,
        settings.max_authors_per_holder,
        settings.max_streams_per_bot,
        settings.max_contests_per_holder,
        settings.max_received_per_minute_bytes,
    )


def _author_quota(settings: Settings) -> Quota:
    return replace(
        _organiser_quota(settings),
        max_matches=settings.max_matches_per_author,
        max_streams=settings.max_streams_per_author,
        max_bots=settings.max_bots_per_author,
        max_tokens=settings.max_tokens_per_author,
        max_stored_bytes=settings.max_stored_per_author_bytes,
    )


def identity_provider(settings: Settings) -> IdentityProvider:
    return IdentityProvider(
        settings.oidc_issuer,
        settings.oidc_audience,
        settings.oidc_role_claim,
        settings.oidc_holder_claim,
        settings.oidc_admins,
    )


def server_credentials(settings: Settings, monotonic_us: Callable[[], Micros]) -> grpc.ServerCredentials | None:
    """Return the TLS credentials; None: the server has no TLS. Raises InvalidTlsFiles."""
    files = _tls_files(settings, settings.tls_client_ca)
    return credentials(files, settings.tls_reload_interval_ms * MS, monotonic_us) if files else None


def door_contexts(settings: Settings, monotonic_us: Callable[[], Micros]) -> DoorContexts | None:
    """Return TLS for doors on other machines; None: they cannot connect. Raises InvalidTlsFiles."""
    files = _tls_files(settings, settings.edge_client_ca) if settings.edge_listen else None
    return DoorContexts(files, settings.tls_reload_interval_ms * MS, monotonic_us) if files else None


def _tls_files(settings: Settings, client_ca: Path | None) -> TlsFiles | None:
    cert, key = settings.tls_cert, settings.tls_key
    return TlsFiles(cert, key, client_ca) if cert and key else None


def _play_limits(settings: Settings) -> PlayLimits:
    return PlayLimits(
        settings.hello_timeout_ms,
        HeartbeatConfig(settings.max_items_per_message, settings.ping_interval_ms, settings.heartbeat_timeout_ms * MS),
        settings.max_legal_moves,
        settings.max_matches_per_bot,
        settings.max_versions_per_bot,
        settings.max_message_bytes,
        VERSION,
    )


def server_limits(settings: Settings, *, shares_port: bool = False, behind_edge: bool = False) -> ServerLimits:
    """Return the limits of a server; `behind_edge`: whether calls come on one connection of a front door."""
    open_files, _ = open_files_limits()
    return ServerLimits(
        settings.max_message_bytes,
        settings.keepalive_interval_ms,
        settings.keepalive_timeout_ms,
        settings.min_client_ping_interval_ms,
        max_calls_per_connection=MAX_INT32 if behind_edge else MAX_STREAMS_PER_CONNECTION,
        max_connections=max_connections(open_files) // (2 if shares_port else 1),  # It has two addresses then.
        shares_port=shares_port,
    )
