"""A server in this process, on free ports of the loopback interface, and the bots that play on it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from referee_client import AsyncOrganiser

from referee.local.bot_pool import BotAccounts, BotPool, Launcher
from referee.local.plan import BotPlan
from referee.local.results_folder import ResultsFolder
from referee.observability.event_log_metrics import OutageCallback, ignore_outage
from referee.observability.logs import LogFormat, LogLevel, set_up_logs
from referee.server.referee_server import RefereeServer, ServerInfo
from referee.server.setting_types import Address
from referee.server.settings import Settings

HERE = Address("127.0.0.1", 0)
DAY_MS = 86_400_000
PLENTY = 1_000_000
PLENTY_BYTES = 2**31 - 1


def settings(start_within_s: int, patient: bool, data: Path | None = None, *, site: bool = False) -> Settings:
    """Return settings without restrictive quotas. With `patient`, sessions of frozen bots do not time out.

    `data` is the data directory; None keeps everything in memory. `site`: with the web site.
    """
    return Settings(
        ephemeral=data is None,
        data_dir=data or Settings().data_dir,
        listen=HERE,
        http_listen=HERE,
        site_listen=HERE if site else None,
        start_timeout_ms=start_within_s * 1_000,
        heartbeat_timeout_ms=DAY_MS if patient else Settings().heartbeat_timeout_ms,
        max_consecutive_faults=PLENTY,
        max_queued_watch_entries=PLENTY,
        calls_per_minute=PLENTY,
        max_concurrent_calls_per_holder=PLENTY,
        max_contest_changes_per_day=PLENTY,
        max_matches_per_holder=PLENTY,
        max_streams_per_holder=PLENTY,
        max_streams_per_bot=PLENTY,
        max_contests_per_holder=PLENTY,
        max_received_per_minute_bytes=PLENTY_BYTES,
        max_bots_per_holder=PLENTY,
        max_tokens_per_holder=PLENTY,
        max_stored_per_holder_bytes=PLENTY_BYTES,
    )


@asynccontextmanager
async def embedded(
    start_within_s: int,
    patient: bool,
    data: Path | None = None,
    outage: OutageCallback = ignore_outage,
    *,
    site: bool = False,
) -> AsyncIterator[ServerInfo]:
    """Run a server; it stops without grace. `outage` is called when its log becomes unavailable or available.

    Raises StartupError.
    """
    server = RefereeServer(settings(start_within_s, patient, data, site=site), outage=outage)
    opened = await server.open()
    try:
        yield opened
    finally:
        server.shutdown(grace_us=0)
        await server.close()


@dataclass(frozen=True, slots=True)
class LocalServer:
    """The running server of a local contest, an organiser with an administrator's token, and the bots."""

    info: ServerInfo
    token: str
    organiser: AsyncOrganiser
    bot_pool: BotPool


@asynccontextmanager
async def embedded_with_bots(
    plan: BotPlan,
    run_in: Path,
    folder: ResultsFolder,
    *,
    patient: bool,
    site: bool = False,
    outage: OutageCallback = ignore_outage,
) -> AsyncIterator[LocalServer]:
    """Run a server for the bots of a plan, whose folders are relative to `run_in`, then stop it and all bots.

    Its data stays in the results folder. `site`: with the web site. Raises StartupError.
    """
    folder.create()
    with folder.log.open("a", encoding="utf-8") as log:
        set_up_logs(LogFormat.JSON, LogLevel.INFO, log)
        async with embedded(plan.start_within_s, patient, folder.data, outage, site=site) as info:
            token = folder.admin_token(info.admin_token)
            async with AsyncOrganiser(info.grpc, token, ca="") as organiser:
                launcher = Launcher(info.grpc, run_in, folder, plan.sandbox)
                bot_pool = BotPool(BotAccounts(organiser), launcher, plan.matches_a_bot)
                try:
                    yield LocalServer(info, token, organiser, bot_pool)
                finally:
                    await bot_pool.end()
