"""Tournaments of teams, whose pairings have one match on each board."""

import json
from collections.abc import Sequence

import pytest
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests.contest_entrant import EntrantLeft
from referee.contests.contest_errors import BadTerms, EntrantCountOutOfRange, PairingNotChangeable, TrfNotAvailable
from referee.contests.pairing import DueMatch, DuplicateSets, MatchScore
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import (
    DeclareAbsent,
    PairRound,
    ReopenPairing,
    StartTournamentMatch,
    WithdrawEntrant,
)
from referee.contests.tournament.events import EntrantsAbsent, PairingsReplaced
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import Pools, TournamentFormat, TournamentPlayTerms
from referee.contests.tournament.trf import to_trf
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, level, play_terms, started

WON, DRAWN, LOST = (1, 2), (1, 1), (2, 1)
"""Ranks of the team that is named first, and of the other one."""


def team_terms(form: TournamentFormat, boards: int = 2, **more: object) -> TournamentPlayTerms:
    return play_terms(form, b"seed", boards=boards, **more)  # type: ignore[arg-type]


def teams(form: TournamentFormat, names: Sequence[str], boards: int = 2, **more: object) -> TournamentHarness:
    return started(team_terms(form, boards, **more), names)


def two_teams(boards: int = 2) -> tuple[TournamentHarness, str, str]:
    """Return a tournament of one pairing, and its entrants."""
    play = teams(RoundRobin(), "ab", boards)
    first, second = play.tournament.pairings["1.1"].pairing.entrants
    return play, first, second


def only_pairing(play: TournamentHarness) -> PairingProgress:
    return play.tournament.pairings["1.1"]


def record(play: TournamentHarness, *ranks: tuple[int, int]) -> None:
    for due, places in zip(play.tournament.due_matches(), ranks, strict=True):
        play.result(due, MatchScore(places))


def absent(play: TournamentHarness, board: int, *names: str, by: str = "") -> list[object]:
    return [*play.do(DeclareAbsent("1.1", names, "away", by, board))]


def points_of(play: TournamentHarness, *names: str) -> list[tuple[float, float]]:
    """Return the match points and board points of each team in the only pairing."""
    results = [only_pairing(play).round_result(name) for name in names]
    return [(result.points, result.board_points) for result in results]


