"""The terms of a match, and their defaults."""

import pytest
from referee_values import NetworkCredit, TimeControl

from engines.api import Game
from engines.options import Settings
from referee.match.clock import SECOND, UNTIMED, Fischer, SuddenDeath
from referee.match.match_errors import BadSetup
from referee.match.match_terms import DEFAULT_POLICIES, SHOWN_LIVE, MatchTerms
from tests.match.setups import time_control
from tests.third_party_games.third_party_games import FINGERS, NIM

CONTROL = SuddenDeath(SECOND)
OTHER_CONTROL = Fischer(SECOND, SECOND)


@pytest.mark.parametrize("game", [NIM, FINGERS], ids=lambda game: game.name)
def test_defaults_are_all_options_a_clock_policies_and_the_start_timeout(game: Game) -> None:
    complete = MatchTerms(game.name, Settings(())).with_defaults(game, 5)
    assert complete == MatchTerms(
        game.name,
        game.settings(),
        TimeControl(rule=UNTIMED, network_credit=NetworkCredit()),
        DEFAULT_POLICIES,
        SHOWN_LIVE,
        start_timeout_us=5,
    )
    complete.check(game)


def test_what_is_given_is_not_replaced_by_defaults() -> None:
    given = MatchTerms(
        "nim", NIM.settings(), time_control((CONTROL, OTHER_CONTROL)), DEFAULT_POLICIES, SHOWN_LIVE, start_timeout_us=7
    )
    assert given.with_defaults(NIM, 5) == given


def test_terms_without_all_options_are_an_error() -> None:
    with pytest.raises(BadSetup) as error:
        MatchTerms("nim", Settings(())).check(NIM)
    assert error.value.details["field"] == "settings"
