"""The codec of match events."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from referee.match import clock
from referee.match.events import DrawOffered, Event, MovePlayed, NonceAdded, PlayEnded, PlayStarted, SeatForfeited
from referee.match.result import EndCause, EndKind, Result
from referee.match.setup import Player
from referee.storage.codec import (
    MATCH_CODEC,
    MATCH_EVENTS,
    MATCH_TYPES,
    MATCH_VERSION,
    TIME_CONTROLS,
    EventCodec,
    MalformedEntry,
)
from referee.storage.upcasters import MATCH_UPCASTERS
from tests.storage.examples import END, EXAMPLES, MOVE
from tests.storage.strategies import ANY_EVENT, EVENTS

CREATED = EXAMPLES[0]


def data_of(event: Event) -> Any:
    return json.loads(MATCH_CODEC.encode(event))


def change_line(event: Event, path: str, value: object) -> str:
    """Return an event's line with another value at a path such as `row.before.left_us`."""
    *outer, last = path.split(".")
    data = at = data_of(event)
    for name in outer:
        at = at[int(name) if isinstance(at, list) else name]
    at[int(last) if isinstance(at, list) else last] = value
    return json.dumps(data)


def decode_error(line: str) -> str:
    with pytest.raises(MalformedEntry) as error:
        MATCH_CODEC.decode(line)
    return str(error.value)


@pytest.mark.parametrize("cls", EVENTS, ids=lambda cls: cls.__name__)
@given(data=st.data())
def test_an_event_is_read_as_it_was_written(cls: type, data: st.DataObject) -> None:
    event = data.draw(EVENTS[cls])
    decoded = MATCH_CODEC.decode(MATCH_CODEC.encode(event))
    assert decoded == event
    assert repr(decoded) == repr(event)  # Python considers 1, 1.0 and True equal; a log must not.


@given(ANY_EVENT)
def test_a_line_is_ascii_without_line_breaks_and_canonical(event: Event) -> None:
    line = MATCH_CODEC.encode(event)
    assert line.isascii()
    assert "\n" not in line
    assert MATCH_CODEC.encode(MATCH_CODEC.decode(line)) == line


WITHOUT_SHORTCUT: EventCodec[Event] = EventCodec(MATCH_EVENTS, MATCH_TYPES, MATCH_VERSION, MATCH_UPCASTERS)
"""The codec of matches without the shortcut for frequent events."""


@given(EVENTS[MovePlayed])
def test_a_frequent_event_has_the_same_line_as_any_other(event: Event) -> None:
    line = WITHOUT_SHORTCUT.encode(event)
    assert MATCH_CODEC.encode(event) == line
    assert MATCH_CODEC.decode(line) == event


MOVE_LINE = WITHOUT_SHORTCUT.encode(MOVE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (',"request_id":"request 17"', ""),
        ('"seat":1', '"seat":true'),
        ('"seat":1', '"seat":1.0'),
        ('"seat":1', f'"seat":{1 << 63}'),
        ('"seat":1', f'"seat":{(1 << 63) - 1}'),
        ('"seat":1', f'"seat":{-(1 << 63) - 1}'),
        ('"seat":1', f'"seat":1{"0" * 30}'),
        ('"seat":1', '"seat":1,"seat":2'),
        ('"seat":1', '"seat":1,"more":2'),
        ('"seat":1', '"seat": 1'),
        ('"late":false', '"late":false,"more":1'),
        ("c3-d4", "\\u00e9"),
        ("c3-d4", "\u00e9"),
        ("c3-d4", "\ud800"),
        ("c3-d4", "\\ud800"),
        ('"source":"bot"', '"source":"BOT"'),
        ('"at_us":1250000,"seat":1', '"seat":1,"at_us":1250000'),
        ('17"}', '17"} '),
        ('17"}', '17"}{'),
        ('17"}', '17"'),
    ],
)
def test_an_unusual_line_of_a_frequent_event_is_read_as_without_the_shortcut(old: str, new: str) -> None:
    line = MOVE_LINE.replace(old, new)
    assert line != MOVE_LINE
    assert outcome_of(MATCH_CODEC, line) == outcome_of(WITHOUT_SHORTCUT, line)


def outcome_of(codec: EventCodec[Event], line: str) -> object:
    """Return the event of a line, or the text of the error."""
    try:
        return codec.decode(line)
    except MalformedEntry as error:
        return str(error)


@pytest.mark.parametrize("text", ["\x7f", "\x00", "\x1f\n", "é", "\u2028", "\U0001f600", '"\\/', "\x80"])
def test_unusual_characters_of_a_move_are_escaped_as_in_any_other_event(text: str) -> None:
    move = structs.replace(MOVE, move=text)
    assert f'"move":{json.dumps(text)}' in MATCH_CODEC.encode(move)
    assert MATCH_CODEC.decode(MATCH_CODEC.encode(move)) == move


