"""The order of items that a bot sends and receives over a real connection."""

from pathlib import Path

import pytest
from referee_api.v1 import error_pb2, play_pb2, result_pb2

from tests.e2e.bot_connection import connect_bot
from tests.e2e.test_persistence import restartable_server

pytestmark = pytest.mark.slow


def test_items_of_one_message_are_handled_in_order(tmp_path: Path) -> None:
    with (
        restartable_server(tmp_path) as server,
        connect_bot(server.channel, server.secrets[0]) as anna,
        connect_bot(server.channel, server.secrets[1]) as bert,
    ):
        match_id = server.create_match("match")
        turn = anna.receive("turn")
        move = play_pb2.Move(match_id=match_id, turn_token=turn.turn_token, move=turn.legal_moves[0], offer_draw=True)
        anna.send(move=move)
        turn_of_bert = bert.receive("turn")
        assert list(turn_of_bert.draw_offer_seats) == [0]
        # A move declines the offer, but the acceptance comes first in the same message.
        bert.send_together(
            play_pb2.BotItem(item_id=1, draw_answer=play_pb2.DrawAnswer(match_id=match_id, accept=True)),
            play_pb2.BotItem(
                item_id=2,
                move=play_pb2.Move(
                    match_id=match_id, turn_token=turn_of_bert.turn_token, move=turn_of_bert.legal_moves[0]
                ),
            ),
        )
        verdicts = [bert.receive("verdict") for _ in range(2)]
        assert [(item.item_id, item.WhichOneof("outcome")) for item in verdicts] == [(1, "accepted"), (2, "rejected")]
        assert anna.receive("match_ended").result.played.ending == result_pb2.ENDING_DRAW_AGREED


def test_a_move_of_any_length_is_one_rejected_attempt_and_the_stream_stays_open(tmp_path: Path) -> None:
    with (
        restartable_server(tmp_path) as server,
        connect_bot(server.channel, server.secrets[0]) as anna,
        connect_bot(server.channel, server.secrets[1]),
    ):
        server.create_match("match")
        for characters, left in ((1_001, 2), (2_000_000, 1)):
            turn = anna.receive("turn")
            anna.send(
                item_id=7, move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move="x" * characters)
            )
            verdict = anna.receive("verdict", "turn")
            assert (verdict.item_id, verdict.turn_token) == (7, turn.turn_token)
            assert verdict.rejected.error.reason == error_pb2.ERROR_REASON_MALFORMED_MOVE
            assert verdict.rejected.attempts_left == left
        turn = anna.receive("turn")
        anna.send(move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=turn.legal_moves[0]))
        assert anna.receive("verdict").WhichOneof("outcome") == "accepted"
