"""The values are those of the contract, and their defaults are its empty messages."""

import pickle
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import get_args, get_type_hints

import msgspec
import pytest
import referee_values
from hypothesis import given
from hypothesis import strategies as st
from referee_values import (
    EMPTY,
    Fischer,
    Match,
    MatchTerms,
    Rules,
    Swiss,
    TournamentTerms,
    Value,
    normal,
)

from tests.docs import contract
from tests.transport.wire.value_strategies import VALUE_CLASSES, values

REQUESTS = {kind for method in contract.methods().values() for kind in (method.input_type, method.output_type)}


def test_every_message_that_is_no_request_or_response_has_a_value_with_its_fields() -> None:
    messages = {message for message in contract.messages().values() if message not in REQUESTS}
    fields = {message.name: [field.name for field in message.fields] for message in messages}
    assert {kind.__name__: list(kind.__struct_fields__) for kind in VALUE_CLASSES} == fields


@pytest.mark.parametrize("name", contract.enums())
def test_the_words_of_an_enum_are_its_names_without_their_prefix(name: str) -> None:
    words = get_args(getattr(referee_values, name))
    prefix = "".join(f"_{letter}" if letter.isupper() else letter for letter in name)[1:].upper()
    names = [f"{prefix}_{word.upper() or 'UNSPECIFIED'}" for word in words]
    assert names == [value.name for value in contract.enums()[name].values]
    assert name == "ErrorReason" or all(word == word.lower() for word in words)


def test_every_oneof_has_a_property_of_the_types_of_its_members() -> None:
    for message in contract.messages().values():
        for oneof in message.oneofs:
            if len(oneof.fields) > 1:
                kind = getattr(referee_values, message.name)
                found = get_args(get_type_hints(getattr(kind, oneof.name).fget)["return"])
                assert {hint.__name__ for hint in found} == {f.message_type.name for f in oneof.fields} | {"NoneType"}


def test_a_shared_default_cannot_change() -> None:
    shared = MatchTerms().rules.options
    assert shared is Rules().options
    with pytest.raises(TypeError):
        shared["width"] = "8"  # type: ignore[index] # The error.
    with pytest.raises(KeyError):
        shared["width"]
    assert (isinstance(shared, Mapping), shared == {}, dict(shared), repr(shared)) == (True, True, {}, "{}")
    assert pickle.loads(pickle.dumps(Match())) == Match()
    assert pickle.loads(pickle.dumps(EMPTY)) is EMPTY


def test_a_field_that_is_a_default_is_not_encoded() -> None:
    assert msgspec.json.encode(TournamentTerms()) == b"{}"
    assert msgspec.json.encode(TournamentTerms(swiss=Swiss())) == b'{"swiss":{}}'
    assert msgspec.json.encode(TournamentTerms(no_show_ms=0)) == b'{"no_show_ms":0}'


@given(st.sampled_from(VALUE_CLASSES).flatmap(values))
def test_a_value_remains_equal_as_json_and_in_normal_form(value: Value) -> None:
    read = msgspec.json.decode(msgspec.json.encode(value), type=type(value))
    assert read == value == normal(value)
    assert msgspec.json.encode(normal(read)) == msgspec.json.encode(normal(value))
    assert normal(normal(value)) == normal(value)


def test_equal_values_have_the_same_normal_line() -> None:
    first, second = {"a": "1", "b": "2"}, {"b": "2", "a": "1"}
    time = datetime.fromisoformat("2030-05-01T10:00:00+00:00")
    moved = time.astimezone(timezone(timedelta(hours=2)))
    pairs: list[tuple[Value, Value]] = [
        (MatchTerms(rules=Rules()), MatchTerms()),
        (Rules(options=first), Rules(options=second)),
        (MatchTerms(rules=Rules(options=first)), MatchTerms(rules=Rules(options=second))),
        (Rules(options={}), Rules()),
        (TournamentTerms(starts_at=time), TournamentTerms(starts_at=moved)),
    ]
    for value, other in pairs:
        assert value == other
        assert msgspec.json.encode(normal(value)) == msgspec.json.encode(normal(other))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"seeding":"huf"}', "Invalid enum value 'huf' - at `$.seeding`"),
        (b'{"boards":-1}', "Expected `int` >= 0 - at `$.boards`"),
        (b'{"boards":4294967296}', "Expected `int` <= 4294967295 - at `$.boards`"),
        (b'{"starts_at":"2030-05-01T10:00:00"}', "timezone component - at `$.starts_at`"),
        (b'{"match_terms":{"rules":{"options":{"a":1}}}}', "got `int` - at `$.match_terms.rules.options[...]`"),
    ],
)
def test_json_that_no_message_could_have_is_refused(line: bytes, why: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.json.decode(line, type=TournamentTerms)
    assert why in str(refused.value)


def test_a_key_of_a_newer_server_is_ignored() -> None:
    assert msgspec.json.decode(b'{"main_ms":5,"new":1}', type=Fischer) == Fischer(main_ms=5)
