"""Requested byes and forbidden pairs of Swiss tournaments."""

from itertools import combinations

import pytest
from referee_values import ByeKind, RoundRobin, Swiss

from referee.contests.contest_errors import BadTerms, ByeNotPossible, CommandNotAllowed, UnknownEntrant
from referee.contests.systems.dutch import Unpairable
from referee.contests.systems.swiss import pair_swiss_round
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import RequestBye, StartTournament, WithdrawEntrant
from referee.contests.tournament.events import ByeRequested
from referee.contests.tournament.tournament_terms import TournamentFormat, TournamentPlayTerms
from referee.contests.tournament.trf import to_trf
from tests.contests.swiss_rounds import random_rounds
from tests.contests.tournament_harness import TournamentHarness, entered, play_terms, replay, started

HALF: ByeKind = "half_point"
ZERO: ByeKind = "zero_point"
NONE: ByeKind = "none"


def terms(rounds: int = 3, *, byes: int = 2, boards: int = 0) -> TournamentPlayTerms:
    return play_terms(Swiss(rounds=rounds), b"seed", max_requested_byes=byes, boards=boards)


def request(play: TournamentHarness, name: str, number: int, kind: ByeKind = HALF) -> list[object]:
    return [*play.do(RequestBye(name, number, kind, "ann"))]


def play_round(play: TournamentHarness) -> None:
    number = play.tournament.round
    while play.tournament.round == number and play.tournament.due_matches():
        play.play_out_one()


def refusal(play: TournamentHarness, name: str, number: int, kind: ByeKind = HALF) -> str:
    with pytest.raises(ByeNotPossible) as refused:
        request(play, name, number, kind)
    return refused.value.details["why"]


def test_an_entrant_with_a_requested_bye_is_not_paired_and_gets_what_it_asked_for() -> None:
    play = entered(terms(), "abcdef")
    assert request(play, "a", 1) == [ByeRequested("a", 1, HALF, "ann")]
    request(play, "b", 1, ZERO)
    play.do(StartTournament())
    paired = [progress.pairing.entrants for progress in play.tournament.pairings.values()]
    assert {name for names in paired for name in names} == {"c", "d", "e", "f"}
    play_round(play)
    results = play.tournament.round_results(1)
    assert [(results[name][0].kind, results[name][0].points) for name in "ab"] == [
        (ResultKind.MISSED, 0.5),
        (ResultKind.MISSED, 0.0),
    ]
    assert {"a", "b"} <= {name for progress in play.tournament.open_pairings for name in progress.pairing.entrants}
    assert replay(terms(), play.log) == play.tournament


def test_a_request_can_be_changed_and_cancelled_until_the_round_is_paired() -> None:
    play = started(terms(), "abcdef")
    request(play, "a", 2)
    assert request(play, "a", 2) == []
    request(play, "a", 2, ZERO)
    assert play.tournament.requested_byes == {("a", 2): ZERO}
    request(play, "a", 2, NONE)
    assert request(play, "a", 2, NONE) == []
    assert play.tournament.requested_byes == {}
    assert refusal(play, "a", 1) == "the round is paired already"


def test_requests_are_limited() -> None:
    play = started(terms(byes=1), "abcdef")
    request(play, "a", 2)
    assert refusal(play, "a", 3) == "the terms allow 1 for each entrant"
    assert refusal(play, "a", 4) == refusal(play, "a", 0) == "the rounds are 1 to 3"
    request(play, "a", 2, ZERO)
    with pytest.raises(UnknownEntrant):
        request(play, "x", 2)
    play.do(WithdrawEntrant("b"))
    assert refusal(play, "b", 2) == "it has withdrawn"


@pytest.mark.parametrize("form", [Swiss(rounds=2), RoundRobin()])
def test_byes_are_requested_only_where_the_terms_allow_them(form: TournamentFormat) -> None:
    assert refusal(started(form, "abcd"), "a", 2) == "the terms allow none"


def test_two_others_must_be_left_to_play() -> None:
    play = started(terms(2), "abc")
    request(play, "a", 2)
    assert refusal(play, "b", 2) == "fewer than two others would play"
    request(play, "a", 2, NONE)
    request(play, "b", 2)


