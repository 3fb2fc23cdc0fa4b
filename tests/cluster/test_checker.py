"""The checker reports every broken promise, and nothing else."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster.checker import Broken, report
from tests.cluster.fabricated import (
    END,
    ENTRIES,
    LEFT_US,
    MATCH,
    MS,
    RATINGS,
    SENT,
    THINK_US,
    TURN,
    VERDICT,
    WON,
    Fabricated,
    charge,
    move,
    of_number,
)
from tests.cluster.final_logs import RatedMatch
from tests.cluster.history import (
    EntryReceived,
    GameResult,
    HistoryWriter,
    Line,
    MoveSent,
    OwnLag,
    SessionOpened,
    StreamEnded,
    TurnReceived,
    VerdictReceived,
    WatchOpened,
    read_history,
)

Breach = Callable[[Fabricated], object]
SECOND_US = 1_000_000
STALE = {"outcome": "stale", "number": 0, "charge": None}
REJECTED = {"outcome": "rejected", "number": 0, "charge": None}
SENT_AGAIN = MoveSent(MATCH, "t1", "b", at_us=2_060_000)
OTHER_RESULT = GameResult("played", "rules", (2, 1), reason="no_men")
RATED = RatedMatch(MATCH, (1, 2), RATINGS)


def verdict(outcome: str, number: int = 0, reason: str = "", **more: object) -> VerdictReceived:
    return VerdictReceived(MATCH, "t1", outcome, number, reason, **more)  # type: ignore[arg-type]


def turn(token: str = "t1", position: str = "position 1", at_us: int = 2_000_001) -> TurnReceived:
    return TurnReceived(MATCH, 1, token, 1, position, LEFT_US, repeated=True, at_us=at_us)


def renumber(number: int) -> Breach:
    return lambda case: case.change("bob", VERDICT, number=number)


def tell_all(**fields: object) -> Breach:
    """Tell all watchers this of the second move."""
    return lambda case: case.change("walt wilma", of_number(4), **fields)


def forfeit(fault: str) -> Breach:
    return lambda case: case.end_with(GameResult("forfeited", "fault", (1, 2), ((1, fault),))).rate()


def lose_session(case: Fabricated) -> None:
    """Let bob lose his session after a third of a second, and answer at once when he is back, three seconds later."""
    lost, back, again = 2_300_000, 5_300_000, 5_300_010
    case.change("bob", SENT, at_us=again + 1).insert_after(
        "bob",
        TURN,
        StreamEnded("node-1", "UNAVAILABLE", at_us=lost),
        SessionOpened("node-2", "bob-2", at_us=back),
        turn(at_us=again),
    )


def tell_again(case: Fabricated, *entries: Line, after: int) -> None:
    """Let a watcher begin again after this entry, and receive these."""
    case.insert_after("walt", of_number(6), WatchOpened(MATCH, "node-3", after, reset=True), *entries)


def skip_at_a_reconnection(case: Fabricated) -> None:
    reconnected = StreamEnded("node-2", "UNAVAILABLE", log=MATCH), WatchOpened(MATCH, "node-1", 3)
    case.drop("walt", of_number(4)).insert_after("walt", of_number(3), *reconnected)


def tell_more(case: Fabricated) -> None:
    for name in case.watchers:
        case.insert_after(name, of_number(6), EntryReceived(MATCH, 7, "seat_resigned", 1007, 0))


def forget(case: Fabricated) -> None:
    """Let the log have a random move instead of that of bob, whose answer was called stale."""
    case.change("bob", VERDICT, **STALE).change_entry(4, token="", source="random", charge=None)
    case.change("walt wilma", of_number(4), charge=None)


KEPT: dict[str, Breach] = {
    "a clean history": lambda case: case,
    "a repeated verdict": lambda case: case.insert_after(
        "bob", VERDICT, MoveSent(MATCH, "t1", "b"), verdict("accepted", 4, charge=ENTRIES[3].charge, repeated=True)
    ),
    "a move that was rejected and sent again": lambda case: case.insert_after(
        "bob", SENT, verdict("rejected", reason="STORE_UNAVAILABLE"), SENT_AGAIN
    ),
    "a stated reset": lambda case: tell_again(case, *case.watchers["walt"][4:7], after=3),
    "hidden entries and sealed choices": lambda case: case.change(
        "walt", of_number(3), kind="", seat=None, move="", charge=None, digest=""
    ).change("wilma", of_number(4), kind="choice_sealed", move="", digest="sealed"),
    "charged time that the bot took": lambda case: case.overcharge(charged_us=2 * SECOND_US).change(
        "bob", SENT, at_us=4 * SECOND_US
    ),
    "stall and credit that are not charged": lambda case: case.overcharge(stall_us=10 * SECOND_US, credit_us=SECOND_US),
    "charged lag of the bot itself": lambda case: case.overcharge(charged_us=2 * SECOND_US).insert_after(
        "bob", TURN, OwnLag(SECOND_US, at_us=2 * SECOND_US)
    ),
    "time charged before a session was lost": lambda case: lose_session(case.overcharge(charged_us=1_300_000)),
    "a flag against a bot that was late": lambda case: case.flag(thought_us=LEFT_US + 1),
    "a void match with a reason": lambda case: case.end_with(GameResult("void", "referee_fault", reason="it failed")),
}

BROKEN: dict[str, tuple[Breach, set[Broken]]] = {
    "a lost move": (
        lambda case: case.change_entry(4, token="t1-of-another-node"),
        {Broken.MOVE_LOST, Broken.MOVE_INVENTED},
    ),
    "a lost move of a match that no log has": (
        lambda case: case.change("bob", VERDICT, match_id="m2"),
        {Broken.MOVE_LOST},
    ),
    "a move with the number of an earlier entry": (renumber(2), {Broken.MOVE_RENUMBERED}),
    "a move with the number of a later move": (renumber(5), {Broken.MOVE_RENUMBERED}),
    "a move with the number of no entry": (renumber(7), {Broken.MOVE_RENUMBERED}),
    "two verdicts with two numbers": (
        lambda case: case.insert_after("bob", VERDICT, verdict("accepted", 3, repeated=True)),
        {Broken.MOVE_RENUMBERED},
    ),
    "a move that is logged twice": (
        lambda case: case.log(*ENTRIES[:4], move(5, 1, "t1", "b", 250 * MS), replace(ENTRIES[5], number=6)),
        {Broken.MOVE_TWICE, Broken.MOVE_LOST, Broken.ENTRY_NOT_LOGGED},
    ),
    "a move that nobody sent": (lambda case: case.drop("bob", SENT, VERDICT), {Broken.MOVE_INVENTED}),
    "a move for a turn that its bot never received": (
        lambda case: case.drop("bob", TURN, SENT, VERDICT),
        {Broken.MOVE_INVENTED},
    ),
    "another move than the one sent": (lambda case: case.change("bob", SENT, move="x"), {Broken.MOVE_CHANGED}),
    "a move that was rejected and logged": (
        lambda case: case.change("bob", VERDICT, reason="STORE_UNAVAILABLE", **REJECTED),
        {Broken.REFUSED_MOVE_LOGGED},
    ),
    "a legal move that was rejected": (
        lambda case: case.insert_after("bob", SENT, verdict("rejected", reason="ILLEGAL_MOVE"), SENT_AGAIN),
        {Broken.HONEST_MOVE_REFUSED},
    ),
    "an answer that is called stale and missing": (forget, {Broken.HONEST_MOVE_REFUSED}),
    "a turn with two tokens": (
        lambda case: case.insert_after("bob", VERDICT, turn(token="t9")),
        {Broken.TURN_CHANGED},
    ),
    "a turn with two positions": (
        lambda case: case.insert_after("bob", VERDICT, turn(position="another")),
        {Broken.TURN_CHANGED},
    ),
    "two watchers with two histories": (
        lambda case: case.change("wilma", of_number(4), digest="another"),
        {Broken.TWO_HISTORIES},
    ),
    "one watcher with two histories": (
        lambda case: tell_again(
            case,
            EntryReceived(MATCH, 3, "move_played", 1003, 0, "a", ENTRIES[2].charge, digest="another"),
            *case.watchers["walt"][4:7],
            after=2,
        ),
        {Broken.TWO_HISTORIES},
    ),
    "another move told to all watchers": (tell_all(move="x"), {Broken.ENTRY_NOT_LOGGED}),
    "another event told to all watchers": (tell_all(kind="seat_resigned"), {Broken.ENTRY_NOT_LOGGED}),
    "another time told to all watchers": (tell_all(written_ms=1), {Broken.ENTRY_NOT_LOGGED}),
    "another seat told to all watchers": (tell_all(seat=0), {Broken.ENTRY_NOT_LOGGED}),
    "an entry after the end of the log": (tell_more, {Broken.ENTRY_NOT_LOGGED}),
    "a skipped entry": (lambda case: case.drop("walt", of_number(4)), {Broken.NUMBER_SKIPPED}),
    "an entry that is skipped at a reconnection": (skip_at_a_reconnection, {Broken.NUMBER_SKIPPED}),
    "a repeated entry": (
        lambda case: case.insert_after("walt", of_number(4), case.watchers["walt"][4]),
        {Broken.NUMBER_REPEATED},
    ),
    "a watch that ends early": (lambda case: case.drop("walt", of_number(6)), {Broken.WATCH_INCOMPLETE}),
    "a match that was not watched": (lambda case: case.watchers["walt"].clear(), {Broken.WATCH_INCOMPLETE}),
    "an overcharged move": (lambda case: case.overcharge(charged_us=2 * SECOND_US), {Broken.TIME_OVERCHARGED}),
    "a move overcharged for lag at another time": (
        lambda case: case.overcharge(charged_us=2 * SECOND_US).insert_after(
            "bob", TURN, OwnLag(SECOND_US, at_us=8 * SECOND_US)
        ),
        {Broken.TIME_OVERCHARGED},
    ),
    "time charged without a session": (
        lambda case: lose_session(case.overcharge(charged_us=3 * SECOND_US)),
        {Broken.TIME_OVERCHARGED},
    ),
    "another charge than the logged one": (
        lambda case: case.change("bob", VERDICT, charge=charge(0)),
        {Broken.CHARGE_CHANGED},
    ),
    "a flag against a bot that was in time": (
        lambda case: case.flag(thought_us=THINK_US),
        {Broken.FALSE_FLAG, Broken.TIME_OVERCHARGED, Broken.FORFEIT_WITHOUT_FAULT},
    ),
    "a flag of a turn that was never sent": (
        lambda case: case.flag(thought_us=THINK_US).drop("bob", TURN, SENT),
        {Broken.FALSE_FLAG, Broken.TIME_OVERCHARGED, Broken.FORFEIT_WITHOUT_FAULT},
    ),
    "an unfinished match": (lambda case: case.log(phase="playing"), {Broken.UNFINISHED, Broken.RESULT_CHANGED}),
    "a void match without a reason": (
        lambda case: case.end_with(GameResult("void", "engine_fault")),
        {Broken.VOID_WITHOUT_REASON},
    ),
    "another result than the logged one": (
        lambda case: case.change("bob", END, result=OTHER_RESULT),
        {Broken.RESULT_CHANGED},
    ),
    "an end that was not told": (lambda case: case.drop("bob", END), {Broken.END_NOT_TOLD}),
    "the end of a match that its bot has never seen": (
        lambda case: case.bots["bob"].clear(),
        {Broken.END_NOT_TOLD, Broken.MOVE_INVENTED},
    ),
    "a forfeit for a disconnection": (forfeit("disconnected"), {Broken.FORFEIT_WITHOUT_FAULT}),
    "a forfeit for an illegal move": (forfeit("illegal_move"), {Broken.FORFEIT_WITHOUT_FAULT}),
    "a forfeit for a withdrawal": (forfeit("withdrawn"), {Broken.FORFEIT_WITHOUT_FAULT}),
    "a forfeit on time without a flag": (forfeit("time"), {Broken.FORFEIT_WITHOUT_FAULT}),
    "another rating than that of the ladder": (
        lambda case: case.rate(replace(RATED, ratings={"anna": 1521.0, "bob": 1480.0})),
        {Broken.RATING_CHANGED},
    ),
    "a match that was rated twice": (lambda case: case.rate(RATED, RATED), {Broken.RATED_TWICE}),
    "a match that was not rated": (lambda case: case.end_with(WON), {Broken.NOT_RATED}),
    "a void match that was rated": (
        lambda case: case.end_with(GameResult("void", "declared")).rate(replace(RATED, ratings={})),
        {Broken.NOT_RATED},
    ),
    "a rated result that the match does not have": (
        lambda case: case.rate(replace(RATED, ranks=(2, 1))),
        {Broken.RATED_RESULT_CHANGED},
    ),
}


@pytest.mark.parametrize("change", KEPT.values(), ids=KEPT)
def test_nothing_is_reported_of(change: Breach) -> None:
    case = Fabricated()
    change(case)
    assert case.violations() == []


@pytest.mark.parametrize(("change", "broken"), BROKEN.values(), ids=BROKEN)
def test_the_checker_reports(change: Breach, broken: set[Broken]) -> None:
    case = Fabricated()
    change(case)
    assert {violation.broken for violation in case.violations()} == broken


def test_a_report_shows_what_each_side_was_told() -> None:
    told = report(Fabricated().change("wilma", of_number(4), digest="another").violations())
    assert told.startswith("1 x two contents were told for one entry\n")
    assert "walt was told" in told
    assert "wilma was told" in told


def test_a_report_shows_where_a_watcher_has_missed_an_entry() -> None:
    case = Fabricated()
    skip_at_a_reconnection(case)
    assert "from node-1" in str(case.violations()[0])


def test_a_report_shows_what_a_charge_consists_of() -> None:
    (violation,) = Fabricated().overcharge(charged_us=2 * SECOND_US, stall_us=77, credit_us=99).violations()
    assert "77 us of referee delay and 99 us of network credit" in str(violation)
    assert f"took {THINK_US} us" in str(violation)


def test_a_history_is_read_as_it_was_written_without_a_last_line_that_was_cut_off(tmp_path: Path) -> None:
    case = Fabricated()
    for name, lines in (case.bots | case.watchers).items():
        file = tmp_path / f"{name}.jsonl"
        writer = HistoryWriter(file)
        for line in lines:
            writer.write(line)
        writer.close()
        file.write_bytes(file.read_bytes() + b'{"line":"sent","match')
        assert read_history(file).lines == lines
