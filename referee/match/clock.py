"""Time controls: the time a seat has left, and the clock after a move of a given duration.

All times are whole microseconds. A control takes the charged time of a move only; network credit and referee delay
are deducted before (see `clock_charge`). A move that takes exactly the limit is in time; one microsecond more is
late, even if the move would have started the next period.
"""

from abc import abstractmethod
from functools import lru_cache
from typing import Any, ClassVar, get_args

import referee_values
from msgspec import Struct
from msgspec.structs import asdict, replace
from referee_values import ClockRule

from referee.match.match_errors import BadTimeControl

Micros = int
MS: Micros = 1_000
SECOND: Micros = 1_000_000
DAY: Micros = 86_400 * SECOND
MAX_TIME_US: Micros = 3_660 * DAY
MAX_MOVES_OR_PERIODS = 10_000
"""Limit of the moves in a period, and of the number of periods."""


class Clock(Struct, frozen=True, gc=False):
    """The time that one seat has left."""

    left_us: Micros = 0
    """Time left of the main time, of the bank, or of the current period."""
    periods: int = 0
    """Byo-yomi periods left; with MovesPerPeriod, the index of the current period."""
    moves: int = 0
    """Moves left until the next period begins; 0 if moves are not counted."""


class BaseTimeControl(Struct, frozen=True, gc=False, tag_field="kind"):
    """The rule of one seat's clock. Its tag is its kind in logs and records."""

    positive: ClassVar[tuple[str, ...]] = ()
    """Fields that must be greater than 0."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            timed = name.endswith("_us")
            if isinstance(value, int) and not 0 <= value <= (MAX_TIME_US if timed else MAX_MOVES_OR_PERIODS):
                raise BadTimeControl(name, f"must be from 0 to {'ten years' if timed else MAX_MOVES_OR_PERIODS}")
            if name in self.positive and value < 1:
                raise BadTimeControl(name, "must be greater than 0")
        self.check()

    def check(self) -> None:
        """Raise BadTimeControl if the values are invalid together."""

    @abstractmethod
    def initial_clock(self) -> Clock:
        """Return the clock before the first move."""

    @abstractmethod
    def limit_us(self, clock: Clock) -> Micros | None:
        """Return the maximum duration of the next move, or None if there is no limit."""

    @abstractmethod
    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        """Return the clock after a move that took `thought_us`, which must not exceed the limit."""


class Untimed(BaseTimeControl, frozen=True, gc=False, tag="untimed"):
    """No time limit."""

    def initial_clock(self) -> Clock:
        return Clock()

    def limit_us(self, clock: Clock) -> None:
        return None

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return clock


class MainTimeControl(BaseTimeControl, frozen=True, gc=False):
    """Base class of controls with a main time."""

    main_us: Micros
    positive: ClassVar[tuple[str, ...]] = ("main_us",)

    def initial_clock(self) -> Clock:
        return Clock(self.main_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - thought_us)


class SuddenDeath(MainTimeControl, frozen=True, gc=False, tag="sudden_death"):
    """All moves within one time."""


class Hourglass(MainTimeControl, frozen=True, gc=False, tag="hourglass"):
    """Time that one seat uses is added to the seats of the other sides (see `clock_charge.apply_charge`)."""


class Fischer(MainTimeControl, frozen=True, gc=False, tag="fischer"):
    """Time is added after every move."""

    increment_us: Micros = 0

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - thought_us + self.increment_us)


class Bronstein(MainTimeControl, frozen=True, gc=False, tag="bronstein"):
    """The time of a move is added back after it, up to the delay."""

    delay_us: Micros = 0

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - max(0, thought_us - self.delay_us))


class UsDelay(MainTimeControl, frozen=True, gc=False, tag="us_delay"):
    """The clock waits at each move before it runs."""

    delay_us: Micros = 0
    positive = ()

    def check(self) -> None:
        if self.main_us + self.delay_us < 1:
            raise BadTimeControl("main_us", "must be greater than 0 if there is no delay")

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + self.delay_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - max(0, thought_us - self.delay_us))


class PerMove(BaseTimeControl, frozen=True, gc=False, tag="per_move"):
    """The same time for every move; unused time is lost."""

    move_us: Micros
    positive = ("move_us",)

    def initial_clock(self) -> Clock:
        return Clock()

    def limit_us(self, clock: Clock) -> Micros:
        return self.move_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return clock


class Bank(BaseTimeControl, frozen=True, gc=False, tag="bank"):
    """Free time for every move, and a time bank for the rest."""

    bank_us: Micros
    move_us: Micros = 0
    positive = ("bank_us",)

    def initial_clock(self) -> Clock:
        return Clock(self.bank_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + self.move_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - max(0, thought_us - self.move_us))


class Correspondence(BaseTimeControl, frozen=True, gc=False, tag="correspondence"):
    """Days for each move; unused time is saved up to a maximum."""

    move_us: Micros
    max_us: Micros
    positive = ("move_us",)

    def check(self) -> None:
        if self.max_us < self.move_us:
            raise BadTimeControl("max_us", "must be at least the time for one move")

    def initial_clock(self) -> Clock:
        return Clock(self.move_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(min(self.max_us, clock.left_us - thought_us + self.move_us))


class JapaneseByoYomi(BaseTimeControl, frozen=True, gc=False, tag="japanese_byo_yomi"):
    """After the main time, periods; a period is lost only when a move uses it up."""

    main_us: Micros
    period_us: Micros
    periods: int
    positive = ("period_us", "periods")

    def initial_clock(self) -> Clock:
        return Clock(self.main_us, self.periods)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + clock.periods * self.period_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        beyond = thought_us - clock.left_us
        if beyond <= 0:
            return Clock(-beyond, clock.periods)
        return Clock(0, clock.periods - (beyond - 1) // self.period_us)


class CanadianByoYomi(BaseTimeControl, frozen=True, gc=False, tag="canadian_byo_yomi"):
    """After the main time, a number of moves in each period; the next period begins when they are made."""

    main_us: Micros
    period_us: Micros
    moves: int
    positive = ("period_us", "moves")

    def initial_clock(self) -> Clock:
        return Clock(self.main_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + (0 if clock.moves else self.period_us)

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        if not clock.moves and thought_us <= clock.left_us:
            return Clock(clock.left_us - thought_us)
        still = (clock.moves or self.moves) - 1
        return Clock(self.limit_us(clock) - thought_us, 0, still) if still else Clock(self.period_us, 0, self.moves)


class Period(Struct, frozen=True, gc=False):
    """One period of MovesPerPeriod."""

    moves: int
    """0, for the last period only, means the rest of the game."""
    added_us: Micros
    increment_us: Micros = 0


class MovesPerPeriod(BaseTimeControl, frozen=True, gc=False, tag="moves_per_period"):
    """Several periods, each with its time and its number of moves. Unused time is kept.

    If the last period counts moves, it repeats.
    """

    periods: tuple[Period, ...]

    def check(self) -> None:
        if not self.periods:
            raise BadTimeControl("periods", "must contain at least one period")
        for period in self.periods:
            if not (0 < period.added_us <= MAX_TIME_US and 0 <= period.increment_us <= MAX_TIME_US):
                raise BadTimeControl("periods", "must each add more than 0 and at most ten years")
        if any(period.moves < 1 for period in self.periods[:-1]) or self.periods[-1].moves < 0:
            raise BadTimeControl("periods", "must each have a number of moves, except the last")
        if any(period.moves > MAX_MOVES_OR_PERIODS for period in self.periods):
            raise BadTimeControl("periods", f"must each have at most {MAX_MOVES_OR_PERIODS} moves")

    def initial_clock(self) -> Clock:
        return Clock(self.periods[0].added_us, 0, self.periods[0].moves)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        left = clock.left_us - thought_us + self.periods[clock.periods].increment_us
        if clock.moves != 1:
            return Clock(left, clock.periods, max(0, clock.moves - 1))
        following = min(clock.periods + 1, len(self.periods) - 1)
        return Clock(left + self.periods[following].added_us, following, self.periods[following].moves)


TimeControl = (
    Untimed
    | SuddenDeath
    | Hourglass
    | Fischer
    | Bronstein
    | UsDelay
    | PerMove
    | Bank
    | Correspondence
    | JapaneseByoYomi
    | CanadianByoYomi
    | MovesPerPeriod
)
CONTROLS: dict[str, type[TimeControl]] = {cls.__struct_config__.tag: cls for cls in get_args(TimeControl)}
"""By their names in `ClockRule`."""
UNTIMED = ClockRule(untimed=referee_values.Untimed())


def complete_time(time: referee_values.TimeControl, credit: referee_values.NetworkCredit) -> referee_values.TimeControl:
    """Return the time control with every default filled in, `credit` among them."""
    odds = tuple(replace(seat, rule=complete_rule(seat.rule)) for seat in time.odds)
    return replace(time, rule=complete_rule(time.rule), odds=odds, network_credit=time.network_credit or credit)


def complete_rule(rule: ClockRule) -> ClockRule:
    days = rule.correspondence
    if days and not days.max_ms:
        return replace(rule, correspondence=replace(days, max_ms=days.move_ms))
    return rule if rule.kind else UNTIMED


def rules_in(time: referee_values.TimeControl) -> tuple[ClockRule, ...]:
    return (time.rule, *(seat.rule for seat in time.odds))


def control_of(rule: ClockRule) -> TimeControl:
    """Return the control by a rule, which is in milliseconds. Raises BadTimeControl."""
    rule = complete_rule(rule)
    kinds = [name for name in CONTROLS if getattr(rule, name) is not None]
    if len(kinds) > 1:
        raise BadTimeControl("rule", f"must be one of {' and '.join(kinds)}")
    given = _in_us(getattr(rule, kinds[0]))
    if rule.moves_per_period:
        given["periods"] = tuple(Period(**_in_us(period)) for period in rule.moves_per_period.periods)
    return CONTROLS[kinds[0]](**given)


@lru_cache(maxsize=256)
def controls_of(time: referee_values.TimeControl, seats: int) -> tuple[TimeControl, ...]:
    """Return the control of each seat by a time control. Raises BadTimeControl."""
    odds = {handicap.seat: control_of(handicap.rule) for handicap in time.odds}
    if beyond := [seat for seat in odds if seat >= seats]:
        raise BadTimeControl("odds", f"must not name seat {beyond[0]}; seats are 0 to {seats - 1}")
    if len(odds) < len(time.odds):
        raise BadTimeControl("odds", "must not name a seat twice")
    default = control_of(time.rule)
    return tuple(odds.get(seat, default) for seat in range(seats))


def _in_us(times: Struct) -> dict[str, Any]:
    """Return the fields with microseconds in place of milliseconds."""
    return {
        (f"{name[:-3]}_us" if name.endswith("_ms") else name): (value * MS if name.endswith("_ms") else value)
        for name, value in asdict(times).items()
    }
