"""The logs as they are at the end, in which the checker looks for what was told before.

A finished match is read from its record (docs/records.md) as JSON, without any code of the referee, so that a fault in
that code cannot hide itself. Unfinished matches have no record, only a phase.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.history import Charge, GameResult


@dataclass(frozen=True, slots=True)
class LoggedEntry:
    """An entry of the final log of a match."""

    number: int
    kind: str
    """As in the contract."""
    at_us: int = 0
    """Match time."""
    written_ms: int = 0
    seat: int | None = None
    token: str = ""
    move: str = ""
    source: str = ""
    charge: Charge | None = None
    result: GameResult | None = None

    @property
    def is_bot_move(self) -> bool:
        return self.kind == "move_played" and self.source == "bot"


@dataclass(frozen=True, slots=True)
class FinalMatch:
    """A match at the end of the test."""

    match_id: str
    players: Sequence[str] = ()
    """Bots by seat."""
    entries: Sequence[LoggedEntry] = ()
    """Empty if the match is not over."""
    phase: str = "over"

    @property
    def result(self) -> GameResult | None:
        return self.entries[-1].result if self.entries else None

    def player_of(self, entry: LoggedEntry) -> str:
        return self.players[entry.seat or 0]


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A match that a ladder has rated."""

    match_id: str
    ranks: tuple[int, ...]
    """By seat."""
    ratings: Mapping[str, float]
    """Ratings after it, by bot."""


@dataclass(frozen=True, slots=True)
class FinalState:
    """Everything that the logs hold at the end."""

    matches: Mapping[str, FinalMatch]
    rated: Sequence[RatedMatch] = ()
    """Matches that the ladder has rated, in its order."""


def match_of_record(lines: Iterable[str]) -> FinalMatch:
    """Return the match of a record."""
    first, *entries, _ = [json.loads(line) for line in lines]
    logged = [_entry(line["entry"], line["at_ms"], line["event"]) for line in entries]
    events = [line["event"] for line in entries]
    return FinalMatch(first["match"], _players(events), logged)


def _players(events: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the bots by seat: as seated at the start of play, or before it as they were invited."""
    players: list[str] = []
    for event in events:
        if event["kind"] == "match_created":
            players = [player["bot"] if player else "" for player in event["setup"]["players"]]
        elif event["kind"] == "play_started":
            players = [player["bot"] for player in event["seated"]]
    return players


def _entry(number: int, at_ms: int, event: Mapping[str, Any]) -> LoggedEntry:
    row, result = event.get("row"), event.get("result")
    return LoggedEntry(
        number,
        event["kind"],
        event["at_us"],
        at_ms,
        event.get("seat"),
        event.get("token", ""),
        event.get("move", ""),
        event.get("source", ""),
        row and charge_of_row(row),
        result and result_of_record(result),
    )


def charge_of_row(row: Mapping[str, Any]) -> Charge:
    return Charge(row["asked_us"], row["arrived_us"], row["network_credit_us"], row["stall_us"], row["charged_us"])


def result_of_record(result: Mapping[str, Any]) -> GameResult:
    forfeits = tuple((forfeit["seat"], forfeit["cause"]) for forfeit in result["forfeits"])
    # The contract has no reason of forfeits beside the faults.
    reason = "" if result["kind"] == "forfeited" else result["reason"]
    return GameResult(result["kind"], result["cause"], tuple(result["ranks"]), forfeits, reason)
