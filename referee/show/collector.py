"""Collect the data of a report: from a running server, or from the results folder that it was saved to.

Separate calls for standings, SPRT state and pairings could return different states while matches are played. Of a
tournament they are taken from its exported JSON, which has all of one state; of a ladder, from the snapshot with which
a watch begins. What was listed later is left out.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message
from msgspec import structs
from referee_api.conversion import to_message, to_value
from referee_api.v1 import contest_pb2, match_pb2, tournament_pb2
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse
from referee_client import Organiser, Refused
from referee_client.organiser.responses import TournamentTable
from referee_values import (
    AbsentBoard,
    EloEstimate,
    EntrantJoined,
    EntrantLeft,
    LadderEntry,
    LadderSnapshot,
    LadderStanding,
    Match,
    MatchCorrection,
    MatchRated,
    Pairing,
    RatingPoint,
    SeasonStarted,
    SprtState,
    TieBreak,
    TieBreakValue,
    Tournament,
    TournamentPhase,
    TournamentStanding,
    Value,
)

from referee.records.packed_format import PackageMissing
from referee.records.packed_reader import read_records
from referee.records.record_reader import RecordInvalid
from referee.show.arranged_results import ReviewedMatch
from referee.show.record_statistics import RecordStatistics, read_moves
from referee.show.report import Report
from referee.show.report_builder import build_ladder_report, build_tournament_report, name_of
from referee.show.value_conversion import EntrantIndex, reviewed_match

MAX_RECORDS = 250
"""Newest records to fetch. Each takes a call, and reports should not use up the rate limit."""
MAX_REVIEWED = 2_000
"""Newest matches of a ladder to review."""
MAX_PAIRINGS = 2_000
"""First pairings to show: enough for nine rounds of 400 entrants."""
CONCURRENT_CALLS = 8
SNAPSHOT_ROWS = 100
"""Rows of the standings in the snapshot of a ladder, as the contract says."""
SNAPSHOT_ATTEMPTS = 10
"""Attempts to read the longer standings of a ladder before its next match is rated."""
STANDINGS_EVENTS = (MatchRated, MatchCorrection, EntrantJoined, EntrantLeft, SeasonStarted)
"""Entries of a ladder that change its standings."""

T = TypeVar("T")
V = TypeVar("V", bound=Value)

Progress: TypeAlias = Callable[[int, int], None]
REPORT_DATA = "report-data.json"
RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a tournament that has started."""

    phase: TournamentPhase
    table: TournamentTable
    pairings: Sequence[Pairing]
    """In the order in which they were planned."""
    repeated: frozenset[str] = frozenset()
    """Ids of matches that repeat the games of others."""

    @property
    def match_ids(self) -> frozenset[str]:
        """Matches of the pairings that are done, which the standings include."""
        done = (pairing for pairing in self.pairings if pairing.phase == "done")
        return frozenset(match_id for pairing in done for match_id in pairing.match_ids)

    @property
    def corrections(self) -> Sequence[MatchCorrection]:
        """Corrections that count, in the order of pairings."""
        return [correction for pairing in self.pairings for correction in pairing.corrections]

    def restrict(self, tournament: Tournament) -> Tournament:
        """Return a later state of the tournament without the changes since the snapshot."""
        there = {row.entrant for row in self.table.standings}
        return structs.replace(
            tournament,
            phase=self.phase,
            end_time=tournament.end_time if self.phase == tournament.phase else None,
            entrants=tuple(entrant for entrant in tournament.entrants if entrant.name in there),
        )


def read_snapshot(exported: str, tie_breaks: Sequence[TieBreak]) -> Snapshot:
    """Parse the exported JSON. `tie_breaks` are those of the tournament, in order."""
    data = json.loads(exported)
    standings = tuple(_standing(row, tie_breaks) for row in data["standings"])
    test = _sprt_state(data["test"]) if data["test"] else None
    return Snapshot(
        data["phase"],
        TournamentTable(standings=standings, sprt=test),
        [_pairing(pairing) for pairing in data["pairings"]],
        frozenset(data.get("repeated", ())),
    )


def _standing(row: Mapping[str, Any], tie_breaks: Iterable[TieBreak]) -> TournamentStanding:
    return TournamentStanding(
        tie_breaks=tuple(TieBreakValue(tie_break=name, value=row["tie_breaks"][name]) for name in tie_breaks),
        estimate=_estimate(row["estimate"]) if row["estimate"] else None,
        no_shows=row.get("no_shows", 0),
        **{name: row[name] for name in ("rank", "entrant", "points", "wins", "draws", "losses", "forfeits", "byes")},
    )


def _sprt_state(state: Mapping[str, Any]) -> SprtState:
    return SprtState(
        verdict=state["verdict"],
        llr=state["llr"],
        llr_lower=state["lower"],
        llr_upper=state["upper"],
        counts=tuple(state["counts"]),
        estimate=_estimate(state["estimate"]),
        matches=state["matches"],
        expected_matches_left=state["matches_to_go"],
        repeated_matches=state.get("repeated", 0),
        first_seat_elo=state.get("first_seat", 0.0),
    )


