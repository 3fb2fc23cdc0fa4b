"""What turns took, from records."""

from referee.reporting.report import Times
from referee.reporting.timing import Stopwatches
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
