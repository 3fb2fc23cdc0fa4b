"""The checker reports each promise that is broken in a fabricated history, and nothing of a clean one."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster.fabricated import (
    ENTRIES,
    LEFT_US,
    MATCH,
    MS,
    THINK_US,
    WON,
    Fabricated,
    charge,
    move,
    of_number,
    of_token,
)
from tests.cluster.final_logs import LoggedEntry, RatedMatch
from tests.cluster.history import (
    EntryReceived,
    GameResult,
    HistoryWriter,
    MatchEndReceived,
    MoveSent,
    OwnLag,
    SessionOpened,
    StreamEnded,
    TurnReceived,
    VerdictReceived,
    WatchOpened,
    read_histories,
    read_history,
)
from tests.cluster.violations import Broken, report

SECOND_US = 1_000_000


@pytest.fixture
def case() -> Fabricated:
    return Fabricated()


def test_nothing_is_reported_of_a_clean_history(case: Fabricated) -> None:
    assert case.violations() == []


# Moves


def test_a_lost_move(case: Fabricated) -> None:
    case.log(*ENTRIES[:3], replace(ENTRIES[3], token="t1-of-another-node"), *ENTRIES[4:])
    assert Broken.MOVE_LOST in case.broken()


def test_a_lost_move_of_a_match_that_no_log_has(case: Fabricated) -> None:
    case.change("bob", of_token(VerdictReceived, "t1"), match_id="m2")
    assert Broken.MOVE_LOST in case.broken()


@pytest.mark.parametrize("number", [2, 5, 7])
def test_a_move_with_another_number(case: Fabricated, number: int) -> None:
    case.change("bob", of_token(VerdictReceived, "t1"), number=number)
    assert case.broken() == {Broken.MOVE_RENUMBERED}


def test_two_verdicts_with_two_numbers(case: Fabricated) -> None:
    verdict = VerdictReceived(MATCH, "t1", "accepted", 3, repeated=True)
    case.insert_after("bob", of_token(VerdictReceived, "t1"), verdict)
    assert case.broken() == {Broken.MOVE_RENUMBERED}


def test_a_repeated_verdict_is_no_violation(case: Fabricated) -> None:
    verdict = VerdictReceived(MATCH, "t1", "accepted", 4, charge=ENTRIES[3].charge, repeated=True)
    case.insert_after("bob", of_token(VerdictReceived, "t1"), MoveSent(MATCH, "t1", "b"), verdict)
    assert case.broken() == set()


def test_a_move_that_is_logged_twice(case: Fabricated) -> None:
    case.log(*ENTRIES[:4], move(5, 1, "t1", "b", 250 * MS), replace(ENTRIES[5], number=6))
    assert Broken.MOVE_TWICE in case.broken()


def test_a_move_that_nobody_sent(case: Fabricated) -> None:
    case.drop("bob", of_token(MoveSent, "t1"))
    case.drop("bob", of_token(VerdictReceived, "t1"))
    assert Broken.MOVE_INVENTED in case.broken()


def test_a_move_for_a_turn_that_its_bot_never_received(case: Fabricated) -> None:
    for kind in (TurnReceived, MoveSent, VerdictReceived):
        case.drop("bob", of_token(kind, "t1"))
    assert Broken.MOVE_INVENTED in case.broken()


def test_another_move_than_the_one_sent(case: Fabricated) -> None:
    case.change("bob", of_token(MoveSent, "t1"), move="x")
    assert case.broken() == {Broken.MOVE_CHANGED}


def test_a_move_that_was_rejected_and_logged(case: Fabricated) -> None:
    refusal = {"outcome": "rejected", "number": 0, "reason": "STORE_UNAVAILABLE", "charge": None}
    case.change("bob", of_token(VerdictReceived, "t1"), **refusal)
    assert case.broken() == {Broken.REFUSED_MOVE_LOGGED}


def test_a_move_that_was_rejected_and_sent_again_may_be_logged(case: Fabricated) -> None:
    refusal = VerdictReceived(MATCH, "t1", "rejected", reason="STORE_UNAVAILABLE")
    case.insert_after("bob", of_token(MoveSent, "t1"), refusal, MoveSent(MATCH, "t1", "b", at_us=2_060_000))
    assert case.broken() == set()


def test_a_legal_move_that_was_rejected(case: Fabricated) -> None:
    refusal = VerdictReceived(MATCH, "t1", "rejected", reason="ILLEGAL_MOVE")
    case.insert_after("bob", of_token(MoveSent, "t1"), refusal, MoveSent(MATCH, "t1", "b", at_us=2_060_000))
    assert case.broken() == {Broken.HONEST_MOVE_REFUSED}


def test_an_answer_that_is_called_stale_and_missing(case: Fabricated) -> None:
    case.change("bob", of_token(VerdictReceived, "t1"), outcome="stale", number=0, charge=None)
    case.change_entry(4, token="", source="random", charge=None)
    case.change("walt", of_number(4), charge=None)
    case.change("wilma", of_number(4), charge=None)
    assert case.broken() == {Broken.HONEST_MOVE_REFUSED}


@pytest.mark.parametrize("change", [{"token": "t9"}, {"position": "another"}])
def test_a_turn_that_changes(case: Fabricated, change: dict[str, str]) -> None:
    again = {"token": "t1", "position": "position 1"} | change
    turn = TurnReceived(MATCH, 1, ply=1, left_us=LEFT_US, repeated=True, at_us=2_000_001, **again)
    case.insert_after("bob", of_token(VerdictReceived, "t1"), turn)
    assert case.broken() == {Broken.TURN_CHANGED}


# Watchers


def test_two_watchers_with_two_histories(case: Fabricated) -> None:
    case.change("wilma", of_number(4), digest="another")
    assert case.broken() == {Broken.TWO_HISTORIES}
    told = report(case.violations())
    assert told.startswith("1 x two contents were told for one entry\n")
    assert "walt was told" in told
    assert "wilma was told" in told


def test_one_watcher_with_two_histories(case: Fabricated) -> None:
    again = EntryReceived(MATCH, 3, "move_played", 1003, 0, "a", ENTRIES[2].charge, digest="another")
    watched = WatchOpened(MATCH, "node-3", 2, reset=True)
    case.insert_after("walt", of_number(6), watched, again, *case.watchers["walt"][4:7])
    assert case.broken() == {Broken.TWO_HISTORIES}


@pytest.mark.parametrize("change", [{"move": "x"}, {"kind": "seat_resigned"}, {"written_ms": 1}, {"seat": 0}])
def test_all_watchers_are_told_what_is_not_logged(case: Fabricated, change: dict[str, object]) -> None:
    for name in case.watchers:
        case.change(name, of_number(4), **change)
    assert case.broken() == {Broken.ENTRY_NOT_LOGGED}


def test_an_entry_after_the_end_of_the_log(case: Fabricated) -> None:
    for name in case.watchers:
        case.insert_after(name, of_number(6), EntryReceived(MATCH, 7, "seat_resigned", 1007, 0))
    assert case.broken() == {Broken.ENTRY_NOT_LOGGED}


def test_a_skipped_entry(case: Fabricated) -> None:
    case.drop("walt", of_number(4))
    assert case.broken() == {Broken.NUMBER_SKIPPED}


def test_an_entry_that_is_skipped_at_a_reconnection(case: Fabricated) -> None:
    case.drop("walt", of_number(4))
    case.insert_after("walt", of_number(3), StreamEnded("node-2", "UNAVAILABLE", log=MATCH))
    case.insert_after("walt", lambda line: isinstance(line, StreamEnded), WatchOpened(MATCH, "node-1", 3))
    assert case.broken() == {Broken.NUMBER_SKIPPED}
    assert "from node-1" in str(case.violations()[0])


def test_a_repeated_entry(case: Fabricated) -> None:
    case.insert_after("walt", of_number(4), case.watchers["walt"][4])
    assert case.broken() == {Broken.NUMBER_REPEATED}


def test_a_stated_reset_is_no_repetition(case: Fabricated) -> None:
    watched = WatchOpened(MATCH, "node-3", 3, reset=True)
    case.insert_after("walt", of_number(6), watched, *case.watchers["walt"][4:7])
    assert case.broken() == set()


def test_a_watch_that_ends_early(case: Fabricated) -> None:
    case.drop("walt", of_number(6))
    assert case.broken() == {Broken.WATCH_INCOMPLETE}


def test_a_match_that_was_not_watched(case: Fabricated) -> None:
    case.watchers["walt"].clear()
    assert case.broken() == {Broken.WATCH_INCOMPLETE}


def test_hidden_entries_and_sealed_choices_are_no_violation(case: Fabricated) -> None:
    case.change("walt", of_number(3), kind="", seat=None, move="", charge=None, digest="")
    case.change("wilma", of_number(4), kind="choice_sealed", move="", digest="sealed")
    assert case.broken() == set()


# Time


def overcharge(case: Fabricated, **numbers: int) -> None:
    """Let the log charge the second move with these numbers, and tell everybody so."""
    charged = charge(150 * MS, **numbers)
    case.change_entry(4, charge=charged)
    case.change("bob", of_token(VerdictReceived, "t1"), charge=charged)
    for name in case.watchers:
        case.change(name, of_number(4), charge=charged)


def test_an_overcharged_move(case: Fabricated) -> None:
    overcharge(case, charged_us=2 * SECOND_US, stall_us=77, credit_us=99)
    assert case.broken() == {Broken.TIME_OVERCHARGED}
    report = str(case.violations()[0])
    assert "77 us of referee delay and 99 us of network credit" in report
    assert f"took {THINK_US} us" in report


def test_time_that_the_bot_took_may_be_charged(case: Fabricated) -> None:
    overcharge(case, charged_us=2 * SECOND_US)
    case.change("bob", of_token(MoveSent, "t1"), at_us=4 * SECOND_US)
    assert case.broken() == set()


def test_stall_and_credit_are_not_charged(case: Fabricated) -> None:
    overcharge(case, stall_us=10 * SECOND_US, credit_us=SECOND_US)
    assert case.broken() == set()


def test_lag_of_the_bot_itself_may_be_charged(case: Fabricated) -> None:
    overcharge(case, charged_us=2 * SECOND_US)
    case.insert_after("bob", of_token(TurnReceived, "t1"), OwnLag(SECOND_US, at_us=2 * SECOND_US))
    assert case.broken() == set()


def test_lag_at_another_time_does_not_count(case: Fabricated) -> None:
    overcharge(case, charged_us=2 * SECOND_US)
    case.insert_after("bob", of_token(TurnReceived, "t1"), OwnLag(SECOND_US, at_us=8 * SECOND_US))
    assert case.broken() == {Broken.TIME_OVERCHARGED}


def test_time_without_a_session_may_not_be_charged(case: Fabricated) -> None:
    """The bot loses its session after a third of a second, and answers at once when it is back, three seconds later."""
    overcharge(case, charged_us=3 * SECOND_US)
    lost, back, again = 2_300_000, 5_300_000, 5_300_010
    case.change("bob", of_token(MoveSent, "t1"), at_us=again + 1)
    case.insert_after(
        "bob",
        of_token(TurnReceived, "t1"),
        StreamEnded("node-1", "UNAVAILABLE", at_us=lost),
        SessionOpened("node-2", "bob-2", at_us=back),
        TurnReceived(MATCH, 1, "t1", 1, "position 1", LEFT_US, repeated=True, at_us=again),
    )
    assert case.broken() == {Broken.TIME_OVERCHARGED}
    overcharge(case, charged_us=1_300_000)
    assert case.broken() == set()


def test_another_charge_than_the_logged_one(case: Fabricated) -> None:
    case.change("bob", of_token(VerdictReceived, "t1"), charge=charge(0))
    assert case.broken() == {Broken.CHARGE_CHANGED}


def flag(case: Fabricated, thought_us: int) -> None:
    """Let the flag of bob fall, who needed this long by his own clock."""
    lost = GameResult("forfeited", "fault", (1, 2), ((1, "time"),))
    fallen = LoggedEntry(4, "flag_fell", 9_000_000, 1004, 1, "t1", charge=charge(0, LEFT_US + 1))
    case.log(*ENTRIES[:3], fallen, LoggedEntry(5, "play_ended", 9_000_000, 1005, result=lost))
    case.drop("anna", of_token(TurnReceived, "t2"))
    case.drop("anna", of_token(MoveSent, "t2"))
    case.drop("anna", of_token(VerdictReceived, "t2"))
    case.drop("bob", of_token(VerdictReceived, "t1"))
    case.change("bob", of_token(MoveSent, "t1"), at_us=2 * SECOND_US + thought_us)
    for name in ("anna", "bob"):
        case.change(name, lambda line: isinstance(line, MatchEndReceived), result=lost)
    case.watchers.clear()


def test_a_flag_against_a_bot_that_was_in_time(case: Fabricated) -> None:
    flag(case, thought_us=THINK_US)
    assert case.broken() == {Broken.FALSE_FLAG, Broken.TIME_OVERCHARGED, Broken.FORFEIT_WITHOUT_FAULT}


def test_a_flag_of_a_turn_that_was_never_sent(case: Fabricated) -> None:
    flag(case, thought_us=THINK_US)
    case.drop("bob", of_token(TurnReceived, "t1"))
    case.drop("bob", of_token(MoveSent, "t1"))
    assert case.broken() == {Broken.FALSE_FLAG, Broken.TIME_OVERCHARGED, Broken.FORFEIT_WITHOUT_FAULT}


def test_a_flag_against_a_bot_that_was_late(case: Fabricated) -> None:
    flag(case, thought_us=LEFT_US + 1)
    assert case.broken() == set()


# Results


def test_an_unfinished_match(case: Fabricated) -> None:
    case.log(phase="playing")
    assert case.broken() == {Broken.UNFINISHED, Broken.RESULT_CHANGED}


def end_with(case: Fabricated, result: GameResult) -> None:
    """Let the match end with this result, as everybody is told."""
    case.change_entry(6, result=result)
    for name in case.watchers:
        case.change(name, of_number(6), result=result)
    for name in case.bots:
        case.change(name, lambda line: isinstance(line, MatchEndReceived), result=result, ratings=())
    case.rated = (RatedMatch("m0", (1, 2), {}),)


def test_a_void_match_with_and_without_a_reason(case: Fabricated) -> None:
    end_with(case, GameResult("void", "engine_fault"))
    assert case.broken() == {Broken.VOID_WITHOUT_REASON}
    end_with(case, GameResult("void", "referee_fault", reason="the referee failed"))
    assert case.broken() == set()


def test_another_result_than_the_logged_one(case: Fabricated) -> None:
    other = GameResult("played", "rules", (2, 1), reason="no_men")
    case.change("bob", lambda line: isinstance(line, MatchEndReceived), result=other)
    assert case.broken() == {Broken.RESULT_CHANGED}


def test_an_end_that_was_not_told(case: Fabricated) -> None:
    case.drop("bob", lambda line: isinstance(line, MatchEndReceived))
    assert case.broken() == {Broken.END_NOT_TOLD}


def test_the_end_of_a_match_that_its_bot_has_never_seen(case: Fabricated) -> None:
    case.bots["bob"].clear()
    assert Broken.END_NOT_TOLD in case.broken()


@pytest.mark.parametrize("fault", ["disconnected", "illegal_move", "withdrawn", "time"])
def test_a_forfeit_of_a_bot_that_did_nothing_wrong(case: Fabricated, fault: str) -> None:
    end_with(case, GameResult("forfeited", "fault", (1, 2), ((1, fault),)))
    case.rated = ()
    assert case.broken() == {Broken.FORFEIT_WITHOUT_FAULT}


# Ladders


def test_another_rating_than_that_of_the_ladder(case: Fabricated) -> None:
    case.rated = (RatedMatch(MATCH, (1, 2), {"anna": 1521.0, "bob": 1480.0}),)
    assert case.broken() == {Broken.RATING_CHANGED}


def test_a_match_that_was_rated_twice(case: Fabricated) -> None:
    case.rated *= 2
    assert case.broken() == {Broken.RATED_TWICE}


def test_a_match_that_was_not_rated(case: Fabricated) -> None:
    end_with(case, WON)
    assert case.broken() == {Broken.NOT_RATED}


def test_a_void_match_that_was_rated(case: Fabricated) -> None:
    end_with(case, GameResult("void", "declared"))
    case.rated = (RatedMatch(MATCH, (1, 2), {}),)
    assert case.broken() == {Broken.NOT_RATED}


def test_a_rated_result_that_the_match_does_not_have(case: Fabricated) -> None:
    case.rated = (replace(case.rated[0], ranks=(2, 1)),)
    assert case.broken() == {Broken.RATED_RESULT_CHANGED}


# Files


def test_a_history_is_read_as_it_was_written(case: Fabricated, tmp_path: Path) -> None:
    for name, lines in (case.bots | case.watchers).items():
        writer = HistoryWriter(tmp_path / f"{name}.jsonl")
        for line in lines:
            writer.write(line)
        writer.close()
    histories = read_histories(tmp_path.glob("*.jsonl"))
    assert {history.name: history.lines for history in histories} == case.bots | case.watchers


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "anna.jsonl"
    writer = HistoryWriter(file)
    writer.write(MoveSent(MATCH, "t1", "b"))
    writer.close()
    file.write_bytes(file.read_bytes() + b'{"line":"sent","match')
    assert list(read_history(file).lines) == [MoveSent(MATCH, "t1", "b")]