def test_two_teams_play_board_against_board_and_the_team_named_first_begins_on_odd_boards() -> None:
    play, first, second = two_teams(3)
    assert [(due.id, due.seats) for due in play.tournament.due_matches()] == [
        ("1.1/1.1", (first, second)),
        ("1.1/2.1", (second, first)),
        ("1.1/3.1", (first, second)),
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
    play, first, second = two_teams()
    record(play, *boards)
    assert points_of(play, first, second) == points
    result = only_pairing(play).round_result(first)
    assert (result.kind, result.seat, result.matches) == (ResultKind.PLAYED, 0, 2)
    assert (result.wins, result.draws) == (boards.count(WON), boards.count(DRAWN))
    assert result.points_against == ((second, points[0][1]),)


def test_standings_are_by_match_points_then_board_points_then_buchholz_and_sonneborn_berger() -> None:
    play = teams(RoundRobin(), "abc", 2)
    ranks = {("a", "b"): (WON, DRAWN), ("b", "c"): (WON, WON), ("a", "c"): (LOST, DRAWN)}
    while due := play.tournament.due_matches():
        first = due[0]
        names = first.pairing.entrants
        key = (min(names), max(names))
        mine = ranks[key][first.number - 1]
        play.result(first, MatchScore(mine if names == key else mine[::-1]))
    rows = play.tournament.standings()
    assert [(row.entrant, row.points, row.tie_breaks[0]) for row in rows] == [
        ("b", 2.0, 2.5),
        ("a", 2.0, 2.0),
        ("c", 2.0, 1.5),
    ]
    assert play.tournament.tie_breaks == (
        "board_points",
        "buchholz",
        "sonneborn_berger",
        "direct_encounter",
    )
    assert rows[0].tie_breaks[1:3] == (4.0, 5.0)
    assert (rows[0].wins, rows[0].draws, rows[0].losses) == (2, 1, 1)


def test_a_swiss_of_teams_pairs_by_match_points_without_rematches() -> None:
    play = teams(Swiss(rounds=3), "abcdefgh", 2, tie_breaks=("board_points",))
    play.play_out()
    met = [frozenset(progress.pairing.entrants) for progress in play.tournament.pairings.values()]
    assert len(met) == len(set(met)) == 12
    assert [row.points for row in play.tournament.standings()] == [6.0, 4.0, 4.0, 4.0, 2.0, 2.0, 2.0, 0.0]
    with pytest.raises(TrfNotAvailable, match="pairings of one match"):
        to_trf(play.tournament, "Cup")


def test_board_points_do_not_decide_whom_a_team_meets() -> None:
    play = teams(Swiss(rounds=2), "abcdef", 2)

    def narrow_or_wide(due: DueMatch) -> MatchScore:
        """The best team wins one board, the next two teams win both."""
        return level(due) if "a" in due.pairing.entrants and due.number > 1 else better_name_wins(due)

    for due in play.tournament.due_matches():
        play.result(due, narrow_or_wide(due))
    assert [(row.entrant, row.points) for row in play.tournament.standings(1)[:3]] == [("b", 2), ("c", 2), ("a", 2)]
    opponent = next(row.pairing.entrants for row in play.tournament.open_pairings if "a" in row.pairing.entrants)
    assert {*opponent} <= {"a", "b", "c"}, "it meets another winner"


def test_a_bye_of_a_team_counts_as_a_win_on_all_boards_and_is_given_once() -> None:
    play = teams(Swiss(rounds=2), "abc", 2).play_out(level)
    byes = [progress for progress in play.tournament.pairings.values() if progress.pairing.is_bye]
    assert len({progress.pairing.entrants for progress in byes}) == 2
    result = byes[0].round_result(byes[0].pairing.entrants[0])
    assert (result.kind, result.points, result.board_points) == (ResultKind.BYE, 2.0, 2.0)


def test_an_absent_board_loses_that_board_only() -> None:
    play, first, second = two_teams()
    assert absent(play, 2, first) == [EntrantsAbsent("1.1", (first,), "away", board=2)]
    assert absent(play, 2, first) == []
    assert [due.number for due in play.tournament.due_matches()] == [1]
    assert only_pairing(play).has_begun
    record(play, WON)
    assert points_of(play, first, second) == [(1.0, 1.0), (1.0, 1.0)]
    assert play.tournament.phase == "finished"
    assert (play.tournament.pairings.no_show_counts(), play.tournament.pairings.forfeit_counts()) == ({}, {first: 1})
    rows = {row.entrant: row for row in play.tournament.standings()}
    assert [(rows[name].wins, rows[name].losses) for name in (first, second)] == [(1, 1), (1, 1)]
    document = json.loads(to_json(play.tournament))
    assert document["pairings"][0]["absent_boards"] == {"2": [first]}


def test_a_team_without_any_bot_loses_by_absence_and_is_withdrawn_after_too_many() -> None:
    play = teams(Swiss(rounds=3), "abcd", 2)
    pairing = next(row.pairing for row in play.tournament.open_pairings if "a" in row.pairing.entrants)
    (other,) = {*pairing.entrants} - {"a"}
    for board in (1, 2):
        play.do(DeclareAbsent(pairing.id, ("a",), "away", board=board))
    progress = play.tournament.pairings[pairing.id]
    assert (progress.is_done, {*progress.absent}, play.tournament.no_shows) == (True, {"a"}, {"a": 1})
    assert [progress.round_result(name).kind for name in ("a", other)] == [ResultKind.ABSENT, ResultKind.UNOPPOSED]
    assert [progress.round_result(name).points for name in ("a", other)] == [0.0, 2.0]
    for due in play.tournament.due_matches():
        play.result(due, better_name_wins(due))
    again = next(row.pairing for row in play.tournament.open_pairings if "a" in row.pairing.entrants)
    assert again.round == 2
    play.do(DeclareAbsent(again.id, ("a",), "away", board=2))
    events = play.do(DeclareAbsent(again.id, ("a",), "away", board=1))
    assert [type(event) for event in events[:2]] == [EntrantsAbsent, EntrantLeft]


def test_two_teams_that_are_both_absent_get_no_points() -> None:
    play, first, second = two_teams()
    absent(play, 1, first, second)
    absent(play, 2, first, second)
    assert points_of(play, first, second) == [(0.0, 0.0), (0.0, 0.0)]
    assert only_pairing(play).is_deserted
    rows = play.tournament.standings()
    assert [(row.wins, row.losses) for row in rows] == [(0, 2), (0, 2)]


def test_teams_that_each_lose_one_board_by_absence_are_level() -> None:
    play, first, second = two_teams()
    absent(play, 1, first)
    absent(play, 2, second)
    assert points_of(play, first, second) == [(1.0, 1.0), (1.0, 1.0)]
    assert [(row.wins, row.losses) for row in play.tournament.standings()] == [(1, 1), (1, 1)]


def test_a_board_that_is_played_or_decided_cannot_be_lost_by_absence() -> None:
    play, first, second = two_teams(3)
    play.do(StartTournamentMatch("1.1", 1, 1, "m1"))
    assert absent(play, 1, first) == []
    with pytest.raises(PairingNotChangeable):
        absent(play, 0, second, by="staff")
    play.result(play.tournament.matches_in_play[0], MatchScore(WON))
    assert absent(play, 1, first) == []
    assert absent(play, 2, second) != []
    assert only_pairing(play).absent_boards == {2: {second}}


def test_staff_may_declare_a_whole_team_absent_from_what_is_left() -> None:
    play, first, second = two_teams(3)
    record(play, WON, WON, LOST)
    assert points_of(play, first, second) == [(2.0, 2.0), (0.0, 1.0)]
    play, first, second = two_teams(3)
    play.result(play.tournament.due_matches()[0], MatchScore(WON))
    absent(play, 0, first, by="staff")
    assert points_of(play, first, second) == [(0.0, 1.0), (2.0, 2.0)]
    assert play.tournament.pairings.no_show_counts() == {first: 1}


def test_a_team_that_withdraws_loses_the_boards_that_are_not_played() -> None:
    play, first, second = two_teams(3)
    play.do(StartTournamentMatch("1.1", 1, 1, "m1"))
    absent(play, 3, second)
    play.do(WithdrawEntrant(first))
    assert [due.number for due in play.tournament.matches_in_play] == [1]
    play.result(play.tournament.matches_in_play[0], MatchScore(WON))
    assert points_of(play, first, second) == [(2.0, 2.0), (0.0, 1.0)]


def test_staff_reopens_a_pairing_of_teams_and_pairs_a_round_by_hand() -> None:
    play = teams(Swiss(rounds=3), "abcd", 2)
    absent_team = play.tournament.open_pairings[0].pairing
    play.do(DeclareAbsent(absent_team.id, absent_team.entrants[:1], "away", board=1))
    while play.tournament.round == 1:
        play.result(due := play.tournament.due_matches()[0], better_name_wins(due))
    play.do(ReopenPairing(absent_team.id, "power failure", "staff"))
    assert [due.id for due in play.tournament.due_matches()] == [f"{absent_team.id}/1.1", f"{absent_team.id}/2.2"]
    assert play.tournament.pairings[absent_team.id].boards == 2
    play = teams(Swiss(rounds=3), "abcd", 2)
    (event,) = play.do(PairRound(1, (("a", "b"), ("c", "d")), "as agreed", "staff"))
    assert isinstance(event, PairingsReplaced)
    assert [(row.boards, len(row.due_matches)) for row in play.tournament.open_pairings] == [(2, 2), (2, 2)]


def test_a_schedule_of_teams_has_a_limit_of_matches() -> None:
    with pytest.raises(EntrantCountOutOfRange, match="2 to 50"):
        teams(RoundRobin(cycles=10), [f"t{number}" for number in range(51)], 8)


@pytest.mark.parametrize(
    ("form", "more", "field", "why"),
    [
        (Swiss(rounds=3), {"boards": 1}, "boards", "from 2 to 8"),
        (Swiss(rounds=3), {"boards": 9}, "boards", "from 2 to 8"),
        (Elimination(), {"boards": 2}, "boards", "only Swiss and round robin"),
        (Pools(2, 2), {"boards": 2}, "boards", "only Swiss and round robin"),
        (Swiss(rounds=3), {"boards": 2, "duplicate": DuplicateSets()}, "boards", "duplicate play"),
        (Swiss(rounds=3), {"tie_breaks": ("board_points",)}, "tie_breaks", "only teams"),
    ],
)
def test_terms_that_do_not_fit_teams_are_an_error(
    form: TournamentFormat, more: dict[str, object], field: str, why: str
) -> None:
    with pytest.raises(BadTerms, match=why) as refused:
        play_terms(form, b"", **more)  # type: ignore[arg-type]
    assert refused.value.details["field"] == field
