"""In which order a bot is heard, and hears things, over the wire."""

from pathlib import Path

import pytest
from referee_api.v1 import play_pb2, refusal_pb2, result_pb2

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
                one.say(move=play_pb2.Move(match_id=turn.match_id, token=turn.token, move="nonsense"))
                refused = one.hear("verdict", "turn")
                assert isinstance(refused, play_pb2.Verdict)
                assert (refused.token, refused.WhichOneof("outcome")) == (turn.token, "refused")
                again = one.hear("turn")
                one.say(move=play_pb2.Move(match_id=again.match_id, token=again.token, move=again.legal_moves[0]))
                assert one.hear("verdict", "turn").token == again.token


def test_what_a_bot_says_in_one_message_is_taken_in_its_order(tmp_path: Path) -> None:
    with (
        town(tmp_path) as here,
        talk(here.channel, here.secrets[0]) as anna,
        talk(here.channel, here.secrets[1]) as bert,
    ):
        match_id = here.created("match")
        turn = anna.hear("turn")
        move = play_pb2.Move(match_id=match_id, token=turn.token, move=turn.legal_moves[0], offer_draw=True)
        anna.say(move=move)
        asked = bert.hear("turn")
        assert list(asked.draw_offers) == [0]
        # To move is to decline; but before that he has accepted.
        bert.say_together(
            play_pb2.FromBot(item_id=1, draw_answer=play_pb2.DrawAnswer(match_id=match_id, accept=True)),
            play_pb2.FromBot(
                item_id=2, move=play_pb2.Move(match_id=match_id, token=asked.token, move=asked.legal_moves[0])
            ),
        )
        verdicts = [bert.hear("verdict") for _ in range(2)]
        assert [(one.item_id, one.WhichOneof("outcome")) for one in verdicts] == [(1, "accepted"), (2, "refused")]
        assert anna.hear("match_ended").result.played.ending == result_pb2.ENDING_DRAW_AGREED


def test_a_move_of_any_length_is_one_refused_attempt_and_the_stream_lives(tmp_path: Path) -> None:
    with town(tmp_path) as here, talk(here.channel, here.secrets[0]) as anna, talk(here.channel, here.secrets[1]):
        here.created("match")
        for characters, left in ((1_001, 2), (2_000_000, 1)):
            turn = anna.hear("turn")
            anna.say(item_id=7, move=play_pb2.Move(match_id=turn.match_id, token=turn.token, move="x" * characters))
            verdict = anna.hear("verdict", "turn")
            assert (verdict.item_id, verdict.token) == (7, turn.token)
            assert verdict.refused.refusal.reason == refusal_pb2.REFUSAL_REASON_MALFORMED_MOVE
            assert verdict.refused.attempts_left == left
        turn = anna.hear("turn")
        anna.say(move=play_pb2.Move(match_id=turn.match_id, token=turn.token, move=turn.legal_moves[0]))
        assert anna.hear("verdict").WhichOneof("outcome") == "accepted"
