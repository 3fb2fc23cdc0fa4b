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
from referee_api.v1 import contest_pb2, ladder_pb2, match_pb2, rating_pb2, sprt_pb2, tournament_pb2
from referee_api.v1.ladder_service_pb2 import LadderSnapshot
from referee_api.v1.match_service_pb2 import ListMatchesResponse
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse
from referee_client import Organiser, Refused

from referee.reporting.arranged_results import ReviewedMatch
from referee.reporting.message_conversion import EntrantIndex, reviewed_match
from referee.reporting.record_statistics import RecordStatistics, read_moves
from referee.reporting.report import Report
from referee.reporting.report_builder import build_ladder_report, build_tournament_report, name_of

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
STANDINGS_EVENTS = frozenset({"match_rated", "match_corrected", "entrant_joined", "entrant_left", "season_started"})
"""Entries of a ladder that change its standings."""

T = TypeVar("T")

Progress: TypeAlias = Callable[[int, int], None]
REPORT_DATA = "report-data.json"
RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One state of a tournament that has started."""

    phase: tournament_pb2.TournamentPhase.ValueType
    table: GetTournamentStandingsResponse
    pairings: Sequence[contest_pb2.Pairing]
    """In the order in which they were planned."""
    repeated: frozenset[str] = frozenset()
    """Ids of matches that repeat the games of others."""

    @property
    def match_ids(self) -> frozenset[str]:
        """Matches of the pairings that are done, which the standings include."""
        done = (pairing for pairing in self.pairings if pairing.phase == contest_pb2.PAIRING_PHASE_DONE)
        return frozenset(match_id for pairing in done for match_id in pairing.match_ids)

    @property
    def corrections(self) -> Sequence[contest_pb2.MatchCorrection]:
        """Corrections that count, in the order of pairings."""
        return [one for pairing in self.pairings for one in pairing.corrections]

    def restrict(self, tournament: tournament_pb2.Tournament) -> tournament_pb2.Tournament:
        """Return a later state of the tournament without the changes since the snapshot."""
        then = tournament_pb2.Tournament()
        then.CopyFrom(tournament)
        if self.phase != tournament.phase:
            then.phase = self.phase
            then.ClearField("end_time")
        there = {row.entrant for row in self.table.standings}
        del then.entrants[:]
        then.entrants.extend(entrant for entrant in tournament.entrants if entrant.name in there)
        return then


def read_snapshot(exported: str, tie_breaks: Sequence[tournament_pb2.TieBreak.ValueType]) -> Snapshot:
    """Parse the exported JSON. `tie_breaks` are those of the tournament, in order."""
    data = json.loads(exported)
    names = [tournament_pb2.TieBreak.Name(one).removeprefix("TIE_BREAK_").lower() for one in tie_breaks]
    standings = [_standing(row, zip(tie_breaks, names, strict=True)) for row in data["standings"]]
    test = _sprt_state(data["test"]) if data["test"] else None
    return Snapshot(
        tournament_pb2.TournamentPhase.Value(f"TOURNAMENT_PHASE_{data['phase'].upper()}"),
        GetTournamentStandingsResponse(standings=standings, sprt=test),
        [_pairing(pairing) for pairing in data["pairings"]],
        frozenset(data.get("repeated", ())),
    )


def _standing(
    row: Mapping[str, Any], tie_breaks: Iterable[tuple[tournament_pb2.TieBreak.ValueType, str]]
) -> tournament_pb2.TournamentStanding:
    return tournament_pb2.TournamentStanding(
        tie_breaks=[
            tournament_pb2.TieBreakValue(tie_break=number, value=row["tie_breaks"][name]) for number, name in tie_breaks
        ],
        estimate=_estimate(row["estimate"]) if row["estimate"] else None,
        no_shows=row.get("no_shows", 0),
        **{name: row[name] for name in ("rank", "entrant", "points", "wins", "draws", "losses", "forfeits", "byes")},
    )


def _sprt_state(state: Mapping[str, Any]) -> sprt_pb2.SprtState:
    return sprt_pb2.SprtState(
        verdict=sprt_pb2.SprtVerdict.Value(f"SPRT_VERDICT_{state['verdict'].upper()}"),
        llr=state["llr"],
        llr_lower=state["lower"],
        llr_upper=state["upper"],
        counts=state["counts"],
        estimate=_estimate(state["estimate"]),
        matches=state["matches"],
        expected_matches_left=state["matches_to_go"],
        repeated_matches=state.get("repeated", 0),
        first_seat_elo=state.get("first_seat", 0.0),
    )


def _estimate(data: Mapping[str, float]) -> rating_pb2.EloEstimate:
    return rating_pb2.EloEstimate(
        elo=data["elo"], low_elo=data["low"], high_elo=data["high"], superiority=data["superiority"]
    )


def _pairing(data: Mapping[str, Any]) -> contest_pb2.Pairing:
    begun = contest_pb2.PAIRING_PHASE_PLAYING if data["match_ids"] else contest_pb2.PAIRING_PHASE_PLANNED
    phase = contest_pb2.PAIRING_PHASE_DONE if data["done"] else begun
    same = {name: data[name] for name in ("id", "round", "board", "entrants", "match_ids", "points")}
    boards = [
        contest_pb2.AbsentBoard(board=int(board), entrants=names)
        for board, names in data.get("absent_boards", {}).items()
    ]
    return contest_pb2.Pairing(
        phase=phase,
        void_matches=data["voided"],
        absent_entrants=data.get("absent", ()),
        absent_boards=boards,
        corrections=[_correction(one) for one in data.get("corrections", ())],
        **same,
    )


def _correction(data: Mapping[str, Any]) -> contest_pb2.MatchCorrection:
    kind = contest_pb2.CorrectionKind.Value(f"CORRECTION_KIND_{data['kind'].upper()}")
    same = {name: data[name] for name in ("match_id", "ranks", "message", "by")}
    return contest_pb2.MatchCorrection(kind=kind, **same)


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
        _meetings(snapshot) if full else (),
        snapshot.corrections,
    )


def _fetch_tournament(
    organiser: Organiser, name: str
) -> tuple[tournament_pb2.Tournament, Snapshot, Sequence[match_pb2.Match]]:
    """Return a tournament, its snapshot, and the matches that it includes, all of one state."""
    exported = organiser.tournaments.export(name, "json")
    tournament = organiser.tournaments.get(name)
    snapshot = read_snapshot(exported, tournament.terms.tie_breaks)
    played = snapshot.match_ids
    matches = [match for match in organiser.tournaments.matches(name) if match.id in played]
    return snapshot.restrict(tournament), snapshot, matches


def _meetings(snapshot: Snapshot) -> Sequence[contest_pb2.Pairing]:
    """Return the first pairings by round; none for an SPRT, which has no rounds."""
    if snapshot.table.HasField("sprt"):
        return ()
    return sorted(snapshot.pairings, key=lambda it: (it.round, it.board))[:MAX_PAIRINGS]


def ladder_report(organiser: Organiser, name: str, full: bool = True, progress: Progress = no_progress) -> Report:
    """Fetch the report of a ladder; without times and rating histories unless `full`. See `tournament_report`."""
    snapshot, standings = _fetch_standings(organiser, name)
    matches = list(organiser.ladders.matches(name))
    entrants = EntrantIndex(row.entrant for row in standings)
    with ThreadPoolExecutor(CONCURRENT_CALLS) as executor:
        names = [name_of(row) for row in standings] if full else []
        histories = dict(zip(names, executor.map(lambda who: _history(organiser, name, who), names), strict=True))
    rated = {entry.match_rated.match_id for entry in _later_entries(organiser, name, snapshot.entry_number)}
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


def _fetch_standings(organiser: Organiser, name: str) -> tuple[LadderSnapshot, Sequence[ladder_pb2.LadderStanding]]:
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
        if attempts == SNAPSHOT_ATTEMPTS or STANDINGS_EVENTS.isdisjoint(entry.WhichOneof("event") for entry in later):
            return snapshot, standings


def _later_entries(organiser: Organiser, name: str, number: int) -> Collection[ladder_pb2.LadderEntry]:
    """Return the entries of a ladder after that number, up to now."""
    last = organiser.ladders.snapshot(name).entry_number
    watching = organiser.ladders.watch(name, number)
    try:
        return list(islice(watching, last - number))
    finally:
        watching.close()


def _history(organiser: Organiser, ladder: str, who: str) -> Sequence[rating_pb2.RatingPoint]:
    """Fetch the rating history of an entrant; empty if there is none."""
    return _answer(lambda: list(organiser.ladders.history(ladder, who))) or []


def _fetch_statistics(
    organiser: Organiser, matches: Iterable[match_pb2.Match], entrants: EntrantIndex, progress: Progress
) -> RecordStatistics:
    """Compute statistics from the records that are available."""
    statistics = RecordStatistics(entrants.find)
    played = (match.id for match in matches if match.HasField("result"))
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
        "tournament": json_format.MessageToDict(tournament),
        "table": json_format.MessageToDict(snapshot.table),
        "matches": json_format.MessageToDict(ListMatchesResponse(matches=matches)),
        "repeated": sorted(snapshot.repeated),
        "corrections": [json_format.MessageToDict(one) for one in snapshot.corrections],
    }
    part = folder / f"{REPORT_DATA}.part"
    part.write_text(f"{json.dumps(data, indent=1, sort_keys=True)}\n", encoding="utf-8")
    part.replace(folder / REPORT_DATA)


def read_saved_report(folder: Path) -> Report:
    """Build the report of a results folder. Raises ReportDataMissing."""
    try:
        data = json.loads((folder / REPORT_DATA).read_text(encoding="utf-8"))
        tournament = json_format.ParseDict(data["tournament"], tournament_pb2.Tournament(), ignore_unknown_fields=True)
        table = json_format.ParseDict(data["table"], GetTournamentStandingsResponse(), ignore_unknown_fields=True)
        matches = json_format.ParseDict(data["matches"], ListMatchesResponse(), ignore_unknown_fields=True)
        repeated = frozenset(data.get("repeated", ()))
        made = [json_format.ParseDict(it, contest_pb2.MatchCorrection()) for it in data.get("corrections", ())]
    except FileNotFoundError:
        raise ReportDataMissing(f"{folder} is not the folder of a tournament run: it has no {REPORT_DATA}") from None
    except (OSError, ValueError, KeyError, TypeError, json_format.ParseError) as error:
        raise ReportDataMissing(f"{folder / REPORT_DATA} cannot be read: {error}") from None
    played = {match.id for match in matches.matches}
    statistics = RecordStatistics(EntrantIndex(tournament.entrants).find, played)
    for record in sorted((folder / RECORDS).glob("*.jsonl")):
        try:
            statistics.add_record(record.read_bytes())
        except OSError as error:
            raise ReportDataMissing(f"{record} cannot be read: {error.strerror}") from None
    return build_tournament_report(tournament, table, matches.matches, statistics, repeated, corrections=made)
