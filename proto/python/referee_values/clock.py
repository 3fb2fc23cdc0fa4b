"""Time controls, clocks, and the proof of each time charge.

Settings are in milliseconds. Measurements and charges are in whole microseconds, so that charges add up without
rounding. Milliseconds that are sent to a bot are rounded down. Whether an answer is late is decided before anything
else about it, and before the time of the next period is added.
"""

from referee_values.value import Count, Int64, Value


class Untimed(Value, frozen=True, kw_only=True):
    """No time limit."""


class SuddenDeath(Value, frozen=True, kw_only=True):
    """One amount of time for the whole game."""

    main_ms: Int64 = 0
    """Time for the whole game, in milliseconds. Greater than 0."""


class Fischer(Value, frozen=True, kw_only=True):
    """Increment after each move (Fischer)."""

    main_ms: Int64 = 0
    """Time at the start, in milliseconds. Greater than 0."""
    increment_ms: Int64 = 0
    """Added after each move including the first, in milliseconds. Default 0."""


class Bronstein(Value, frozen=True, kw_only=True):
    """Time used for a move is given back after it, up to a delay (Bronstein)."""

    main_ms: Int64 = 0
    """Time at the start, in milliseconds. Greater than 0."""
    delay_ms: Int64 = 0
    """Maximum time given back after each move, in milliseconds; never more than the move took. Default 0."""


class UsDelay(Value, frozen=True, kw_only=True):
    """The clock waits before it runs at each move (US delay)."""

    main_ms: Int64 = 0
    """Time at the start, in milliseconds. Greater than 0 unless there is a delay."""
    delay_ms: Int64 = 0
    """Delay at each move, in milliseconds; unused delay is lost. Default 0."""


class JapaneseByoYomi(Value, frozen=True, kw_only=True):
    """Main time, then periods of which one is lost only when it is used up (Japanese byo-yomi)."""

    main_ms: Int64 = 0
    """Main time, in milliseconds. Default 0: the first period starts immediately."""
    period_ms: Int64 = 0
    """Length of a period, in milliseconds. Greater than 0. A move within the period restores it."""
    periods: Count = 0
    """Number of periods. At least 1."""


class CanadianByoYomi(Value, frozen=True, kw_only=True):
    """Main time, then periods with a number of moves each (Canadian byo-yomi)."""

    main_ms: Int64 = 0
    """Main time, in milliseconds. Default 0: the first period starts immediately."""
    period_ms: Int64 = 0
    """Length of a period, in milliseconds. Greater than 0. A new period starts when its moves have been made."""
    moves: Count = 0
    """Moves to make in each period. At least 1."""


class Period(Value, frozen=True, kw_only=True):
    """A period of `MovesPerPeriod`."""

    moves: Count = 0
    """Moves to make in the period. 0, for the last period only: the rest of the game."""
    added_ms: Int64 = 0
    """Time added when the period starts, in milliseconds. Greater than 0."""
    increment_ms: Int64 = 0
    """Added after each move of the period, in milliseconds. Default 0."""


class PerMove(Value, frozen=True, kw_only=True):
    """The same time for each move, without carry-over."""

    move_ms: Int64 = 0
    """Time for a move, in milliseconds. Greater than 0."""


class Bank(Value, frozen=True, kw_only=True):
    """Free time for each move, and a bank for what exceeds it."""

    move_ms: Int64 = 0
    """Free time for each move, in milliseconds; unused time is lost. Default 0."""
    bank_ms: Int64 = 0
    """The bank at the start, in milliseconds. Greater than 0. It is never refilled."""


class Hourglass(Value, frozen=True, kw_only=True):
    """Time used by a seat is added to the seats of the other sides in equal parts, rounded down to microseconds."""

    main_ms: Int64 = 0
    """Time at the start, in milliseconds. Greater than 0."""


class Correspondence(Value, frozen=True, kw_only=True):
    """Days for each move, some of which can be saved."""

    move_ms: Int64 = 0
    """Added for each move, in milliseconds: three days are 259200000. Greater than 0."""
    max_ms: Int64 = 0
    """Maximum time on the clock, in milliseconds. Default: `move_ms`, so that nothing is saved."""


class NetworkCredit(Value, frozen=True, kw_only=True):
    """Compensation for the round trip to the bot, which the server measures on the bot's own stream."""

    per_move_ms: Int64 = 0
    """Maximum for one move, in milliseconds. 0: none."""
    per_match_ms: Int64 = 0
    """Maximum for one seat in a whole match, in milliseconds. 0: none."""


