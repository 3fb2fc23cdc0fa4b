"""Which messages beyond the limit are read, so that only the move in them is refused."""

import pytest
from referee_api.v1.play_pb2 import FromBot, Hello, Move, Nonce, Pong
from referee_api.v1.play_service_pb2 import PlayRequest

from referee.transport.long_moves import MAX_ITEMS, is_large_by_moves

LONG = "x" * 2_000_000
MOVE = FromBot(item_id=7, move=Move(match_id="m", token="0.0.1", move=LONG, offer_draw=True))


def message(*items: FromBot) -> bytes:
    return PlayRequest(items=items).SerializeToString()


def test_a_message_that_is_large_by_moves_is_read() -> None:
    assert is_large_by_moves(message(MOVE))
    assert is_large_by_moves(message(FromBot(pong=Pong(id=1 << 63)), MOVE, MOVE))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(message(*[FromBot(item_id=1)] * MAX_ITEMS, MOVE), id="many items"),
        pytest.param(message(MOVE, FromBot(hello=Hello(version=LONG))), id="a long version"),
        pytest.param(message(MOVE, FromBot(nonce=Nonce(nonce=LONG.encode()))), id="a long nonce"),
        pytest.param(message(FromBot(move=Move(match_id=LONG, move=LONG))), id="a long match"),
        pytest.param(message(FromBot(hello=Hello(games=[""] * 2_000_000))), id="many games"),
        pytest.param(b"\x0a\x00" * 2_000_000, id="many empty items"),
        pytest.param(message(MOVE)[:-1], id="cut off"),
        pytest.param(b"\xff" * 2_000_000, id="no message"),
        pytest.param(b"\x0d" * 2_000_000, id="fields of another type"),
    ],
)
def test_a_message_that_is_large_by_anything_else_is_not(data: bytes) -> None:
    assert not is_large_by_moves(data)
