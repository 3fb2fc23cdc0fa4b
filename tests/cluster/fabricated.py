"""A small fabricated match with histories in which every promise was kept, for tests to break one at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from tests.cluster.checker import Violation, check
from tests.cluster.final_logs import FinalMatch, FinalState, LoggedEntry, RatedMatch
from tests.cluster.history import (
    Charge,
    EntryReceived,
    GameResult,
    History,
    Line,
    MatchEndReceived,
    MatchStartReceived,
    MoveSent,
    SessionOpened,
    StreamEnded,
    TurnReceived,
    VerdictReceived,
    WatchOpened,
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
    lines: list[Line] = [SessionOpened("node-1", f"{name}-1", at_us=1), MatchStartReceived(MATCH, seat, at_us=2)]
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
