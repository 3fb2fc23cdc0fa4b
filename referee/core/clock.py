"""Time controls: what a seat has left, and what a move of some length leaves it.

All times are whole microseconds. A control is told how long a seat thought, and nothing else: what of
the elapsed time is the network's or the referee's is settled before (see `row`). Who thought exactly
as long as there was is in time; one microsecond more is late, also where that very move would have
brought the next period's time.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields

from referee.core.errors import BadTimeControl

Micros = int
MS: Micros = 1_000
SECOND: Micros = 1_000_000
DAY: Micros = 86_400 * SECOND
LONGEST: Micros = 3_660 * DAY
COUNTED_AT_MOST = 10_000
"""Moves or periods."""


@dataclass(frozen=True, slots=True)
class Clock:
    """What one seat has left."""

    left_us: Micros = 0
    """What is left of the main time, of the bank, or of the current period."""
    periods: int = 0
    """Byo-yomi periods left; or the number of the period, from 0, where moves are counted."""
    moves: int = 0
    """Moves to make until the next period begins; 0: none are counted now."""


@dataclass(frozen=True, slots=True)
class TimeControl(ABC):
    """The rule of one seat's clock."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            timed = field.name.endswith("_us")
            if isinstance(value, int) and not 0 <= value <= (LONGEST if timed else COUNTED_AT_MOST):
                raise BadTimeControl(field.name, f"is from 0 to {'ten years' if timed else COUNTED_AT_MOST}")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Raise BadTimeControl if no game can be played by it."""

    def need(self, name: str) -> None:
        if getattr(self, name) < 1:
            raise BadTimeControl(name, "is more than 0")

    @abstractmethod
    def first(self) -> Clock:
        """The clock before the first move."""

    @abstractmethod
    def limit_us(self, clock: Clock) -> Micros | None:
        """How long the next move may take at the most; None: as long as it likes."""

    @abstractmethod
    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        """The clock after a move that took so long, and no longer than the limit."""


@dataclass(frozen=True, slots=True)
class Untimed(TimeControl):
    """A seat may think for ever."""

    def check(self) -> None:
        """Nothing can be wrong with it."""

    def first(self) -> Clock:
        return Clock()

    def limit_us(self, clock: Clock) -> None:
        return None

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return clock


@dataclass(frozen=True, slots=True)
class Main(TimeControl):
    """A main time, which the kinds below are variations of."""

    main_us: Micros

    def check(self) -> None:
        self.need("main_us")

    def first(self) -> Clock:
        return Clock(self.main_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - thought_us)


@dataclass(frozen=True, slots=True)
class SuddenDeath(Main):
    """All moves within one time."""


@dataclass(frozen=True, slots=True)
class Hourglass(Main):
    """What one seat uses, the seats of the other sides get, in equal parts (see `row.shared`)."""


@dataclass(frozen=True, slots=True)
class Fischer(Main):
    """Time is added after every move."""

    increment_us: Micros = 0

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - thought_us + self.increment_us)


@dataclass(frozen=True, slots=True)
class Bronstein(Main):
    """What a move took is given back after it, up to a delay."""

    delay_us: Micros = 0

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - max(0, thought_us - self.delay_us))


@dataclass(frozen=True, slots=True)
class UsDelay(Main):
    """The clock waits at each move before it runs."""

    delay_us: Micros = 0

    def check(self) -> None:
        if self.main_us + self.delay_us < 1:
            raise BadTimeControl("main_us", "is more than 0 where there is no delay")

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + self.delay_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - max(0, thought_us - self.delay_us))


@dataclass(frozen=True, slots=True)
class PerMove(TimeControl):
    """The same time for every move; nothing is saved."""

    move_us: Micros

    def check(self) -> None:
        self.need("move_us")

    def first(self) -> Clock:
        return Clock()

    def limit_us(self, clock: Clock) -> Micros:
        return self.move_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return clock


@dataclass(frozen=True, slots=True)
class Bank(TimeControl):
    """Free time for every move, and a bank for what a move takes beyond it."""

    bank_us: Micros
    move_us: Micros = 0

    def check(self) -> None:
        self.need("bank_us")

    def first(self) -> Clock:
        return Clock(self.bank_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + self.move_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - max(0, thought_us - self.move_us))


@dataclass(frozen=True, slots=True)
class Correspondence(TimeControl):
    """Days for a move, of which some may be saved up to a most."""

    move_us: Micros
    most_us: Micros

    def check(self) -> None:
        self.need("move_us")
        if self.most_us < self.move_us:
            raise BadTimeControl("most_us", "is at least the time for one move")

    def first(self) -> Clock:
        return Clock(self.move_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(min(self.most_us, clock.left_us - thought_us + self.move_us))


@dataclass(frozen=True, slots=True)
class JapaneseByoYomi(TimeControl):
    """After the main time, periods of which one is lost only when it is used up."""

    main_us: Micros
    period_us: Micros
    periods: int

    def check(self) -> None:
        self.need("period_us")
        self.need("periods")

    def first(self) -> Clock:
        return Clock(self.main_us, self.periods)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + clock.periods * self.period_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        beyond = thought_us - clock.left_us
        if beyond <= 0:
            return Clock(-beyond, clock.periods)
        return Clock(0, clock.periods - (beyond - 1) // self.period_us)


@dataclass(frozen=True, slots=True)
class CanadianByoYomi(TimeControl):
    """After the main time, so many moves in each period; a new one begins when they are made."""

    main_us: Micros
    period_us: Micros
    moves: int

    def check(self) -> None:
        self.need("period_us")
        self.need("moves")

    def first(self) -> Clock:
        return Clock(self.main_us)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us + (0 if clock.moves else self.period_us)

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        if not clock.moves and thought_us <= clock.left_us:
            return Clock(clock.left_us - thought_us)
        still = (clock.moves or self.moves) - 1
        return Clock(self.limit_us(clock) - thought_us, 0, still) if still else Clock(self.period_us, 0, self.moves)


@dataclass(frozen=True, slots=True)
class Period:
    """One period of MovesPerPeriod."""

    moves: int
    """0, for the last period only: all the rest of the game."""
    added_us: Micros
    increment_us: Micros = 0


@dataclass(frozen=True, slots=True)
class MovesPerPeriod(TimeControl):
    """Several periods, each with its time and its number of moves. Time left over is kept.

    If the last period counts moves, it comes again and again.
    """

    listed: tuple[Period, ...]

    def check(self) -> None:
        if not self.listed:
            raise BadTimeControl("periods", "has at least one")
        for period in self.listed:
            if not (0 < period.added_us <= LONGEST and 0 <= period.increment_us <= LONGEST):
                raise BadTimeControl("periods", "each add more than 0, and up to ten years")
        if any(period.moves < 1 for period in self.listed[:-1]) or self.listed[-1].moves < 0:
            raise BadTimeControl("periods", "count moves, all but the last")
        if any(period.moves > COUNTED_AT_MOST for period in self.listed):
            raise BadTimeControl("periods", f"count up to {COUNTED_AT_MOST} moves each")

    def first(self) -> Clock:
        return Clock(self.listed[0].added_us, 0, self.listed[0].moves)

    def limit_us(self, clock: Clock) -> Micros:
        return clock.left_us

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        left = clock.left_us - thought_us + self.listed[clock.periods].increment_us
        if clock.moves != 1:
            return Clock(left, clock.periods, max(0, clock.moves - 1))
        following = min(clock.periods + 1, len(self.listed) - 1)
        return Clock(left + self.listed[following].added_us, following, self.listed[following].moves)
