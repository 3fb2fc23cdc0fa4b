"""Plans of arenas: bots, games, clocks and numbers of matches."""

import os
from dataclasses import dataclass

from engines.api import Game, Table
from engines.options import Settings
from referee.local.entrant import Entrant
from referee.local.local_errors import BadPlan
from referee.local.sandbox import Sandbox
from referee.match.clock import SECOND, TimeControl
from referee.match.setup import DisconnectPolicy, Policies

MAX_BOTS_PER_MATCH = 6
"""Limit, since the number of seat orders grows factorially."""

DEFAULT_CLOCK = "60+1"
DEFAULT_START_WITHIN_S = 60

LOCAL_POLICIES = Policies(gone=DisconnectPolicy.FORFEIT_AFTER_GRACE, grace_us=5 * SECOND)
"""Policies of local matches: a crashed process does not return, so its clock need not run out."""


@dataclass(frozen=True, slots=True)
class GameTerms:
    """One game of a plan, with its terms."""

    label: str
    """Name in tables and of its folder, unique within the plan."""
    game: Game
    settings: Settings
    control: TimeControl
    policies: Policies
    bots_per_match: int
    """Number of bots per match: one per side, or one per seat."""
    games: int
    """Number of matches between the same bots."""

    @property
    def table(self) -> Table:
        return self.game.table(self.settings)

    def seated(self, order: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
        """Return the entrant of each seat. With fewer bots than seats, each holds a side."""
        table = self.table
        if len(order) == len(table.seats):
            return order
        holder = {seat: entrant for side, entrant in zip(table.sides, order, strict=True) for seat in side}
        return tuple(holder[seat] for seat in range(len(table.seats)))


@dataclass(frozen=True, slots=True)
class Plan:
    entrants: tuple[Entrant, ...]
    terms: tuple[GameTerms, ...]
    parallel: int
    """Maximum number of concurrent matches."""
    start_within_s: int = DEFAULT_START_WITHIN_S
    """Time for a bot to connect."""
    sandbox: Sandbox | None = None
    """Sandbox of all bots, or None."""


def check_table(where: str, table: Table, bots_per_match: int, there: int) -> None:
    """Raise BadPlan if the game does not take this number of bots, or if there are too few."""
    fitting = sorted({len(table.sides), len(table.seats)})
    if bots_per_match not in fitting or bots_per_match > MAX_BOTS_PER_MATCH:
        raise BadPlan(where, f"this game takes {' or '.join(map(str, fitting))} bots per match, not {bots_per_match}")
    if there < bots_per_match:
        raise BadPlan(where, f"a match takes {bots_per_match} bots, but there are only {there}")


def cores() -> int:
    """Return the number of CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
