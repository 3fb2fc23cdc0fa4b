"""The codec of contest events."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs, to_builtins

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.storage.codec import (
    CONTEST_CODEC,
    STORED_VERSION,
    MalformedEntry,
)
from tests.storage.contest_examples import EXAMPLES, RATED
from tests.storage.contest_strategies import EVENTS


@pytest.mark.parametrize("cls", EVENTS, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
@given(data=st.data())
def test_an_event_is_read_as_it_was_written(cls: type, data: st.DataObject) -> None:
    event = data.draw(EVENTS[cls])
    decoded = CONTEST_CODEC.decode(CONTEST_CODEC.encode(event))
    assert decoded == event
    assert repr(decoded) == repr(event)  # Python considers 1, 1.0 and True equal; a log must not.


@pytest.mark.parametrize("cls", EVENTS, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
@given(data=st.data())
def test_a_line_is_what_the_json_module_writes(cls: type, data: st.DataObject) -> None:
    event = data.draw(EVENTS[cls])
    fields = to_builtins(event, builtin_types=(bytes,))
    expected = json.dumps({"v": STORED_VERSION, **fields}, separators=(",", ":"), default=bytes.hex)
    assert CONTEST_CODEC.encode(event) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(1e16)
@example(-1e-4)
@example(9.9e-5)
@example(5e-324)
def test_a_number_is_written_as_the_json_module_writes_it(number: float) -> None:
    line = CONTEST_CODEC.encode(structs.replace(RATED, weight=number))
    assert line.endswith(f'"weight":{json.dumps(number)}}}')
    assert CONTEST_CODEC.decode(line) == structs.replace(RATED, weight=number)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_an_entrant_is_not_written_with_a_rating_that_is_no_number(number: float) -> None:
    with pytest.raises(MalformedEntry, match="it would be read as"):
        CONTEST_CODEC.encode(EntrantJoined(ContestEntrant("ada", rating=number)))


def test_a_rating_is_read_with_full_precision() -> None:
    decoded = CONTEST_CODEC.decode(CONTEST_CODEC.encode(RATED))
    assert decoded == RATED
    change = json.loads(CONTEST_CODEC.encode(RATED))["changes"][1]
    assert change["after"]["rating"] == {
        "value": 1704.1,
        "deviation": 61.5,
    }


@pytest.mark.parametrize(
    ("old_text", "new_text", "sentence"),
    [
        ('"ranks":[1,2]', '"ranks":[1]', "there must be at least two sides, and one rank for each - at `$.finish`"),
        ('"bot":"bob"', '"bot":1', "Expected `str`, got `int` - at `$.finish.sides[1][0].bot`"),
        (
            '"deviation":61.5',
            '"deviation":61',
            "expected a number with a decimal point, not '61' - at `$.changes[1].after.rating.deviation`",
        ),
        (
            '"kind":"match_rated"',
            '"kind":"crowned"',
            "unknown kind 'crowned'; known: ladder_created, tournament_created, entrant_joined, ",
        ),
    ],
)
def test_the_error_names_what_is_wrong_with_a_line(old_text: str, new_text: str, sentence: str) -> None:
    line = CONTEST_CODEC.encode(RATED)
    assert old_text in line
    with pytest.raises(MalformedEntry) as error:
        CONTEST_CODEC.decode(line.replace(old_text, new_text))
    assert str(error.value).startswith(f"cannot read this entry: {sentence}")


def test_invalid_terms_are_not_read() -> None:
    line = next(line for line in map(CONTEST_CODEC.encode, EXAMPLES) if '"swiss":{"rounds":5' in line)
    with pytest.raises(MalformedEntry, match=r"rounds must be .* at `\$.terms.tournament`"):
        CONTEST_CODEC.decode(line.replace('"rounds":5', '"rounds":0'))
