"""The row that proves a clock: what elapsed, what of it was not the seat's doing, what was charged.

charged = arrived - asked - stall - network credit, never below 0. Whoever has the row can compute the
clock after it from the clock before it, and nothing else is needed to settle whose fault a lost clock
was. Times are match time: microseconds since the match was opened, standing still while the referee
is down.
"""

from dataclasses import dataclass

from referee.core.clock import LONGEST, Clock, Micros, TimeControl
from referee.core.errors import BadTimeControl


@dataclass(frozen=True, slots=True)
class NetworkCredit:
    """How much of the way to a bot and back is given back, at the most."""

    per_move_us: Micros = 0
    per_match_us: Micros = 0

    def __post_init__(self) -> None:
        if not 0 <= self.per_move_us <= LONGEST:
            raise BadTimeControl("per_move_us", "is from 0 to ten years")
        if not 0 <= self.per_match_us <= LONGEST:
            raise BadTimeControl("per_match_us", "is from 0 to ten years")


@dataclass(frozen=True, slots=True)
class Measured:
    """What the referee measured about one answer, or about a flag that fell."""

    arrived_us: Micros
    network_us: Micros = 0
    """The way there and back, as measured on the bot's stream; never a bot's claim."""
    stall_us: Micros = 0
    """The referee's own stall since the turn was asked."""


@dataclass(frozen=True, slots=True)
class ClockRow:
    asked_us: Micros
    arrived_us: Micros
    network_us: Micros
    network_credit_us: Micros
    stall_us: Micros
    charged_us: Micros
    before: Clock
    after: Clock
    late: bool

    def texts(self) -> dict[str, str]:
        """What settles a quarrel, as the details of a refusal."""
        return {
            "asked_us": str(self.asked_us),
            "arrived_us": str(self.arrived_us),
            "network_us": str(self.network_us),
            "network_credit_us": str(self.network_credit_us),
            "stall_us": str(self.stall_us),
            "charged_us": str(self.charged_us),
            "left_before_us": str(self.before.left_us),
        }

    @property
    def measured(self) -> Measured:
        """What the row was made from."""
        return Measured(self.arrived_us, self.network_us, self.stall_us)


def charge(control: TimeControl, before: Clock, asked_us: Micros, measured: Measured, credit_us: Micros) -> ClockRow:
    """The row of an answer, where at most `credit_us` of the network's time is given back."""
    thinking = max(0, measured.arrived_us - asked_us - measured.stall_us)
    credited = min(measured.network_us, credit_us, thinking)
    charged = thinking - credited
    limit = control.limit_us(before)
    late = limit is not None and charged > limit
    return ClockRow(
        asked_us,
        measured.arrived_us,
        measured.network_us,
        credited,
        measured.stall_us,
        charged,
        before,
        # Who is late has used all there was, and not more.
        control.after(before, limit if limit is not None and late else charged),
        late,
    )


def falls_at_us(control: TimeControl, clock: Clock, asked_us: Micros, credit_us: Micros) -> Micros | None:
    """The first moment at which no answer can be in time any more, if the referee does not stall."""
    limit = control.limit_us(clock)
    return None if limit is None else asked_us + limit + credit_us + 1


def shared(charged_us: Micros, others: int) -> Micros:
    """What each of the other seats gets of an hourglass's sand. A part of a microsecond is lost."""
    return charged_us // others
