"""Fetching the data of a report from a server."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, cast

import pytest
from referee_api.v1 import match_pb2, tournament_pb2
from referee_client import Organiser

from referee.contests.tournament.commands import StartTournamentMatch
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import RoundRobin, Swiss, TournamentFormat
from referee.reporting.collector import MAX_RECORDS, read_snapshot, tournament_report
from referee.server.settings import Settings
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, started
from tests.reporting.test_message_conversion import TWO_SIDES, entrant, won

NAMES = ("anna", "bert", "carl", "dora")


class Playing:
    """An organiser who sees a tournament go on: before each of its calls is answered, one more match is played."""

    def __init__(self, play: TournamentHarness, terms: tournament_pb2.TournamentTerms) -> None:
        self.play = play
        self.tournaments = self
        self._terms = terms
        self._matches: list[match_pb2.Match] = []

    def goes_on(self) -> None:
        for due in self.play.tournament.due_matches()[:1]:
            match_id = due.id
            self.play.do(StartTournamentMatch(due.pairing.id, due.number, due.attempt, match_id))
            score = better_name_wins(due)
            self.play.result(due, score)
            seats = [match_pb2.Seat(bot=name) for name in due.seats]
            made = match_pb2.Match(id=match_id, seat_layout=TWO_SIDES, seats=seats, result=won(*score.ranks))
            made.end_time.FromMilliseconds(len(self._matches) + 1)
            self._matches.insert(0, made)

    def export(self, name: str, form: str) -> str:
        assert (name, form) == ("cup", "json")
        self.goes_on()
        return to_json(self.play.tournament)

    def get(self, name: str) -> tournament_pb2.Tournament:
        self.goes_on()
        phase = self.play.tournament.phase.value.upper()
        told = tournament_pb2.Tournament(
            name=name,
            terms=self._terms,
            phase=tournament_pb2.TournamentPhase.Value(f"TOURNAMENT_PHASE_{phase}"),
            entrants=map(entrant, self.play.tournament.entrants),
        )
        if phase == "FINISHED":
            told.end_time.FromMilliseconds(len(self._matches))
        return told

    def matches(self, _name: str) -> Iterator[match_pb2.Match]:
        self.goes_on()
        return iter(list(self._matches))

    def record_bytes(self, _match_id: str) -> bytes:
        return b""


def tie_breaks(play: TournamentHarness) -> Sequence[Any]:
    return [tournament_pb2.TieBreak.Value(f"TIE_BREAK_{one.name}") for one in play.tournament.tie_breaks]


@pytest.mark.parametrize("form", [RoundRobin(1), Swiss(3)])
@pytest.mark.parametrize("played", range(6))
def test_a_report_made_during_play_tells_of_one_state(form: TournamentFormat, played: int) -> None:
    play = started(form, NAMES)
    organiser = Playing(play, tournament_pb2.TournamentTerms(tie_breaks=tie_breaks(play)))
    for _ in range(played):
        organiser.goes_on()
    told = tournament_report(cast("Organiser", organiser), "cup")
    many = played + 1
    assert len(told.games) == many
    assert sum(row.wins for row in told.rows) == many
    assert sum(meeting.state == "done" for meeting in told.meetings) == many
    points: Counter[str] = Counter()
    for (one, _), cell in told.cells().items():
        points[one] += int(cell.points)
    assert {row.name: row.points for row in told.rows} == {name: points[name] for name in NAMES}
    facts = dict(told.facts)
    assert (facts["State"], "Ended" in facts) == (("finished", True) if many == 6 else ("playing", False))


def test_an_exported_table_is_told_as_it_was() -> None:
    play = started(Swiss(3), NAMES).play_out()
    snapshot = read_snapshot(to_json(play.tournament), tie_breaks(play))
    rows = [
        (row.rank, row.entrant, row.points, tuple(it.value for it in row.tie_breaks))
        for row in snapshot.table.standings
    ]
    assert rows == [(row.rank, row.entrant, row.points, row.tie_breaks) for row in play.tournament.standings()]


def test_a_report_leaves_its_organiser_half_of_the_calls_of_a_minute() -> None:
    assert Settings().calls_per_minute / 2 >= MAX_RECORDS
