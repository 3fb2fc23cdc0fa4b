"""In which order a bot hears things, over the wire."""

from pathlib import Path

import pytest
from referee_api.v1 import play_pb2

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
