"""A local contest: its plan and results folder, and the server and bots that play it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from referee.local.arena_client import ArenaClient
from referee.local.bot_pool import BotPool, Launcher, logs_in
from referee.local.embedded_server import embedded
from referee.local.local_schedule import LocalPairing, schedule
from referee.local.match_scheduler import MatchScheduler
from referee.local.plan import Plan
from referee.local.results_folder import MatchFinish, ResultsFolder
from referee.match.clock import Untimed
from referee.observability.logs import LogFormat, LogLevel, set_up_logs
from referee.server.referee_server import ServerInfo
from referee.server.stores import StartupError

RECORDS = "records"
LOG = "referee.log"


@dataclass(frozen=True, slots=True)
class LocalContest:
    """A plan, the working directory of its bots, and its results folder."""

    plan: Plan
    run_in: Path
    out: Path

    @property
    def records(self) -> Path:
        return self.out / RECORDS

    def read_results(self) -> tuple[list[MatchFinish], list[LocalPairing]]:
        """Return the matches of earlier runs and the pairings left to play.

        Raises TermsChanged, InvalidRecordFile or BadPlan.
        """
        if self.plan.sandbox:
            self.plan.sandbox.check(self.run_in / entrant.folder for entrant in self.plan.entrants)
        folder, finishes, left = ResultsFolder(self.records), [], []
        for pairing in schedule(self.plan):
            finish = folder.finish(pairing)
            if finish:
                finishes.append(finish)
            else:
                left.append(pairing)
        return finishes, left

    @asynccontextmanager
    async def open(self) -> AsyncIterator["ContestRuntime"]:
        """Run the server until the end, then stop it and all bots. Raises StartupError."""
        try:
            logs_in(self.out).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StartupError(f"cannot write to {self.out}: {error.strerror}") from None
        patient = any(isinstance(terms.control, Untimed) for terms in self.plan.terms)
        with (self.out / LOG).open("a", encoding="utf-8") as log:
            set_up_logs(LogFormat.JSON, LogLevel.INFO, log)
            referee = embedded(self.plan.start_within_s, patient)
            async with referee as server, ArenaClient(server.grpc, server.admin_token) as client:
                bot_pool = BotPool(client, Launcher(server.grpc, self.run_in, self.out, self.plan.sandbox))
                try:
                    yield ContestRuntime(
                        server, MatchScheduler(client, bot_pool, ResultsFolder(self.records), self.plan.parallel)
                    )
                finally:
                    await bot_pool.end()


@dataclass(frozen=True, slots=True)
class ContestRuntime:
    """The running server of a contest, and the scheduler of its matches."""

    server: ServerInfo
    scheduler: MatchScheduler
