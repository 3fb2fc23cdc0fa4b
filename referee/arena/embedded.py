"""The referee itself, on free ports of this machine, for as long as it is needed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from referee.settings.declared import Settings
from referee.settings.kinds import Address
from referee.telemetry.outages import Outage, untold
from referee.wiring.house import House, Open

HERE = Address("127.0.0.1", 0)
DAY_MS = 86_400_000
PLENTY = 1_000_000
PLENTY_BYTES = 2**31 - 1


def settings(start_within_s: int, patient: bool, data: Path | None = None) -> Settings:
    """Those of a referee without strangers, whose quotas are in nobody's way. `patient`: a frozen bot is not gone.

    `data`: the folder in which it keeps everything. None: in memory.
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
    start_within_s: int, patient: bool, data: Path | None = None, outage: Outage = untold
) -> AsyncIterator[Open]:
    """Raises CannotStart. It goes at once, whatever is still played. `outage` hears when its log cannot be written."""
    house = House(settings(start_within_s, patient, data), outage=outage)
    opened = await house.open()
    try:
        yield opened
    finally:
        house.go(grace_us=0)
        await house.close()
