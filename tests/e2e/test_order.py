"""The order of items that a bot sends and receives over a real connection."""

from pathlib import Path

import pytest
from referee_api.v1 import error_pb2, play_pb2, result_pb2

from tests.e2e.talk import talk
from tests.e2e.test_remembering import town

pytestmark = pytest.mark.slow

MOVES = 6


def test_the_verdict_on_an_answer_is_heard_before_the_next_turn_of_its_seat(tmp_path: Path) -> None:
    with (
        town(tmp_path) as here,
        talk(here.channel, here.secrets[0]) as anna,
        talk(here.channel, here.secrets[1]) as bert,
    ):
        here.created("match")
        for _ in range(MOVES):
            for one in (anna, bert):
                turn = one.hear("turn")
                one.say(move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move="nonsense"))
                refused = one.hear("verdict", "turn")
                assert isinstance(refused, play_pb2.Verdict)
                assert (refused.turn_token, refused.WhichOneof("outcome")) == (turn.turn_token, "rejected")
                again = one.hear("turn")
                one.say(
                    move=play_pb2.Move(match_id=again.match_id, turn_token=again.turn_token, move=again.legal_moves[0])
                )
                assert one.hear("verdict", "turn").turn_token == again.turn_token


def test_what_a_bot_says_in_one_message_is_taken_in_its_order(tmp_path: Path) -> None:
    with (
        town(tmp_path) as here,
        talk(here.channel, here.secrets[0]) as anna,
        talk(here.channel, here.secrets[1]) as bert,
    ):
        match_id = here.created("match")
        turn = anna.hear("turn")
        move = play_pb2.Move(match_id=match_id, turn_token=turn.turn_token, move=turn.legal_moves[0], offer_draw=True)
        anna.say(move=move)
        asked = bert.hear("turn")
        assert list(asked.draw_offer_seats) == [0]
        # A move declines the offer, but the acceptance comes first in the same message.
        bert.say_together(
            play_pb2.BotItem(item_id=1, draw_answer=play_pb2.DrawAnswer(match_id=match_id, accept=True)),
            play_pb2.BotItem(
                item_id=2, move=play_pb2.Move(match_id=match_id, turn_token=asked.turn_token, move=asked.legal_moves[0])
            ),
        )
        verdicts = [bert.hear("verdict") for _ in range(2)]
        assert [(one.item_id, one.WhichOneof("outcome")) for one in verdicts] == [(1, "accepted"), (2, "rejected")]
        assert anna.hear("match_ended").result.played.ending == result_pb2.ENDING_DRAW_AGREED


def test_a_move_of_any_length_is_one_refused_attempt_and_the_stream_lives(tmp_path: Path) -> None:
    with town(tmp_path) as here, talk(here.channel, here.secrets[0]) as anna, talk(here.channel, here.secrets[1]):
        here.created("match")
        for characters, left in ((1_001, 2), (2_000_000, 1)):
            turn = anna.hear("turn")
            anna.say(
                item_id=7, move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move="x" * characters)
            )
            verdict = anna.hear("verdict", "turn")
            assert (verdict.item_id, verdict.turn_token) == (7, turn.turn_token)
            assert verdict.rejected.error.reason == error_pb2.ERROR_REASON_MALFORMED_MOVE
            assert verdict.rejected.attempts_left == left
        turn = anna.hear("turn")
        anna.say(move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=turn.legal_moves[0]))
        assert anna.hear("verdict").WhichOneof("outcome") == "accepted"
