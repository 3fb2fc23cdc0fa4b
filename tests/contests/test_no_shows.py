"""Pairings that are lost by absence."""

import pytest
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests.contest_entrant import ContestEntrant, EntrantLeft
from referee.contests.contest_errors import BadTerms, EntriesOver, NoSuchPairing
from referee.contests.pairing import MatchScore
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import (
    CancelTournament,
    DeclareAbsent,
    EnterTournament,
    FreezeVersions,
    StartTournament,
    StartTournamentMatch,
)
from referee.contests.tournament.decide import decide
from referee.contests.tournament.events import EntrantsAbsent, FrozenEntrant, PairingsPlanned, VersionsFrozen
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import (
    MAX_WAIT_MS,
    Pools,
    SprtTrial,
    TournamentFormat,
    TournamentPlayTerms,
)
from referee.contests.tournament.trf import to_trf
from referee.match.setup import Player
from tests.contests.tournament_harness import TournamentHarness, better_name_wins, entered, play_terms, replay, started

AWAY = "not connected for 600 s"


def terms(form: TournamentFormat, **times: int) -> TournamentPlayTerms:
    return play_terms(form, **times)  # type: ignore[arg-type]  # Any field.


def pairing_with(play: TournamentHarness, *names: str) -> str:
    """Return the id of the open pairing of these entrants."""
    (found,) = [
        progress.pairing.id
        for progress in play.tournament.open_pairings
        if set(names) <= set(progress.pairing.entrants)
    ]
    return found


def declare(play: TournamentHarness, pairing: str, *names: str) -> list[object]:
    return [*play.do(DeclareAbsent(pairing, names, AWAY))]


def test_an_absent_entrant_loses_the_pairing_and_the_other_wins_it_without_a_match() -> None:
    play = started(Swiss(rounds=3), "abcd")
    pairing = pairing_with(play, "a")
    opponent = next(name for name in play.tournament.pairings[pairing].pairing.entrants if name != "a")
    events = declare(play, pairing, "a")
    assert events == [EntrantsAbsent(pairing, ("a",), AWAY)]
    progress = play.tournament.pairings[pairing]
    assert (progress.is_done, {*progress.absent}) == (True, {"a"})
    assert progress.round_result("a").kind is ResultKind.ABSENT
    assert progress.round_result(opponent).kind is ResultKind.UNOPPOSED
    assert progress.round_result(opponent).points == 1.0


def test_both_absent_entrants_lose() -> None:
    play = started(Swiss(rounds=3), "abcd")
    pairing = pairing_with(play, "a")
    names = play.tournament.pairings[pairing].pairing.entrants
    declare(play, pairing, *names)
    assert [play.tournament.pairings[pairing].round_result(name).points for name in names] == [0.0, 0.0]
    assert {row.entrant: row.losses for row in play.tournament.standings()} == dict.fromkeys(names, 1) | {
        name: 0 for name in "abcd" if name not in names
    }


def test_exports_mark_a_pairing_that_was_lost_by_absence() -> None:
    play = started(Swiss(rounds=3), "abcd")
    pairing = pairing_with(play, "a")
    declare(play, pairing, "a")
    for due in play.tournament.due_matches():
        play.result(due, better_name_wins(due))
    lines = [line for line in to_trf(play.tournament, "Cup").splitlines() if line.startswith("001")]
    signs = {line[14:15]: line[98:99] for line in lines}
    assert sorted(signs.values()) == ["+", "-", "0", "1"]
    assert signs["a"] == "-"
    assert '"absent": [\n        "a"\n      ]' in to_json(play.tournament)
    assert play.tournament.pairings.no_show_counts() == {"a": 1}
    assert play.tournament.pairings.forfeit_counts() == {"a": 1}


def test_an_absent_entrant_is_paired_again_and_withdrawn_after_two_absences_in_succession() -> None:
    play = started(Swiss(rounds=3), "abcdef")
    for number in (1, 2):
        events = declare(play, pairing_with(play, "a"), "a")
        for due in play.tournament.due_matches():
            play.result(due, better_name_wins(due))
        assert EntrantLeft("a", "absent from 2 pairings in succession") in events or number == 1
    assert play.tournament.withdrawn == ("a",)
    assert all("a" not in progress.pairing.entrants for progress in play.tournament.open_pairings)


def test_a_match_ends_the_succession_of_absences() -> None:
    play = started(Swiss(rounds=4), "abcdef")
    for number in range(1, 4):
        if number == 2:
            due = next(due for due in play.tournament.due_matches() if "a" in due.pairing.entrants)
            play.do(StartTournamentMatch(due.pairing.id, due.number, due.attempt, "m1"))
        else:
            declare(play, pairing_with(play, "a"), "a")
        for due in play.tournament.due_matches():
            play.result(due, better_name_wins(due))
        for due in play.tournament.matches_in_play:
            play.result(due, better_name_wins(due))
    assert (play.tournament.withdrawn, play.tournament.no_shows) == ((), {"a": 1})


def test_the_number_of_absences_is_a_term() -> None:
    play = started(terms(RoundRobin(), max_no_shows=1), "abc")
    events = declare(play, pairing_with(play, "a", "b"), "a")
    assert EntrantLeft("a", "absent from a pairing") in events
    assert play.tournament.withdrawn == ("a",)


