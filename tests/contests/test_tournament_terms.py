"""Invalid terms are rejected, and the error names the field and the valid values."""

import pytest
from msgspec.structs import replace
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss, TournamentTerms

from referee.contests.contest_errors import BadTerms
from referee.contests.pairing import DuplicateSets
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.tournament_terms import (
    Pools,
    SprtTrial,
    TournamentFormat,
    TournamentPlayTerms,
    complete_terms,
)
from tests.contests.tournament_harness import play_terms

SPRT = SprtParameters(elo1=10)


@pytest.mark.parametrize(
    ("form", "field", "why"),
    [
        (RoundRobin(cycles=1001), "cycles", "from 1 to 1000"),
        (Swiss(rounds=0), "rounds", "from 1 to"),
        (Elimination(matches_per_pairing=1001), "matches_per_pairing", "from 1 to"),
        (Elimination(max_extra_matches=-1), "max_extra_matches", "from 0 to"),
        (Gauntlet(challengers=()), "challengers", "at least one"),
        (Gauntlet(challengers=("a", "a")), "challengers", "a repetition"),
        (Gauntlet(challengers=("a",), cycles=1001), "cycles", "from 1 to"),
        (Pools(0, 3), "rounds", "from 1 to"),
        (Pools(1, 1), "seats at a table", "from 2 to 8"),
        (Pools(1, 9), "seats at a table", "from 2 to 8"),
        (Pools(1, 4, ((0, 1), (1, 3))), "sides", "each seat"),
        (Pools(1, 4, ((0, 1), (2, 3))), "sides", "the same sides"),
        (SprtTrial(SPRT, at_a_table=1), "seats at a table", "from 2 to 8"),
        (SprtTrial(SPRT, at_a_table=3), "max_matches", "must be given"),
        (SprtTrial(SprtParameters(1, max_matches=1)), "max_matches", "at least 2"),
        (SprtTrial(SprtParameters(1, max_matches=2), at_a_table=3), "max_matches", "at least 3"),
    ],
)
def test_an_invalid_format_is_an_error(form: TournamentFormat, field: str, why: str) -> None:
    with pytest.raises(BadTerms, match=why) as refused:
        play_terms(form, b"")
    assert refused.value.details["field"] == field


@pytest.mark.parametrize(
    ("form", "duplicate", "why"),
    [
        (RoundRobin(), DuplicateSets(1), "must be 2"),
        (RoundRobin(), DuplicateSets(3), "must be 2"),
        (Pools(1, 3), DuplicateSets(4), "from 2 to 3"),
        (SprtTrial(SPRT, at_a_table=4, sides=((0, 2), (1, 3))), DuplicateSets(4), "pentanomial"),
        (RoundRobin(), DuplicateSets(openings=1001), "from 0 to"),
    ],
)
def test_invalid_sets_are_an_error(form: TournamentFormat, duplicate: DuplicateSets, why: str) -> None:
    with pytest.raises(BadTerms, match=why):
        play_terms(form, b"", duplicate=duplicate)


def test_numbers_of_any_format_are_checked_too() -> None:
    with pytest.raises(BadTerms, match="max_concurrent_matches must be from 0 to 1000"):
        play_terms(RoundRobin(), b"", max_concurrent_matches=1001)
    with pytest.raises(BadTerms, match="tie_breaks contain a repetition"):
        play_terms(RoundRobin(), b"", tie_breaks=("wins", "wins"))
    with pytest.raises(BadTerms, match="tie_breaks contain an unspecified one"):
        play_terms(RoundRobin(), b"", tie_breaks=("",))
    with pytest.raises(BadTerms, match="last_entry_round must be from 0 to 2"):
        play_terms(Swiss(rounds=3), b"", last_entry_round=3)
    with pytest.raises(BadTerms, match="last_entry_round must be 0"):
        play_terms(RoundRobin(), b"", last_entry_round=1)
    with pytest.raises(BadTerms, match="seeding must be the order of entry"):
        play_terms(SprtTrial(SPRT), b"", seeding="random")


def test_a_trial_that_counts_sets_is_played_in_sets_by_default() -> None:
    assert play_terms(SprtTrial(SPRT), b"").duplicate_sets == DuplicateSets(2)
    assert play_terms(SprtTrial(SprtParameters(1, max_matches=9), at_a_table=3), b"").duplicate_sets == DuplicateSets(3)
    assert play_terms(SprtTrial(SPRT, "trinomial"), b"").duplicate_sets is None
    assert play_terms(RoundRobin(), b"").duplicate_sets is None
    assert play_terms(SprtTrial(SPRT), b"", duplicate=DuplicateSets(openings=5)).duplicate_sets == DuplicateSets(
        openings=5
    )


def test_terms_have_exactly_one_format() -> None:
    for given in (TournamentTerms(), TournamentTerms(swiss=Swiss(rounds=2), round_robin=RoundRobin())):
        with pytest.raises(BadTerms, match="must be one of round_robin, swiss"):
            complete_terms(given, 2)


def test_a_test_that_counts_sets_is_not_played_without_sets() -> None:
    value = play_terms(SprtTrial(SPRT), b"").value
    with pytest.raises(BadTerms, match="duplicate_play must be given"):
        TournamentPlayTerms(replace(value, duplicate_play=None), b"")


def test_every_default_is_filled_in_once() -> None:
    completed = complete_terms(TournamentTerms(elimination=Elimination()), 2)
    assert completed.elimination == Elimination(matches_per_pairing=1, max_extra_matches=2)
    assert (completed.seeding, completed.no_show_ms, completed.max_no_shows) == ("entry_order", 600_000, 2)
    assert complete_terms(completed, 2) == completed


def test_moments_are_unix_milliseconds_and_unset_terms_limit_nothing() -> None:
    terms = play_terms(Swiss(rounds=1), starts_at_ms=1_500, entries_close_at_ms=999, no_show_ms=7)
    assert (terms.starts_at_ms, terms.entries_close_at_ms, terms.no_show_ms) == (1_500, 999, 7)
    assert terms.max_concurrent_matches is None
    assert play_terms(Swiss(rounds=1), max_concurrent_matches=3).max_concurrent_matches == 3
