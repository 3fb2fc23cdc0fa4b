"""Codec of events: each event is one line of JSON in the log of its match or contest.

A line is an object with the version of the format (`v`), the kind of the event (`kind`) and all fields of the event in
their order. It is ASCII without whitespace, and equal events have equal lines. Kinds are written names: renaming a
class changes these tables, never the lines. Lines of older versions are upcast when they are read, and nowhere else.
"""

import json
from collections.abc import Mapping, Set
from typing import Any, Generic, NoReturn, TypeVar

import msgspec

from referee.contests import pairing
from referee.contests.ladder import events as ladder
from referee.contests.tournament import events as tournament
from referee.contests.tournament import tournament_terms
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting import contest_log
from referee.hosting.contest_log import ContestEvent
from referee.live.ports import Request
from referee.match import clock, events
from referee.match.clock import TimeControl
from referee.match.events import Event
from referee.storage.upcasters import CONTEST_UPCASTERS, MATCH_UPCASTERS, Upcaster
from referee.storage.value_codec import (
    SCALARS,
    JsonValue,
    MalformedValue,
    ValueCodec,
    dataclass_codec,
    union_codec,
)

AnyEvent = TypeVar("AnyEvent")

INTEGER_LIMIT = 1 << 63
"""Integers from here on do not fit into the contract's 64 bits."""

MATCH_VERSION = 3

CONTEST_VERSION = 7

TIME_CONTROLS: dict[str, type] = {
    "untimed": clock.Untimed,
    "sudden_death": clock.SuddenDeath,
    "hourglass": clock.Hourglass,
    "fischer": clock.Fischer,
    "bronstein": clock.Bronstein,
    "us_delay": clock.UsDelay,
    "per_move": clock.PerMove,
    "bank": clock.Bank,
    "correspondence": clock.Correspondence,
    "japanese_byo_yomi": clock.JapaneseByoYomi,
    "canadian_byo_yomi": clock.CanadianByoYomi,
    "moves_per_period": clock.MovesPerPeriod,
}

FORMATS: dict[str, type] = {
    "round_robin": tournament_terms.RoundRobin,
    "swiss": tournament_terms.Swiss,
    "elimination": tournament_terms.Elimination,
    "gauntlet": tournament_terms.Gauntlet,
    "pools": tournament_terms.Pools,
    "trial": tournament_terms.SprtTrial,
}

MATCH_TYPES: dict[object, ValueCodec] = {**SCALARS, TimeControl: union_codec(TIME_CONTROLS, SCALARS)}
"""Codecs that cannot be derived from the type, for events of matches."""

CONTEST_TYPES: dict[object, ValueCodec] = {**MATCH_TYPES, TournamentFormat: union_codec(FORMATS, MATCH_TYPES)}
"""Codecs that cannot be derived from the type, for events of contests."""

MATCH_EVENTS: dict[str, type] = {
    "opened": events.MatchCreated,
    "seat_taken": events.SeatTaken,
    "seat_vacated": events.SeatVacated,
    "nonce_given": events.NonceAdded,
    "play_began": events.PlayStarted,
    "move_played": events.MovePlayed,
    "move_refused": events.MoveRefused,
    "flag_fell": events.FlagFell,
    "draw_offered": events.DrawOffered,
    "draw_declined": events.DrawDeclined,
    "seat_resigned": events.SeatResigned,
    "seat_forfeited": events.SeatForfeited,
    "seat_gone": events.SeatDisconnected,
    "seat_back": events.SeatReconnected,
    "referee_back": events.MatchResumed,
    "play_ended": events.PlayEnded,
}

CONTEST_EVENTS: dict[str, type] = {
    "ladder_made": contest_log.LadderCreated,
    "joined": ladder.LadderJoined,
    "left": ladder.LadderLeft,
    "ladder_paired": ladder.LadderPaired,
    "rated": ladder.MatchRated,
    "ladder_corrected": ladder.MatchCorrected,
    "season_began": ladder.SeasonStarted,
    "ladder_paused": ladder.LadderPaused,
    "ladder_resumed": ladder.LadderResumed,
    "closing": ladder.LadderClosureStarted,
    "closed": ladder.LadderClosureFinished,
    "tournament_made": contest_log.TournamentCreated,
    "entered": tournament.EntrantEntered,
    "withdrew": tournament.EntrantWithdrew,
    "started": tournament.TournamentPlayStarted,
    "tournament_paired": tournament.TournamentPaired,
    "began": pairing.ContestMatchStarted,
    "scored": pairing.ContestMatchScored,
    "voided": pairing.ContestMatchVoided,
    "ended": tournament.TournamentEnded,
    "absent": tournament.EntrantsAbsent,
    "frozen": tournament.VersionsFrozen,
    "replaced": tournament.PairingsReplaced,
    "postponed": tournament.PairingPostponed,
    "reopened": tournament.PairingReopened,
    "bye_requested": tournament.ByeRequested,
    "score_corrected": tournament.ScoreCorrected,
}


class MalformedEntry(ValueError):
    """A line that holds no event, or an event that cannot be written. `str()` is one sentence."""


