"""Terms of Swiss tournaments: requested byes, forbidden pairs, entrants of one owner, and acceleration (Baku)."""

from itertools import combinations

import pytest
from referee_values import ByeKind, RoundRobin, Swiss

from referee.contests.contest_errors import ByeNotPossible, NotAnEntrant, TournamentOver
from referee.contests.systems.dutch import Unpairable
from referee.contests.systems.swiss import NO_ACCELERATION, Acceleration, pair_swiss_round, upper_half
from referee.contests.tables.round_result import ResultKind
from referee.contests.tournament.commands import RequestBye, StartTournament
from referee.contests.tournament.events import ByeRequested, TournamentEvent
from referee.contests.tournament.tournament_pairing import acceleration_of
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.contests.tournament.trf import to_trf
from tests.contests.swiss_rounds import random_rounds
from tests.contests.tournament_harness import TournamentHarness, entered, level, replay, started

HALF: ByeKind = "half_point"
ZERO: ByeKind = "zero_point"
NONE: ByeKind = "none"
SIX, EIGHT = "abcdef", "abcdefgh"


def with_byes(names: str = SIX, rounds: int = 3, **fields: int) -> TournamentHarness:
    return entered(Swiss(rounds=rounds), names, **{"max_requested_byes": 2, **fields})


def request(play: TournamentHarness, name: str, number: int, kind: ByeKind = HALF) -> list[TournamentEvent]:
    return play.do(RequestBye(name, number, kind, "ann"))


def start(play: TournamentHarness) -> TournamentHarness:
    play.do(StartTournament())
    return play


def refusal(play: TournamentHarness, name: str, number: int, kind: ByeKind = HALF) -> str:
    with pytest.raises(ByeNotPossible) as refused:
        request(play, name, number, kind)
    return refused.value.details["why"]


def met(play: TournamentHarness) -> list[set[str]]:
    return [{*pairing.entrants} for pairing in play.planned]


def test_an_entrant_with_a_requested_bye_is_not_paired_and_gets_what_it_asked_for() -> None:
    play = with_byes()
    assert request(play, "a", 1) == [ByeRequested("a", 1, HALF, "ann")]
    request(play, "b", 1, ZERO)
    start(play)
    assert set().union(*met(play)) == {"c", "d", "e", "f"}
    play.play_due()
    results = play.tournament.round_results(1)
    assert [(results[name][0].kind, results[name][0].points) for name in "ab"] == [
        (ResultKind.MISSED, 0.5),
        (ResultKind.MISSED, 0.0),
    ]
    lines = to_trf(play.tournament, "").splitlines()
    assert [line[91:99] for line in lines if line[:3] == "001" and line[14] in "ab"] == ["0000 - H", "0000 - Z"]
    assert all(play.open_pairing_of(name) for name in "ab")
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_a_request_can_be_changed_and_cancelled_until_the_round_is_paired() -> None:
    play = start(with_byes())
    request(play, "a", 2)
    assert request(play, "a", 2) == []
    request(play, "a", 2, ZERO)
    assert play.tournament.requested_byes == {("a", 2): ZERO}
    request(play, "a", 2, NONE)
    assert request(play, "a", 2, NONE) == []
    assert play.tournament.requested_byes == {}
    assert refusal(play, "a", 1) == "the round is paired already"


def test_requests_are_limited() -> None:
    play = start(with_byes(max_requested_byes=1))
    request(play, "a", 2)
    assert refusal(play, "a", 3) == "the terms allow 1 for each entrant"
    assert refusal(play, "a", 4) == refusal(play, "a", 0) == "the rounds are 1 to 3"
    request(play, "a", 2, ZERO)
    with pytest.raises(NotAnEntrant):
        request(play, "x", 2)
    play.withdraw("b")
    assert refusal(play, "b", 2) == "it has withdrawn"
    play.play_out()
    with pytest.raises(TournamentOver):
        request(play, "a", 3)


@pytest.mark.parametrize("form", [Swiss(rounds=2), RoundRobin()], ids=str)
def test_byes_are_requested_only_where_the_terms_allow_them(form: TournamentFormat) -> None:
    assert refusal(started(form, "abcd"), "a", 2) == "the terms allow none"


def test_two_others_must_be_left_to_play() -> None:
    play = start(with_byes("abc", 2))
    request(play, "a", 2)
    assert refusal(play, "b", 2) == "fewer than two others would play"
    request(play, "a", 2, NONE)
    request(play, "b", 2)


def test_a_withdrawal_cancels_the_requests_for_later_rounds() -> None:
    play = with_byes()
    for name, number in (("a", 1), ("a", 2), ("b", 2)):
        request(play, name, number)
    start(play).withdraw("a")
    assert play.tournament.requested_byes == {("a", 1): HALF, ("b", 2): HALF}


def test_the_half_point_of_a_team_is_that_of_a_draw_on_all_boards() -> None:
    play = with_byes(boards=4)
    request(play, "a", 1)
    start(play).play_due()
    (result,) = play.tournament.round_results(1)["a"]
    assert (result.points, result.board_points) == (1.0, 2.0)


def test_forbidden_pairs_never_meet() -> None:
    forbidden = (("a", "b"), ("a", "c"), ("a", "d"), ("nobody", "a"))
    play = started(Swiss(rounds=4), EIGHT, forbidden_pairs=forbidden).play_out()
    assert (play.tournament.round, len(play.planned)) == (4, 16)
    assert not any({*pair} in met(play) for pair in forbidden)


