"""Ways to cause each error of a Play stream, by the items that are sent and by how the bot behaves."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import error_pb2, play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from tests.e2e.bot_connection import BotConnection, connect_bot
from tests.e2e.error_requests import (
    CONTINUE_WITHOUT_SEAT,
    LARGE,
    ONE_MS_PER_MOVE,
    THREE_SEAT_TROKE,
    TROKE,
    call_for_match,
    finish_match,
    set_quota,
)
from tests.e2e.organiser import Organiser
from tests.e2e.server import TIMEOUT_S, bearer


def send(organiser: Organiser, **item: Any) -> error_pb2.ErrorDetail:
    """Send an item as the bot in seat 0, and return the error in its verdict."""
    organiser.connection(0).send(item_id=1, **item)
    verdict = organiser.connection(0).receive("verdict")
    assert verdict.item_id == 1
    error: error_pb2.ErrorDetail = verdict.rejected.error
    return error


def send_move(organiser: Organiser, text: str) -> error_pb2.ErrorDetail:
    organiser.start_match()
    turn = organiser.next_turn()
    return send(organiser, move={"match_id": turn.match_id, "turn_token": turn.turn_token, "move": text})


def send_move_late(organiser: Organiser) -> error_pb2.ErrorDetail:
    organiser.start_match(rule=ONE_MS_PER_MOVE)
    turn = organiser.next_turn()
    organiser.connection(0).receive("match_ended")
    return send(organiser, move={"match_id": turn.match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]})


def resign_twice(organiser: Organiser) -> error_pb2.ErrorDetail:
    match_id = organiser.start_match(rules=THREE_SEAT_TROKE, policies=CONTINUE_WITHOUT_SEAT, seating=(0, 1, 1))
    call_for_match(organiser, match_id, "Resign")
    return send(organiser, resignation={"match_id": match_id})


def offer_draw_twice(organiser: Organiser) -> error_pb2.ErrorDetail:
    match_id = organiser.start_match()
    call_for_match(organiser, match_id, "OfferDraw")
    return send(organiser, draw_offer={"match_id": match_id})


def send_move_of_other_seat(organiser: Organiser) -> error_pb2.ErrorDetail:
    match_id = organiser.start_match()
    return send(organiser, move={"match_id": match_id, "turn_token": "1.0.1", "move": "a1-a2"})


VERDICT_ERRORS: dict[str, Callable[[Organiser], error_pb2.ErrorDetail]] = {
    "MALFORMED_MOVE": lambda organiser: send_move(organiser, "nonsense"),
    "ILLEGAL_MOVE": lambda organiser: send_move(organiser, "a1-a2"),
    "UNKNOWN_GAME": lambda organiser: send(organiser, hello={"games": ["shogi"]}),
    "BAD_FIELD": lambda organiser: send(organiser, move={"match_id": organiser.start_match(), "turn_token": "x"}),
    "MATCH_OVER": lambda organiser: send(organiser, resignation={"match_id": finish_match(organiser)}),
    "CLOCK_EXPIRED": send_move_late,
    "MATCH_NOT_STARTED": lambda organiser: send(organiser, resignation={"match_id": organiser.create_match()}),
    "NO_DRAWS_HERE": lambda organiser: send(organiser, draw_offer={"match_id": organiser.start_match(rules=TROKE)}),
    "DRAW_OFFERED_BEFORE": offer_draw_twice,
    "NO_DRAW_OFFERED": lambda organiser: send(organiser, draw_answer={"match_id": organiser.start_match()}),
    "DRAW_NOT_CLAIMABLE": lambda organiser: send(organiser, draw_claim={"match_id": organiser.start_match()}),
    "NOT_YOUR_TURN": resign_twice,
    "NO_SUCH_MATCH": lambda organiser: send(organiser, resignation={"match_id": "nowhere"}),
    "NOT_YOURS": send_move_of_other_seat,
}
"""Functions by reason: each returns the error in a verdict."""


def open_without_hello(organiser: Organiser) -> None:
    pong = play_service_pb2.PlayRequest(items=[play_pb2.BotItem(pong=play_pb2.Pong(id=1))])
    list(
        PlayServiceStub(organiser.channel).Play(iter([pong]), metadata=bearer(organiser.secrets[0]), timeout=TIMEOUT_S)
    )


def open_without_a_token(organiser: Organiser) -> None:
    list(PlayServiceStub(organiser.channel).Play(iter([]), timeout=TIMEOUT_S))


def open_with_hello(organiser: Organiser, **hello: Any) -> None:
    request = play_service_pb2.PlayRequest(items=[play_pb2.BotItem(hello=play_pb2.Hello(**hello))])
    list(
        PlayServiceStub(organiser.channel).Play(
            iter([request]), metadata=bearer(organiser.secrets[0]), timeout=TIMEOUT_S
        )
    )


def open_second_session(organiser: Organiser) -> None:
    older = organiser.connection(0)
    with connect_bot(organiser.channel, organiser.secrets[0]):
        older.receive("turn")


def receive_with_revoked_token(organiser: Organiser) -> None:
    bot = organiser.bots[0]
    stream = organiser.connection(0)
    (token,) = organiser.call("BotService/ListBotTokens", bot=bot).tokens
    organiser.call("BotService/RevokeBotToken", bot=bot, token_id=token.id)
    stream.receive("turn")


def exceed_stream_quota(organiser: Organiser) -> None:
    set_quota(organiser, max_bot_streams=1)
    organiser.connection(0)
    BotConnection(organiser.channel, organiser.secrets[0])


def exceed_rate_limit(organiser: Organiser) -> None:
    stream = organiser.connection(0)
    set_quota(organiser, max_calls_per_minute=1)
    for _ in range(10):
        stream.send(hello={})
    stream.receive("turn")


def send_large_message(organiser: Organiser) -> None:
    stream = organiser.connection(0)
    stream.send(hello={"version": LARGE})
    stream.receive("turn")


STREAM_ERRORS: dict[str, Callable[[Organiser], None]] = {
    "HELLO_EXPECTED": open_without_hello,
    "UNKNOWN_GAME": lambda organiser: open_with_hello(organiser, games=["shogi"]),
    "BAD_FIELD": lambda organiser: open_with_hello(organiser, version="1\n2"),
    "SESSION_TAKEN_OVER": open_second_session,
    "NO_TOKEN": open_without_a_token,
    "BAD_TOKEN": receive_with_revoked_token,
    "TOO_MANY_STREAMS": exceed_stream_quota,
    "TOO_MANY_CALLS": exceed_rate_limit,
    "MESSAGE_TOO_LARGE": send_large_message,
}
"""Functions by reason: each raises the grpc.RpcError that ends the stream."""
