"""Messages and values are converted to each other without loss, and errors name the field."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from hypothesis import given
from hypothesis import strategies as st
from referee_api.conversion import BadValue, enum_number, to_message, to_value
from referee_api.v1 import contest_pb2, game_pb2, match_pb2, match_service_pb2, tournament_pb2
from referee_values import (
    Clock,
    ClockRule,
    Elimination,
    Fischer,
    ForbiddenPair,
    Match,
    MatchCorrection,
    MatchTerms,
    Move,
    Pairing,
    Period,
    Rules,
    SeatOdds,
    Swiss,
    TimeControl,
    TournamentEntry,
    TournamentTerms,
    Value,
    Verdict,
)

from tests.docs import contract
from tests.transport.wire.value_strategies import VALUE_CLASSES, values

SCALARS = {
    FieldDescriptor.TYPE_BOOL: True,
    FieldDescriptor.TYPE_BYTES: b"\xff",
    FieldDescriptor.TYPE_DOUBLE: 1.5,
    FieldDescriptor.TYPE_STRING: "text",
}
"""Contents by the types of fields; numbers are 7."""
UNCHECKED_TERMS: Any = TournamentTerms
UNCHECKED_RULES: Any = Rules
EAST = timezone(timedelta(hours=1))
LAST_SECOND = 253_402_300_799
"""The last second of the year 9999."""


def message_class(kind: type[Value]) -> type[Message]:
    return GetMessageClass(contract.messages()[kind.__name__])


@pytest.mark.parametrize("kind", VALUE_CLASSES)
def test_an_empty_message_is_an_empty_value(kind: type[Value]) -> None:
    assert to_value(message_class(kind)(), kind) == kind()
    assert to_message(kind(), message_class(kind)).SerializeToString() == b""


@given(st.sampled_from(VALUE_CLASSES).flatmap(values))
def test_a_value_remains_equal_as_a_message(value: Value) -> None:
    message = to_message(value, message_class(type(value)))
    read = to_value(type(message).FromString(message.SerializeToString()), type(value))
    assert read == value
    assert to_message(read, type(message)) == message


@pytest.mark.parametrize("kind", VALUE_CLASSES)
def test_a_message_with_all_fields_remains_equal_as_a_value(kind: type[Value]) -> None:
    messages = [fill(message_class(kind)(), member) for member in range(20)]
    for message in messages:
        assert to_message(to_value(message, kind), type(message)) == message


def fill(message: Message, member: int) -> Message:
    """Set every field to something else than its default; of a oneof, the member of that number."""
    for field in message.DESCRIPTOR.fields:
        oneof = field.containing_oneof
        if oneof and len(oneof.fields) > 1 and oneof.fields[member % len(oneof.fields)] != field:
            continue
        content = getattr(message, field.name)
        if field.message_type and field.message_type.GetOptions().map_entry:
            content["key"] = "text"
        elif field.message_type:
            part = content.add() if hasattr(content, "add") else content
            part.FromMicroseconds(1_700_000_000_123_456) if isinstance(part, Timestamp) else fill(part, member)
        else:
            filled = field.enum_type.values[-1].number if field.enum_type else SCALARS.get(field.type, 7)
            content.append(filled) if hasattr(content, "append") else setattr(message, field.name, filled)
    return message


def test_a_chosen_member_of_a_oneof_may_be_empty() -> None:
    message = to_message(TournamentTerms(elimination=Elimination()), tournament_pb2.TournamentTerms)
    assert message.WhichOneof("format") == "elimination"
    value = to_value(message, TournamentTerms)
    assert (value.elimination, value.swiss, value.format) == (Elimination(), None, Elimination())


def test_an_empty_message_counts_as_not_set_where_the_value_has_no_none() -> None:
    message = match_pb2.MatchTerms(rules=game_pb2.Rules())
    assert to_value(message, MatchTerms) == MatchTerms()
    assert not to_message(to_value(message, MatchTerms), match_pb2.MatchTerms).HasField("rules")


@pytest.mark.parametrize("number", [99, -1, 2**31 - 1])
def test_an_unknown_number_of_an_enum_becomes_text_and_goes_back(number: int) -> None:
    message = tournament_pb2.TournamentTerms(
        seeding=number,  # type: ignore[arg-type] # As a newer server sends.
        tie_breaks=[tournament_pb2.TIE_BREAK_WINS, number],  # type: ignore[list-item]
    )
    value = to_value(message, TournamentTerms)
    assert (value.seeding, value.tie_breaks) == (str(number), ("wins", str(number)))
    assert to_message(value, tournament_pb2.TournamentTerms) == message


def test_a_word_of_a_request_becomes_its_number() -> None:
    assert enum_number(match_pb2.MatchPhase, "over") == match_pb2.MATCH_PHASE_OVER
    with pytest.raises(BadValue, match="unknown word 'later'; known: waiting, playing, over"):
        enum_number(match_pb2.MatchPhase, "later")


def test_a_field_of_only_one_side_is_left_out() -> None:
    class SubmittedMove(Value, frozen=True, kw_only=True):
        entry_number: int = 0
        repeated: bool = False
        note: str = ""

    response = match_service_pb2.SubmitMoveResponse(entry_number=3, ply=2)
    assert to_value(response, SubmittedMove) == SubmittedMove(entry_number=3)
    sent = to_message(SubmittedMove(entry_number=4, note="x"), match_service_pb2.SubmitMoveResponse)
    assert sent == match_service_pb2.SubmitMoveResponse(entry_number=4)


@pytest.mark.parametrize(
    ("value", "path", "why"),
    [
        (TournamentTerms(boards=2**32), "boards", "out of range"),
        (TournamentTerms(boards=-1), "boards", "out of range"),
        (Verdict(item_id=2**64), "item_id", "out of range"),
        (Move(score=-(2**31) - 1), "score", "out of range"),
        (Clock(time_left_us=2**63), "time_left_us", "out of range"),
        (MatchTerms(time_control=TimeControl(rule=ClockRule(fischer=Fischer(main_ms=2**63)))),
         "time_control.rule.fischer.main_ms", "out of range"),
        (MatchTerms(time_control=TimeControl(odds=(SeatOdds(), SeatOdds(seat=-1)))),
         "time_control.odds[1].seat", "out of range"),
        (Pairing(corrections=(MatchCorrection(ranks=(1, -1)),)), "corrections[0].ranks", "out of range"),
        (UNCHECKED_TERMS(seeding="huf"), "seeding", "unknown word 'huf'; known: entry_order, rating, random"),
        (UNCHECKED_TERMS(seeding="1"), "seeding", "unknown word '1'; known: entry_order, rating, random"),
        (UNCHECKED_TERMS(seeding="007"), "seeding", "unknown word"),
        (UNCHECKED_TERMS(seeding="4294967296"), "seeding", "out of range"),
        (UNCHECKED_TERMS(tie_breaks=("wins", "huf")), "tie_breaks[1]", "unknown word"),
        (TournamentTerms(swiss=Swiss(), elimination=Elimination()), "swiss", "only one of elimination and swiss"),
        (TournamentTerms(starts_at=datetime(2030, 5, 1)), "starts_at", "has no time zone"),  # noqa: DTZ001 - The error.
        (TournamentTerms(starts_at=datetime.min.replace(tzinfo=EAST)), "starts_at", "is no time stamp"),
        (UNCHECKED_TERMS(match_terms=Fischer()), "match_terms", "it is a Fischer, and not a MatchTerms"),
        (UNCHECKED_TERMS(forbidden_pairs=(ForbiddenPair(), Period())), "forbidden_pairs[1]", "it is a Period"),
        (Match(terms=MatchTerms(rules=UNCHECKED_RULES(game=7))), "terms.rules.game", "bad argument type"),
        (Rules(game="\ud800"), "game", "surrogates"),
    ],
)  # fmt: skip
def test_an_error_names_the_field(value: Any, path: str, why: str) -> None:
    with pytest.raises(BadValue) as refused:
        to_message(value, message_class(type(value)))
    assert refused.value.path == path
    assert why in refused.value.why
    assert str(refused.value) == f"{path}: {refused.value.why}"


@pytest.mark.parametrize(
    ("seconds", "nanos"), [(LAST_SECOND + 1, 0), (2**63 - 1, 0), (-(2**63), 0), (0, -1), (0, 10**9)]
)
def test_an_impossible_time_stamp_is_an_error_with_its_path(seconds: int, nanos: int) -> None:
    stamp = Timestamp(seconds=seconds, nanos=nanos)
    message = match_pb2.Match(start_time=stamp)
    with pytest.raises(BadValue, match=r"^start_time: .* are no time stamp$"):
        to_value(message, Match)


def test_an_error_of_a_message_names_the_field_through_lists() -> None:
    pairings = [contest_pb2.Pairing(), contest_pb2.Pairing(not_before=Timestamp(nanos=-1))]
    entry = tournament_pb2.TournamentEntry(pairings_planned=tournament_pb2.PairingsPlanned(pairings=pairings))
    with pytest.raises(BadValue) as refused:
        to_value(entry, TournamentEntry)
    assert refused.value.path == "pairings_planned.pairings[1].not_before"


@pytest.mark.parametrize("seconds", [0, LAST_SECOND, -62_135_596_800])
def test_a_time_stamp_is_read_without_its_nanoseconds(seconds: int) -> None:
    message = contest_pb2.Pairing(not_before=Timestamp(seconds=seconds, nanos=123_456_789))
    value = to_value(message, Pairing)
    assert value.not_before == datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds, microseconds=123_456)
    assert to_message(value, contest_pb2.Pairing).not_before == Timestamp(seconds=seconds, nanos=123_456_000)
