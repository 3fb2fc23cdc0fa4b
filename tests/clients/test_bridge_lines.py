"""Parsing of the lines that a line program answers with."""

import pytest
from referee_client import ACCEPT_DRAW, CLAIM_DRAW, RESIGN, Choice
from referee_client.answers import Answer
from referee_client.bridge.lines import read_answer


@pytest.mark.parametrize(
    ("line", "number", "answer"),
    [
        ("c2-c3", None, "c2-c3"),
        ('{"move":"c2-c3"}', None, Choice("c2-c3")),
        ('{"id":7,"move":"c2-c3","offer_draw":true}', 7, Choice("c2-c3", offer_draw=True)),
        ('{"resign":true}', None, RESIGN),
        ('{"id":8,"accept_draw":true}', 8, ACCEPT_DRAW),
        ('{"claim_draw":true}', None, CLAIM_DRAW),
        ('{"resign":false,"move":"a1-a2"}', None, Choice("a1-a2")),
        ('{"move":', None, '{"move":'),
        ('{"move":7}', None, '{"move":7}'),
        ('{"id":"7","move":"a1-a2"}', None, Choice("a1-a2")),
        ('{"move":"\\ud800"}', None, Choice("\ud800")),
        ("{" * 100_000, None, "{" * 100_000),
    ],
)
def test_a_line_is_read_as_a_plain_move_or_as_a_json_object(line: str, number: int | None, answer: Answer) -> None:
    answered = read_answer(line)

    assert (answered.id, answered.answer) == (number, answer)
