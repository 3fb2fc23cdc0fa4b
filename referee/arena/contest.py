"""A contest: a plan, its folder, and the hall where it is played, of which nothing is left afterwards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from referee.arena.conductor import Conductor
from referee.arena.crew import Crew
from referee.arena.desk import Desk
from referee.arena.embedded import embedded
from referee.arena.kept import Finish, Folder
from referee.arena.launcher import Launcher, logs_in
from referee.arena.plan import Plan
from referee.arena.schedule import Pairing, schedule
from referee.core.clock import Untimed
from referee.telemetry.log_wishes import LogFormat, LogLevel
from referee.telemetry.logs import set_up_logs
from referee.wiring.books import CannotStart
from referee.wiring.house import Open

RECORDS = "records"
LOG = "referee.log"


@dataclass(frozen=True, slots=True)
class Contest:
    """A plan, where its bots run, and where it is kept."""

    plan: Plan
    run_in: Path
    out: Path

    @property
    def records(self) -> Path:
        return self.out / RECORDS

    def before(self) -> tuple[list[Finish], list[Pairing]]:
        """What was played in an earlier run, and what is left to play. Raises OtherTerms, NoRecord or BadPlan."""
        if self.plan.sandbox:
            self.plan.sandbox.check(self.run_in / entrant.folder for entrant in self.plan.entrants)
        folder, finishes, left = Folder(self.records), [], []
        for pairing in schedule(self.plan):
            finish = folder.finish(pairing)
            if finish:
                finishes.append(finish)
            else:
                left.append(pairing)
        return finishes, left

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Hall"]:
        """The referee and the bots are there until the end, and then nothing of them is left. Raises CannotStart."""
        try:
            logs_in(self.out).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CannotStart(f"cannot write to {self.out}: {error.strerror}") from None
        patient = any(isinstance(terms.control, Untimed) for terms in self.plan.terms)
        with (self.out / LOG).open("a", encoding="utf-8") as log:
            set_up_logs(LogFormat.JSON, LogLevel.INFO, log)
            referee = embedded(self.plan.start_within_s, patient)
            async with referee as at, Desk(at.grpc, at.admin_token) as desk:
                crew = Crew(desk, Launcher(at.grpc, self.run_in, self.out, self.plan.sandbox))
                try:
                    yield Hall(at, Conductor(desk, crew, Folder(self.records), self.plan.parallel))
                finally:
                    await crew.end()


@dataclass(frozen=True, slots=True)
class Hall:
    """Where a contest is played, and by whom its matches are made."""

    at: Open
    conductor: Conductor
