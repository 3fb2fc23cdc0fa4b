"""A server in this process, on free ports of the loopback interface."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from referee.observability.event_log_metrics import OutageCallback, ignore_outage
from referee.server.referee_server import RefereeServer, ServerInfo
from referee.server.setting_types import Address
from referee.server.settings import Settings

HERE = Address("127.0.0.1", 0)
DAY_MS = 86_400_000
PLENTY = 1_000_000
PLENTY_BYTES = 2**31 - 1


def settings(start_within_s: int, patient: bool, data: Path | None = None) -> Settings:
    """Return settings without restrictive quotas. With `patient`, sessions of frozen bots do not time out.

    `data` is the data directory; None keeps everything in memory.
    """
    return Settings(
        ephemeral=data is None,
        data_dir=data or Settings().data_dir,
        listen=HERE,
        http_listen=HERE,
        start_within_ms=start_within_s * 1_000,
        gone_after_ms=DAY_MS if patient else Settings().gone_after_ms,
        faults_in_a_row_at_most=PLENTY,
        watch_entries_waiting_at_most=PLENTY,
        calls_per_minute=PLENTY,
        calls_in_flight_per_holder_at_most=PLENTY,
        matches_per_holder_at_most=PLENTY,
        streams_per_holder_at_most=PLENTY,
        bots_per_holder_at_most=PLENTY,
        tokens_per_holder_at_most=PLENTY,
        stored_per_holder_at_most_bytes=PLENTY_BYTES,
    )


@asynccontextmanager
async def embedded(
    start_within_s: int, patient: bool, data: Path | None = None, outage: OutageCallback = ignore_outage
) -> AsyncIterator[ServerInfo]:
    """Run a server; it stops without grace. `outage` is called when its log becomes unavailable or available.

    Raises StartupError.
    """
    server = RefereeServer(settings(start_within_s, patient, data), outage=outage)
    opened = await server.open()
    try:
        yield opened
    finally:
        server.shutdown(grace_us=0)
        await server.close()
