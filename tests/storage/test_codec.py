"""The codec of events of matches and contests. Their written form must never change by accident."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs, to_builtins

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_log import ContestEvent
from referee.match.clock import TimeControl
from referee.match.events import DrawOffered, Event, MovePlayed, NonceAdded, PlayEnded, PlayStarted, SeatForfeited
from referee.match.result import EndCause, EndKind, Result
from referee.match.setup import Player
from referee.storage.codec import CONTEST_CODEC, MATCH_CODEC, STORED_VERSION, EventCodec, MalformedEntry
from tests.storage import contest_examples
from tests.storage.contest_examples import RATED
from tests.storage.examples import END, EVERY_CONTROL, EXAMPLES, MOVE
from tests.storage.strategies import CONTEST_EVENTS, MATCH_EVENTS

CREATED = EXAMPLES[0]


ODDS = "setup.terms.time_control.odds"


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


EVERY_EVENT = [
    *(pytest.param(MATCH_CODEC, strategy, id=cls.__name__) for cls, strategy in MATCH_EVENTS.items()),
    *(
        pytest.param(CONTEST_CODEC, strategy, id=f"{cls.__module__}.{cls.__name__}")
        for cls, strategy in CONTEST_EVENTS.items()
    ),
]


@pytest.mark.parametrize(("codec", "strategy"), EVERY_EVENT)
@given(data=st.data())
def test_a_line_is_canonical_json_in_ascii_from_which_the_event_is_read(
    codec: EventCodec[Any], strategy: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    event = data.draw(strategy)
    line = codec.encode(event)
    decoded = codec.decode(line)
    assert decoded == event
    assert repr(decoded) == repr(event)  # Python considers 1, 1.0 and True equal; a log must not.
    assert codec.encode(decoded) == line
    fields = to_builtins(event, builtin_types=(bytes,))
    assert line == json.dumps({"v": STORED_VERSION, **fields}, separators=(",", ":"), default=bytes.hex)


@given(st.one_of(*MATCH_EVENTS.values()))
def test_the_form_of_a_line_does_not_matter(event: Event) -> None:
    data = data_of(event)
    assert MATCH_CODEC.decode(json.dumps(dict(reversed(data.items())), ensure_ascii=False, indent=1)) == event


MOVE_LINE = MATCH_CODEC.encode(MOVE)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (',"request_id":"request 17"', "", "request_id is missing"),
        ('"seat":1', '"seat":true', "Expected `int`, got `bool` - at `$.seat`"),
        ('"seat":1', '"seat":1.0', "Expected `int`, got `float` - at `$.seat`"),
        ('"seat":1', f'"seat":{1 << 63}', "invalid JSON (9223372036854775808 is too large)"),
        ('"seat":1', f'"seat":{-(1 << 63) - 1}', "invalid JSON (-9223372036854775809 is too large)"),
        ('"seat":1', f'"seat":1{"0" * 30}', "invalid JSON (1000000000000000000000000000000 is too large)"),
        ('"seat":1', '"seat":1,"more":2', "unknown field 'more'; known: kind, at_us, seat, token, "),
        ('"late":false', '"late":false,"more":1', "unknown field 'more'; known: asked_us, arrived_us, "),
        ('"source":"bot"', '"source":"BOT"', "Invalid enum value 'BOT' - at `$.source`"),
        ('"source":"bot"', '"source":"\\ud800"', "'utf-8' codec can't encode character"),
        ('17"}', '17"}{', "invalid JSON (Extra data"),
        ('17"}', '17"', "invalid JSON (Expecting"),
    ],
)
def test_a_malformed_line_of_a_move_is_rejected(old: str, new: str, sentence: str) -> None:
    line = MOVE_LINE.replace(old, new)
    assert line != MOVE_LINE
    assert decode_error(line).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ('"seat":1', f'"seat":{(1 << 63) - 1}', {"seat": (1 << 63) - 1}),
        ('"seat":1', '"seat":1,"seat":2', {"seat": 2}),
        ('"seat":1', '"seat": 1', {}),
        ("c3-d4", "\\u00e9", {"move": "\u00e9"}),
        ("c3-d4", "\u00e9", {"move": "\u00e9"}),
        ("c3-d4", "\ud800", {"move": "\ud800"}),
        ("c3-d4", "\\ud800", {"move": "\ud800"}),
        ('"at_us":1250000,"seat":1', '"seat":1,"at_us":1250000', {}),
        ('17"}', '17"} ', {}),
    ],
)
def test_an_unusual_line_of_a_move_is_read(old: str, new: str, change: dict[str, object]) -> None:
    line = MOVE_LINE.replace(old, new)
    assert line != MOVE_LINE
    assert MATCH_CODEC.decode(line) == structs.replace(MOVE, **change)


def test_a_score_is_always_written_as_a_float() -> None:
    ended = PlayEnded(0, Result(EndKind.PLAYED, EndCause.RULES, "", (1, 0)), b"")
    assert data_of(ended)["result"]["scores"] == [1.0, 0.0]
    assert '"scores":[1.0,0.0]' in MATCH_CODEC.encode(ended)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("setup.seed", "0G", "expected bytes in lower-case hexadecimal, not '0G' - at `$.setup.seed`"),
        ("setup.seed", "AA", "expected bytes in lower-case hexadecimal, not 'AA' - at `$.setup.seed`"),
        ("setup.seed", 7, "Expected `bytes`, got `int` - at `$.setup.seed`"),
        ("setup", [], "Expected `object`, got `array` - at `$.setup`"),
        ("setup.players", {}, "Expected `array`, got `object` - at `$.setup.players`"),
        ("setup.players.1.bot", None, "Expected `str`, got `null` - at `$.setup.players[1].bot`"),
        ("setup.labels.0", ["title"], "Expected `array` of length 2, got 1 - at `$.setup.labels[0]`"),
        ("setup.labels.0.1", 1, "Expected `str`, got `int` - at `$.setup.labels[0][1]`"),
        (
            "setup.terms.settings.values.0.1",
            1.5,
            "Expected `bool | int | str`, got `float` - at `$.setup.terms.settings.values[0][1]`",
        ),
        (f"{ODDS}.1.rule", [], f"Expected `object`, got `array` - at `$.{ODDS}[1].rule`"),
        (f"{ODDS}.1.rule.sundial", {}, f"unknown field 'sundial'; known: hourglass - at `$.{ODDS}[1].rule`"),
        (f"{ODDS}.1.rule.hourglass.main_ms", 0.5, "Expected `int`, got `float` - at `$."),
        (
            "setup.terms.policies.timeout",
            "wait",
            "Invalid enum value 'wait' - at `$.setup.terms.policies.timeout`",
        ),
    ],
)
def test_the_error_names_the_invalid_field_of_a_setup(path: str, value: object, sentence: str) -> None:
    assert decode_error(change_line(CREATED, path, value)).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        (1, "expected a number with a decimal point, not '1'"),
        ("1.0", "Expected `float`, got `str`"),
        (None, "Expected `float`, got `null`"),
        (True, "Expected `float`, got `bool`"),
    ],
)
def test_the_error_names_an_invalid_score(score: object, sentence: str) -> None:
    error = decode_error(change_line(END, "result.scores.1", score))
    assert error == f"cannot read this entry: {sentence} - at `$.result.scores[1]`"


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
        ("{}", "unknown version None; known: 1"),
        ('{"v":"1"}', "unknown version '1'; known: 1"),
        ('{"v":true}', "unknown version True; known: 1"),
        ('{"v":2,"kind":"draw_offered","at_us":17,"seat":1}', "unknown version 2; known: 1"),
        ('{"v":1}', "kind is missing"),
        ('{"v":1,"kind":"checkmate"}', "unknown kind 'checkmate'; known: match_created, seat_taken,"),
    ],
)
def test_a_line_that_is_no_event_is_rejected(line: str, sentence: str) -> None:
    assert decode_error(line).startswith(f"cannot read this entry: {sentence}")


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (DrawOffered(1.5, 0), "DrawOffered: Expected `int`, got `float` - at `$.at_us`"),  # type: ignore[arg-type]
        (DrawOffered(0, True), "DrawOffered: Expected `int`, got `bool` - at `$.seat`"),
        (NonceAdded(0, 0, "aa"), "NonceAdded: 'str' object has no attribute 'hex'"),  # type: ignore[arg-type]
        (SeatForfeited(0, 0, "late"), "SeatForfeited: Invalid enum value 'late'"),  # type: ignore[arg-type]
        (PlayStarted(0, [Player()]), "PlayStarted: it would be read as "),  # type: ignore[arg-type]
        (PlayStarted(0, ("ada",)), "PlayStarted: Expected `object`, got `str` - at"),  # type: ignore[arg-type]
        (PlayStarted(0, (object(),)), "PlayStarted: "),  # type: ignore[arg-type]
        (
            PlayEnded(0, Result(EndKind.VOID, EndCause.RULES, "", (float("nan"),)), b""),
            "PlayEnded: Expected `float`, got `null`",
        ),
    ],
)
def test_an_event_that_could_not_be_decoded_is_not_written(event: Event, sentence: str) -> None:
    with pytest.raises(MalformedEntry) as error:
        MATCH_CODEC.encode(event)
    assert str(error.value).startswith(f"cannot write this {sentence}")


def test_a_forced_move_has_no_clock_charge() -> None:
    assert data_of(MovePlayed(0, 0, "", "pass"))["row"] is None


# Contests


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
    line = next(line for line in map(CONTEST_CODEC.encode, contest_examples.EXAMPLES) if '"swiss":{"rounds":5' in line)
    with pytest.raises(MalformedEntry, match=r"rounds must be .* at `\$.terms.tournament`"):
        CONTEST_CODEC.decode(line.replace('"rounds":5', '"rounds":0'))


# Golden files

GOLDEN = Path(__file__).parent / "golden"


def test_the_examples_contain_every_kind() -> None:
    assert {type(event) for event in EXAMPLES} == set(get_args(Event))
    assert {type(control) for control in EVERY_CONTROL} == set(get_args(TimeControl))
    assert {type(event) for event in contest_examples.EXAMPLES} == set(get_args(ContestEvent))
    assert {type(form) for form in contest_examples.EVERY_FORMAT} == set(get_args(TournamentFormat))


@pytest.mark.parametrize(
    ("name", "codec", "events"),
    [("matches", MATCH_CODEC, EXAMPLES), ("contests", CONTEST_CODEC, contest_examples.EXAMPLES)],
)
def test_the_written_form_of_events_does_not_change(
    name: str, codec: EventCodec[Any], events: tuple[Any, ...], renewing: bool
) -> None:
    path = GOLDEN / f"{name}.jsonl"
    if renewing:
        path.write_text("".join(f"{codec.encode(event)}\n" for event in events), encoding="ascii")
    lines = path.read_text(encoding="ascii").splitlines()
    assert [codec.encode(event) for event in events] == lines
    assert [codec.decode(line) for line in lines] == list(events)
