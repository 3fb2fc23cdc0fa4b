"""What the settings mean to each room: its limits, in its own words and units."""

from collections.abc import Callable
from importlib.metadata import version

import grpc

from referee.app.quotas import Quota
from referee.app.wish import Limits
from referee.core.clock import MS, Micros
from referee.core.row import NetworkCredit
from referee.settings.declared import Settings
from referee.transport import server
from referee.transport.conversation import Pace
from referee.transport.play import Table
from referee.transport.tls import TlsFiles, credentials

VERSION = version("referee")


def limits(settings: Settings) -> Limits:
    return Limits(
        start_within_us=settings.start_within_ms * MS,
        watcher_behind_at_most=settings.watch_entries_waiting_at_most,
    )


def usual_quota(settings: Settings) -> Quota:
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


def table(settings: Settings) -> Table:
    return Table(
        settings.hello_within_ms,
        Pace(settings.items_per_message_at_most, settings.ping_every_ms, settings.gone_after_ms * MS),
        settings.legal_moves_at_most,
        settings.matches_per_bot_at_most,
        settings.versions_per_bot_at_most,
        settings.message_at_most_bytes,
        VERSION,
    )


def grpc_limits(settings: Settings) -> server.Limits:
    return server.Limits(
        settings.message_at_most_bytes,
        settings.keepalive_every_ms,
        settings.keepalive_within_ms,
        settings.client_pings_apart_ms,
    )


def tls(settings: Settings, now_us: Callable[[], Micros]) -> grpc.ServerCredentials | None:
    """None: it is spoken to in plaintext. Raises TlsUnusable."""
    if not (settings.tls_cert and settings.tls_key):
        return None
    files = TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    return credentials(files, settings.tls_reload_every_ms * MS, now_us)