def test_a_line_is_readable_json() -> None:
    assert MATCH_CODEC.encode(DrawOffered(17, 1)) == '{"v":3,"kind":"draw_offered","at_us":17,"seat":1}'


def test_a_score_is_always_written_as_a_float() -> None:
    ended = PlayEnded(0, Result(EndKind.PLAYED, EndCause.RULES, "", (1, 0)), b"")
    assert data_of(ended)["result"]["scores"] == [1.0, 0.0]
    assert '"scores":[1.0,0.0]' in MATCH_CODEC.encode(ended)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("seat", "1", "seat: expected an integer, not '1'"),
        ("seat", True, "seat: expected an integer, not 'True'"),
        ("seat", 1.0, "seat: expected an integer, not '1.0'"),
        ("move", 7, "move: expected a string, not '7'"),
        ("source", "human", "source: expected one of bot, random, default, not 'human'"),
        ("source", ["bot"], "source: expected one of bot, random, default, not \"['bot']\""),
        ("row", [], "row: expected an object, not '[]'"),
        ("row.late", 0, "row.late: expected true or false, not '0'"),
        ("row.before.left_us", None, "row.before.left_us: expected an integer, not 'None'"),
        ("row.late_us", 1, "row: unknown field 'late_us'; known: asked_us, arrived_us, "),
    ],
)
def test_the_error_names_the_invalid_field_of_a_move(path: str, value: object, sentence: str) -> None:
    assert decode_error(change_line(MOVE, path, value)).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("setup.seed", "0G", "setup.seed: expected bytes in lower-case hexadecimal, not '0G'"),
        ("setup.seed", "AA", "setup.seed: expected bytes in lower-case hexadecimal, not 'AA'"),
        ("setup.seed", 7, "setup.seed: expected bytes in lower-case hexadecimal, not '7'"),
        ("setup.players", {}, "setup.players: expected an array, not '{}'"),
        ("setup.players.1.bot", None, "setup.players.1.bot: expected a string, not 'None'"),
        ("setup.labels.0", ["title"], "setup.labels.0: expected an array of 2, not \"['title']\""),
        ("setup.labels.0.1", 1, "setup.labels.0.1: expected a string, not '1'"),
        (
            "setup.terms.settings.values.0.1",
            1.5,
            "setup.terms.settings.values.0.1: expected a string, an integer, ",
        ),
        ("setup.terms.controls.3", [], "setup.terms.controls.3: expected an object, not '[]'"),
        ("setup.terms.controls.3", {}, "setup.terms.controls.3: kind is missing"),
        (
            "setup.terms.controls.3.kind",
            "sundial",
            "setup.terms.controls.3: unknown kind 'sundial'; known: untimed, ",
        ),
        (
            "setup.terms.controls.3.kind",
            None,
            "setup.terms.controls.3: unknown kind 'None'; known: untimed, ",
        ),
        ("setup.terms.controls.0.main_us", 1, "setup.terms.controls.0: unknown field 'main_us'; known: none"),
        (
            "setup.terms.controls.3.main_us",
            0,
            "setup.terms.controls.3: invalid time control: main_us must be ",
        ),
        (
            "setup.terms.policies.max_attempts",
            0,
            "setup.terms.policies: invalid match terms: max_attempts must",
        ),
    ],
)
def test_the_error_names_the_invalid_field_of_a_setup(path: str, value: object, sentence: str) -> None:
    assert decode_error(change_line(CREATED, path, value)).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize("score", [1, "1.0", None, True])
def test_the_error_names_an_invalid_score(score: object) -> None:
    where = "cannot read this entry: result.scores.1: expected a number with a decimal point"
    assert decode_error(change_line(END, "result.scores.1", score)).startswith(where)