class EventCodec(Generic[AnyEvent]):
    """One format: the events of one log, its current version, and upcasters for older ones."""

    def __init__(
        self,
        kinds: Mapping[str, type],
        types: Mapping[Any, ValueCodec],
        version: int,
        upcasters: Mapping[int, Upcaster],
        frequent: Set[type] = frozenset(),
    ) -> None:
        """`types` has the codecs that cannot be derived from a type; `upcasters` has one for each older version.

        msgspec encodes and decodes `frequent` events, which have no bytes, floats or unions, as the other codec would,
        but twenty times as fast. It does not check the types of their fields when it encodes them.
        """
        self._event = union_codec(kinds, types)
        self._version = version
        self._starts = {cls: f'{{"v":{version},"kind":"{kind}",' for kind, cls in kinds.items() if cls in frequent}
        """Start of the line of each frequent kind of event."""
        self._decoders: dict[str, msgspec.json.Decoder[Any]] = {
            start: msgspec.json.Decoder(cls) for cls, start in self._starts.items()
        }
        self._upcasters = upcasters

    def encode(self, event: AnyEvent) -> str:
        """Return the line of an event. Raises MalformedEntry if the event could not be read back from it.

        Integers that are too large are found only by `decode`: the check would cost time in every move.
        """
        start = self._starts.get(type(event))
        if start:
            encoded = _encode_fields(event)
            if encoded:
                return start + encoded[1:]
        data: dict[str, JsonValue] = {"v": self._version}
        try:
            self._event.encode_into(event, data)
            return _ENCODER.encode(data)
        except MalformedValue as why:
            raise MalformedEntry(f"cannot write this {type(event).__name__}: {why}") from None

    def decode(self, line: str) -> AnyEvent:
        """Return the event of a line of this version or an older one. Raises MalformedEntry."""
        if (frequent := self._decode_frequent(line)) is not None:
            return frequent
        try:
            event: AnyEvent = self._event.decode(self._upcast(_parse(line)))
        except (MalformedValue, RecursionError) as why:
            raise MalformedEntry(f"cannot read this entry: {why}") from None
        return event

    def _decode_frequent(self, line: str) -> AnyEvent | None:
        """Return the event of a line that is exactly what `encode` would write for it. None: use the other codec."""
        for start, decoder in self._decoders.items():
            if line.startswith(start):
                try:
                    event: AnyEvent = decoder.decode("{" + line[len(start) :])
                except (msgspec.DecodeError, UnicodeError, RecursionError):
                    return None
                has_long_integer = _LONG_INTEGER in line.encode().translate(_DIGITS_AS_ZEROS)
                return None if has_long_integer or self.encode(event) != line else event
        return None

    def _upcast(self, data: dict[str, JsonValue]) -> dict[str, JsonValue]:
        version = data.pop("v", None)
        if type(version) is not int or not (version == self._version or version in self._upcasters):
            known = ", ".join(map(str, (*self._upcasters, self._version)))
            raise MalformedValue(f"unknown version {version!r}; known: {known}")
        for older in range(version, self._version):
            data = self._upcasters[older](data)
        return data


MATCH_CODEC: EventCodec[Event] = EventCodec(
    MATCH_EVENTS, MATCH_TYPES, MATCH_VERSION, MATCH_UPCASTERS, {events.MovePlayed}
)

CONTEST_CODEC: EventCodec[ContestEvent] = EventCodec(CONTEST_EVENTS, CONTEST_TYPES, CONTEST_VERSION, CONTEST_UPCASTERS)

_REQUEST = dataclass_codec(Request, SCALARS)


def encode_request(request: Request) -> str:
    """Return the JSON that is stored beside the entry that answers the request."""
    return json.dumps(_REQUEST.encode(request))


def decode_request(text: str | None) -> Request | None:
    """Return the request. Raises MalformedValue."""
    request: Request | None = _REQUEST.decode(json.loads(text)) if text else None
    return request


def _encode_fields(event: object) -> str | None:
    """Return the fields of an event as JSON. None: it has text that this format escapes, and msgspec does not."""
    try:
        line = _FIELDS_ENCODER.encode(event).decode("ascii")
    except (UnicodeError, OverflowError):
        return None
    return None if "\\u" in line or "\x7f" in line else line


def _parse(line: str) -> dict[str, JsonValue]:
    try:
        data = _DECODER.decode(line)
    except (ValueError, RecursionError) as why:
        raise MalformedValue(f"invalid JSON ({why})") from None
    if type(data) is not dict:
        raise MalformedValue("not a JSON object")
    return data


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def _parse_integer(digits: str) -> int:
    number = int(digits)
    if not -INTEGER_LIMIT <= number < INTEGER_LIMIT:
        raise ValueError(f"{digits} is too large")
    return number


_DIGITS_AS_ZEROS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else byte for byte in range(256))
_LONG_INTEGER = b"0" * len(str(INTEGER_LIMIT))
"""An integer that may be too large, with `_DIGITS_AS_ZEROS`. A regular expression takes ten times as long."""
_FIELDS_ENCODER = msgspec.json.Encoder()
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
_DECODER = json.JSONDecoder(parse_int=_parse_integer, parse_constant=_refuse_constant)
