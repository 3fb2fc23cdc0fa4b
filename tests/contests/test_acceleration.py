"""The Baku acceleration of a Swiss tournament."""

import pytest
from referee_values import Swiss

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.systems.acceleration import NO_ACCELERATION, Acceleration, upper_half
from referee.contests.tournament.commands import EnterTournament, StartTournament
from referee.contests.tournament.tournament_pairing import acceleration_of
from tests.contests.tournament_harness import better_name_wins, entered, play_terms, replay, started

EIGHT = "abcdefgh"


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
    pairs = [{*progress.pairing.entrants} for progress in play.tournament.open_pairings]
    assert pairs == [{"a", "c"}, {"b", "d"}, {"e", "g"}, {"f", "h"}]
    for due in play.tournament.due_matches():
        play.result(due, better_name_wins(due))
    second = [{*progress.pairing.entrants} for progress in play.tournament.open_pairings]
    assert second[0] == {"a", "b"}
    assert {"c", "d", "e", "f"} == second[1] | second[2]
    assert second[3] == {"g", "h"}


def test_an_accelerated_tournament_is_played_to_its_end_and_scores_only_real_points() -> None:
    play = started(Swiss(rounds=5, accelerated=True), EIGHT).play_out()
    assert play.tournament.phase == "finished"
    assert play.table[0] == (1, "a", 5.0)
    assert sum(points for _, _, points in play.table) == 20.0
    assert replay(play.tournament.terms, play.log) == play.tournament


def test_a_late_entrant_belongs_to_the_half_of_its_seed() -> None:
    form = Swiss(rounds=4, accelerated=True)
    play = entered(play_terms(form, b"", seeding="rating", last_entry_round=1), [])
    for number, name in enumerate(EIGHT):
        play.do(EnterTournament(ContestEntrant(name, rating=2_000.0 - number)))
    play.do(StartTournament())
    play.do(EnterTournament(ContestEntrant("high", rating=3_000.0)))
    play.do(EnterTournament(ContestEntrant("low", rating=1_000.0)))
    assert acceleration_of(play.tournament, form).upper == {"high", *"abcd"}


@pytest.mark.parametrize("players", [9, 10, 11, 14])
def test_an_odd_field_and_uneven_halves_are_paired_without_rematches(players: int) -> None:
    names = [f"p{number:02}" for number in range(players)]
    play = started(Swiss(rounds=5, accelerated=True), names).play_out()
    met = [frozenset(row.pairing.entrants) for row in play.tournament.pairings.values() if not row.pairing.is_bye]
    assert (play.tournament.round, len(met), len(set(met))) == (5, 5 * (players // 2), 5 * (players // 2))
    byes = [progress.pairing.entrants[0] for progress in play.tournament.pairings.values() if progress.pairing.is_bye]
    assert len(set(byes)) == len(byes) == (5 if players % 2 else 0)