def _estimate(data: Mapping[str, float]) -> EloEstimate:
    return EloEstimate(elo=data["elo"], low_elo=data["low"], high_elo=data["high"], superiority=data["superiority"])


def _pairing(data: Mapping[str, Any]) -> Pairing:
    boards = data.get("absent_boards", {}).items()
    return Pairing(
        phase="done" if data["done"] else "playing" if data["match_ids"] else "planned",
        void_matches=data["voided"],
        absent_entrants=tuple(data.get("absent", ())),
        absent_boards=tuple(AbsentBoard(board=int(board), entrants=tuple(names)) for board, names in boards),
        corrections=tuple(_correction(correction) for correction in data.get("corrections", ())),
        entrants=tuple(data["entrants"]),
        match_ids=tuple(data["match_ids"]),
        points=tuple(data["points"]),
        **{name: data[name] for name in ("id", "round", "board")},
    )


def _correction(data: Mapping[str, Any]) -> MatchCorrection:
    same = {name: data[name] for name in ("match_id", "kind", "message", "by")}
    return MatchCorrection(ranks=tuple(data["ranks"]), **same)


def no_progress(_done: int, _of: int) -> None:
    """Ignore progress."""


def tournament_report(organiser: Organiser, name: str, full: bool = True, progress: Progress = no_progress) -> Report:
    """Fetch the report of a tournament; without times and rounds unless `full`.

    `progress` is called with the number of records read and their total. The report shows a single state, even while
    matches are played: later results are left out. Raises the errors of the organiser client.
    """
    tournament, snapshot, matches = _fetch_tournament(organiser, name)
    statistics = _fetch_statistics(organiser, matches if full else (), EntrantIndex(tournament.entrants), progress)
    return build_tournament_report(
        tournament,
        snapshot.table,
        matches,
        statistics,
        snapshot.repeated,
        _first_pairings(snapshot) if full else (),
        snapshot.corrections,
    )


def _fetch_tournament(organiser: Organiser, name: str) -> tuple[Tournament, Snapshot, Sequence[Match]]:
    """Return a tournament, its snapshot, and the matches that it includes, all of one state."""
    exported = organiser.tournaments.export(name, "json")
    tournament = organiser.tournaments.get(name)
    snapshot = read_snapshot(exported, tournament.terms.tie_breaks)
    played = snapshot.match_ids
    matches = [match for match in organiser.tournaments.matches(name) if match.id in played]
    return snapshot.restrict(tournament), snapshot, matches


def _first_pairings(snapshot: Snapshot) -> Sequence[Pairing]:
    """Return the first pairings by round; none for an SPRT, which has no rounds."""
    if snapshot.table.sprt:
        return ()
    return sorted(snapshot.pairings, key=lambda pairing: (pairing.round, pairing.board))[:MAX_PAIRINGS]


def ladder_report(organiser: Organiser, name: str, full: bool = True, progress: Progress = no_progress) -> Report:
    """Fetch the report of a ladder; without times and rating histories unless `full`. See `tournament_report`."""
    snapshot, standings = _fetch_standings(organiser, name)
    matches = list(organiser.ladders.matches(name))
    entrants = EntrantIndex(row.entrant for row in standings)
    with ThreadPoolExecutor(CONCURRENT_CALLS) as executor:
        names = [name_of(row) for row in standings] if full else []
        histories = dict(zip(names, executor.map(lambda who: _history(organiser, name, who), names), strict=True))
    later = [entry.event for entry in _later_entries(organiser, name, snapshot.entry_number)]
    rated = {event.match_id for event in later if isinstance(event, MatchRated)}
    matches = [match for match in matches if match.id not in rated]
    statistics = _fetch_statistics(organiser, matches if full else (), entrants, progress)
    histories = {who: [point for point in points if point.match_id not in rated] for who, points in histories.items()}
    return build_ladder_report(snapshot.ladder, standings, matches, histories, statistics, snapshot.corrections)


def ladder_review(organiser: Organiser, name: str, progress: Progress = no_progress) -> list[ReviewedMatch]:
    """Fetch the newest rated matches between two entrants of a ladder; the newest records have their moves."""
    listed = islice(organiser.ladders.matches(name), MAX_REVIEWED)
    matches = [match for match in listed if len(match.ratings) == 2 and len(match.seats) == 2]
    moves: dict[str, tuple[str, ...] | None] = {}
    for match, record in _fetch_records(organiser, [match.id for match in matches[:MAX_RECORDS]], progress):
        moves[match] = read_moves(record)
    return [reviewed_match(match, moves.get(match.id)) for match in matches]


