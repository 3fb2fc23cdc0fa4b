"""Every text, list and map of every request has a limit, and so has a message that is long by its moves."""

from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1.health_pb2 import HealthCheckRequest
from referee_api.v1 import match_pb2, match_service_pb2, play_service_pb2
from referee_api.v1.play_pb2 import BotItem, Hello, Move, Nonce, Pong
from referee_api.v1.play_service_pb2 import PlayRequest

from referee.accounts.account_errors import BadField
from referee.transport.contract_options import max_chars
from referee.transport.guards.field_limits import (
    CHECKED_ELSEWHERE,
    MAX_FOREIGN_BYTES,
    MAX_ITEMS,
    check_fields,
    is_large_by_moves,
    is_text,
)
from tests.docs import contract

REQUESTS = [GetMessageClass(method.input_type) for method in contract.methods().values()]


def fields_of(descriptor: Any, path: tuple[FieldDescriptor, ...] = ()) -> Iterator[tuple[FieldDescriptor, ...]]:
    """Yield the path to every field of a message, and of the messages in it."""
    for field in descriptor.fields:
        yield (*path, field)
        if field.message_type and not field.message_type.GetOptions().map_entry:
            yield from fields_of(field.message_type, (*path, field))


PATHS = [(request, path) for request in REQUESTS for path in fields_of(request.DESCRIPTOR)]


def case_id(case: tuple[Any, tuple[FieldDescriptor, ...]]) -> str:
    request, path = case
    return f"{request.DESCRIPTOR.name}.{'.'.join(field.name for field in path)}"


def innermost_message(message: Any, path: tuple[FieldDescriptor, ...]) -> Any:
    """Return the message with the last field of the path; lists on the path get one element."""
    for field in path[:-1]:
        value = getattr(message, field.name)
        message = value.add() if field.is_repeated else value
    return message


def filled_request(case: tuple[Any, tuple[FieldDescriptor, ...]], size: int, value: str = "x") -> Any:
    """Return a request in which this field has this size."""
    request_class, path = case
    request = request_class()
    holder, field = innermost_message(request, path), path[-1]
    given: Any = value * size if field.type == FieldDescriptor.TYPE_STRING else value.encode() * size
    if field.is_repeated:
        getattr(holder, field.name).append(given)
    else:
        setattr(holder, field.name, given)
    return request


TEXTS = [case for case in PATHS if is_text(case[1][-1])]


@pytest.mark.parametrize("case", TEXTS, ids=case_id)
def test_every_text_has_a_limit_and_the_error_names_field_and_limit(case: Any) -> None:
    field = case[1][-1]
    if field in CHECKED_ELSEWHERE:
        return
    limit = max_chars(field)
    in_items = isinstance(filled_request(case, 1), play_service_pb2.PlayRequest)
    check = (lambda request: check_fields(request.items[0])) if in_items else check_fields
    check(filled_request(case, limit))
    with pytest.raises(BadField) as error:
        check(filled_request(case, limit + 1))
    assert error.value.details["field"].rpartition(".")[2] == field.name
    assert str(limit) in str(error.value)


def test_an_error_has_the_path_of_its_field() -> None:
    request = match_service_pb2.CreateMatchRequest()
    request.opening.moves.add(move="a1-a2")
    request.opening.moves.add(move="x" * 1001)
    with pytest.raises(BadField) as error:
        check_fields(request)
    assert error.value.details["field"] == "opening.moves[1].move"
    assert str(error.value) == "opening.moves[1].move: it has 1001 characters; the limit is 1000"


def test_lists_maps_and_messages_have_limits() -> None:
    many = match_service_pb2.CreateMatchRequest()
    for _ in range(2001):
        many.opening.moves.add()
    options = match_service_pb2.CreateMatchRequest()
    options.terms.rules.options["o" * 129] = "1"
    value = match_service_pb2.CreateMatchRequest()
    value.terms.rules.options["own_board"] = "x" * 65_537
    long = match_service_pb2.CreateMatchRequest()
    for _ in range(40):
        long.opening.moves.add(move="x" * 1000)
    expected = {
        "opening.moves": many,
        "seats": match_service_pb2.CreateMatchRequest(seats=[match_pb2.BotRef()] * 129),
        "terms.rules.options": options,
        "opening": long,
    }
    for field, request in (*expected.items(), ("terms.rules.options", value)):
        with pytest.raises(BadField) as error:
            check_fields(request)
        assert error.value.details["field"] == field


def test_requests_of_health_and_reflection_have_a_limit() -> None:
    check_fields(HealthCheckRequest(service="referee_api.v1.PlayService"))
    with pytest.raises(BadField, match=f"the limit is {MAX_FOREIGN_BYTES}"):
        check_fields(HealthCheckRequest(service="s" * MAX_FOREIGN_BYTES))


LONG = "x" * 2_000_000
LONG_MOVE = BotItem(item_id=7, move=Move(match_id="m", turn_token="0.0.1", move=LONG, offer_draw=True))


def play_request(*items: BotItem) -> bytes:
    return PlayRequest(items=items).SerializeToString()


def test_a_message_that_is_large_by_moves_is_read() -> None:
    assert is_large_by_moves(play_request(LONG_MOVE))
    assert is_large_by_moves(play_request(BotItem(pong=Pong(id=1 << 63)), LONG_MOVE, LONG_MOVE))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(play_request(*[BotItem(item_id=1)] * MAX_ITEMS, LONG_MOVE), id="many items"),
        pytest.param(play_request(LONG_MOVE, BotItem(hello=Hello(version=LONG))), id="a long version"),
        pytest.param(play_request(LONG_MOVE, BotItem(nonce=Nonce(nonce=LONG.encode()))), id="a long nonce"),
        pytest.param(play_request(BotItem(move=Move(match_id=LONG, move=LONG))), id="a long match"),
        pytest.param(play_request(BotItem(hello=Hello(games=[""] * 2_000_000))), id="many games"),
        pytest.param(b"\x0a\x00" * 2_000_000, id="many empty items"),
        pytest.param(play_request(LONG_MOVE)[:-1], id="cut off"),
        pytest.param(b"\xff" * 2_000_000, id="no message"),
        pytest.param(b"\x0d" * 2_000_000, id="fields of another type"),
    ],
)
def test_a_message_that_is_large_by_anything_else_is_not(data: bytes) -> None:
    assert not is_large_by_moves(data)
