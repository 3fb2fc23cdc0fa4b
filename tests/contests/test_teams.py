"""Tournaments of teams, whose pairings have one match on each board."""

import json

import pytest
from referee_values import RoundRobin, Swiss

from referee.contests.contest_entrant import EntrantLeft
from referee.contests.contest_errors import NotExportable, PairingNotChangeable, WrongEntrantCount
from referee.contests.pairing import DueMatch, MatchScore
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import PairRound, ReopenPairing
from referee.contests.tournament.events import EntrantsAbsent, PairingsReplaced
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.trf import to_trf
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, level, started

WON, DRAWN, LOST = (1, 2), (1, 1), (2, 1)
"""Ranks of the team that is named first, and of the other one."""


def two_teams(boards: int = 2) -> TournamentHarness:
    """Return a tournament of one pairing, 1.1, in which `a` is named first."""
    return started(RoundRobin(), "ab", boards=boards)


def record(play: TournamentHarness, *ranks: tuple[int, int]) -> None:
    for due, places in zip(play.tournament.due_matches(), ranks, strict=True):
        play.result(due, MatchScore(places))


def points_of_both(play: TournamentHarness) -> list[tuple[float, float]]:
    """Return the match points and board points of each team in the only pairing."""
    results = [play.tournament.pairings["1.1"].round_result(name) for name in "ab"]
    return [(result.points, result.board_points) for result in results]


def test_two_teams_play_board_against_board_and_the_team_named_first_begins_on_odd_boards() -> None:
    assert [(due.id, "".join(due.seats)) for due in two_teams(3).tournament.due_matches()] == [
        ("1.1/1.1", "ab"),
        ("1.1/2.1", "ba"),
        ("1.1/3.1", "ab"),
    ]


@pytest.mark.parametrize(
    ("boards", "points"),
    [
        ((WON, WON), [(2.0, 2.0), (0.0, 0.0)]),
        ((WON, DRAWN), [(2.0, 1.5), (0.0, 0.5)]),
        ((WON, LOST), [(1.0, 1.0), (1.0, 1.0)]),
        ((LOST, DRAWN), [(0.0, 0.5), (2.0, 1.5)]),
    ],
)
def test_match_points_follow_from_board_points(
    boards: tuple[tuple[int, int], ...], points: list[tuple[float, float]]
) -> None:
    play = two_teams()
    record(play, *boards)
    assert points_of_both(play) == points
    result = play.tournament.pairings["1.1"].round_result("a")
    assert (result.kind, result.seat, result.matches) == (ResultKind.PLAYED, 0, 2)
    assert (result.wins, result.draws) == (boards.count(WON), boards.count(DRAWN))
    assert result.points_against == (("b", points[0][1]),)


def test_standings_are_by_match_points_then_board_points_then_buchholz_and_sonneborn_berger() -> None:
    ranks = {"ab": (WON, DRAWN), "bc": (WON, WON), "ac": (LOST, DRAWN)}

    def referee(due: DueMatch) -> MatchScore:
        names = "".join(due.pairing.entrants)
        return MatchScore(ranks[names][due.number - 1] if names in ranks else ranks[names[::-1]][due.number - 1][::-1])

    play = started(RoundRobin(), "abc", boards=2).play_out(referee)
    rows = play.tournament.standings()
    assert [(row.entrant, row.points, row.tie_breaks[0]) for row in rows] == [
        ("b", 2.0, 2.5),
        ("a", 2.0, 2.0),
        ("c", 2.0, 1.5),
    ]
    assert play.tournament.tie_breaks == ("board_points", "buchholz", "sonneborn_berger", "direct_encounter")
    assert rows[0].tie_breaks[1:3] == (4.0, 5.0)
    assert (rows[0].wins, rows[0].draws, rows[0].losses) == (2, 1, 1)


def test_a_swiss_of_teams_pairs_by_match_points_without_rematches() -> None:
    play = started(Swiss(rounds=3), "abcdefgh", boards=2, tie_breaks=("board_points",)).play_out()
    met = [frozenset(pairing.entrants) for pairing in play.planned]
    assert len(met) == len(set(met)) == 12
    assert [points for *_, points in play.table] == [6.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 0.0]
    with pytest.raises(NotExportable, match="pairings of one match"):
        to_trf(play.tournament, "Cup")


def test_board_points_do_not_decide_whom_a_team_meets() -> None:
    def narrow_or_wide(due: DueMatch) -> MatchScore:
        """The best team wins one board, the next two teams win both."""
        return level(due) if "a" in due.seats and due.number > 1 else better_name_wins(due)

    play = started(Swiss(rounds=2), "abcdef", boards=2)
    play.play_due(narrow_or_wide)
    assert [(row.entrant, row.points) for row in play.tournament.standings(1)[:3]] == [("b", 2), ("c", 2), ("a", 2)]
    assert {*play.open_pairing_of("a").entrants} <= {"a", "b", "c"}, "it meets another winner"


def test_a_bye_of_a_team_counts_as_a_win_on_all_boards_and_is_given_once() -> None:
    play = started(Swiss(rounds=2), "abc", boards=2).play_out(level)
    first, second = [pairing for pairing in play.planned if pairing.is_bye]
    assert first.entrants != second.entrants
    result = play.tournament.pairings[first.id].round_result(*first.entrants)
    assert (result.kind, result.points, result.board_points) == (ResultKind.BYE, 2.0, 2.0)


