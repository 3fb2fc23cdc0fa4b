"""The values of the Python SDK have all fields of their messages, and replace them in its whole interface."""

import inspect
from collections.abc import Iterator
from dataclasses import is_dataclass
from datetime import UTC, datetime
from typing import Any, get_args, get_origin, get_type_hints

import pytest
import referee_client
import referee_client.organiser
from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import entry_pb2, match_pb2, play_pb2, token_pb2
from referee_client import Organiser, Refusal, Turn, values
from referee_client.clocks import Clock
from referee_client.conversion import EnumWords, from_message, to_message
from referee_client.organiser.administration import AsyncAdministration
from referee_client.organiser.bot_accounts import AsyncBotAccounts
from referee_client.organiser.calls import Calls
from referee_client.organiser.invitations import AsyncInvitations
from referee_client.organiser.ladders import AsyncLadders
from referee_client.organiser.tournaments import AsyncTournaments
from referee_client.organiser.unary_play import AsyncUnaryPlay

MESSAGES = {
    "BotAccount": ["Bot"],
    "DrainState": ["DrainResponse"],
    "NewInvitation": ["CreateInvitationResponse"],
    "NewToken": ["CreateTokenResponse", "CreateBotTokenResponse"],
    "PositionReading": ["ReadPositionResponse"],
    "Refusal": ["ErrorDetail"],
    "Standing": ["GetMatchResponse"],
    "SubmittedMove": ["SubmitMoveResponse"],
    "TournamentTable": ["GetTournamentStandingsResponse"],
}
"""Messages of the values that have another name."""
TURN_FIELDS = {
    "match_id": "match_id",
    "seat": "seat",
    "turn_token": "token",
    "rules": "options",
    "ply": "ply",
    "position": "position",
    "view_json": "view",
    "move_history": "history",
    "clocks": "clocks",
    "time_left_ms": "time_left",
    "legal_moves": "listed_moves",
    "legal_move_count": "listed_moves_count",
    "attempts_left": "attempts_left",
    "draw_offer_seats": "draw_offers",
    "simultaneous": "simultaneous",
    "repeated": "repeated",
}
"""Attributes of a turn by the fields of its message."""
UNUSED_TURN_FIELDS = {
    "rules_hash": "clients use it to find rules that a turn omits; the turn of a bot has its rules",
    "legal_moves_truncated": "it follows from the number of legal moves and their count",
}
PACKAGES = (referee_client, referee_client.organiser)
ASYNCHRONOUS = (AsyncAdministration, AsyncBotAccounts, AsyncInvitations, AsyncLadders, AsyncTournaments, AsyncUnaryPlay)

TYPES: list[type] = [it for name in dir(values) if inspect.isclass(it := getattr(values, name)) and is_dataclass(it)]
PAIRS = [(kind, name) for kind in TYPES for name in MESSAGES.get(kind.__name__, [kind.__name__])]


def message_class(name: str) -> type[Message]:
    return GetMessageClass(Default().FindMessageTypeByName(f"referee_api.v1.{name}"))


def fill(message: Message, member: int = 0) -> Message:
    """Set every field to something else than its default; of a oneof, the member of that number."""
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof and len(oneof.fields) > 1 and oneof.fields[member % len(oneof.fields)] != field:
            continue
        set_field(message, field, member)
    return message


def set_field(message: Message, field: Any, member: int) -> None:
    value = field_value(field)
    if field.message_type is None:
        if hasattr(getattr(message, field.name), "append"):
            getattr(message, field.name).append(value)
        else:
            setattr(message, field.name, value)
    elif field.message_type.GetOptions().map_entry:
        getattr(message, field.name)["key"] = "text"
    elif field.message_type.full_name == Timestamp.DESCRIPTOR.full_name:
        getattr(message, field.name).FromMicroseconds(1_700_000_000_123_456)
    else:
        content = getattr(message, field.name)
        fill(content.add() if hasattr(content, "add") else content, member)


def field_value(field: Any) -> Any:
    if field.enum_type:
        return field.enum_type.values[-1].number
    return {
        FieldDescriptor.CPPTYPE_STRING: b"bytes" if field.type == FieldDescriptor.TYPE_BYTES else "text",
        FieldDescriptor.CPPTYPE_BOOL: True,
        FieldDescriptor.CPPTYPE_DOUBLE: 1.5,
    }.get(field.cpp_type, 7)


@pytest.mark.parametrize(("kind", "name"), PAIRS, ids=[name for _, name in PAIRS])
def test_a_value_keeps_every_field_of_its_message(kind: type, name: str) -> None:
    members = max((len(oneof.fields) for oneof in message_class(name).DESCRIPTOR.oneofs), default=1)
    for member in range(members):
        message = fill(message_class(name)(), member)
        assert to_message(from_message(kind, message), message_class(name)) == message


