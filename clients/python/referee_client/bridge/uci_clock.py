"""The words of a UCI `go` command for the clock of a turn."""

from collections.abc import Mapping

from referee_values import Bank, Bronstein, Clock, ClockRule, Fischer, JapaneseByoYomi, Match, MovesPerPeriod, UsDelay

from referee_client.turn import Turn

COLOURS = ("w", "b")
US = 1_000_000
SMALLEST_MARGIN_MS, MARGIN_SHARE = 20, 0.1
"""How much of the time for a single move is kept: engines use all of what `movetime` says, and a little more."""


def increments(match: Match) -> dict[int, int]:
    """Return what each seat gets for each move besides its main time, in milliseconds."""
    control = match.terms.time_control
    rules = dict.fromkeys(range(len(COLOURS)), control.rule)
    rules |= {odds.seat: odds.rule for odds in control.odds}
    return {seat: _increment_ms(rule) for seat, rule in rules.items()}


def go_words(turn: Turn, increments_ms: Mapping[int, int], untimed_ms: int) -> list[str]:
    """Return the words after `go`. `untimed_ms` is the time for a move in a match without clocks."""
    left = turn.time_left_now
    if left is None:
        return ["movetime", str(untimed_ms)]
    mine = turn.clocks[turn.seat]
    gone = (turn.time_left or 0.0) - left
    if not mine.main_us and not mine.moves_left:
        return ["movetime", str(_within_margin(mine.period_us / US - gone))]
    words: list[str] = []
    for clock, colour in zip(turn.clocks, COLOURS, strict=True):
        words += [f"{colour}time", str(_ms(_time(clock) - (gone if clock is mine else 0.0)))]
    for seat, colour in enumerate(COLOURS):
        words += [f"{colour}inc", str(increments_ms.get(seat, 0))]
    return [*words, "movestogo", str(mine.moves_left)] if mine.moves_left else words


def _increment_ms(rule: ClockRule) -> int:
    match rule.kind:
        case Fischer(increment_ms=added) | Bronstein(delay_ms=added) | UsDelay(delay_ms=added) | Bank(move_ms=added):
            return added
        case JapaneseByoYomi(period_ms=period):
            return period
        case MovesPerPeriod(periods=(first, *_)):
            return first.increment_ms
    return 0


def _time(clock: Clock) -> float:
    """Return the time for more than one move: the main time, or a period for several moves."""
    return (clock.main_us or clock.period_us) / US


def _within_margin(seconds: float) -> int:
    milliseconds = _ms(seconds)
    return max(1, milliseconds - max(SMALLEST_MARGIN_MS, int(milliseconds * MARGIN_SHARE)))


def _ms(seconds: float) -> int:
    """Return whole milliseconds, and at least one, since some engines take 0 for no limit."""
    return max(1, int(seconds * 1_000))
