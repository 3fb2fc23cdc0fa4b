"""The terms of a match, and their defaults."""

import pytest

from engines.api import Game
from engines.options import Settings
from referee.match.clock import SECOND, Fischer, SuddenDeath
from referee.match.match_errors import BadSetup
from referee.match.match_terms import MatchTerms
from tests.third_party_games.third_party_games import FINGERS, NIM

CONTROL = SuddenDeath(SECOND)
OTHER_CONTROL = Fischer(SECOND, SECOND)


@pytest.mark.parametrize("game", [NIM, FINGERS], ids=lambda game: game.name)
def test_defaults_are_all_options_a_control_for_each_seat_and_the_start_timeout(game: Game) -> None:
    complete = MatchTerms(game.name, Settings(()), (CONTROL,)).with_defaults(game, 5)
    seats = len(game.table(game.settings()).seats)
    assert complete == MatchTerms(game.name, game.settings(), (CONTROL,) * seats, start_timeout_us=5)
    complete.check(game)


def test_what_is_given_is_not_replaced_by_defaults() -> None:
    given = MatchTerms("nim", NIM.settings(), (CONTROL, OTHER_CONTROL), start_timeout_us=7)
    assert given.with_defaults(NIM, 5) == given


def test_terms_without_all_options_are_an_error() -> None:
    with pytest.raises(BadSetup) as error:
        MatchTerms("nim", Settings(()), (CONTROL, CONTROL)).check(NIM)
    assert error.value.details["field"] == "settings"
