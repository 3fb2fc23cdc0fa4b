"""Statistics from records."""

from msgspec.structs import replace

from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import FallFlag, SubmitMove
from referee.match.events import MatchCreated
from referee.show.record_statistics import MAX_ILLEGAL_MOVES, RecordStatistics
from referee.show.report import Times
from tests.cli.test_explain import MATCH, alquerque_match
from tests.records.forgery import record_of

S = 1_000_000
NAMES = {("ada", "1"): "ada", ("bob", "2"): "bob"}


def name_of(bot: str, version: str) -> str | None:
    return NAMES.get((bot, version))


def test_times_are_the_charged_times_and_flag_falls_are_counted() -> None:
    statistics = RecordStatistics(name_of)
    statistics.add_record(record_of(alquerque_match(*MATCH)))
    times = statistics.times()
    assert statistics.matches == 1
    assert times["bob"] == Times(1, S, S, S, S)
    assert (times["ada"].moves, times["ada"].flags) == (2, 1)
    assert times["ada"].total_us == times["ada"].longest_us + 2_650_000  # 3 s, less the network's 100 ms and a stall.


def test_a_record_that_repeats_the_moves_of_another_is_found() -> None:
    statistics = RecordStatistics(name_of)
    for match_id, commands in (
        ("m-1", MATCH),
        ("m-2", MATCH),
        ("m-3", (*MATCH[:2], (30 * S, FallFlag(1, TurnMeasurement(30 * S))))),
    ):
        created, *others = alquerque_match(*commands)
        assert isinstance(created, MatchCreated)
        setup = replace(created.setup, match_id=match_id)
        statistics.add_record(record_of([MatchCreated(created.at_us, setup), *others]))
    assert statistics.repeated == ["m-2"]


def test_other_bots_and_invalid_records_are_ignored() -> None:
    statistics = RecordStatistics(lambda bot, _: "ada" if bot == "ada" else None)
    statistics.add_record(record_of(alquerque_match(*MATCH)))
    statistics.add_record(b"no record\n")
    assert statistics.times().keys() == {"ada"}
    assert statistics.matches == 1


def test_only_the_records_of_the_given_matches_are_added() -> None:
    record = record_of(alquerque_match(*MATCH))
    for match_ids, added in (({"m-1"}, 1), ({"m-2"}, 0)):
        statistics = RecordStatistics(name_of, match_ids)
        statistics.add_record(record)
        assert (statistics.matches, bool(statistics.times())) == (added, bool(added))


def test_matches_lost_by_an_illegal_move_are_listed_with_the_move() -> None:
    attempts = [
        (number * S, SubmitMove(0, f"0.0.{number}", "a1-a2", TurnMeasurement(number * S))) for number in (1, 2, 3)
    ]
    record = record_of(alquerque_match(*attempts))
    statistics = RecordStatistics(name_of)
    for _ in range(MAX_ILLEGAL_MOVES + 1):
        statistics.add_record(record)
    assert len(statistics.illegal_moves) == MAX_ILLEGAL_MOVES
    assert str(statistics.illegal_moves[0]).startswith("ada in m-1: illegal move: 'a1-a2': ")
    assert len(statistics.illegal_moves[0].refused) > len("'a1-a2': ")


def test_a_match_lost_on_time_is_not_listed_despite_a_rejected_move() -> None:
    statistics = RecordStatistics(name_of)
    statistics.add_record(record_of(alquerque_match(*MATCH)))
    assert statistics.illegal_moves == []
