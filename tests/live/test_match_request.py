"""Matches with the same terms share them, checked once."""

import pytest

from engines.game_errors import BadOption
from engines.options import Settings, Value
from referee.live.match_request import MAX_KNOWN_TERMS, LiveLimits, MatchRequest
from referee.match.clock import Micros
from referee.match.match_terms import MatchTerms
from tests.match.games import STONES


def terms(heap: Value, start_timeout_us: Micros = 0) -> MatchTerms:
    """Return the complete terms of a match of stones that was asked for with this heap."""
    asked = MatchTerms("stones", Settings((("heap", heap),)), start_timeout_us=start_timeout_us)
    return MatchRequest(asked).setup("m1", bytes(32), {"stones": STONES}, LiveLimits()).terms


def test_equal_requests_share_their_terms_and_others_do_not() -> None:
    shared = terms(7)
    assert terms(7) is shared
    assert terms(8).settings.count("heap") == 8
    assert terms(7, start_timeout_us=5).start_timeout_us == 5
    for many in range(1, MAX_KNOWN_TERMS + 1):
        terms(7, start_timeout_us=many)
    assert terms(7) == shared
    assert terms(7) is not shared


def test_terms_that_are_equal_by_other_types_are_checked() -> None:
    assert terms(1).settings.count("heap") == 1
    with pytest.raises(BadOption):
        terms(True)