@pytest.mark.parametrize(("kind", "name"), PAIRS, ids=[name for _, name in PAIRS])
def test_an_empty_value_is_an_empty_message(kind: type, name: str) -> None:
    empty = message_class(name)()
    assert to_message(from_message(kind, empty), message_class(name)) == empty
    if kind not in (Clock, Refusal):
        assert from_message(kind, empty) == kind()


def enum_fields() -> Iterator[Any]:
    for kind, name in PAIRS:
        for field in message_class(name).DESCRIPTOR.fields:
            if field.enum_type and field.enum_type.name != "ErrorReason":
                hint = get_type_hints(kind)[field.name]
                words = get_args(hint)[0] if get_origin(hint) is tuple else hint
                yield pytest.param(words, field.enum_type, id=f"{name}.{field.name}")


@pytest.mark.parametrize(("words", "enum"), [*enum_fields()])
def test_the_words_of_an_enum_are_those_of_the_contract(words: Any, enum: EnumDescriptor) -> None:
    assert get_args(words) == EnumWords(enum).known


def test_an_enum_value_and_an_event_of_a_newer_server_are_read() -> None:
    assert from_message(values.Match, match_pb2.Match(phase=77)).phase == "77"  # type: ignore[arg-type, comparison-overlap]  # It is newer.
    assert to_message(values.Match(phase="77"), match_pb2.Match).phase == 77  # type: ignore[arg-type]  # As above.
    newer = entry_pb2.Entry.FromString(b"\x08\x05" + bytes([0xAA, 0x06, 0x00]))  # Number 5, and field 101.
    assert from_message(values.Entry, newer) == values.Entry(number=5)


def test_an_unknown_word_is_rejected_and_the_known_ones_are_named() -> None:
    with pytest.raises(ValueError, match="'later'; it is one of waiting, playing, over"):
        to_message(values.Match(phase="later"), match_pb2.Match)  # type: ignore[arg-type]  # It is the error.


def test_a_time_is_in_utc() -> None:
    message = token_pb2.Token()
    message.create_time.FromSeconds(60)
    assert from_message(values.Token, message).create_time == datetime(1970, 1, 1, 0, 1, tzinfo=UTC)


def test_a_turn_has_every_field_of_its_message() -> None:
    names = {field.name for field in play_pb2.Turn.DESCRIPTOR.fields}
    assert names == TURN_FIELDS.keys() | UNUSED_TURN_FIELDS.keys()
    assert all(hasattr(Turn, name) or name in Turn.__annotations__ for name in TURN_FIELDS.values())


def public_types(hint: Any) -> Iterator[Any]:
    """Return the classes in a type hint."""
    if inspect.isclass(hint) and not get_args(hint):
        yield hint
    for part in get_args(hint):
        for one in part if isinstance(part, list) else [part]:  # Parameters of a callable are a list.
            yield from public_types(one)


def signatures(kind: type) -> Iterator[tuple[str, Any]]:
    """Return the type hints of a class and of its public methods and properties, with their names."""
    yield from ((f"{kind.__name__}.{name}", hint) for name, hint in get_type_hints(kind).items() if name[0] != "_")
    for name, attribute in inspect.getmembers(kind):
        member = getattr(attribute, "fget", None) or getattr(attribute, "func", attribute)  # Of a property.
        if inspect.isfunction(member) and (not name.startswith("_") or name == "__init__"):
            for parameter, hint in get_type_hints(member).items():
                yield f"{kind.__name__}.{name}({parameter})", hint


def public_interface() -> Iterator[tuple[str, Any]]:
    """Return every type hint that a program can meet, beginning with what the packages export.

    `Calls` is left out: only this library makes its services of it.
    """
    exported = [getattr(package, name) for package in PACKAGES for name in package.__all__]
    seen: set[Any] = set()
    waiting: list[Any] = [*exported, *map(type, vars(Organiser("127.0.0.1:1", "rf_any")).values()), *ASYNCHRONOUS]
    while waiting:
        item = waiting.pop()
        if inspect.isfunction(item):
            hints = [(f"{item.__name__}({name})", hint) for name, hint in get_type_hints(item).items()]
        elif inspect.isclass(item) and item.__module__.startswith("referee_client"):
            hints = list(signatures(item))
        else:
            hints = [(str(item), item)]
        yield from hints
        found = {kind for _, hint in hints for kind in public_types(hint)} - seen
        seen |= found
        waiting += [kind for kind in found if kind.__module__.startswith("referee_client") and kind is not Calls]


def test_no_public_signature_names_a_generated_type() -> None:
    hints = list(public_interface())
    assert len(hints) > 500
    generated = {where for where, hint in hints for kind in public_types(hint) if is_generated(kind)}
    assert generated == set()


def is_generated(kind: Any) -> bool:
    return kind.__module__.startswith("referee_api") or issubclass(kind, Message)


def test_every_value_is_met_in_the_interface() -> None:
    met = {kind for _, hint in public_interface() for kind in public_types(hint)}
    assert [kind.__name__ for kind in TYPES if kind not in met] == []
