"""Terms of tournaments: invalid ones are rejected, and the error names the field and the valid values."""

from typing import Any

import pytest
from msgspec.structs import replace
from referee_values import Elimination, Gauntlet, RoundRobin, Sprt, Swiss, TournamentTerms

from referee.contests.contest_errors import BadTerms
from referee.contests.pairing import DuplicateSets
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.tournament_terms import (
    MAX_WAIT_MS,
    Pools,
    SprtTrial,
    TournamentFormat,
    TournamentPlayTerms,
    complete_terms,
)
from tests.contests.tournament_harness import play_terms

SPRT = SprtParameters(elo1=10)
PARTNERS = ((0, 2), (1, 3))
SWISS = Swiss(rounds=3)
TEAMS = {"boards": 2}


@pytest.mark.parametrize(
    ("form", "terms", "field", "why"),
    [
        (RoundRobin(cycles=1001), {}, "cycles", "from 1 to 1000"),
        (Swiss(rounds=0), {}, "rounds", "from 1 to"),
        (Elimination(matches_per_pairing=1001), {}, "matches_per_pairing", "from 1 to"),
        (Elimination(max_extra_matches=-1), {}, "max_extra_matches", "from 0 to"),
        (Gauntlet(challengers=()), {}, "challengers", "at least one"),
        (Gauntlet(challengers=("a", "a")), {}, "challengers", "a repetition"),
        (Gauntlet(challengers=("a",), cycles=1001), {}, "cycles", "from 1 to"),
        (Pools(0, 3), {}, "rounds", "from 1 to"),
        (Pools(1, 1), {}, "seats at a table", "from 2 to 8"),
        (Pools(1, 9), {}, "seats at a table", "from 2 to 8"),
        (Pools(1, 4, ((0, 1), (1, 3))), {}, "sides", "each seat"),
        (Pools(1, 4, ((0, 1), (2, 3))), {}, "sides", "the same sides"),
        (SprtTrial(SPRT, at_a_table=1), {}, "seats at a table", "from 2 to 8"),
        (SprtTrial(SPRT, at_a_table=3), {}, "max_matches", "must be given"),
        (SprtTrial(SprtParameters(1, max_matches=1)), {}, "max_matches", "at least 2"),
        (SprtTrial(SprtParameters(1, max_matches=2), at_a_table=3), {}, "max_matches", "at least 3"),
        (SprtTrial(SPRT), {"seeding": "random"}, "seeding", "the order of entry"),
        (SprtTrial(SPRT), {"no_show_ms": 1}, "no_show_ms", "must be 0"),
        (SprtTrial(SPRT), {"round_break_ms": 1}, "round_break_ms", "must be 0"),
        (RoundRobin(), {"duplicate": DuplicateSets(1)}, "arrangements", "must be 2"),
        (RoundRobin(), {"duplicate": DuplicateSets(3)}, "arrangements", "must be 2"),
        (Pools(1, 3), {"duplicate": DuplicateSets(4)}, "arrangements", "from 2 to 3"),
        (SprtTrial(SPRT, "pentanomial", 4, PARTNERS), {"duplicate": DuplicateSets(4)}, "arrangements", "pentanomial"),
        (RoundRobin(), {"duplicate": DuplicateSets(openings=1001)}, "number of openings", "from 0 to"),
        (SWISS, {"max_entrants": 3}, "max_entrants", "from 4 to 1000"),
        (SWISS, {"max_entrants": 1001}, "max_entrants", "from 4 to 1000"),
        (SWISS, {"max_concurrent_matches": 1001}, "max_concurrent_matches", "from 0 to 1000"),
        (SWISS, {"no_show_ms": MAX_WAIT_MS + 1}, "no_show_ms", "from 0 to"),
        (SWISS, {"max_no_shows": 1001}, "max_no_shows", "from 1 to 1000"),
        (SWISS, {"round_break_ms": -1}, "round_break_ms", "from 0 to"),
        (SWISS, {"starts_at_ms": -1}, "starts_at", "between the years 1970 and 9999"),
        (SWISS, {"entries_close_at_ms": -1}, "entries_close_at", "between the years 1970 and 9999"),
        (SWISS, {"last_entry_round": 3}, "last_entry_round", "from 0 to 2"),
        (RoundRobin(), {"last_entry_round": 1}, "last_entry_round", "must be 0"),
        (SWISS, {"tie_breaks": ("wins", "wins")}, "tie_breaks", "a repetition"),
        (SWISS, {"tie_breaks": ("",)}, "tie_breaks", "an unspecified one"),
        (SWISS, {"tie_breaks": ("koya",)}, "tie_breaks", "only for a round robin"),
        (RoundRobin(), {"tie_breaks": ("koya",), **TEAMS}, "tie_breaks", "not defined for teams"),
        (SWISS, {"tie_breaks": ("board_points",)}, "tie_breaks", "only teams"),
        (SWISS, {"boards": 1}, "boards", "from 2 to 8"),
        (SWISS, {"boards": 9}, "boards", "from 2 to 8"),
        (Elimination(), TEAMS, "boards", "only Swiss and round robin"),
        (Pools(2, 2), TEAMS, "boards", "only Swiss and round robin"),
        (SWISS, {"duplicate": DuplicateSets(), **TEAMS}, "boards", "duplicate play"),
        (SWISS, {"max_requested_byes": 11}, "max_requested_byes", "from 0 to 10"),
        (RoundRobin(), {"max_requested_byes": 1}, "max_requested_byes", "only for Swiss"),
        (RoundRobin(), {"forbidden_pairs": (("a", "b"),)}, "forbidden_pairs", "only for Swiss"),
        (SWISS, {"forbidden_pairs": (("a", "a"),)}, "forbidden_pairs", "an entrant with itself"),
        (SWISS, {"play_off_entrants": 1}, "play_off_entrants", "from 2 to 8"),
        (SWISS, {"play_off_entrants": 9}, "play_off_entrants", "from 2 to 8"),
        (Pools(3, 3), {"play_off_entrants": 2}, "play_off_entrants", "only Swiss and round robins"),
        (RoundRobin(), {"play_off_entrants": 2, **TEAMS}, "play_off_entrants", "of single entrants"),
    ],
)
def test_invalid_terms_are_an_error(form: TournamentFormat, terms: dict[str, Any], field: str, why: str) -> None:
    with pytest.raises(BadTerms, match=why) as refused:
        play_terms(form, **terms)
    assert refused.value.details["field"] == field


