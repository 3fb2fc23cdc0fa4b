"""What turns took, from records."""

from referee.core.commands import SubmitMove
from referee.core.row import Measured
from referee.reporting.report import Times
from referee.reporting.timing import MAX_ILLEGAL_MOVES, Stopwatches
from tests.cli.test_explain import MATCH, alquerque
from tests.storage.record.forging import record_of

S = 1_000_000
NAMES = {("ada", "1"): "ada", ("bob", "2"): "bob"}


def name_of(bot: str, version: str) -> str | None:
    return NAMES.get((bot, version))


def test_the_times_are_what_the_clocks_were_charged_and_flags_are_counted() -> None:
    watches = Stopwatches(name_of)
    watches.take(record_of(alquerque(*MATCH)))
    times = watches.times()
    assert watches.matches == 1
    assert times["bob"] == Times(1, S, S, S, S)
    assert (times["ada"].moves, times["ada"].flags) == (2, 1)
    assert times["ada"].all_us == times["ada"].longest_us + 2_650_000  # 3 s, less the network's 100 ms and a stall.


def test_somebody_else_and_what_is_no_record_say_nothing() -> None:
    watches = Stopwatches(lambda bot, _: "ada" if bot == "ada" else None)
    watches.take(record_of(alquerque(*MATCH)))
    watches.take(b"no record\n")
    assert watches.times().keys() == {"ada"}
    assert watches.matches == 1


def test_a_match_that_was_lost_by_an_illegal_move_is_named_with_what_was_refused() -> None:
    attempts = [(number * S, SubmitMove(0, f"0.0.{number}", "a1-a2", Measured(number * S))) for number in (1, 2, 3)]
    record = record_of(alquerque(*attempts))
    watches = Stopwatches(name_of)
    for _ in range(MAX_ILLEGAL_MOVES + 1):
        watches.take(record)
    assert len(watches.illegal_moves) == MAX_ILLEGAL_MOVES
    assert str(watches.illegal_moves[0]).startswith("ada in m-1: illegal move: 'a1-a2': ")
    assert len(watches.illegal_moves[0].refused) > len("'a1-a2': ")


def test_a_match_that_was_lost_on_time_is_not_named_although_a_move_was_refused() -> None:
    watches = Stopwatches(name_of)
    watches.take(record_of(alquerque(*MATCH)))
    assert watches.illegal_moves == []
