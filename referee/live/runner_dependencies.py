"""Dependencies of the runners of matches: log, time, the observer that owns them, ratings, and the rules."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from engines.api import Seat
from referee.live.match_history import MatchStep
from referee.live.other_nodes import SINGLE_NODE, OtherNodes
from referee.live.ports import CoAppend, EventLog, SeatDelays, Time
from referee.match.clock import Micros
from referee.match.commands import Command
from referee.match.decide import decide as by_the_rules
from referee.match.decision import Decision
from referee.match.result import RatingChange
from referee.match.state import Match


class RunnerObserver(Protocol):
    """The owner of the runners. An exception of its methods goes to `on_fault` and stops nothing."""

    def on_stored(self, steps: Sequence[MatchStep]) -> None:
        """Handle what was decided and stored here. Each step is reported once, in order."""

    def on_received(self, steps: Sequence[MatchStep]) -> None:
        """Handle what another process has stored."""

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Handle a failure that no player is responsible for."""

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        """Return the delays of the turn that `seat` owes now, or owed last."""

    def on_stopped(self, match_id: str) -> None:
        """Handle the final stop of the runner, which has failed."""


@dataclass(slots=True)
class MatchRating:
    """Rating changes that follow from the end of a match, valid while their ladder is locked."""

    changes: tuple[RatingChange, ...] = ()
    """Empty: the match is not rated."""
    co_append: CoAppend[Any] | None = None
    """Events to append to the log of the ladder together with the end of the match."""
    committed_ms: int | None = None
    """When both were written (Unix milliseconds), set by the caller. None: they were not."""


class RatingWriter(Protocol):
    """Rates matches on their ladders."""

    def rate(self, match: Match) -> AbstractAsyncContextManager[MatchRating]:
        """Lock the ladder of `match` and compute what its end does to ratings.

        `match` is as the end will leave it: not void, and labelled with a ladder. The caller writes the end within
        the context and sets `committed_ms`; on exit the ladder applies its entries. If the caller raises Conflict of
        the ladder's log, the ladder is reloaded, nothing is applied, and the same match can be rated again.

        Raises StoreUnavailable if the ladder cannot be read now.
        """


Decide: TypeAlias = Callable[[Match, Command, Micros], Decision]
"""Computes what follows from a command: see `referee.match.decide.decide`."""


@dataclass(frozen=True, slots=True)
class RunnerDependencies:
    """Dependencies of the runners of one process."""

    log: EventLog
    time: Time
    observer: RunnerObserver
    rating_writer: RatingWriter | None = None
    """None: nothing is rated."""
    decide: Decide = by_the_rules
    """May be wrapped, such as for traces."""
    others: OtherNodes = SINGLE_NODE

    def seat_delays(self, match_id: str, seat: Seat) -> SeatDelays:
        """Return the delays of the turn of a seat; none if they cannot be read, which is reported."""
        try:
            return self.observer.seat_delays(match_id, seat)
        except Exception as fault:
            self.report_fault(match_id, fault)
            return SeatDelays()

    def report_fault(self, match_id: str, fault: Exception) -> None:
        """Report a fault of the server in a match; failures of the report itself are ignored."""
        with suppress(Exception):
            self.observer.on_fault(match_id, fault)
