"""The bots that a plan file runs on this machine."""

import os
from dataclasses import dataclass
from pathlib import Path

from referee.local.entrant import Entrant
from referee.local.sandbox import NO_GROUPS, Sandbox, own_groups

MAX_PARALLEL = 1_000
DAY_S = 86_400
DEFAULT_START_WITHIN_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class BotPlan:
    """The bots that this machine runs for a contest."""

    bots: tuple[Entrant, ...]
    start_within_s: int = DEFAULT_START_WITHIN_S
    """Time for a bot to connect."""
    sandbox: Sandbox | None = None
    """Sandbox of all bots, or None."""
    matches_a_bot: int = 1
    """Maximum number of concurrent matches of each bot process."""

    def check_sandbox(self, run_in: Path) -> None:
        """Raise BadPlan if the bots, whose folders are relative to `run_in`, cannot be sandboxed here."""
        if self.sandbox:
            self.sandbox.check(run_in / bot.folder for bot in self.bots)

    def sandbox_notice(self) -> str:
        """Return what the sandboxes of the bots lack here; empty if nothing, or if there are none."""
        return NO_GROUPS if self.sandbox and not own_groups() else ""


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