def test_an_absent_board_loses_that_board_only() -> None:
    play = two_teams()
    assert play.declare_absent("1.1", "a", board=2) == [EntrantsAbsent("1.1", ("a",), "away", board=2)]
    assert play.declare_absent("1.1", "a", board=2) == []
    assert [due.number for due in play.tournament.due_matches()] == [1]
    assert play.tournament.pairings["1.1"].has_begun
    record(play, WON)
    assert points_of_both(play) == [(1.0, 1.0), (1.0, 1.0)]
    assert play.tournament.phase == "finished"
    assert (play.tournament.pairings.no_show_counts(), play.tournament.pairings.forfeit_counts()) == ({}, {"a": 1})
    assert [(row.wins, row.losses) for row in play.tournament.standings()] == [(1, 1), (1, 1)]
    assert json.loads(to_json(play.tournament))["pairings"][0]["absent_boards"] == {"2": ["a"]}


def test_a_team_without_any_bot_loses_by_absence_and_is_withdrawn_after_too_many() -> None:
    play = started(Swiss(rounds=3), "abcd", boards=2)
    pairing = play.open_pairing_of("a")
    (other,) = {*pairing.entrants} - {"a"}
    for board in (1, 2):
        play.declare_absent(pairing.id, "a", board=board)
    progress = play.tournament.pairings[pairing.id]
    assert (progress.is_done, {*progress.absent}, play.tournament.no_shows) == (True, {"a"}, {"a": 1})
    results = [progress.round_result(name) for name in ("a", other)]
    assert [(row.kind, row.points) for row in results] == [(ResultKind.ABSENT, 0.0), (ResultKind.UNOPPOSED, 2.0)]
    play.play_due()
    again = play.open_pairing_of("a")
    assert again.round == 2
    play.declare_absent(again.id, "a", board=2)
    events = play.declare_absent(again.id, "a", board=1)
    assert [type(event) for event in events[:2]] == [EntrantsAbsent, EntrantLeft]


@pytest.mark.parametrize(
    ("absent", "points", "wins_and_losses"),
    [(("ab", "ab"), (0.0, 0.0), (0, 2)), (("a", "b"), (1.0, 1.0), (1, 1))],
    ids=["both on both boards", "each on one board"],
)
def test_two_teams_that_lose_as_many_boards_by_absence_are_level(
    absent: tuple[str, str], points: tuple[float, float], wins_and_losses: tuple[int, int]
) -> None:
    play = two_teams()
    for board, names in enumerate(absent, 1):
        play.declare_absent("1.1", *names, board=board)
    assert points_of_both(play) == [points, points]
    assert play.tournament.pairings["1.1"].is_deserted == (absent == ("ab", "ab"))
    assert [(row.wins, row.losses) for row in play.tournament.standings()] == [wins_and_losses] * 2


def test_a_board_that_is_played_or_decided_cannot_be_lost_by_absence() -> None:
    play = two_teams(3)
    playing = play.start()
    assert play.declare_absent("1.1", "a", board=1) == []
    with pytest.raises(PairingNotChangeable):
        play.declare_absent("1.1", "b", by="staff")
    play.result(playing, MatchScore(WON))
    assert play.declare_absent("1.1", "a", board=1) == []
    assert play.declare_absent("1.1", "b", board=2) != []
    assert play.tournament.pairings["1.1"].absent_boards == {2: {"b"}}


def test_staff_may_declare_a_whole_team_absent_from_what_is_left() -> None:
    play = two_teams(3)
    record(play, WON, WON, LOST)
    assert points_of_both(play) == [(2.0, 2.0), (0.0, 1.0)]
    play = two_teams(3)
    play.play_out_one()
    play.declare_absent("1.1", "a", by="staff")
    assert points_of_both(play) == [(0.0, 1.0), (2.0, 2.0)]
    assert play.tournament.pairings.no_show_counts() == {"a": 1}


def test_a_team_that_withdraws_loses_the_boards_that_are_not_played() -> None:
    play = two_teams(3)
    playing = play.start()
    play.declare_absent("1.1", "b", board=3)
    play.withdraw("a")
    assert play.tournament.matches_in_play == [playing]
    play.result(playing, MatchScore(WON))
    assert points_of_both(play) == [(2.0, 2.0), (0.0, 1.0)]


def test_staff_reopens_a_pairing_of_teams_and_pairs_a_round_by_hand() -> None:
    play = started(Swiss(rounds=3), "abcd", boards=2)
    left = play.tournament.open_pairings[0].pairing
    play.declare_absent(left.id, left.entrants[0], board=1)
    play.play_due()
    play.do(ReopenPairing(left.id, "power failure", "staff"))
    assert [due.id for due in play.tournament.due_matches()] == [f"{left.id}/1.1", f"{left.id}/2.2"]
    assert play.tournament.pairings[left.id].boards == 2
    play = started(Swiss(rounds=3), "abcd", boards=2)
    (event,) = play.do(PairRound(1, (("a", "b"), ("c", "d")), "as agreed", "staff"))
    assert isinstance(event, PairingsReplaced)
    assert [(row.boards, len(row.due_matches)) for row in play.tournament.open_pairings] == [(2, 2), (2, 2)]


def test_a_schedule_of_teams_has_a_limit_of_matches() -> None:
    with pytest.raises(WrongEntrantCount, match="2 to 50"):
        started(RoundRobin(cycles=10), [f"t{number}" for number in range(51)], boards=8)