class Clock(Value, frozen=True, kw_only=True):
    """Clock of a seat at one moment. Set by the server."""

    seat: Count = 0
    """The seat, from 0."""
    running: bool = False
    """Whether the clock is running: the seat has to move."""
    time_left_us: Int64 | None = None
    """Time until the flag falls if the seat moves now, including all periods and delays, in microseconds. Not set:
    untimed.
    """
    main_us: Int64 = 0
    """Main time or bank included in it, in microseconds. 0 if the rule has none."""
    period_us: Int64 = 0
    """Rest of the delay, of the free time or of the current byo-yomi period included in it, in microseconds. 0 if
    the rule has none, or the period has not started.
    """
    periods_left: Count = 0
    """Remaining byo-yomi periods, including the current one. 0 if the rule has none."""
    moves_left: Count = 0
    """Moves to make before the next period starts. 0 if the rule does not count moves."""
    network_credit_left_us: Int64 = 0
    """Network credit that the seat can still receive in this match, in microseconds."""


class MovesPerPeriod(Value, frozen=True, kw_only=True):
    """A sequence of periods, each with its time and number of moves, as in tournament chess."""

    periods: tuple[Period, ...] = ()
    """The periods in order, at least one. If the last one has a number of moves, it repeats."""


class ClockCharge(Value, frozen=True, kw_only=True):
    """Time charged for one move, with everything that is needed to verify it. Set by the server.

    charged_us = arrived_us - asked_us - network_credit_us - stall_us, but at least 0; `after` follows from `before`,
    `charged_us` and the rule. Match time is measured in microseconds of the server's monotonic clock since play
    started, and stops while the server is down.
    """

    asked_us: Int64 = 0
    """Time when the turn was first sent, in microseconds of match time."""
    arrived_us: Int64 = 0
    """Time when the answer arrived or the flag fell, in microseconds of match time."""
    network_us: Int64 = 0
    """Measured round-trip time, in microseconds. 0 if none was measured."""
    network_credit_us: Int64 = 0
    """Part of the round-trip time that was not charged, within the limits, in microseconds."""
    stall_us: Int64 = 0
    """Delay caused by the server itself, in microseconds. None of it is charged."""
    charged_us: Int64 = 0
    """Time charged, in microseconds."""
    before: Clock | None = None
    """The clock when the turn was sent."""
    after: Clock | None = None
    """The clock after the move, including time added for it."""
    late: bool = False
    """Whether the flag fell: more time was charged than was left."""


class ClockRule(Value, frozen=True, kw_only=True):
    """Rule by which a clock runs."""

    sudden_death: SuddenDeath | None = None
    """One amount of time for the whole game."""
    fischer: Fischer | None = None
    """Increment after each move."""
    bronstein: Bronstein | None = None
    """Time used for a move is given back after it, up to a delay."""
    us_delay: UsDelay | None = None
    """Delay before the clock starts to run at each move."""
    japanese_byo_yomi: JapaneseByoYomi | None = None
    """Main time, then periods; a period is lost only when it is used up."""
    canadian_byo_yomi: CanadianByoYomi | None = None
    """Main time, then periods with a number of moves each."""
    moves_per_period: MovesPerPeriod | None = None
    """A sequence of periods with a number of moves each."""
    per_move: PerMove | None = None
    """The same time for each move, without carry-over."""
    bank: Bank | None = None
    """Free time for each move, and a bank for the rest."""
    hourglass: Hourglass | None = None
    """Time used by one seat is added to its opponents."""
    correspondence: Correspondence | None = None
    """Days for each move."""
    untimed: Untimed | None = None
    """No time limit."""

    @property
    def kind(
        self,
    ) -> (
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
        | None
    ):
        """The rule. Not set: untimed."""
        return (
            self.sudden_death
            or self.fischer
            or self.bronstein
            or self.us_delay
            or self.japanese_byo_yomi
            or self.canadian_byo_yomi
            or self.moves_per_period
            or self.per_move
            or self.bank
            or self.hourglass
            or self.correspondence
            or self.untimed
        )


class SeatOdds(Value, frozen=True, kw_only=True):
    """A seat with another time control than the others."""

    seat: Count = 0
    """The seat, from 0."""
    rule: ClockRule = ClockRule()
    """Rule of this seat. An hourglass must apply to all seats or to none."""


class TimeControl(Value, frozen=True, kw_only=True):
    """Time control of a match."""

    rule: ClockRule = ClockRule()
    """Rule for all seats without odds. Default: untimed."""
    odds: tuple[SeatOdds, ...] = ()
    """Seats with another rule. Default: none."""
    network_credit: NetworkCredit | None = None
    """Compensation for network latency. Default: the server's setting; always set in responses."""
