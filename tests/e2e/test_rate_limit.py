"""A holder that has used up its rate limit can still submit moves, but what contains no new move counts as a call."""

from collections.abc import Sequence
from functools import partial

import pytest
from referee_api.v1 import play_pb2

from tests.e2e.call_errors import error_of, reason_of
from tests.e2e.error_causes import exceed_rate_limit
from tests.e2e.organiser import Organiser

pytestmark = pytest.mark.slow

PONG = play_pb2.BotItem(pong=play_pb2.Pong(id=0))


@pytest.mark.parametrize("items", [(PONG,), ()], ids=["pong without a ping", "empty message"])
def test_a_stream_of_empty_messages_is_ended_by_the_rate_limit(
    organiser: Organiser, items: Sequence[play_pb2.BotItem]
) -> None:
    stream = organiser.connection(0)
    use_up_rate_limit(organiser)
    stream.send_together(*items)
    assert error_of(stream.receive, "turn").reason == "TOO_MANY_CALLS"


def test_a_repeated_answer_in_a_stream_gets_its_verdict_and_counts_as_a_call(organiser: Organiser) -> None:
    organiser.start_match()
    stream, turn = organiser.connection(0), organiser.next_turn()
    move = play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=turn.legal_moves[0])
    use_up_rate_limit(organiser)
    for repeated in (False, True):
        stream.send(move=move)
        assert stream.receive("verdict").repeated is repeated
    assert error_of(stream.receive, "turn").reason == "TOO_MANY_CALLS"


def test_submitting_a_move_does_not_count_as_a_call_but_validating_one_does(organiser: Organiser) -> None:
    organiser.start_match()
    turn = organiser.next_turn()
    use_up_rate_limit(organiser)
    for repeated in (False, True):
        assert organiser.submit_move(turn, turn.legal_moves[0]).repeated is repeated
    submit = partial(organiser.submit_move, turn, turn.legal_moves[0])
    assert reason_of(submit, turn_token="0.99.1", request_id="another") == "STALE_TURN"
    assert reason_of(submit, validate_only=True) == "TOO_MANY_CALLS"


def use_up_rate_limit(organiser: Organiser) -> None:
    """Use up all calls of this minute."""
    assert error_of(exceed_rate_limit, organiser).reason == "TOO_MANY_CALLS"