def test_the_bye_of_the_first_round_goes_to_the_entrant_left_by_forbidden_pairs() -> None:
    assert met(started(Swiss(rounds=2), "abc", forbidden_pairs=(("a", "b"),))) == [{"a", "c"}, {"b"}]


def test_a_tournament_ends_if_only_forbidden_pairs_are_left() -> None:
    play = started(Swiss(rounds=3), "abcd", forbidden_pairs=(("a", "d"), ("b", "c"))).play_out()
    assert play.tournament.round == 2


def test_a_forbidden_pair_that_would_not_have_met_changes_nothing() -> None:
    for many in (4, 5, 8, 9, 20):
        for table, pairings in random_rounds(many, 3, b"forbidden"):
            paired = {frozenset(pairing.entrants) for pairing in pairings}
            apart = next(pair for pair in map(frozenset, combinations(table, 2)) if pair not in paired)
            assert pair_swiss_round(table, list(table), 3, forbidden=[apart]) == pairings


def test_a_forbidden_pair_is_not_paired_even_if_no_other_is_left() -> None:
    with pytest.raises(Unpairable):
        pair_swiss_round({"a": [], "b": []}, ["a", "b"], 1, forbidden=[frozenset("ab")])


def owned(rounds: int, owners: dict[str, tuple[str, ...]]) -> TournamentHarness:
    play = entered(Swiss(rounds=rounds), "")
    for name, own in owners.items():
        play.enter(name, owners=own)
    return start(play)


def rounds_of(play: TournamentHarness, name: str, other: str) -> list[int]:
    """Return the rounds in which two entrants met."""
    return [pairing.round for pairing in play.planned if {*pairing.entrants} == {name, other}]


def test_entrants_of_one_owner_do_not_meet_in_the_first_half_of_the_rounds() -> None:
    nobody: dict[str, tuple[str, ...]] = dict.fromkeys(EIGHT, ())
    free = owned(5, nobody).play_out()
    assert [rounds_of(free, name, other) for name, other in ("ab", "ad", "ae")] == [[3], [2], [1]]
    apart = owned(5, nobody | dict.fromkeys("ade", ("ann",))).play_out()
    assert [rounds_of(apart, name, other) for name, other in ("ad", "ae", "de")] == [[5], [4], []]
    assert replay(apart.tournament.terms, apart.log) == apart.tournament


def test_partners_or_teams_do_not_meet_entrants_of_any_of_their_owners() -> None:
    owners = {"a": ("ann", "bob"), "b": ("cyd",), "c": ("bob", "dan"), "d": ("eve",)}
    assert rounds_of(owned(2, owners).play_out(level), "a", "c") in ([], [2])


def test_a_round_that_cannot_be_paired_otherwise_lets_entrants_of_one_owner_meet() -> None:
    assert owned(3, dict.fromkeys("abcd", ("ann",))).play_out().tournament.round == 3


@pytest.mark.parametrize(("players", "size"), [(2, 2), (3, 2), (4, 2), (5, 4), (8, 4), (160, 80), (161, 82)])
def test_the_upper_half_is_even(players: int, size: int) -> None:
    assert upper_half(players) == size


def test_virtual_points_of_nine_rounds_are_those_of_the_handbook() -> None:
    acceleration = Acceleration(frozenset("a"), 9)
    assert [acceleration.virtual_points("a", number) for number in range(1, 10)] == [1, 1, 1, 0.5, 0.5, 0, 0, 0, 0]
    assert not any(acceleration.virtual_points("b", number) for number in range(1, 10))
    assert NO_ACCELERATION.virtual_points("a", 1) == 0


def test_the_halves_are_paired_apart_and_their_winners_meet_the_winners() -> None:
    play = started(Swiss(rounds=4, accelerated=True), EIGHT)
    assert met(play) == [{"a", "c"}, {"b", "d"}, {"e", "g"}, {"f", "h"}]
    play.play_due()
    first, second, third, last = met(play)[4:]
    assert (first, second | third, last) == ({"a", "b"}, {"c", "d", "e", "f"}, {"g", "h"})


def test_an_accelerated_tournament_is_played_to_its_end_and_scores_only_real_points() -> None:
    play = started(Swiss(rounds=5, accelerated=True), EIGHT).play_out()
    assert play.table[0] == (1, "a", 5.0)
    assert sum(play.points.values()) == 20.0
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_a_late_entrant_belongs_to_the_half_of_its_seed() -> None:
    form = Swiss(rounds=4, accelerated=True)
    play = entered(form, "", seeding="rating", last_entry_round=1)
    for number, name in enumerate(EIGHT):
        play.enter(name, rating=2_000.0 - number)
    start(play).enter("high", rating=3_000.0)
    play.enter("low", rating=1_000.0)
    assert acceleration_of(play.tournament, form).upper == {"high", *"abcd"}


@pytest.mark.parametrize("players", [9, 10, 11, 14])
def test_an_odd_field_and_uneven_halves_are_paired_without_rematches(players: int) -> None:
    play = started(Swiss(rounds=5, accelerated=True), [f"p{number:02}" for number in range(players)]).play_out()
    pairs = [frozenset(names) for names in met(play) if len(names) == 2]
    byes = [frozenset(names) for names in met(play) if len(names) == 1]
    assert (play.tournament.round, len(pairs), len(set(pairs))) == (5, 5 * (players // 2), 5 * (players // 2))
    assert len(set(byes)) == len(byes) == (5 if players % 2 else 0)
