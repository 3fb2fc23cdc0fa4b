"""Ways to cause each error of a Play stream, by the items that are sent and by how the bot behaves."""

from collections.abc import Callable
from typing import Any

from referee_api.v1 import error_pb2, play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from tests.e2e.bot_connection import connect_bot
from tests.e2e.club import Club
from tests.e2e.provoking_calls import GO_ON, LARGE, NO_TIME, TROKE, TROKE_OF_THREE, in_match, limited, over
from tests.e2e.server import TIMEOUT_S, bearer


def say(here: Club, **item: Any) -> error_pb2.ErrorDetail:
    """Send an item as the bot in seat 0, and return the error in its verdict."""
    here.connection(0).send(item_id=1, **item)
    verdict = here.connection(0).receive("verdict")
    assert verdict.item_id == 1
    refusal: error_pb2.ErrorDetail = verdict.rejected.error
    return refusal


def move(here: Club, text: str) -> error_pb2.ErrorDetail:
    here.playing()
    turn = here.turn()
    return say(here, move={"match_id": turn.match_id, "turn_token": turn.turn_token, "move": text})


def move_late(here: Club) -> error_pb2.ErrorDetail:
    here.playing(rule=NO_TIME)
    turn = here.turn()
    here.connection(0).receive("match_ended")
    return say(here, move={"match_id": turn.match_id, "turn_token": turn.turn_token, "move": turn.legal_moves[0]})


def say_to_resign_twice(here: Club) -> error_pb2.ErrorDetail:
    match_id = here.playing(rules=TROKE_OF_THREE, policies=GO_ON, seating=(0, 1, 1))
    in_match(here, match_id, "Resign")
    return say(here, resignation={"match_id": match_id})


def offer_again(here: Club) -> error_pb2.ErrorDetail:
    match_id = here.playing()
    in_match(here, match_id, "OfferDraw")
    return say(here, draw_offer={"match_id": match_id})


def move_of_another(here: Club) -> error_pb2.ErrorDetail:
    match_id = here.playing()
    return say(here, move={"match_id": match_id, "turn_token": "1.0.1", "move": "a1-a2"})


IN_STREAMS: dict[str, Callable[[Club], error_pb2.ErrorDetail]] = {
    "MALFORMED_MOVE": lambda here: move(here, "nonsense"),
    "ILLEGAL_MOVE": lambda here: move(here, "a1-a2"),
    "UNKNOWN_GAME": lambda here: say(here, hello={"games": ["chess"]}),
    "BAD_FIELD": lambda here: say(here, move={"match_id": here.playing(), "turn_token": "x"}),
    "MATCH_OVER": lambda here: say(here, resignation={"match_id": over(here)}),
    "CLOCK_EXPIRED": move_late,
    "MATCH_NOT_STARTED": lambda here: say(here, resignation={"match_id": here.waiting()}),
    "NO_DRAWS_HERE": lambda here: say(here, draw_offer={"match_id": here.playing(rules=TROKE)}),
    "DRAW_OFFERED_BEFORE": offer_again,
    "NO_DRAW_OFFERED": lambda here: say(here, draw_answer={"match_id": here.playing()}),
    "DRAW_NOT_CLAIMABLE": lambda here: say(here, draw_claim={"match_id": here.playing()}),
    "NOT_YOUR_TURN": say_to_resign_twice,
    "NO_SUCH_MATCH": lambda here: say(here, resignation={"match_id": "nowhere"}),
    "NOT_YOURS": move_of_another,
}
"""Functions by reason: each returns the error in a verdict."""


def open_without_hello(here: Club) -> None:
    pong = play_service_pb2.PlayRequest(items=[play_pb2.BotItem(pong=play_pb2.Pong(id=1))])
    list(PlayServiceStub(here.channel).Play(iter([pong]), metadata=bearer(here.secrets[0]), timeout=TIMEOUT_S))


def open_without_a_token(here: Club) -> None:
    list(PlayServiceStub(here.channel).Play(iter([]), timeout=TIMEOUT_S))


def say_hello_as(here: Club, **hello: Any) -> None:
    said = play_service_pb2.PlayRequest(items=[play_pb2.BotItem(hello=play_pb2.Hello(**hello))])
    list(PlayServiceStub(here.channel).Play(iter([said]), metadata=bearer(here.secrets[0]), timeout=TIMEOUT_S))


def open_another(here: Club) -> None:
    older = here.connection(0)
    with connect_bot(here.channel, here.secrets[0]):
        older.receive("turn")


def go_on_with_a_revoked_token(here: Club) -> None:
    bot = here.bots[0]
    stream = here.connection(0)
    (token,) = here.ask("BotService/ListBotTokens", bot=bot).tokens
    here.ask("BotService/RevokeBotToken", bot=bot, token_id=token.id)
    stream.receive("turn")


def open_more_streams(here: Club) -> None:
    limited(here, max_streams=1)
    here.connection(0)
    here.connection(1)


def say_more(here: Club) -> None:
    stream = here.connection(0)
    limited(here, max_calls_per_minute=1)
    for _ in range(10):
        stream.send(hello={})
    stream.receive("turn")


def say_too_much(here: Club) -> None:
    stream = here.connection(0)
    stream.send(hello={"version": LARGE})
    stream.receive("turn")


ENDS: dict[str, Callable[[Club], None]] = {
    "HELLO_EXPECTED": open_without_hello,
    "UNKNOWN_GAME": lambda here: say_hello_as(here, games=["chess"]),
    "BAD_FIELD": lambda here: say_hello_as(here, version="1\n2"),
    "SESSION_TAKEN_OVER": open_another,
    "NO_TOKEN": open_without_a_token,
    "BAD_TOKEN": go_on_with_a_revoked_token,
    "TOO_MANY_STREAMS": open_more_streams,
    "TOO_MANY_CALLS": say_more,
    "MESSAGE_TOO_LARGE": say_too_much,
}
"""Functions by reason: each raises the grpc.RpcError that ends the stream."""