def test_a_withdrawal_cancels_the_requests_for_later_rounds() -> None:
    play = entered(terms(), "abcdef")
    request(play, "a", 1)
    request(play, "a", 2)
    request(play, "b", 2)
    play.do(StartTournament())
    play.do(WithdrawEntrant("a"))
    assert play.tournament.requested_byes == {("a", 1): HALF, ("b", 2): HALF}


def test_nothing_is_requested_after_the_end() -> None:
    play = started(terms(), "abcdef").play_out()
    with pytest.raises(CommandNotAllowed):
        request(play, "a", 3)


def test_the_half_point_of_a_team_is_that_of_a_draw_on_all_boards() -> None:
    play = entered(terms(boards=4), "abcdef")
    request(play, "a", 1)
    play.do(StartTournament())
    play_round(play)
    (result,) = play.tournament.round_results(1)["a"]
    assert (result.points, result.board_points) == (1.0, 2.0)


def test_a_half_point_bye_is_h_in_a_report() -> None:
    play = entered(terms(), "abcdef")
    request(play, "a", 1)
    request(play, "b", 1, ZERO)
    play.do(StartTournament())
    play_round(play)
    lines = to_trf(play.tournament, "").splitlines()
    cells = {line[14:15]: line[91:99] for line in lines if line.startswith("001")}
    assert (cells["a"], cells["b"]) == ("0000 - H", "0000 - Z")


def test_forbidden_pairs_never_meet() -> None:
    forbidden = (("a", "b"), ("a", "c"), ("a", "d"), ("nobody", "a"))
    play = started(play_terms(Swiss(rounds=4), b"seed", forbidden_pairs=forbidden), "abcdefgh").play_out()
    met = [{*progress.pairing.entrants} for progress in play.tournament.pairings.values()]
    assert play.tournament.round == 4
    assert len(met) == 16
    assert not any({*pair} in met for pair in forbidden)


def test_the_bye_of_the_first_round_goes_to_the_entrant_left_by_forbidden_pairs() -> None:
    play = started(play_terms(Swiss(rounds=2), b"seed", forbidden_pairs=(("a", "b"),)), "abc")
    assert sorted(map(sorted, (progress.pairing.entrants for progress in play.tournament.pairings.values()))) == [
        ["a", "c"],
        ["b"],
    ]


def test_a_tournament_ends_if_only_forbidden_pairs_are_left() -> None:
    play = started(play_terms(Swiss(rounds=3), b"seed", forbidden_pairs=(("a", "d"), ("b", "c"))), "abcd").play_out()
    assert play.tournament.round == 2


def test_a_forbidden_pair_that_would_not_have_met_changes_nothing() -> None:
    for many in (4, 5, 8, 9, 20):
        for table, pairings in random_rounds(many, 3, b"forbidden"):
            met = {frozenset(pairing.entrants) for pairing in pairings}
            apart = next(pair for pair in map(frozenset, combinations(table, 2)) if pair not in met)
            assert pair_swiss_round(table, list(table), 3, forbidden=[apart]) == pairings


def test_a_forbidden_pair_is_not_paired_even_if_no_other_is_left() -> None:
    with pytest.raises(Unpairable):
        pair_swiss_round({"a": [], "b": []}, ["a", "b"], 1, forbidden=[frozenset("ab")])


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"max_requested_byes": 11}, "from 0 to 10"),
        ({"max_requested_byes": 1, "form": RoundRobin()}, "only for Swiss"),
        ({"forbidden_pairs": (("a", "b"),), "form": RoundRobin()}, "only for Swiss"),
        ({"forbidden_pairs": (("a", "a"),)}, "an entrant with itself"),
    ],
)
def test_terms_that_do_not_fit_are_rejected(change: dict[str, object], why: str) -> None:
    with pytest.raises(BadTerms, match=why):
        play_terms(**{"form": Swiss(rounds=3), "seed": b"", **change})  # type: ignore[arg-type]  # Any field.
