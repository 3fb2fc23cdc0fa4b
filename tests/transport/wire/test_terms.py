"""Time controls, policies and visibility survive the round trip through messages."""

import pytest
import referee_values
from referee_api.v1 import game_pb2, match_pb2, policy_pb2
from referee_values import MatchTerms, NetworkCredit

from engines.registry import games
from referee.accounts.account_errors import BadField
from referee.hosting.given_terms import TermsReader
from referee.live.match_request import LiveLimits
from referee.live.turns import SeatClock
from referee.match import clock as core
from referee.match import match_terms as core_terms
from referee.match.clock import SECOND, Clock, TimeControl
from referee.match.match_terms import DEFAULT_POLICIES, SHOWN_LIVE
from referee.transport.wire.basic_types import read_value
from referee.transport.wire.clocks import clock_of
from referee.transport.wire.terms import TermsConverter

CREDIT = NetworkCredit(per_move_ms=5)
CONVERTER = TermsConverter(TermsReader(games(), CREDIT), LiveLimits())


def read(message: match_pb2.MatchTerms) -> core_terms.MatchTerms:
    return CONVERTER.reader.match_terms(read_value(message, MatchTerms))


def test_missing_fields_have_defaults() -> None:
    terms = read(match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque")))
    assert terms.policies == DEFAULT_POLICIES
    assert terms.visibility == SHOWN_LIVE
    assert terms.time_control == referee_values.TimeControl(rule=core.UNTIMED, network_credit=CREDIT)
    assert terms.adjudication is None


def test_an_unknown_enum_value_is_rejected() -> None:
    policies = policy_pb2.Policies(timeout=policy_pb2.TimeoutAction.ValueType(99))
    with pytest.raises(BadField, match="timeout: 99 is unknown; known: 0, 1, 2, 3"):
        read(match_pb2.MatchTerms(rules=game_pb2.Rules(game="alquerque"), policies=policies))


@pytest.mark.parametrize(
    ("control", "clock", "used_s", "main_s", "period_s", "periods", "moves"),
    [
        (core.Fischer(60 * SECOND, SECOND), Clock(20 * SECOND), 5, 15, 0, 0, 0),
        (core.UsDelay(60 * SECOND, 3 * SECOND), Clock(20 * SECOND), 1, 20, 2, 0, 0),
        (core.UsDelay(60 * SECOND, 3 * SECOND), Clock(20 * SECOND), 5, 18, 0, 0, 0),
        (core.PerMove(5 * SECOND), Clock(), 1, 0, 4, 0, 0),
        (core.JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3), Clock(5 * SECOND, 3), 1, 4, 0, 3, 0),
        (core.JapaneseByoYomi(60 * SECOND, 10 * SECOND, 3), Clock(5 * SECOND, 3), 17, 0, 8, 2, 0),
        (core.CanadianByoYomi(60 * SECOND, 10 * SECOND, 5), Clock(5 * SECOND), 1, 4, 0, 0, 0),
        (core.CanadianByoYomi(60 * SECOND, 10 * SECOND, 5), Clock(8 * SECOND, 0, 3), 1, 0, 7, 0, 3),
    ],
)
def test_the_clocks_of_running_turns_are_converted_with_all_parts(
    control: TimeControl, clock: Clock, used_s: int, main_s: int, period_s: int, periods: int, moves: int
) -> None:
    limit_us = control.limit_us(clock)
    assert limit_us is not None
    message = clock_of(SeatClock(0, control, clock, limit_us, used_s * SECOND, limit_us - used_s * SECOND, True, 0))
    parts = (message.main_us // SECOND, message.period_us // SECOND, message.periods_left, message.moves_left)
    assert parts == (main_s, period_s, periods, moves)
    assert message.time_left_us == limit_us - used_s * SECOND
