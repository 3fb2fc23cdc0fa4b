"""Pairings that are lost by absence, breaks between rounds, the end of entries, and frozen versions."""

import pytest
from referee_values import Elimination, RoundRobin, Swiss

from referee.contests.contest_entrant import EntrantLeft
from referee.contests.contest_errors import NoSuchPairing
from referee.contests.pairing import MatchScore
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import CancelTournament, FreezeVersions, StartTournament
from referee.contests.tournament.decide import decide
from referee.contests.tournament.events import EntrantsAbsent, FrozenEntrant, PairingsPlanned, VersionsFrozen
from referee.contests.tournament.tournament_export import to_json
from referee.contests.tournament.tournament_terms import Pools
from referee.contests.tournament.trf import to_trf
from referee.match.setup import Player
from tests.contests.tournament_harness import entered, replay, started


def test_an_absent_entrant_loses_the_pairing_and_the_other_wins_it_without_a_match() -> None:
    play = started(Swiss(rounds=3), "abcd")
    pairing = play.open_pairing_of("a")
    (opponent,) = {*pairing.entrants} - {"a"}
    assert play.declare_absent(pairing.id, "a") == [EntrantsAbsent(pairing.id, ("a",), "away")]
    progress = play.tournament.pairings[pairing.id]
    assert (progress.is_done, {*progress.absent}) == (True, {"a"})
    absent, present = (progress.round_result(name) for name in ("a", opponent))
    assert (absent.kind, present.kind, present.points) == (ResultKind.ABSENT, ResultKind.UNOPPOSED, 1.0)
    play.play_due()
    lines = [line for line in to_trf(play.tournament, "Cup").splitlines() if line.startswith("001")]
    signs = {line[14:15]: line[98:99] for line in lines}
    assert sorted(signs.values()) == ["+", "-", "0", "1"]
    assert signs["a"] == "-"
    assert '"absent": [\n        "a"\n      ]' in to_json(play.tournament)
    assert play.tournament.pairings.no_show_counts() == play.tournament.pairings.forfeit_counts() == {"a": 1}
    play.play_out()
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_both_absent_entrants_lose() -> None:
    play = started(Swiss(rounds=3), "abcd")
    pairing = play.open_pairing_of("a")
    play.declare_absent(pairing.id, *pairing.entrants)
    progress = play.tournament.pairings[pairing.id]
    assert [progress.round_result(name).points for name in pairing.entrants] == [0.0, 0.0]
    losses = {row.entrant: row.losses for row in play.tournament.standings()}
    assert losses == {name: int(name in pairing.entrants) for name in "abcd"}


def test_an_absent_entrant_is_paired_again_and_withdrawn_after_two_absences_in_succession() -> None:
    play = started(Swiss(rounds=3), "abcdef")
    for number in (1, 2):
        events = play.declare_absent(play.open_pairing_of("a").id, "a")
        play.play_due()
        assert EntrantLeft("a", "absent from 2 pairings in succession") in events or number == 1
    assert play.tournament.withdrawn == ("a",)
    assert all("a" not in progress.pairing.entrants for progress in play.tournament.open_pairings)


def test_a_match_ends_the_succession_of_absences() -> None:
    play = started(Swiss(rounds=4), "abcdef")
    for number in range(1, 4):
        if number == 2:
            played = play.start(next(due for due in play.tournament.due_matches() if "a" in due.seats))
            play.result(played, MatchScore((1, 2)))
        else:
            play.declare_absent(play.open_pairing_of("a").id, "a")
        play.play_due()
    assert (play.tournament.withdrawn, play.tournament.no_shows) == ((), {"a": 1})


def test_the_number_of_absences_is_a_term() -> None:
    play = started(RoundRobin(), "abc", max_no_shows=1)
    events = play.declare_absent(play.open_pairing_of("a", "b").id, "a")
    assert EntrantLeft("a", "absent from a pairing") in events
    assert play.tournament.withdrawn == ("a",)


def test_an_entrant_that_leaves_a_started_pairing_keeps_its_points_and_loses_the_rest() -> None:
    play = started(Elimination(matches_per_pairing=2), "ab")
    play.play_out_one()
    play.declare_absent("w1.1", "a")
    assert play.table == [(1, "b", 1.0), (2, "a", 1.0)]
    assert play.tournament.phase == "finished"


def test_the_present_entrant_advances_in_a_bracket() -> None:
    play = started(Elimination(), "abcd")
    for name in "ab":
        play.declare_absent(play.open_pairing_of(name).id, name)
    assert play.tournament.open_pairings[0].pairing.participants == ("d", "c")
    assert play.tournament.withdrawn == ()


@pytest.mark.parametrize("twice", [False, True])
def test_both_absent_entrants_leave_the_bracket(twice: bool) -> None:
    play = started(Elimination(double_elimination=twice), "abcd")
    events = play.declare_absent(play.open_pairing_of("a", "d").id, "a", "d")
    assert [event.name for event in events if isinstance(event, EntrantLeft)] == ["a", "d"]
    play.play_out()
    ranks = {name: rank for rank, name, _ in play.table}
    assert ranks == ({"b": 1, "c": 2, "a": 3, "d": 3} if twice else {"b": 1, "a": 2, "c": 2, "d": 2})


def test_a_table_of_several_that_lacks_an_entrant_counts_for_nobody() -> None:
    play = started(Pools(2, 3), "abc")
    play.declare_absent("1.1", "a")
    assert {result.kind for (result,) in play.tournament.round_results(1).values()} == {ResultKind.MISSED}


def test_absence_changes_nothing_in_a_pairing_that_is_played_or_over() -> None:
    play = started(Swiss(rounds=3), "abcd")
    due = play.start()
    assert play.declare_absent(due.pairing.id, *due.pairing.entrants) == []
    play.result(due, MatchScore((1, 2)))
    assert play.declare_absent(due.pairing.id, *due.pairing.entrants) == []
    with pytest.raises(NoSuchPairing):
        play.declare_absent("9.9", "a")
    play.do(CancelTournament())
    assert play.declare_absent(play.open_pairing_of().id, "a") == []


def test_a_break_delays_each_round_but_the_first() -> None:
    play = entered(Swiss(rounds=2), "abcd", round_break_ms=5_000)
    (*_, first) = decide(play.tournament, StartTournament(), 1_000)
    assert isinstance(first, PairingsPlanned)
    assert first.not_before_ms == 0
    play.do(StartTournament())
    play.play_due()
    assert {row.not_before_ms for row in play.tournament.open_pairings} == {5_000}  # The harness decides at time 0.


def test_with_a_break_a_schedule_is_planned_round_by_round() -> None:
    play = started(RoundRobin(), "abcd", round_break_ms=5_000)
    for number in range(1, 4):
        assert {progress.pairing.round for progress in play.tournament.open_pairings} == {number}
        play.play_due()
    assert play.tournament.phase == "finished"


def test_versions_are_frozen_once() -> None:
    play = started(Swiss(rounds=3), "abcd")
    frozen = (FrozenEntrant("a", (Player("a", "2"),)), FrozenEntrant("b", ()))
    assert play.do(FreezeVersions(frozen)) == [VersionsFrozen(frozen[:1])]
    assert play.tournament.entrants["a"].bots == (Player("a", "2"),)
    assert play.do(FreezeVersions(frozen)) == []
    assert '"a/2"' in to_json(play.tournament)
