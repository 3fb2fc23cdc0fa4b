"""Events and their lines."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core import clock
from referee.core.events import DrawOffered, Event, MovePlayed, NonceGiven, PlayBegan, PlayEnded, SeatForfeited
from referee.core.result import Cause, Kind, Result
from referee.core.setup import Player
from referee.storage import codec
from referee.storage.codec import decode, encode
from referee.storage.line import Lines, MalformedEntry
from tests.storage.examples import END, EXAMPLES, MOVE
from tests.storage.strategies import ANY_EVENT, EVENTS

OPENED = EXAMPLES[0]


def data_of(event: Event) -> Any:
    return json.loads(encode(event))


def changed(event: Event, path: str, value: object) -> str:
    """The line of an event, with another value at a path such as `row.before.left_us`."""
    *outer, last = path.split(".")
    data = at = data_of(event)
    for name in outer:
        at = at[int(name) if isinstance(at, list) else name]
    at[int(last) if isinstance(at, list) else last] = value
    return json.dumps(data)


def refusal(line: str) -> str:
    with pytest.raises(MalformedEntry) as refused:
        decode(line)
    return str(refused.value)


@pytest.mark.parametrize("cls", EVENTS, ids=lambda cls: cls.__name__)
@given(data=st.data())
def test_an_event_is_read_as_it_was_written(cls: type, data: st.DataObject) -> None:
    event = data.draw(EVENTS[cls])
    again = decode(encode(event))
    assert again == event
    assert repr(again) == repr(event)  # Python holds 1, 1.0 and True to be equal; a log must not.


@given(ANY_EVENT)
def test_a_line_is_ascii_and_one_line_and_written_in_one_way(event: Event) -> None:
    line = encode(event)
    assert line.isascii()
    assert "\n" not in line
    assert encode(decode(line)) == line


def test_a_line_can_be_read_by_eye() -> None:
    assert encode(DrawOffered(17, 1)) == '{"v":2,"kind":"draw_offered","at_us":17,"seat":1}'


def test_a_score_is_written_in_one_way() -> None:
    ended = PlayEnded(0, Result(Kind.PLAYED, Cause.RULES, "", (1, 0)), b"")
    assert data_of(ended)["result"]["scores"] == [1.0, 0.0]
    assert '"scores":[1.0,0.0]' in encode(ended)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("seat", "1", "seat: a whole number is wanted, not '1'"),
        ("seat", True, "seat: a whole number is wanted, not 'True'"),
        ("seat", 1.0, "seat: a whole number is wanted, not '1.0'"),
        ("move", 7, "move: a text is wanted, not '7'"),
        ("source", "human", "source: one of bot, random, default is wanted, not 'human'"),
        ("source", ["bot"], "source: one of bot, random, default is wanted, not \"['bot']\""),
        ("row", [], "row: an object is wanted, not '[]'"),
        ("row.late", 0, "row.late: true or false is wanted, not '0'"),
        ("row.before.left_us", None, "row.before.left_us: a whole number is wanted, not 'None'"),
        ("row.late_us", 1, "row: unknown field 'late_us'; known: asked_us, arrived_us, "),
    ],
)
def test_a_bad_field_of_a_move_is_named(path: str, value: object, sentence: str) -> None:
    assert refusal(changed(MOVE, path, value)).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("setup.seed", "0G", "setup.seed: bytes in lower case hexadecimal is wanted, not '0G'"),
        ("setup.seed", "AA", "setup.seed: bytes in lower case hexadecimal is wanted, not 'AA'"),
        ("setup.seed", 7, "setup.seed: bytes in lower case hexadecimal is wanted, not '7'"),
        ("setup.players", {}, "setup.players: an array is wanted, not '{}'"),
        ("setup.players.1.bot", None, "setup.players.1.bot: a text is wanted, not 'None'"),
        ("setup.labels.0", ["title"], "setup.labels.0: an array of 2 is wanted, not \"['title']\""),
        ("setup.labels.0.1", 1, "setup.labels.0.1: a text is wanted, not '1'"),
        ("setup.settings.values.0.1", 1.5, "setup.settings.values.0.1: a text, a whole number, true or false is wan"),
        ("setup.controls.3", [], "setup.controls.3: an object is wanted, not '[]'"),
        ("setup.controls.3", {}, "setup.controls.3: kind is missing"),
        ("setup.controls.3.kind", "sundial", "setup.controls.3: unknown kind 'sundial'; known: untimed, sudden_death,"),
        ("setup.controls.3.kind", None, "setup.controls.3: unknown kind 'None'; known: untimed, sudden_death,"),
        ("setup.controls.0.main_us", 1, "setup.controls.0: unknown field 'main_us'; known: none"),
        ("setup.controls.3.main_us", 0, "setup.controls.3: this clock cannot be: main_us is more than 0"),
        ("setup.policies.attempts", 0, "setup.policies: this match cannot be: attempts is from 1 to 1000"),
    ],
)
def test_a_bad_field_of_a_setup_is_named(path: str, value: object, sentence: str) -> None:
    assert refusal(changed(OPENED, path, value)).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize("score", [1, "1.0", None, True])
def test_a_bad_score_is_named(score: object) -> None:
    where = "cannot read this entry: result.scores.1: a number with a point is wanted"
    assert refusal(changed(END, "result.scores.1", score)).startswith(where)


def test_a_score_is_finite() -> None:
    assert "'inf'" in refusal(encode(END).replace('"scores":[1.0', '"scores":[1e999'))
    assert "NaN is no number" in refusal(encode(END).replace('"scores":[1.0', '"scores":[NaN'))


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_every_field_is_needed(event: Event) -> None:
    for name in data_of(event):
        data = data_of(event)
        del data[name]
        assert name in refusal(json.dumps(data)) or name == "v"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "it is no JSON (Expecting value"),
        (encode(MOVE)[:-1], "it is no JSON ("),
        (encode(MOVE) * 2, "it is no JSON (Extra data"),
        ("[" * 100_000, "it is no JSON ("),
        ('{"v":1' + "0" * 5_000 + "}", "it is no JSON ("),
        ('{"v":9223372036854775808}', "it is no JSON (9223372036854775808 is too large"),
        ("[]", "it is no JSON object"),
        ("{}", "its version is None; known: 1, 2"),
        ('{"v":"1"}', "its version is '1'; known: 1, 2"),
        ('{"v":true}', "its version is True; known: 1, 2"),
        ('{"v":3,"kind":"draw_offered","at_us":17,"seat":1}', "its version is 3; known: 1, 2"),
        ('{"v":1}', "kind is missing"),
        ('{"v":2}', "kind is missing"),
        ('{"v":1,"kind":"checkmate"}', "unknown kind 'checkmate'; known: opened, seat_taken,"),
    ],
)
def test_what_is_no_event_is_refused(line: str, sentence: str) -> None:
    assert refusal(line).startswith(f"cannot read this entry: {sentence}")


class Sundial(clock.SuddenDeath):
    """A time control that the codec has not heard of."""


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (DrawOffered(1.5, 0), "DrawOffered: at_us: a whole number is wanted, not '1.5'"),  # type: ignore[arg-type]
        (DrawOffered(0, True), "DrawOffered: seat: a whole number is wanted, not 'True'"),
        (NonceGiven(0, 0, "aa"), "NonceGiven: nonce: bytes is wanted, not 'aa'"),  # type: ignore[arg-type]
        (SeatForfeited(0, 0, "time"), "SeatForfeited: fault: one of time, "),  # type: ignore[arg-type]
        (PlayBegan(0, [Player()]), 'PlayBegan: seated: an array is wanted, not "[Player('),  # type: ignore[arg-type]
        (PlayBegan(0, ("ada",)), "PlayBegan: seated.0: a Player is wanted, not 'ada'"),  # type: ignore[arg-type]
        (
            PlayEnded(0, Result(Kind.VOID, Cause.RULES, "", (float("nan"),)), b""),
            "PlayEnded: result.scores.0: a number",
        ),
        (Sundial(1), "Sundial: there is no kind for a Sundial"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(event: Event, sentence: str) -> None:
    with pytest.raises(MalformedEntry) as refused:
        encode(event)
    assert str(refused.value).startswith(f"cannot write this {sentence}")


def test_a_line_of_an_older_version_is_lifted() -> None:
    """As if version 0 had called a seat a player, and version -1 had counted milliseconds."""

    def microseconds(data: dict[str, Any]) -> dict[str, Any]:
        return {"kind": data["kind"], "at_us": data["at_ms"] * 1000, "player": data["player"]}

    def seats(data: dict[str, Any]) -> dict[str, Any]:
        return {"kind": data["kind"], "at_us": data["at_us"], "seat": data["player"]}

    lines: Lines[Event] = Lines(codec.EVENTS, codec.KNOWN, 1, {-1: microseconds, 0: seats})
    assert lines.decode('{"v":-1,"kind":"draw_offered","at_ms":17,"player":1}') == DrawOffered(17_000, 1)
    assert lines.decode('{"v":0,"kind":"draw_offered","at_us":17,"player":1}') == DrawOffered(17, 1)
    with pytest.raises(MalformedEntry, match="its version is -2; known: -1, 0, 1"):
        lines.decode('{"v":-2}')


def test_every_version_before_this_one_is_lifted() -> None:
    assert list(codec.LIFTS) == list(range(1, codec.VERSION))


def test_an_end_from_before_there_were_ratings_is_unrated() -> None:
    line = encode(END).replace('"v":2', '"v":1').replace(',"ratings":[]', "")
    assert "ratings" not in line
    assert decode(line) == END


def test_every_time_control_has_a_kind() -> None:
    controls = {cls for cls in vars(clock).values() if isinstance(cls, type) and issubclass(cls, clock.TimeControl)}
    assert controls - {clock.TimeControl, clock.Main} == set(codec.CONTROLS.values())


def test_a_move_that_nobody_was_asked_for_has_no_row() -> None:
    assert data_of(MovePlayed(0, 0, "", "pass"))["row"] is None
