"""Fetching the data of a report from a server, on which matches continue meanwhile."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace
from referee_client import Organiser
from referee_values import (
    Ladder,
    LadderEntry,
    LadderSnapshot,
    LadderStanding,
    Match,
    MatchRated,
    RatingPoint,
    RoundRobin,
    Seat,
    Swiss,
    Tournament,
    TournamentTerms,
)

from referee.contests.tournament.commands import StartTournamentMatch
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.server.settings import Settings
from referee.show.collector import (
    MAX_RECORDS,
    SNAPSHOT_ATTEMPTS,
    SNAPSHOT_ROWS,
    ladder_report,
    read_saved_report,
    read_snapshot,
    save_report_data,
    tournament_report,
)
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, started
from tests.show.test_value_conversion import TWO_SIDES, entrant, won

NAMES = ("anna", "bert", "carl", "dora")


class AdvancingTournament:
    """Client of a tournament in which one more match is played before each answer, after some."""

    def __init__(self, form: TournamentFormat, played: int) -> None:
        self.play = started(form, NAMES)
        self.tournaments = self
        self._terms = TournamentTerms(tie_breaks=tie_breaks(self.play))
        self._matches: list[Match] = []
        for _ in range(played):
            self.play_one_match()

    def play_one_match(self) -> None:
        for due in self.play.tournament.due_matches()[:1]:
            match_id = due.id
            self.play.do(StartTournamentMatch(due.pairing.id, due.number, due.attempt, match_id))
            score = better_name_wins(due)
            self.play.result(due, score)
            seats = tuple(Seat(bot=name) for name in due.seats)
            end_time = datetime.fromtimestamp(len(self._matches) + 1, UTC)
            result = won(*score.ranks)
            match = Match(id=match_id, seat_layout=TWO_SIDES, seats=seats, result=result, end_time=end_time)
            self._matches.insert(0, match)

    def export(self, name: str, form: str) -> str:
        assert (name, form) == ("cup", "json")
        self.play_one_match()
        return to_json(self.play.tournament)

    def get(self, name: str) -> Tournament:
        self.play_one_match()
        phase: Any = self.play.tournament.phase
        return Tournament(
            name=name,
            terms=self._terms,
            phase=phase,
            entrants=tuple(map(entrant, self.play.tournament.entrants)),
            end_time=datetime.fromtimestamp(len(self._matches), UTC) if phase == "finished" else None,
        )

    def matches(self, _name: str) -> Iterator[Match]:
        self.play_one_match()
        return iter(list(self._matches))

    def record_bytes(self, _match_id: str) -> bytes:
        return b""


def tie_breaks(play: TournamentHarness) -> Any:
    return play.tournament.tie_breaks


@pytest.mark.parametrize("form", [RoundRobin(cycles=1), Swiss(rounds=3)])
@pytest.mark.parametrize("played", range(6))
def test_a_report_made_during_play_is_consistent(form: TournamentFormat, played: int) -> None:
    report = tournament_report(cast("Organiser", AdvancingTournament(form, played)), "cup")
    now_played = played + 1
    assert len(report.games) == now_played
    assert sum(row.wins for row in report.rows) == now_played
    assert sum(pairing.phase == "done" for pairing in report.pairings) == now_played
    points: Counter[str] = Counter()
    for (entrant_name, _), cell in report.cells().items():
        points[entrant_name] += int(cell.points)
    assert {row.name: row.points for row in report.rows} == {name: points[name] for name in NAMES}
    facts = dict(report.facts)
    assert (facts["State"], "Ended" in facts) == (("finished", True) if now_played == 6 else ("playing", False))


@pytest.mark.parametrize("played", range(5))
def test_the_saved_data_of_a_report_made_during_play_have_one_state(played: int, tmp_path: Path) -> None:
    organiser = AdvancingTournament(RoundRobin(cycles=1), played)
    save_report_data(cast("Organiser", organiser), "cup", tmp_path)
    saved = read_saved_report(tmp_path)
    assert len(saved.games) == sum(row.wins for row in saved.rows) == played + 1
    assert dict(saved.facts)["State"] == ("finished" if played == 5 else "playing")


def test_exported_standings_are_read_unchanged() -> None:
    play = started(Swiss(rounds=3), NAMES).play_out()
    snapshot = read_snapshot(to_json(play.tournament), tie_breaks(play))
    rows = [
        (row.rank, row.entrant, row.points, tuple(tie_break.value for tie_break in row.tie_breaks))
        for row in snapshot.table.standings
    ]
    assert rows == [(row.rank, row.entrant, row.points, row.tie_breaks) for row in play.tournament.standings()]


def test_a_report_uses_at_most_half_of_the_rate_limit() -> None:
    assert Settings().calls_per_minute / 2 >= MAX_RECORDS


# Ladders


class AdvancingLadder:
    """Client of a ladder on which another match is rated before each answer; the first entrant wins all of them."""

    def __init__(self, entrants: int = 2, max_rated: int | None = None) -> None:
        """No match is rated any more after `max_rated` of them; None: they never end."""
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
        self._numbers = count(after + 1)

    def __iter__(self) -> Iterator[LadderEntry]:
        return self

    def __next__(self) -> LadderEntry:
        number = next(self._numbers)
        return LadderEntry(number=number, match_rated=MatchRated(match_id=f"m-{number}"))

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
