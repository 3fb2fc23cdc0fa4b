"""Ways to cause each error of a Play stream, by the items that are sent and by how the bot behaves."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import error_pb2, play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from tests.e2e.bot_connection import connect_bot
from tests.e2e.organiser import Organiser
from tests.e2e.provoking_calls import GO_ON, LARGE, NO_TIME, TROKE, TROKE_OF_THREE, in_match, limited, over
from tests.e2e.server import TIMEOUT_S, bearer


def say(organiser: Organiser, **item: Any) -> error_pb2.ErrorDetail:
    """Send an item as the bot in seat 0, and return the error in its verdict."""
    organiser.connection(0).send(item_id=1, **item)
    verdict = organiser.connection(0).receive("verdict")
    assert verdict.item_id == 1
    refusal: error_pb2.ErrorDetail = verdict.rejected.error
    return refusal


def move(organiser: Organiser, text: str) -> error_pb2.ErrorDetail:
    organiser.start_match()
    turn = organiser.next_turn()
    return say(organiser, move={"match_id": turn.match_id, "turn_token": turn.turn_token, "move": text})


def move_late(organiser: Organiser) -> error_pb2.ErrorDetail:
    organiser.start_match(rule=NO_TIME)
    turn = organiser.next_turn()
    organiser.connection(0).receive("match_ended")
    return say(organiser, move={"match_id": turn.match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]})


def say_to_resign_twice(organiser: Organiser) -> error_pb2.ErrorDetail:
    match_id = organiser.start_match(rules=TROKE_OF_THREE, policies=GO_ON, seating=(0, 1, 1))
    in_match(organiser, match_id, "Resign")
    return say(organiser, resignation={"match_id": match_id})


def offer_again(organiser: Organiser) -> error_pb2.ErrorDetail:
    match_id = organiser.start_match()
    in_match(organiser, match_id, "OfferDraw")
    return say(organiser, draw_offer={"match_id": match_id})


def move_of_another(organiser: Organiser) -> error_pb2.ErrorDetail:
    match_id = organiser.start_match()
    return say(organiser, move={"match_id": match_id, "turn_token": "1.0.1", "move": "a1-a2"})


IN_STREAMS: dict[str, Callable[[Organiser], error_pb2.ErrorDetail]] = {
    "MALFORMED_MOVE": lambda organiser: move(organiser, "nonsense"),
    "ILLEGAL_MOVE": lambda organiser: move(organiser, "a1-a2"),
    "UNKNOWN_GAME": lambda organiser: say(organiser, hello={"games": ["chess"]}),
    "BAD_FIELD": lambda organiser: say(organiser, move={"match_id": organiser.start_match(), "turn_token": "x"}),
    "MATCH_OVER": lambda organiser: say(organiser, resignation={"match_id": over(organiser)}),
    "CLOCK_EXPIRED": move_late,
    "MATCH_NOT_STARTED": lambda organiser: say(organiser, resignation={"match_id": organiser.create_match()}),
    "NO_DRAWS_HERE": lambda organiser: say(organiser, draw_offer={"match_id": organiser.start_match(rules=TROKE)}),
    "DRAW_OFFERED_BEFORE": offer_again,
    "NO_DRAW_OFFERED": lambda organiser: say(organiser, draw_answer={"match_id": organiser.start_match()}),
    "DRAW_NOT_CLAIMABLE": lambda organiser: say(organiser, draw_claim={"match_id": organiser.start_match()}),
    "NOT_YOUR_TURN": say_to_resign_twice,
    "NO_SUCH_MATCH": lambda organiser: say(organiser, resignation={"match_id": "nowhere"}),
    "NOT_YOURS": move_of_another,
}
"""Functions by reason: each returns the error in a verdict."""


def open_without_hello(organiser: Organiser) -> None:
    pong = play_service_pb2.PlayRequest(items=[play_pb2.BotItem(pong=play_pb2.Pong(id=1))])
    list(
        PlayServiceStub(organiser.channel).Play(iter([pong]), metadata=bearer(organiser.secrets[0]), timeout=TIMEOUT_S)
    )


def open_without_a_token(organiser: Organiser) -> None:
    list(PlayServiceStub(organiser.channel).Play(iter([]), timeout=TIMEOUT_S))


def say_hello_as(organiser: Organiser, **hello: Any) -> None:
    said = play_service_pb2.PlayRequest(items=[play_pb2.BotItem(hello=play_pb2.Hello(**hello))])
    list(
        PlayServiceStub(organiser.channel).Play(iter([said]), metadata=bearer(organiser.secrets[0]), timeout=TIMEOUT_S)
    )


def open_another(organiser: Organiser) -> None:
    older = organiser.connection(0)
    with connect_bot(organiser.channel, organiser.secrets[0]):
        older.receive("turn")


def go_on_with_a_revoked_token(organiser: Organiser) -> None:
    bot = organiser.bots[0]
    stream = organiser.connection(0)
    (token,) = organiser.call("BotService/ListBotTokens", bot=bot).tokens
    organiser.call("BotService/RevokeBotToken", bot=bot, token_id=token.id)
    stream.receive("turn")


def open_more_streams(organiser: Organiser) -> None:
    limited(organiser, max_streams=1)
    organiser.connection(0)
    organiser.connection(1)


def say_more(organiser: Organiser) -> None:
    stream = organiser.connection(0)
    limited(organiser, max_calls_per_minute=1)
    for _ in range(10):
        stream.send(hello={})
    stream.receive("turn")


def say_too_much(organiser: Organiser) -> None:
    stream = organiser.connection(0)
    stream.send(hello={"version": LARGE})
    stream.receive("turn")


ENDS: dict[str, Callable[[Organiser], None]] = {
    "HELLO_EXPECTED": open_without_hello,
    "UNKNOWN_GAME": lambda organiser: say_hello_as(organiser, games=["chess"]),
    "BAD_FIELD": lambda organiser: say_hello_as(organiser, version="1\n2"),
    "SESSION_TAKEN_OVER": open_another,
    "NO_TOKEN": open_without_a_token,
    "BAD_TOKEN": go_on_with_a_revoked_token,
    "TOO_MANY_STREAMS": open_more_streams,
    "TOO_MANY_CALLS": say_more,
    "MESSAGE_TOO_LARGE": say_too_much,
}
"""Functions by reason: each raises the grpc.RpcError that ends the stream."""
