"""The codec of match events."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match import clock
from referee.match.events import DrawOffered, Event, MovePlayed, NonceAdded, PlayEnded, PlayStarted, SeatForfeited
from referee.match.result import EndCause, EndKind, Result
from referee.match.setup import Player
from referee.storage.codec import (
    MATCH_CODEC,
    MATCH_EVENTS,
    MATCH_TYPES,
    MATCH_UPCASTERS,
    MATCH_VERSION,
    TIME_CONTROLS,
    EventCodec,
    MalformedEntry,
)
from tests.storage.examples import END, EXAMPLES, MOVE
from tests.storage.strategies import ANY_EVENT, EVENTS

OPENED = EXAMPLES[0]


def data_of(event: Event) -> Any:
    return json.loads(MATCH_CODEC.encode(event))


def changed(event: Event, path: str, value: object) -> str:
    """Return an event's line with another value at a path such as `row.before.left_us`."""
    *outer, last = path.split(".")
    data = at = data_of(event)
    for name in outer:
        at = at[int(name) if isinstance(at, list) else name]
    at[int(last) if isinstance(at, list) else last] = value
    return json.dumps(data)


def refusal(line: str) -> str:
    with pytest.raises(MalformedEntry) as refused:
        MATCH_CODEC.decode(line)
    return str(refused.value)


@pytest.mark.parametrize("cls", EVENTS, ids=lambda cls: cls.__name__)
@given(data=st.data())
def test_an_event_is_read_as_it_was_written(cls: type, data: st.DataObject) -> None:
    event = data.draw(EVENTS[cls])
    again = MATCH_CODEC.decode(MATCH_CODEC.encode(event))
    assert again == event
    assert repr(again) == repr(event)  # Python considers 1, 1.0 and True equal; a log must not.


@given(ANY_EVENT)
def test_a_line_is_ascii_and_one_line_and_written_in_one_way(event: Event) -> None:
    line = MATCH_CODEC.encode(event)
    assert line.isascii()
    assert "\n" not in line
    assert MATCH_CODEC.encode(MATCH_CODEC.decode(line)) == line


def test_a_line_can_be_read_by_eye() -> None:
    assert MATCH_CODEC.encode(DrawOffered(17, 1)) == '{"v":2,"kind":"draw_offered","at_us":17,"seat":1}'


def test_a_score_is_written_in_one_way() -> None:
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
def test_a_bad_field_of_a_move_is_named(path: str, value: object, sentence: str) -> None:
    assert refusal(changed(MOVE, path, value)).startswith(f"cannot read this entry: {sentence}")


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
        ("setup.settings.values.0.1", 1.5, "setup.settings.values.0.1: expected a string, an integer, true or false"),
        ("setup.controls.3", [], "setup.controls.3: expected an object, not '[]'"),
        ("setup.controls.3", {}, "setup.controls.3: kind is missing"),
        ("setup.controls.3.kind", "sundial", "setup.controls.3: unknown kind 'sundial'; known: untimed, sudden_death,"),
        ("setup.controls.3.kind", None, "setup.controls.3: unknown kind 'None'; known: untimed, sudden_death,"),
        ("setup.controls.0.main_us", 1, "setup.controls.0: unknown field 'main_us'; known: none"),
        ("setup.controls.3.main_us", 0, "setup.controls.3: invalid time control: main_us must be greater than 0"),
        ("setup.policies.attempts", 0, "setup.policies: invalid match terms: attempts must be from 1 to 1000"),
    ],
)
def test_a_bad_field_of_a_setup_is_named(path: str, value: object, sentence: str) -> None:
    assert refusal(changed(OPENED, path, value)).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize("score", [1, "1.0", None, True])
def test_a_bad_score_is_named(score: object) -> None:
    where = "cannot read this entry: result.scores.1: expected a number with a decimal point"
    assert refusal(changed(END, "result.scores.1", score)).startswith(where)


def test_a_score_is_finite() -> None:
    assert "'inf'" in refusal(MATCH_CODEC.encode(END).replace('"scores":[1.0', '"scores":[1e999'))
    assert "NaN is not a number" in refusal(MATCH_CODEC.encode(END).replace('"scores":[1.0', '"scores":[NaN'))


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_every_field_is_needed(event: Event) -> None:
    for name in data_of(event):
        data = data_of(event)
        del data[name]
        assert name in refusal(json.dumps(data)) or name == "v"


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
        ("{}", "unknown version None; known: 1, 2"),
        ('{"v":"1"}', "unknown version '1'; known: 1, 2"),
        ('{"v":true}', "unknown version True; known: 1, 2"),
        ('{"v":3,"kind":"draw_offered","at_us":17,"seat":1}', "unknown version 3; known: 1, 2"),
        ('{"v":1}', "kind is missing"),
        ('{"v":2}', "kind is missing"),
        ('{"v":1,"kind":"checkmate"}', "unknown kind 'checkmate'; known: opened, seat_taken,"),
    ],
)
def test_what_is_no_event_is_refused(line: str, sentence: str) -> None:
    assert refusal(line).startswith(f"cannot read this entry: {sentence}")


class Sundial(clock.SuddenDeath):
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
        (Sundial(1), "Sundial: there is no kind for a Sundial"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(event: Event, sentence: str) -> None:
    with pytest.raises(MalformedEntry) as refused:
        MATCH_CODEC.encode(event)
    assert str(refused.value).startswith(f"cannot write this {sentence}")


def test_a_line_of_an_older_version_is_upcast() -> None:
    """As if version 0 had called a seat a player, and version -1 had counted milliseconds."""

    def microseconds(data: dict[str, Any]) -> dict[str, Any]:
        return {"kind": data["kind"], "at_us": data["at_ms"] * 1000, "player": data["player"]}

    def seats(data: dict[str, Any]) -> dict[str, Any]:
        return {"kind": data["kind"], "at_us": data["at_us"], "seat": data["player"]}

    older: EventCodec[Event] = EventCodec(MATCH_EVENTS, MATCH_TYPES, 1, {-1: microseconds, 0: seats})
    assert older.decode('{"v":-1,"kind":"draw_offered","at_ms":17,"player":1}') == DrawOffered(17_000, 1)
    assert older.decode('{"v":0,"kind":"draw_offered","at_us":17,"player":1}') == DrawOffered(17, 1)
    with pytest.raises(MalformedEntry, match="unknown version -2; known: -1, 0, 1"):
        older.decode('{"v":-2}')


def test_every_version_before_this_one_is_upcast() -> None:
    assert list(MATCH_UPCASTERS) == list(range(1, MATCH_VERSION))


def test_an_end_from_before_there_were_ratings_is_unrated() -> None:
    line = MATCH_CODEC.encode(END).replace('"v":2', '"v":1').replace(',"ratings":[]', "")
    assert "ratings" not in line
    assert MATCH_CODEC.decode(line) == END


def test_every_time_control_has_a_kind() -> None:
    controls = {cls for cls in vars(clock).values() if isinstance(cls, type) and issubclass(cls, clock.TimeControl)}
    assert controls - {clock.TimeControl, clock.MainTimeControl} == set(TIME_CONTROLS.values())


def test_a_move_that_nobody_was_asked_for_has_no_row() -> None:
    assert data_of(MovePlayed(0, 0, "", "pass"))["row"] is None
