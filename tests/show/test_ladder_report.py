"""The report of a ladder whose matches continue while its data are fetched."""

from collections.abc import Iterator
from typing import cast

import pytest
from msgspec.structs import replace
from referee_client import Organiser
from referee_values import Ladder, LadderEntry, LadderSnapshot, LadderStanding, Match, MatchRated, RatingPoint, Seat

from referee.show.collector import SNAPSHOT_ATTEMPTS, SNAPSHOT_ROWS, ladder_report
from tests.show.test_value_conversion import TWO_SIDES, entrant, won


class AdvancingLadder:
    """Client of a ladder on which another match is rated before each answer; the first entrant wins all of them."""

    def __init__(self, entrants: int = 2, max_rated: int | None = None) -> None:
        """No match is rated any more after `calm_after` of them; None: they never end."""
        self.ladders = self
        self.entrants = [f"bot{number}" for number in range(entrants)]
        self.max_rated = max_rated
        self.rated = 0

    def advance(self) -> None:
        if self.max_rated is None or self.rated < self.max_rated:
            self.rated += 1

    def rows(self) -> list[LadderStanding]:
        rows = [LadderStanding(rank=rank, entrant=entrant(name)) for rank, name in enumerate(self.entrants, 1)]
        return [replace(rows[0], wins=self.rated), replace(rows[1], losses=self.rated), *rows[2:]]

    def snapshot(self, name: str) -> LadderSnapshot:
        self.advance()
        ladder = Ladder(name=name, entrant_count=len(self.entrants))
        return LadderSnapshot(entry_number=self.rated, ladder=ladder, standings=tuple(self.rows()[:SNAPSHOT_ROWS]))

    def standings(self, _name: str) -> list[LadderStanding]:
        self.advance()
        return self.rows()

    def matches(self, _name: str) -> Iterator[Match]:
        self.advance()
        seats = tuple(Seat(bot=name) for name in self.entrants[:2])
        for number in range(self.rated, 0, -1):
            yield Match(id=f"m-{number}", seat_layout=TWO_SIDES, seats=seats, result=won(1, 2))

    def history(self, _name: str, who: str) -> Iterator[RatingPoint]:
        self.advance()
        rated = range(1, self.rated + 1) if who in self.entrants[:2] else ()
        return (RatingPoint(match_id=f"m-{number}") for number in rated)

    def watch(self, _name: str, after: int) -> "Entries":
        self.advance()
        return Entries(after)

    def record_bytes(self, _match_id: str) -> bytes:
        return b""


class Entries:
    """The entries of such a ladder after a number, without an end."""

    def __init__(self, after: int) -> None:
        self.number = after

    def __iter__(self) -> "Entries":
        return self

    def __next__(self) -> LadderEntry:
        self.number += 1
        rated = MatchRated(match_id=f"m-{self.number}")
        return LadderEntry(number=self.number, match_rated=rated)

    def close(self) -> None:
        """Nothing is open."""


def test_a_ladder_report_made_during_play_describes_one_state() -> None:
    report = ladder_report(cast("Organiser", AdvancingLadder()), "main")
    assert [(row.wins, row.losses) for row in report.rows] == [(1, 0), (0, 1)]
    assert [game.id for game in report.games] == ["m-1"]
    assert [len(report.histories[name]) for name in ("bot0", "bot1")] == [1, 1]
    assert dict(report.facts)["Matches"] == "1"


def test_long_standings_are_read_again_until_they_are_of_the_snapshot() -> None:
    ladder = AdvancingLadder(SNAPSHOT_ROWS + 1, max_rated=7)
    report = ladder_report(cast("Organiser", ladder), "main")
    assert len(report.rows) == SNAPSHOT_ROWS + 1
    assert report.rows[0].wins == len(report.games) == 7


@pytest.mark.parametrize("max_rated", [1, None])
def test_long_standings_are_read_a_limited_number_of_times(max_rated: int | None) -> None:
    ladder = AdvancingLadder(SNAPSHOT_ROWS + 1, max_rated)
    report = ladder_report(cast("Organiser", ladder), "main", full=False)
    calls = 1 if max_rated else SNAPSHOT_ATTEMPTS
    assert report.rows[0].wins == (1 if max_rated else 4 * (calls - 1) + 2)
