"""The record of a contest that is over: its log as signed lines, like the record of a match.

The header names the contest. The entries are those of its log, followed by the final standings. Request ids are left
out, since only those who chose them need them; the seed is included, since the contest is over.
"""

import json
from collections.abc import Iterable
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct
from msgspec.structs import replace

from engines.game_errors import shortened
from referee.contests.ladder.events import MatchCorrected, MatchRated, PairingPlanned, SeasonStarted
from referee.contests.ladder.result_counts import estimate_seasons
from referee.contests.ladder.season import LadderStandingsRow
from referee.contests.tables.standings import StandingsRow
from referee.contests.tournament.events import ScoreCorrected
from referee.contests.tournament.tournament_terms import SprtTrial
from referee.hosting.contest_log import ContestEntry, ContestEvent, LadderCreated, TournamentCreated
from referee.hosting.ladder_state import LadderState
from referee.hosting.match_factory import ContestState
from referee.records.record_format import MAX_CONTEST_LINE_BYTES, ContestHeader, RecordWriter
from referee.storage.codec import EventCodec


class RatedRank(Struct, frozen=True, gc=False):
    """One row of the final standings of a ladder."""

    rank: int
    entrant: str
    version: str
    value: float
    deviation: float
    matches: int
    """Number of matches in the rating."""
    provisional: bool
    wins: int
    draws: int
    losses: int
    forfeits: int


class SeasonResult(Struct, frozen=True, gc=False, tag_field="kind", tag="season_standings"):
    """Standings of one season of a ladder at its end."""

    season: int
    rows: tuple[RatedRank, ...]


class TournamentResult(Struct, frozen=True, gc=False, tag_field="kind", tag="standings"):
    """Final standings of a tournament."""

    rows: tuple[StandingsRow, ...]


ContestResult = SeasonResult | TournamentResult
RecordedEvent = ContestEvent | ContestResult

CONTEST_RECORD_CODEC: EventCodec[RecordedEvent] = EventCodec(RecordedEvent)


def decode_contest_event(line: str) -> RecordedEvent:
    """Return the event that the JSON of an entry contains. Raises MalformedEntry."""
    return CONTEST_RECORD_CODEC.decode(line)


def kind_of(event: RecordedEvent) -> str:
    """Return the kind of an event in its written form."""
    return f"`{event.__struct_config__.tag}`"


def describe_difference(recorded: RecordedEvent, again: RecordedEvent) -> str:
    """Return one clause on the first value in which two events differ."""
    if type(recorded) is not type(again):
        return f"the record says {kind_of(recorded)}, by the rules it is {kind_of(again)}"
    path, was, is_ = _first_difference(
        json.loads(CONTEST_RECORD_CODEC.encode(recorded)), json.loads(CONTEST_RECORD_CODEC.encode(again))
    )
    return f"{path} of {kind_of(recorded)} is {_shown(was)} by the record, and {_shown(is_)} by the rules"


def _first_difference(was: Any, other: Any, path: str = "") -> tuple[str, Any, Any]:
    """Return the path to the first values that differ in two JSON values, and both values."""
    if isinstance(was, dict) and isinstance(other, dict) and was.keys() == other.keys():
        return next(_first_difference(was[key], other[key], f"{path}.{key}") for key in was if was[key] != other[key])
    if isinstance(was, list) and isinstance(other, list) and len(was) == len(other):
        pairs = enumerate(zip(was, other, strict=True))
        return next(_first_difference(*both, f"{path}.{at}") for at, both in pairs if both[0] != both[1])
    return path.removeprefix("."), was, other


def _shown(value: Any) -> str:
    return shortened(json.dumps(value))


def contest_results(state: ContestState, rated: Iterable[MatchRated | SeasonStarted]) -> list[ContestResult]:
    """Return the final standings: of a ladder, for each season, given all its matches as they were rated."""
    if isinstance(state, LadderState):
        seasons = estimate_seasons(rated, state.ladder.rated_matches.corrections)
        return [
            SeasonResult(season, tuple(map(_rated_rank, state.ladder.standings(season=season, estimates=estimates))))
            for season, estimates in enumerate(seasons, 1)
        ]
    if isinstance(state.terms.tournament.format, SprtTrial) or not state.tournament.round:
        return []  # A test has a verdict instead, and what never began has no standings.
    return [TournamentResult(tuple(state.tournament.standings()))]


def rating_events(events: Iterable[RecordedEvent]) -> list[MatchRated | SeasonStarted]:
    """Return the events that estimates follow from, without rating changes, which take most of the memory."""
    rated = (event for event in events if isinstance(event, MatchRated | SeasonStarted))
    return [replace(event, changes=()) if isinstance(event, MatchRated) else event for event in rated]


def _rated_rank(row: LadderStandingsRow) -> RatedRank:
    rating, record = row.rating, row.record
    return RatedRank(
        row.rank,
        row.entrant.name,
        row.player.version,
        rating.rating.value,
        rating.rating.deviation,
        rating.matches,
        row.provisional,
        record.wins,
        record.draws,
        record.losses,
        record.forfeits,
    )


class ContestRecordWriter:
    """Writes the record of a contest. Each method raises LineTooLong."""

    def __init__(self, contest: str, key: Ed25519PrivateKey, referee: str) -> None:
        """`referee` is the version of the referee, for information."""
        self._writer = RecordWriter(ContestHeader(referee, contest), MAX_CONTEST_LINE_BYTES)
        self._key = key
        self._last_ms = 0
        self._rated: list[MatchRated | SeasonStarted] = []

    @property
    def header(self) -> bytes:
        """The first line."""
        return self._writer.header

    def entries(self, entries: Iterable[ContestEntry]) -> list[bytes]:
        """Return the lines of the next entries of the log."""
        entries = list(entries)
        self._rated += rating_events(entry.event for entry in entries)
        return [self._line(entry.at_ms, _without_request_ids(entry)) for entry in entries]

    def end(self, state: ContestState) -> list[bytes]:
        """Return the lines after those of the log, given the last state."""
        return [
            *(self._line(self._last_ms, result) for result in contest_results(state, self._rated)),
            self._writer.signature(self._key),
        ]

    def _line(self, at_ms: int, event: RecordedEvent) -> bytes:
        self._last_ms = at_ms
        return self._writer.entry(at_ms, CONTEST_RECORD_CODEC.encode(event))


def _without_request_ids(entry: ContestEntry) -> ContestEvent:
    """Return the event without what callers chose; challenges and corrections keep ids that are as unique."""
    event = entry.event
    if isinstance(event, MatchCorrected | ScoreCorrected):
        return replace(event, correction=replace(event.correction, request=f"correction {entry.number}"))
    if isinstance(event, LadderCreated | TournamentCreated):
        return replace(event, request_id="")
    if isinstance(event, PairingPlanned) and event.challenge:
        return replace(event, challenge=f"challenge {event.pairing.id}")
    return replace(event, request="") if isinstance(event, SeasonStarted) else event