def test_an_entrant_that_leaves_a_started_pairing_keeps_its_points_and_loses_the_rest() -> None:
    play = started(Elimination(matches_per_pairing=2), "ab")
    (due, _) = play.tournament.due_matches()
    play.result(due, MatchScore((1, 2)))
    declare(play, due.pairing.id, "a")
    assert [(row.entrant, row.points) for row in play.tournament.standings()] == [("b", 1.0), ("a", 1.0)]
    assert play.tournament.phase == "finished"


def test_the_present_entrant_advances_in_a_bracket() -> None:
    play = started(Elimination(), "abcd")
    declare(play, pairing_with(play, "a"), "a")
    declare(play, pairing_with(play, "b"), "b")
    assert play.tournament.open_pairings[0].pairing.participants == ("d", "c")
    assert play.tournament.withdrawn == ()


@pytest.mark.parametrize("twice", [False, True])
def test_both_absent_entrants_leave_the_bracket(twice: bool) -> None:
    play = started(Elimination(double_elimination=twice), "abcd")
    pairing = pairing_with(play, "a", "d")
    events = declare(play, pairing, "a", "d")
    assert [event.name for event in events if isinstance(event, EntrantLeft)] == ["a", "d"]
    play.play_out()
    ranks = {row.entrant: row.rank for row in play.tournament.standings()}
    assert ranks == ({"b": 1, "c": 2, "a": 3, "d": 3} if twice else {"b": 1, "a": 2, "c": 2, "d": 2})


def test_a_table_of_several_that_lacks_an_entrant_counts_for_nobody() -> None:
    play = started(Pools(2, 3), "abc")
    declare(play, "1.1", "a")
    assert {result.kind for name in "abc" for result in play.tournament.round_results(1)[name]} == {ResultKind.MISSED}


def test_absence_changes_nothing_in_a_pairing_that_is_played_or_over() -> None:
    play = started(Swiss(rounds=3), "abcd")
    due = play.tournament.due_matches()[0]
    play.do(StartTournamentMatch(due.pairing.id, 1, 1, "m1"))
    assert declare(play, due.pairing.id, *due.pairing.entrants) == []
    play.result(due, MatchScore((1, 2)))
    assert declare(play, due.pairing.id, *due.pairing.entrants) == []
    with pytest.raises(NoSuchPairing):
        declare(play, "9.9", "a")
    play.do(CancelTournament())
    assert declare(play, pairing_with(play), "a") == []


def test_a_log_with_absences_replays_to_the_same_tournament() -> None:
    play = started(Swiss(rounds=3), "abcdef")
    declare(play, pairing_with(play, "a"), "a")
    play.play_out()
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_a_break_delays_each_round_but_the_first() -> None:
    play = entered(terms(Swiss(rounds=2), round_break_ms=5_000), "abcd")
    (*_, first) = decide(play.tournament, StartTournament(), 1_000)
    assert isinstance(first, PairingsPlanned)
    assert first.not_before_ms == 0
    play.do(StartTournament())
    for due in play.tournament.due_matches():
        play.result(due, better_name_wins(due))
    assert {row.not_before_ms for row in play.tournament.open_pairings} == {5_000}  # The harness decides at time 0.


def test_with_a_break_a_schedule_is_planned_round_by_round() -> None:
    play = started(terms(RoundRobin(), round_break_ms=5_000), "abcd")
    for number in range(1, 4):
        assert {progress.pairing.round for progress in play.tournament.open_pairings} == {number}
        for due in play.tournament.due_matches():
            play.result(due, better_name_wins(due))
    assert play.tournament.phase == "finished"


def test_entries_close_at_their_time() -> None:
    play = entered(terms(RoundRobin(), entries_close_at_ms=2_000), "ab")
    play.do(EnterTournament(ContestEntrant("c"), 1_999))
    with pytest.raises(EntriesOver) as refused:
        play.do(EnterTournament(ContestEntrant("d"), 2_000))
    assert refused.value.details == {"closed_at_ms": "2000"}


@pytest.mark.parametrize(
    ("times", "field"),
    [
        ({"no_show_ms": MAX_WAIT_MS + 1}, "no_show_ms"),
        ({"max_no_shows": 1001}, "max_no_shows"),
        ({"starts_at_ms": -1}, "starts_at"),
        ({"entries_close_at_ms": -1}, "entries_close_at"),
        ({"round_break_ms": -1}, "round_break_ms"),
    ],
)
def test_times_have_limits(times: dict[str, int], field: str) -> None:
    with pytest.raises(BadTerms) as refused:
        terms(Swiss(rounds=1), **times)
    assert refused.value.details["field"] == field


@pytest.mark.parametrize("field", ["no_show_ms", "round_break_ms"])
def test_a_test_of_two_entrants_has_neither_absences_nor_breaks(field: str) -> None:
    with pytest.raises(BadTerms, match=field):
        terms(SprtTrial(SprtParameters(elo1=5)), **{field: 1})


def test_versions_are_frozen_once() -> None:
    play = started(Swiss(rounds=3), "abcd")
    frozen = (FrozenEntrant("a", (Player("a", "2"),)), FrozenEntrant("b", ()))
    assert play.do(FreezeVersions(frozen)) == [VersionsFrozen(frozen[:1])]
    assert play.tournament.entrants["a"].bots == (Player("a", "2"),)
    assert play.do(FreezeVersions(frozen)) == []
    assert '"a/2"' in to_json(play.tournament)
