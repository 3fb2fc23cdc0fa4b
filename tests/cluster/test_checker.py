"""The checker reports every broken promise, and nothing else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.cluster.checker import Broken, Violation, check, report
from tests.cluster.final_logs import FinalMatch, FinalState, LoggedEntry, RatedMatch
from tests.cluster.history import (
    Charge,
    EntryReceived,
    GameResult,
    History,
    HistoryWriter,
    Line,
    MatchEndReceived,
    MoveSent,
    OwnLag,
    SessionOpened,
    StreamEnded,
    TurnReceived,
    VerdictReceived,
    WatchOpened,
    read_history,
)

MATCH = "m1"
MS = 1000
THINK_US = 50 * MS
LEFT_US = 8_000 * MS
WON = GameResult("played", "rules", (1, 2), reason="no_men")
RATINGS = {"anna": 1520.0, "bob": 1480.0}


def charge(asked_us: int, charged_us: int = THINK_US, stall_us: int = 0, credit_us: int = 0) -> Charge:
    return Charge(asked_us, asked_us + charged_us + stall_us + credit_us, credit_us, stall_us, charged_us)


def move(number: int, seat: int, token: str, text: str, at_us: int) -> LoggedEntry:
    return LoggedEntry(number, "move_played", at_us, 1000 + number, seat, token, text, "bot", charge(at_us - THINK_US))


ENTRIES = (
    LoggedEntry(1, "match_created", 0, 1001),
    LoggedEntry(2, "play_started", 10, 1002),
    move(3, 0, "t0", "a", 100 * MS),
    move(4, 1, "t1", "b", 200 * MS),
    move(5, 0, "t2", "c", 300 * MS),
    LoggedEntry(6, "play_ended", 300 * MS, 1006, result=WON),
)


def session(name: str, turns: Sequence[tuple[str, str, int, int]]) -> list[Line]:
    """Return one session in which these turns were answered: token, move, ply, and the number in the verdict."""
    seat = 0 if name == "anna" else 1
    lines: list[Line] = [SessionOpened("node-1", f"{name}-1", at_us=1)]
    for token, text, ply, number in turns:
        received_us = 1_000_000 * (ply + 1)
        entry = next(entry for entry in ENTRIES if entry.token == token)
        lines += [
            TurnReceived(MATCH, seat, token, ply, f"position {ply}", LEFT_US, at_us=received_us),
            MoveSent(MATCH, token, text, at_us=received_us + THINK_US),
            VerdictReceived(MATCH, token, "accepted", number, charge=entry.charge, at_us=received_us + 2 * THINK_US),
        ]
    lines.append(MatchEndReceived(MATCH, seat, WON, tuple(RATINGS.items()), at_us=9_000_000))
    lines.append(StreamEnded("node-1", "OK", at_us=9_000_001))
    return lines


def told(entry: LoggedEntry) -> EntryReceived:
    return EntryReceived(
        MATCH,
        entry.number,
        entry.kind,
        entry.written_ms,
        entry.seat,
        entry.move,
        entry.charge,
        entry.result,
        f"digest {entry.number}",
    )


def watch(name: str) -> History:
    return History(name, [WatchOpened(MATCH, "node-2", 0), *map(told, ENTRIES), StreamEnded("node-2", "OK", log=MATCH)])


@dataclass
class Fabricated:
    """Histories of two bots and two watchers, and the final log of their match."""

    bots: dict[str, list[Line]] = field(
        default_factory=lambda: {
            "anna": session("anna", [("t0", "a", 0, 3), ("t2", "c", 2, 6)]),
            "bob": session("bob", [("t1", "b", 1, 4)]),
        }
    )
    watchers: dict[str, list[Line]] = field(
        default_factory=lambda: {name: list(watch(name).lines) for name in ("walt", "wilma")}
    )
    match: FinalMatch = field(default_factory=lambda: FinalMatch(MATCH, ("anna", "bob"), ENTRIES))
    rated: tuple[RatedMatch, ...] = (RatedMatch(MATCH, (1, 2), RATINGS),)

    def lines_of(self, name: str) -> list[Line]:
        return self.bots.get(name) or self.watchers[name]

    def change(self, names: str, which: Callable[[Any], bool], **fields: Any) -> "Fabricated":
        """Change the lines of these recorders for which `which` is true."""
        for name in names.split():
            lines = self.lines_of(name)
            assert any(map(which, lines))
            lines[:] = [structs.replace(line, **fields) if which(line) else line for line in lines]
        return self

    def drop(self, name: str, *which: Callable[[Any], bool]) -> "Fabricated":
        lines = self.lines_of(name)
        for each in which:
            assert any(map(each, lines))
            lines[:] = [line for line in lines if not each(line)]
        return self

    def insert_after(self, name: str, which: Callable[[Any], bool], *more: Line) -> "Fabricated":
        lines = self.lines_of(name)
        at = next(index for index, line in enumerate(lines) if which(line))
        lines[at + 1 : at + 1] = more
        return self

    def log(self, *entries: LoggedEntry, **fields: Any) -> "Fabricated":
        """Let the final log have these entries."""
        self.match = replace(self.match, entries=entries, **fields)
        return self

    def change_entry(self, number: int, **fields: Any) -> "Fabricated":
        return self.log(*(replace(each, **fields) if each.number == number else each for each in self.match.entries))

    def rate(self, *rated: RatedMatch) -> "Fabricated":
        """Let the ladder have rated these matches."""
        self.rated = rated
        return self

    def overcharge(self, **numbers: int) -> "Fabricated":
        """Let the log charge the second move with these numbers, and tell everybody so."""
        charged = charge(150 * MS, **numbers)
        self.change_entry(4, charge=charged).change("bob", VERDICT, charge=charged)
        return self.change("walt wilma", of_number(4), charge=charged)

    def end_with(self, result: GameResult) -> "Fabricated":
        """Let the match end with this result, as everybody is told."""
        self.change_entry(6, result=result).change("walt wilma", of_number(6), result=result)
        return self.change("anna bob", END, result=result, ratings=()).rate(RatedMatch("m0", (1, 2), {}))

    def flag(self, thought_us: int) -> "Fabricated":
        """Let the flag of bob fall, who needed this long by his own clock."""
        lost = GameResult("forfeited", "fault", (1, 2), ((1, "time"),))
        fallen = LoggedEntry(4, "flag_fell", 9_000_000, 1004, 1, "t1", charge=charge(0, LEFT_US + 1))
        self.log(*ENTRIES[:3], fallen, LoggedEntry(5, "play_ended", 9_000_000, 1005, result=lost))
        self.drop("anna", *(of_token(kind, "t2") for kind in (TurnReceived, MoveSent, VerdictReceived)))
        self.drop("bob", VERDICT).change("bob", SENT, at_us=2_000 * MS + thought_us)
        self.watchers.clear()
        return self.change("anna bob", END, result=lost)

    def violations(self) -> list[Violation]:
        return check(
            [History(name, lines) for name, lines in self.bots.items()],
            [History(name, lines) for name, lines in self.watchers.items()],
            FinalState({MATCH: self.match}, self.rated),
        )


def of_token(kind: type[TurnReceived | MoveSent | VerdictReceived], token: str) -> Callable[[Any], bool]:
    """Return whether a line is of this kind and about this turn."""
    return lambda line: isinstance(line, kind) and line.token == token


def of_number(number: int) -> Callable[[Any], bool]:
    return lambda line: isinstance(line, EntryReceived) and line.number == number


def of_kind(kind: type[Line]) -> Callable[[Any], bool]:
    return lambda line: isinstance(line, kind)


TURN, SENT, VERDICT = (of_token(kind, "t1") for kind in (TurnReceived, MoveSent, VerdictReceived))
"""The lines of the turn of bob."""
END = of_kind(MatchEndReceived)


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
