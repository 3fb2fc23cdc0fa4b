"""Messages that exceed the limit only by the text of a move."""

import pytest
from referee_api.v1.play_pb2 import BotItem, Hello, Move, Nonce, Pong
from referee_api.v1.play_service_pb2 import PlayRequest

from referee.transport.guards.long_moves import MAX_ITEMS, is_large_by_moves

LONG = "x" * 2_000_000
MOVE = BotItem(item_id=7, move=Move(match_id="m", turn_token="0.0.1", move=LONG, offer_draw=True))


def message(*items: BotItem) -> bytes:
    return PlayRequest(items=items).SerializeToString()


def test_a_message_that_is_large_by_moves_is_read() -> None:
    assert is_large_by_moves(message(MOVE))
    assert is_large_by_moves(message(BotItem(pong=Pong(id=1 << 63)), MOVE, MOVE))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(message(*[BotItem(item_id=1)] * MAX_ITEMS, MOVE), id="many items"),
        pytest.param(message(MOVE, BotItem(hello=Hello(version=LONG))), id="a long version"),
        pytest.param(message(MOVE, BotItem(nonce=Nonce(nonce=LONG.encode()))), id="a long nonce"),
        pytest.param(message(BotItem(move=Move(match_id=LONG, move=LONG))), id="a long match"),
        pytest.param(message(BotItem(hello=Hello(games=[""] * 2_000_000))), id="many games"),
        pytest.param(b"\x0a\x00" * 2_000_000, id="many empty items"),
        pytest.param(message(MOVE)[:-1], id="cut off"),
        pytest.param(b"\xff" * 2_000_000, id="no message"),
        pytest.param(b"\x0d" * 2_000_000, id="fields of another type"),
    ],
)
def test_a_message_that_is_large_by_anything_else_is_not(data: bytes) -> None:
    assert not is_large_by_moves(data)