def test_a_score_is_finite() -> None:
    assert "'inf'" in decode_error(MATCH_CODEC.encode(END).replace('"scores":[1.0', '"scores":[1e999'))
    assert "NaN is not a number" in decode_error(MATCH_CODEC.encode(END).replace('"scores":[1.0', '"scores":[NaN'))


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_every_field_is_required(event: Event) -> None:
    for name in data_of(event):
        data = data_of(event)
        del data[name]
        assert name in decode_error(json.dumps(data)) or name == "v"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "invalid JSON (Expecting value"),
        (MATCH_CODEC.encode(MOVE)[:-1], "invalid JSON ("),
        (MATCH_CODEC.encode(MOVE) * 2, "invalid JSON (Extra data"),
        ("[" * 100_000, "invalid JSON ("),
        ('{"v":1' + "0" * 5_000 + "}", "invalid JSON ("),
        ('{"v":9223372036854775808}', "invalid JSON (9223372036854775808 is too large"),
        ("[]", "not a JSON object"),
        ("{}", "unknown version None; known: 1, 2, 3"),
        ('{"v":"1"}', "unknown version '1'; known: 1, 2, 3"),
        ('{"v":true}', "unknown version True; known: 1, 2, 3"),
        ('{"v":4,"kind":"draw_offered","at_us":17,"seat":1}', "unknown version 4; known: 1, 2, 3"),
        ('{"v":2,"setup":' + '{"by_lot":' * 900 + "1" + "}" * 901, ""),
        ('{"v":1}', "kind is missing"),
        ('{"v":2}', "kind is missing"),
        ('{"v":1,"kind":"checkmate"}', "unknown kind 'checkmate'; known: opened, seat_taken,"),
    ],
)
def test_a_line_that_is_no_event_is_rejected(line: str, sentence: str) -> None:
    assert decode_error(line).startswith(f"cannot read this entry: {sentence}")


class UnknownTimeControl(clock.SuddenDeath, frozen=True):
    """A time control that the codec does not know."""


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (DrawOffered(1.5, 0), "DrawOffered: at_us: expected an integer, not '1.5'"),  # type: ignore[arg-type]
        (DrawOffered(0, True), "DrawOffered: seat: expected an integer, not 'True'"),
        (NonceAdded(0, 0, "aa"), "NonceAdded: nonce: expected bytes, not 'aa'"),  # type: ignore[arg-type]
        (SeatForfeited(0, 0, "time"), "SeatForfeited: fault: expected one of time, "),  # type: ignore[arg-type]
        (PlayStarted(0, [Player()]), 'PlayStarted: seated: expected an array, not "[Player('),  # type: ignore[arg-type]
        (PlayStarted(0, ("ada",)), "PlayStarted: seated.0: expected a Player, not 'ada'"),  # type: ignore[arg-type]
        (
            PlayEnded(0, Result(EndKind.VOID, EndCause.RULES, "", (float("nan"),)), b""),
            "PlayEnded: result.scores.0: expected a number",
        ),
        (UnknownTimeControl(1), "UnknownTimeControl: there is no kind for a UnknownTimeControl"),
    ],
)
def test_an_event_that_could_not_be_decoded_is_not_written(event: Event, sentence: str) -> None:
    with pytest.raises(MalformedEntry) as error:
        MATCH_CODEC.encode(event)
    assert str(error.value).startswith(f"cannot write this {sentence}")


def test_a_line_of_an_older_version_is_upcast() -> None:
    """Two invented versions: version 0 calls a seat a player, and version -1 has times in milliseconds."""

    def microseconds(data: dict[str, Any]) -> dict[str, Any]:
        return {"kind": data["kind"], "at_us": data["at_ms"] * 1000, "player": data["player"]}

    def seats(data: dict[str, Any]) -> dict[str, Any]:
        return {"kind": data["kind"], "at_us": data["at_us"], "seat": data["player"]}

    older_codec: EventCodec[Event] = EventCodec(MATCH_EVENTS, MATCH_TYPES, 1, {-1: microseconds, 0: seats})
    assert older_codec.decode('{"v":-1,"kind":"draw_offered","at_ms":17,"player":1}') == DrawOffered(17_000, 1)
    assert older_codec.decode('{"v":0,"kind":"draw_offered","at_us":17,"player":1}') == DrawOffered(17, 1)
    with pytest.raises(MalformedEntry, match="unknown version -2; known: -1, 0, 1"):
        older_codec.decode('{"v":-2}')


def test_every_older_version_has_an_upcaster() -> None:
    assert list(MATCH_UPCASTERS) == list(range(1, MATCH_VERSION))


def test_an_end_of_a_version_without_ratings_is_unrated() -> None:
    line = MATCH_CODEC.encode(END).replace('"v":3', '"v":1').replace(',"ratings":[]', "")
    assert "ratings" not in line
    assert MATCH_CODEC.decode(line) == END


def test_every_time_control_has_a_kind() -> None:
    controls = {cls for cls in vars(clock).values() if isinstance(cls, type) and issubclass(cls, clock.TimeControl)}
    assert controls - {clock.TimeControl, clock.MainTimeControl} == set(TIME_CONTROLS.values())


def test_a_forced_move_has_no_clock_charge() -> None:
    assert data_of(MovePlayed(0, 0, "", "pass"))["row"] is None
