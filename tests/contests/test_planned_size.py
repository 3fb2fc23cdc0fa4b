from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.commands import CancelTournament
from referee.contests.tournament.tournament_pairing import PlannedSize, compute_planned_size
from referee.contests.tournament.tournament_terms import Pools, SprtTrial, TournamentFormat
from tests.contests.tournament_harness import entered, started

NOTHING_KNOWN = PlannedSize()


def size_of(form: TournamentFormat, names: str = "abcde") -> PlannedSize:
    return compute_planned_size(started(form, names).tournament)


def test_the_size_of_a_schedule_is_known_from_the_start() -> None:
    assert compute_planned_size(entered(RoundRobin(), "abcd").tournament) == NOTHING_KNOWN
    assert size_of(RoundRobin(), "abcd") == PlannedSize(3, 6)
    assert size_of(Gauntlet(challengers=("a",))) == PlannedSize(4, 4)


def test_a_number_of_rounds_is_known_before_the_start() -> None:
    assert compute_planned_size(entered(Swiss(rounds=3), "abcde").tournament) == PlannedSize(3)
    assert size_of(Pools(4, 3)) == PlannedSize(4)


def test_a_knock_out_has_one_pairing_less_than_entrants() -> None:
    for names in ("ab", "abc", "abcde", "abcdefgh"):
        play = started(Elimination(third_place_match=True), names)
        ahead = compute_planned_size(play.tournament)
        assert compute_planned_size(play.play_out().tournament) == ahead


def test_the_size_of_other_formats_is_known_at_the_end() -> None:
    assert size_of(Elimination(double_elimination=True)) == NOTHING_KNOWN
    assert size_of(SprtTrial(SprtParameters(10)), "ab") == NOTHING_KNOWN
    play = started(Elimination(double_elimination=True), "abc").play_out()
    assert compute_planned_size(play.tournament) == PlannedSize(play.tournament.round, len(play.tournament.pairings))


def test_a_cancelled_tournament_has_its_current_size() -> None:
    play = started(Swiss(rounds=3), "abcde")
    play.do(CancelTournament())
    assert compute_planned_size(play.tournament).rounds == 1
