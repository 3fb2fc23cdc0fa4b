"""The consent of a bot: which matches of other holders it takes, and why it does not take others."""

import pytest
from msgspec.structs import replace

from engines.alquerque import GAME
from referee.accounts.account_errors import BadField, ConsentMissing
from referee.accounts.consent import (
    DEFAULT_CONSENT,
    Consent,
    ConsentScope,
    MatchOffer,
    check_match_count,
    check_offer,
    least_move_us,
)
from referee.match.clock import (
    MS,
    SECOND,
    Bank,
    Bronstein,
    CanadianByoYomi,
    Correspondence,
    Fischer,
    Hourglass,
    JapaneseByoYomi,
    MovesPerPeriod,
    Period,
    PerMove,
    SuddenDeath,
    TimeControl,
    Untimed,
    UsDelay,
)
from referee.match.match_terms import MatchTerms
from tests.match.setups import time_control

ANYONE = Consent(ConsentScope.ANYONE)
ANY_CLOCK = replace(ANYONE, min_first_move_ms=0)
MINUTE = 60 * SECOND

CLOCKS: list[tuple[TimeControl, int, int]] = [
    (SuddenDeath(MINUTE), 60_000, 0),
    (Hourglass(MINUTE), 60_000, 0),
    (Fischer(MINUTE, 2 * SECOND), 60_000, 2_000),
    (Bronstein(MINUTE, 2 * SECOND), 60_000, 2_000),
    (Bronstein(SECOND, 2 * SECOND), 1_000, 1_000),
    (UsDelay(MINUTE, 2 * SECOND), 62_000, 2_000),
    (PerMove(3 * SECOND), 3_000, 3_000),
    (Bank(MINUTE, SECOND), 61_000, 1_000),
    (Correspondence(MINUTE, 2 * MINUTE), 60_000, 60_000),
    (JapaneseByoYomi(MINUTE, SECOND, 3), 63_000, 1_000),
    (CanadianByoYomi(MINUTE, SECOND, 1), 61_000, 1_000),
    (CanadianByoYomi(MINUTE, SECOND, 5), 61_000, 0),
    (MovesPerPeriod((Period(10, MINUTE, 2 * SECOND), Period(0, MINUTE, SECOND))), 60_000, 1_000),
]
"""Clocks, each with the time for the first move and the least time of every later one in milliseconds."""


def terms(*controls: TimeControl) -> MatchTerms:
    return MatchTerms("alquerque", GAME.settings({}), time_control(controls))


def unmet(consent: Consent, offer: MatchOffer) -> str:
    """Return the condition that is not met; empty: the bot takes the match."""
    try:
        check_offer("ada", consent, offer)
    except ConsentMissing as error:
        return error.details["condition"]
    return ""


def test_the_error_names_the_bot_and_says_why_in_one_sentence() -> None:
    with pytest.raises(ConsentMissing, match=r"^the consent of ada is missing: it takes only matches") as error:
        check_offer("ada", Consent(ConsentScope.OWN), MatchOffer(()))
    assert error.value.details["bot"] == "ada"


@pytest.mark.parametrize(
    ("scope", "by_bot", "condition"),
    [
        (ConsentScope.OWN, True, "scope"),
        (ConsentScope.OWN, False, "scope"),
        (ConsentScope.OWN_AND_CONTESTS, True, ""),
        (ConsentScope.OWN_AND_CONTESTS, False, "scope"),
        (ConsentScope.ANYONE, True, ""),
        (ConsentScope.ANYONE, False, ""),
    ],
)
def test_the_scope_says_who_may_seat_the_bot(scope: ConsentScope, by_bot: bool, condition: str) -> None:
    assert unmet(Consent(scope), MatchOffer((terms(SuddenDeath(MINUTE)),), by_bot=by_bot)) == condition


@pytest.mark.parametrize(("control", "first_ms", "every_ms"), CLOCKS, ids=str)
def test_every_clock_is_compared_by_its_first_and_by_its_shortest_move(
    control: TimeControl, first_ms: int, every_ms: int
) -> None:
    offer = MatchOffer((terms(control),))
    assert least_move_us(control) == every_ms * 1_000
    exact = replace(ANYONE, min_first_move_ms=first_ms, min_move_ms=every_ms)
    assert unmet(exact, offer) == ""
    assert unmet(replace(exact, min_first_move_ms=first_ms + 1), offer) == "min_first_move_ms"
    assert unmet(replace(exact, min_move_ms=every_ms + 1), offer) == "min_move_ms"


def test_a_match_without_a_clock_needs_a_bot_that_takes_any_clock() -> None:
    untimed = MatchOffer((terms(Untimed()),))
    assert unmet(ANYONE, untimed) == "min_first_move_ms"
    assert unmet(replace(ANY_CLOCK, min_move_ms=1), untimed) == "min_first_move_ms"
    assert unmet(ANY_CLOCK, untimed) == ""


def test_one_second_is_the_default_for_the_first_move() -> None:
    assert unmet(ANYONE, MatchOffer((terms(SuddenDeath(SECOND)),))) == ""
    assert unmet(ANYONE, MatchOffer((terms(SuddenDeath(SECOND - MS)),))) == "min_first_move_ms"


def test_every_seat_and_all_terms_of_a_contest_are_compared() -> None:
    odds = replace(ANYONE, accept_odds=True)
    assert unmet(odds, MatchOffer((terms(SuddenDeath(MINUTE), SuddenDeath(MS)),))) == "min_first_move_ms"
    assert unmet(ANYONE, MatchOffer((terms(SuddenDeath(MINUTE)), terms(SuddenDeath(MS))))) == "min_first_move_ms"


def test_a_bot_can_be_restricted_to_games() -> None:
    offer = MatchOffer((terms(SuddenDeath(MINUTE)),))
    assert unmet(replace(ANYONE, games=("toc", "alquerque")), offer) == ""
    assert unmet(replace(ANYONE, games=("toc",)), offer) == "games"


def test_odds_are_different_clocks_and_a_given_start() -> None:
    clocks = MatchOffer((terms(SuddenDeath(MINUTE), SuddenDeath(2 * MINUTE)),))
    start = MatchOffer((terms(SuddenDeath(MINUTE)),), start_given=True)
    even = MatchOffer((terms(SuddenDeath(MINUTE), SuddenDeath(MINUTE)),))
    assert [unmet(ANYONE, offer) for offer in (clocks, start, even)] == ["accept_odds", "accept_odds", ""]
    odds = replace(ANYONE, accept_odds=True)
    assert [unmet(odds, offer) for offer in (clocks, start, even)] == ["", "", ""]


def test_a_maker_may_have_a_limited_number_of_matches_of_the_bot() -> None:
    check_match_count("ada", DEFAULT_CONSENT, 1)
    with pytest.raises(ConsentMissing, match="at most 2 matches"):
        check_match_count("ada", DEFAULT_CONSENT, 2)


@pytest.mark.parametrize(
    "fields",
    [
        {"games": ("",)},
        {"games": ("x" * 65,)},
        {"games": ("toc",) * 33},
        {"min_first_move_ms": -1},
        {"min_move_ms": 2**32},
        {"max_matches_per_maker": 0},
        {"max_matches_per_maker": 1_001},
    ],
    ids=str,
)
def test_invalid_values_are_rejected(fields: dict[str, object]) -> None:
    with pytest.raises(BadField) as error:
        replace(DEFAULT_CONSENT, **fields)
    assert error.value.details["field"] == f"consent.{next(iter(fields))}"
