"""Converts the settings to the limits of each package, in its own types and units."""

from collections.abc import Callable
from importlib.metadata import version

import grpc

from referee.accounts.tokens import Quota
from referee.live.match_request import LiveLimits
from referee.match.clock import MS, Micros
from referee.match.clock_charge import NetworkCredit
from referee.server.settings import Settings
from referee.transport import server
from referee.transport.play.reader import HeartbeatConfig
from referee.transport.services.play import PlayLimits
from referee.transport.tls import TlsFiles, credentials

VERSION = version("referee")


def limits(settings: Settings) -> LiveLimits:
    return LiveLimits(
        start_within_us=settings.start_within_ms * MS,
        max_watcher_lag=settings.watch_entries_waiting_at_most,
    )


def default_quota(settings: Settings) -> Quota:
    return Quota(
        settings.matches_per_holder_at_most,
        settings.streams_per_holder_at_most,
        settings.calls_per_minute,
        settings.bots_per_holder_at_most,
        settings.tokens_per_holder_at_most,
        settings.stored_per_holder_at_most_bytes,
    )


def credit(settings: Settings) -> NetworkCredit:
    return NetworkCredit(settings.credit_per_move_ms * MS, settings.credit_per_match_ms * MS)


def play_limits(settings: Settings) -> PlayLimits:
    return PlayLimits(
        settings.hello_within_ms,
        HeartbeatConfig(settings.items_per_message_at_most, settings.ping_every_ms, settings.gone_after_ms * MS),
        settings.legal_moves_at_most,
        settings.matches_per_bot_at_most,
        settings.versions_per_bot_at_most,
        settings.message_at_most_bytes,
        VERSION,
    )


def grpc_limits(settings: Settings) -> server.ServerLimits:
    return server.ServerLimits(
        settings.message_at_most_bytes,
        settings.keepalive_every_ms,
        settings.keepalive_within_ms,
        settings.client_pings_apart_ms,
    )


def tls(settings: Settings, now_us: Callable[[], Micros]) -> grpc.ServerCredentials | None:
    """Return None if the server has no TLS. Raises InvalidTlsFiles."""
    if not (settings.tls_cert and settings.tls_key):
        return None
    files = TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    return credentials(files, settings.tls_reload_every_ms * MS, now_us)
