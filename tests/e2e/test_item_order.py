"""The order of items that a bot sends and receives over a real connection."""

import pytest
from referee_api.v1 import error_pb2, play_pb2, result_pb2

from tests.e2e.organiser import Organiser

pytestmark = pytest.mark.slow


def move_of(turn: play_pb2.Turn, text: str = "", **more: bool) -> play_pb2.Move:
    move = text or turn.legal_moves[0]
    return play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move, **more)


def test_items_of_one_message_are_handled_in_order(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    organiser.connection(0).send(move=move_of(organiser.next_turn(), offer_draw=True))
    turn, bert = organiser.next_turn(1), organiser.connection(1)
    assert list(turn.draw_offer_seats) == [0]
    # A move declines the offer, but the acceptance comes first in the same message.
    bert.send_together(
        play_pb2.BotItem(item_id=1, draw_answer=play_pb2.DrawAnswer(match_id=match_id, accept=True)),
        play_pb2.BotItem(item_id=2, move=move_of(turn)),
    )
    verdicts = [bert.receive("verdict") for _ in range(2)]
    assert [(item.item_id, item.WhichOneof("outcome")) for item in verdicts] == [(1, "accepted"), (2, "rejected")]
    assert organiser.connection(0).receive("match_ended").result.played.ending == result_pb2.ENDING_DRAW_AGREED


def test_a_move_of_any_length_is_one_rejected_attempt_and_the_stream_stays_open(organiser: Organiser) -> None:
    organiser.start_match()
    anna = organiser.connection(0)
    for characters, left in ((1_001, 2), (2_000_000, 1)):
        turn = organiser.next_turn()
        anna.send(item_id=7, move=move_of(turn, "x" * characters))
        verdict = anna.receive("verdict", "turn")
        assert (verdict.item_id, verdict.turn_token) == (7, turn.turn_token)
        assert verdict.rejected.error.reason == error_pb2.ERROR_REASON_MALFORMED_MOVE
        assert verdict.rejected.attempts_left == left
    anna.send(move=move_of(organiser.next_turn()))
    assert anna.receive("verdict").WhichOneof("outcome") == "accepted"
