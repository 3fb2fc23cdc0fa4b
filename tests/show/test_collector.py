"""Fetching the data of a report from a server."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from referee_client import Organiser
from referee_values import Match, RoundRobin, Seat, Swiss, Tournament, TournamentTerms

from referee.contests.tournament.commands import StartTournamentMatch
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.server.settings import Settings
from referee.show.collector import MAX_RECORDS, read_saved_report, read_snapshot, save_report_data, tournament_report
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, started
from tests.show.test_value_conversion import TWO_SIDES, entrant, won

NAMES = ("anna", "bert", "carl", "dora")


class FakeOrganiser:
    """Client of a tournament in which one more match is played before each answer."""

    def __init__(self, play: TournamentHarness, terms: TournamentTerms) -> None:
        self.play = play
        self.tournaments = self
        self._terms = terms
        self._matches: list[Match] = []

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
    play = started(form, NAMES)
    organiser = FakeOrganiser(play, TournamentTerms(tie_breaks=tie_breaks(play)))
    for _ in range(played):
        organiser.play_one_match()
    report = tournament_report(cast("Organiser", organiser), "cup")
    count = played + 1
    assert len(report.games) == count
    assert sum(row.wins for row in report.rows) == count
    assert sum(meeting.state == "done" for meeting in report.meetings) == count
    points: Counter[str] = Counter()
    for (entrant_name, _), cell in report.cells().items():
        points[entrant_name] += int(cell.points)
    assert {row.name: row.points for row in report.rows} == {name: points[name] for name in NAMES}
    facts = dict(report.facts)
    assert (facts["State"], "Ended" in facts) == (("finished", True) if count == 6 else ("playing", False))


@pytest.mark.parametrize("played", range(5))
def test_the_saved_data_of_a_report_made_during_play_have_one_state(played: int, tmp_path: Path) -> None:
    play = started(RoundRobin(cycles=1), NAMES)
    organiser = FakeOrganiser(play, TournamentTerms(tie_breaks=tie_breaks(play)))
    for _ in range(played):
        organiser.play_one_match()
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