def test_a_trial_that_counts_sets_is_played_in_sets_by_default() -> None:
    assert play_terms(SprtTrial(SPRT)).duplicate_sets == DuplicateSets(2)
    assert play_terms(SprtTrial(SprtParameters(1, max_matches=9), at_a_table=3)).duplicate_sets == DuplicateSets(3)
    assert play_terms(SprtTrial(SPRT, "trinomial")).duplicate_sets is None
    assert play_terms(RoundRobin()).duplicate_sets is None
    given = DuplicateSets(openings=5)
    assert play_terms(SprtTrial(SPRT), duplicate=given).duplicate_sets == given


def test_terms_have_exactly_one_format() -> None:
    for given in (TournamentTerms(), TournamentTerms(swiss=Swiss(rounds=2), round_robin=RoundRobin())):
        with pytest.raises(BadTerms, match="must be one of round_robin, swiss"):
            complete_terms(given, 2)


def test_a_test_that_counts_sets_is_not_played_without_sets() -> None:
    value = play_terms(SprtTrial(SPRT)).value
    with pytest.raises(BadTerms, match="duplicate_play must be given"):
        TournamentPlayTerms(replace(value, duplicate_play=None), b"")


def test_every_default_is_filled_in_once() -> None:
    completed = complete_terms(TournamentTerms(elimination=Elimination()), 2)
    assert completed.elimination == Elimination(matches_per_pairing=1, max_extra_matches=2)
    assert (completed.seeding, completed.no_show_ms, completed.max_no_shows) == ("entry_order", 600_000, 2)
    assert complete_terms(completed, 2) == completed
    gauntlet = complete_terms(TournamentTerms(gauntlet=Gauntlet(challengers=("a",))), 2).gauntlet
    assert gauntlet
    assert gauntlet.cycles == 1
    trial = complete_terms(TournamentTerms(sprt=Sprt(elo1=5)), 2)
    assert (trial.sprt, trial.no_show_ms) == (Sprt(elo1=5, alpha=0.05, beta=0.05, model="pentanomial"), 0)
    for boards, tie_break in ((0, "buchholz"), (4, "board_points")):
        assert complete_terms(TournamentTerms(swiss=SWISS, boards=boards), 2).tie_breaks[0] == tie_break


def test_moments_are_unix_milliseconds_and_unset_terms_limit_nothing() -> None:
    terms = play_terms(Swiss(rounds=1), starts_at_ms=1_500, entries_close_at_ms=999, no_show_ms=7)
    assert (terms.starts_at_ms, terms.entries_close_at_ms, terms.no_show_ms) == (1_500, 999, 7)
    assert terms.max_concurrent_matches is None
    assert play_terms(Swiss(rounds=1), max_concurrent_matches=3).max_concurrent_matches == 3
