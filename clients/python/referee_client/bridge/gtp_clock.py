"""The words of GTP for clocks: `time_settings`, or `kgs-time_settings`, and `time_left`. GTP counts whole seconds."""

from collections.abc import Collection

from referee_values import (
    Bank,
    Bronstein,
    CanadianByoYomi,
    Clock,
    ClockRule,
    Fischer,
    Hourglass,
    JapaneseByoYomi,
    Match,
    MovesPerPeriod,
    PerMove,
    SuddenDeath,
    UsDelay,
)

from referee_client.turn import Turn

SETTINGS = "time_settings"
KGS_SETTINGS = "kgs-time_settings"
LEFT = "time_left"
UNTIMED = ("0", "1", "0")
"""A period without a number of moves means no limit."""
COLOURS = ("B", "W")
US = 1_000_000


def settings_words(match: Match, seat: int, known: Collection[str]) -> list[str]:
    """Return the command that describes the clock of a seat; empty if GTP, or this engine, has none for it."""
    control = match.terms.time_control
    rule = next((odds.rule for odds in control.odds if odds.seat == seat), control.rule)
    byo_yomi = rule.japanese_byo_yomi
    if byo_yomi and KGS_SETTINGS in known:
        return [KGS_SETTINGS, "byoyomi", *map(_seconds, (byo_yomi.main_ms, byo_yomi.period_ms)), str(byo_yomi.periods)]
    words = _standard_words(rule)
    return [SETTINGS, *words] if words and SETTINGS in known else []


def left_words(turn: Turn, known: Collection[str]) -> list[list[str]]:
    """Return a command for the clock of each seat, as it is at this moment; none if the engine does not know it."""
    left = turn.time_left_now
    if left is None or LEFT not in known:
        return []
    gone = (turn.time_left or 0.0) - left
    byo_yomi = KGS_SETTINGS in known
    clocks = zip(COLOURS, turn.clocks, strict=True)
    return [
        [LEFT, colour, *_left(clock, gone if clock.seat == turn.seat else 0.0, byo_yomi)] for colour, clock in clocks
    ]


def _standard_words(rule: ClockRule) -> tuple[str, ...]:
    """Return main time, time of a period and moves of a period; for a period of one move, that is a byo-yomi."""
    numbers: tuple[int, int, int] | None = None
    match rule.kind:
        case None:
            return UNTIMED
        case PerMove(move_ms=period) | UsDelay(main_ms=0, delay_ms=period):
            numbers = 0, period, 1
        case SuddenDeath(main_ms=main) | Fischer(main_ms=main) | Hourglass(main_ms=main):
            numbers = main, 0, 0
        case Bronstein(main_ms=main) | UsDelay(main_ms=main) | Bank(move_ms=0, bank_ms=main):
            numbers = main, 0, 0
        case Bank(move_ms=period, bank_ms=main) | JapaneseByoYomi(main_ms=main, period_ms=period):
            numbers = main, period, 1
        case CanadianByoYomi(main_ms=main, period_ms=period, moves=moves):
            numbers = main, period, moves
        case MovesPerPeriod(periods=(first, *_)):
            numbers = (0, first.added_ms, first.moves) if first.moves else (first.added_ms, 0, 0)
    return (_seconds(numbers[0]), _seconds(numbers[1]), str(numbers[2])) if numbers else ()


def _left(clock: Clock, gone: float, byo_yomi: bool) -> tuple[str, str]:
    """Return the seconds, and the moves to make in them: 0 in the main time.

    The extension of KGS counts periods instead of moves in a byo-yomi.
    """
    if clock.moves_left:
        return _whole((clock.main_us + clock.period_us) / US - gone), str(clock.moves_left)
    if clock.main_us:
        return _whole(clock.main_us / US - gone), "0"
    return _whole(clock.period_us / US - gone), str(clock.periods_left if byo_yomi and clock.periods_left else 1)


def _seconds(milliseconds: int) -> str:
    return _whole(milliseconds / 1_000) if milliseconds else "0"


def _whole(seconds: float) -> str:
    """Return whole seconds, and at least one, since 0 means that a kind of time does not exist."""
    return str(max(1, int(seconds)))
