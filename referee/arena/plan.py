"""What is to be played: which bots, which games, by which clocks, how often."""

import os
from dataclasses import dataclass

from engines.api import Game, Table
from engines.options import Settings
from referee.arena.entrant import Entrant
from referee.arena.refusals import BadPlan
from referee.arena.sandbox import Sandbox
from referee.core.clock import SECOND, TimeControl
from referee.core.policy import Gone, Policies

AT_A_TABLE_AT_MOST = 6
"""Seven have 720 ways to sit next to each other."""

USUAL_CLOCK = "60+1"
USUAL_START_WITHIN_S = 60

LOCAL_POLICIES = Policies(gone=Gone.FORFEIT_AFTER_GRACE, grace_us=5 * SECOND)
"""For matches on this machine: a process that has died does not come back, so its clock need not run out."""


@dataclass(frozen=True, slots=True)
class Terms:
    """One game of the plan, and how it is played."""

    label: str
    """Its name in tables and its folder: no two games of a plan share one."""
    game: Game
    settings: Settings
    control: TimeControl
    policies: Policies
    at_a_table: int
    """How many bots a match has: one a side, or one a seat."""
    games: int
    """How often the same bots meet."""

    @property
    def table(self) -> Table:
        return self.game.table(self.settings)

    def seated(self, order: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
        """Who holds which seat, if they come in this order. Fewer bots than seats: each holds a side."""
        table = self.table
        if len(order) == len(table.seats):
            return order
        holder = {seat: entrant for side, entrant in zip(table.sides, order, strict=True) for seat in side}
        return tuple(holder[seat] for seat in range(len(table.seats)))


@dataclass(frozen=True, slots=True)
class Plan:
    entrants: tuple[Entrant, ...]
    terms: tuple[Terms, ...]
    parallel: int
    """How many matches are played at once."""
    start_within_s: int = USUAL_START_WITHIN_S
    """How long a bot may take to be there for its match."""
    sandbox: Sandbox | None = None
    """Of every bot. None: they run as any program of the operator's."""


def check_table(where: str, table: Table, at_a_table: int, there: int) -> None:
    """Raises BadPlan if so many bots cannot sit at it, or there are not so many."""
    fitting = sorted({len(table.sides), len(table.seats)})
    if at_a_table not in fitting or at_a_table > AT_A_TABLE_AT_MOST:
        raise BadPlan(where, f"this game takes {' or '.join(map(str, fitting))} bots at a table, not {at_a_table}")
    if there < at_a_table:
        raise BadPlan(where, f"a match takes {at_a_table} bots, and there are only {there}")


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
