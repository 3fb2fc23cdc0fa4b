"""Clock rules, and what they charge for a move."""

from dataclasses import dataclass, field
from typing import TypeAlias

from referee_client.clocks import Clock


@dataclass(frozen=True, kw_only=True)
class SuddenDeath:
    """One amount of time for the whole game."""

    main_ms: int = 0
    """Time for the whole game, in milliseconds. Greater than 0."""


@dataclass(frozen=True, kw_only=True)
class Fischer:
    """Increment after each move (Fischer)."""

    main_ms: int = 0
    """Time at the start, in milliseconds. Greater than 0."""
    increment_ms: int = 0
    """Added after each move including the first, in milliseconds. Default 0."""


@dataclass(frozen=True, kw_only=True)
class Bronstein:
    """Time used for a move is given back after it, up to a delay (Bronstein)."""

    main_ms: int = 0
    """Time at the start, in milliseconds. Greater than 0."""
    delay_ms: int = 0
    """Maximum time given back after each move, in milliseconds; never more than the move took. Default 0."""


@dataclass(frozen=True, kw_only=True)
class UsDelay:
    """The clock waits before it runs at each move (US delay)."""

    main_ms: int = 0
    """Time at the start, in milliseconds. Greater than 0 unless there is a delay."""
    delay_ms: int = 0
    """Delay at each move, in milliseconds; unused delay is lost. Default 0."""


@dataclass(frozen=True, kw_only=True)
class JapaneseByoYomi:
    """Main time, then periods of which one is lost only when it is used up (Japanese byo-yomi)."""

    main_ms: int = 0
    """Main time, in milliseconds. Default 0: the first period starts immediately."""
    period_ms: int = 0
    """Length of a period, in milliseconds. Greater than 0. A move within the period restores it."""
    periods: int = 0
    """Number of periods. At least 1."""


@dataclass(frozen=True, kw_only=True)
class CanadianByoYomi:
    """Main time, then periods with a number of moves each (Canadian byo-yomi)."""

    main_ms: int = 0
    """Main time, in milliseconds. Default 0: the first period starts immediately."""
    period_ms: int = 0
    """Length of a period, in milliseconds. Greater than 0. A new period starts when its moves have been made."""
    moves: int = 0
    """Moves to make in each period. At least 1."""


@dataclass(frozen=True, kw_only=True)
class Period:
    """A period of `MovesPerPeriod`."""

    moves: int = 0
    """Moves to make in the period. 0, for the last period only: the rest of the game."""
    added_ms: int = 0
    """Time added when the period starts, in milliseconds. Greater than 0."""
    increment_ms: int = 0
    """Added after each move of the period, in milliseconds. Default 0."""


@dataclass(frozen=True, kw_only=True)
class MovesPerPeriod:
    """A sequence of periods, each with its time and number of moves, as in tournament chess."""

    periods: tuple[Period, ...] = ()
    """The periods in order, at least one. If the last one has a number of moves, it repeats."""


@dataclass(frozen=True, kw_only=True)
class PerMove:
    """The same time for each move, without carry-over."""

    move_ms: int = 0
    """Time for a move, in milliseconds. Greater than 0."""


@dataclass(frozen=True, kw_only=True)
class Bank:
    """Free time for each move, and a bank for what exceeds it."""

    move_ms: int = 0
    """Free time for each move, in milliseconds; unused time is lost. Default 0."""
    bank_ms: int = 0
    """The bank at the start, in milliseconds. Greater than 0. It is never refilled."""


@dataclass(frozen=True, kw_only=True)
class Hourglass:
    """Time used by a seat is added to the seats of the other sides in equal parts, rounded down to microseconds."""

    main_ms: int = 0
    """Time at the start, in milliseconds. Greater than 0."""


@dataclass(frozen=True, kw_only=True)
class Correspondence:
    """Days for each move, some of which can be saved."""

    move_ms: int = 0
    """Added for each move, in milliseconds: three days are 259200000. Greater than 0."""
    max_ms: int = 0
    """Maximum time on the clock, in milliseconds. Default: `move_ms`, so that nothing is saved."""


@dataclass(frozen=True, kw_only=True)
class Untimed:
    """No time limit."""


AnyClock: TypeAlias = (
    SuddenDeath
    | Fischer
    | Bronstein
    | UsDelay
    | JapaneseByoYomi
    | CanadianByoYomi
    | MovesPerPeriod
    | PerMove
    | Bank
    | Hourglass
    | Correspondence
    | Untimed
)


@dataclass(frozen=True, kw_only=True)
class ClockRule:
    """Rule by which a clock runs."""

    kind: AnyClock | None = None
    """The rule. None: untimed."""


@dataclass(frozen=True, kw_only=True)
class SeatOdds:
    """A seat with another time control than the others."""

    seat: int = 0
    """The seat, from 0."""
    rule: ClockRule = field(default_factory=ClockRule)
    """Rule of this seat. An hourglass must apply to all seats or to none."""


@dataclass(frozen=True, kw_only=True)
class NetworkCredit:
    """Compensation for the round trip to the bot, which the server measures on the bot's own stream."""

    per_move_ms: int = 0
    """Maximum for one move, in milliseconds. 0: none."""
    per_match_ms: int = 0
    """Maximum for one seat in a whole match, in milliseconds. 0: none."""


@dataclass(frozen=True, kw_only=True)
class TimeControl:
    """Time control of a match."""

    rule: ClockRule = field(default_factory=ClockRule)
    """Rule for all seats without odds. Default: untimed."""
    odds: tuple[SeatOdds, ...] = ()
    """Seats with another rule. Default: none."""
    network_credit: NetworkCredit | None = None
    """Compensation for network latency. Default: the server's setting; always set in responses."""


@dataclass(frozen=True, kw_only=True)
class ClockCharge:
    """Time charged for one move, with everything that is needed to verify it.

    Set by the server. charged_us = arrived_us - asked_us - network_credit_us - stall_us, but at least 0; `after`
    follows from `before`, `charged_us` and the rule. Match time is measured in microseconds of the server's monotonic
    clock since play started, and stops while the server is down.
    """

    asked_us: int = 0
    """Time when the turn was first sent, in microseconds of match time."""
    arrived_us: int = 0
    """Time when the answer arrived or the flag fell, in microseconds of match time."""
    network_us: int = 0
    """Measured round-trip time, in microseconds. 0 if none was measured."""
    network_credit_us: int = 0
    """Part of the round-trip time that was not charged, within the limits, in microseconds."""
    stall_us: int = 0
    """Delay caused by the server itself, in microseconds. None of it is charged."""
    charged_us: int = 0
    """Time charged, in microseconds."""
    before: Clock | None = None
    """The clock when the turn was sent."""
    after: Clock | None = None
    """The clock after the move, including time added for it."""
    late: bool = False
    """Whether the flag fell: more time was charged than was left."""