def _fetch_standings(organiser: Organiser, name: str) -> tuple[LadderSnapshot, Sequence[LadderStanding]]:
    """Return the snapshot of a ladder, and all rows of its standings at the same entry.

    Standings that are longer than the snapshot take a call of their own; if they have changed in between, it is
    repeated. After the last attempt they may be a little later than the snapshot.
    """
    attempts = 0
    while True:
        snapshot = organiser.ladders.snapshot(name)
        if len(snapshot.standings) < SNAPSHOT_ROWS:
            return snapshot, snapshot.standings
        standings = organiser.ladders.standings(name)
        later = _later_entries(organiser, name, snapshot.entry_number)
        attempts += 1
        if attempts == SNAPSHOT_ATTEMPTS or not any(isinstance(entry.event, STANDINGS_EVENTS) for entry in later):
            return snapshot, standings


def _later_entries(organiser: Organiser, name: str, number: int) -> Collection[LadderEntry]:
    """Return the entries of a ladder after that number, up to now."""
    last = organiser.ladders.snapshot(name).entry_number
    watching = organiser.ladders.watch(name, number)
    try:
        return list(islice(watching, last - number))
    finally:
        watching.close()


def _history(organiser: Organiser, ladder: str, who: str) -> Sequence[RatingPoint]:
    """Fetch the rating history of an entrant; empty if there is none."""
    return _answer(lambda: list(organiser.ladders.history(ladder, who))) or []


def _fetch_statistics(
    organiser: Organiser, matches: Iterable[Match], entrants: EntrantIndex, progress: Progress
) -> RecordStatistics:
    """Compute statistics from the records that are available."""
    statistics = RecordStatistics(entrants.find)
    played = (match.id for match in matches if match.result)
    for _, record in _fetch_records(organiser, list(islice(played, MAX_RECORDS)), progress):
        statistics.add_record(record)
    return statistics


def _fetch_records(organiser: Organiser, match_ids: Sequence[str], progress: Progress) -> Iterator[tuple[str, bytes]]:
    """Yield the records that are available, with the ids of their matches."""
    with ThreadPoolExecutor(CONCURRENT_CALLS) as executor:
        records = executor.map(lambda match: _answer(lambda: organiser.record_bytes(match)), match_ids)
        for number, (match_id, record) in enumerate(zip(match_ids, records, strict=True), 1):
            if record:
                yield match_id, record
            progress(number, len(match_ids))


def _answer(ask: Callable[[], T]) -> T | None:
    """Call the server; return None on an error, as for records that are archived or not yet visible."""
    try:
        return ask()
    except Refused:
        return None


class ReportDataMissing(Exception):
    """The folder has no readable report data; `str()` is one sentence."""


def save_report_data(organiser: Organiser, name: str, folder: Path) -> None:
    """Save the data of one state of a tournament atomically. Its records are in the folder already."""
    tournament, snapshot, matches = _fetch_tournament(organiser, name)
    data = {
        "tournament": _to_json(tournament, tournament_pb2.Tournament),
        "table": _to_json(snapshot.table, GetTournamentStandingsResponse),
        "matches": {"matches": [_to_json(match, match_pb2.Match) for match in matches]},
        "repeated": sorted(snapshot.repeated),
        "corrections": [_to_json(correction, contest_pb2.MatchCorrection) for correction in snapshot.corrections],
    }
    part = folder / f"{REPORT_DATA}.part"
    part.write_text(f"{json.dumps(data, indent=1, sort_keys=True)}\n", encoding="utf-8")
    part.replace(folder / REPORT_DATA)


def _to_json(value: Value, kind: type[Message]) -> dict[str, Any]:
    return json_format.MessageToDict(to_message(value, kind))


def _from_json(kind: type[V], data: Any, message: Message) -> V:
    """Raises TypeError or ParseError."""
    return to_value(json_format.ParseDict(data, message, ignore_unknown_fields=True), kind)


def read_saved_report(folder: Path) -> Report:
    """Build the report of a results folder. Raises ReportDataMissing."""
    try:
        data = json.loads((folder / REPORT_DATA).read_text(encoding="utf-8"))
        tournament = _from_json(Tournament, data["tournament"], tournament_pb2.Tournament())
        table = _from_json(TournamentTable, data["table"], GetTournamentStandingsResponse())
        matches = [_from_json(Match, match, match_pb2.Match()) for match in data["matches"].get("matches", ())]
        repeated = frozenset(data.get("repeated", ()))
        made = [_from_json(MatchCorrection, raw, contest_pb2.MatchCorrection()) for raw in data.get("corrections", ())]
    except FileNotFoundError:
        raise ReportDataMissing(f"{folder} is not the folder of a tournament run: it has no {REPORT_DATA}") from None
    except (OSError, ValueError, KeyError, TypeError, json_format.ParseError) as error:
        raise ReportDataMissing(f"{folder / REPORT_DATA} cannot be read: {error}") from None
    played = {match.id for match in matches}
    statistics = RecordStatistics(EntrantIndex(tournament.entrants).find, played)
    try:
        for name, record in read_records(path for path in [folder / RECORDS] if path.exists()):
            if isinstance(record, RecordInvalid):
                raise ReportDataMissing(f"{name}: {record}")
            statistics.add_record(record)
    except PackageMissing as why:
        raise ReportDataMissing(str(why)) from None
    return build_tournament_report(tournament, table, matches, statistics, repeated, corrections=made)
