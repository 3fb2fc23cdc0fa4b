"""Fetch the data of a report from a running server."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeAlias, TypeVar

from referee_api.v1 import contest_pb2, match_pb2, rating_pb2
from referee_client import Organiser, Refused

from referee.reporting.ladder_report import build_ladder_report, name_of
from referee.reporting.message_conversion import EntrantIndex
from referee.reporting.record_statistics import RecordStatistics
from referee.reporting.report import Report
from referee.reporting.snapshot import Snapshot, read_snapshot
from referee.reporting.tournament_report import build_tournament_report

MAX_RECORDS = 250
"""Newest records to fetch. Each takes a call, and reports should not use up the rate limit."""
MAX_PAIRINGS = 2_000
"""First pairings to show: enough for nine rounds of 400 entrants."""
CONCURRENT_CALLS = 8

T = TypeVar("T")

Progress: TypeAlias = Callable[[int, int], None]


def no_progress(_done: int, _of: int) -> None:
    """Ignore progress."""


def tournament_report(organiser: Organiser, name: str, full: bool = True, progress: Progress = no_progress) -> Report:
    """Fetch the report of a tournament; without times and rounds unless `full`.

    `progress` is called with the number of records read and their total. The report shows a single state, even while
    matches are played: later results are left out. Raises the errors of the organiser client.
    """
    exported = organiser.tournaments.export(name, "json")
    tournament = organiser.tournaments.get(name)
    snapshot = read_snapshot(exported, tournament.terms.tie_breaks)
    tournament = snapshot.restrict(tournament)
    played = snapshot.match_ids
    matches = [match for match in organiser.tournaments.matches(name) if match.id in played]
    statistics = _fetch_statistics(organiser, matches if full else (), EntrantIndex(tournament.entrants), progress)
    return build_tournament_report(tournament, snapshot.table, matches, statistics, _meetings(snapshot) if full else ())


def _meetings(snapshot: Snapshot) -> Sequence[contest_pb2.Pairing]:
    """Return the first pairings by round; none for an SPRT, which has no rounds."""
    if snapshot.table.HasField("sprt"):
        return ()
    return sorted(snapshot.pairings, key=lambda it: (it.round, it.board))[:MAX_PAIRINGS]


def ladder_report(organiser: Organiser, name: str, full: bool = True, progress: Progress = no_progress) -> Report:
    """Fetch the report of a ladder; without times and rating histories unless `full`. See `tournament_report`."""
    ladder = organiser.ladders.get(name)
    standings = organiser.ladders.standings(name)
    matches = list(organiser.ladders.matches(name))
    entrants = EntrantIndex(row.entrant for row in standings)
    with ThreadPoolExecutor(CONCURRENT_CALLS) as executor:
        names = [name_of(row) for row in standings] if full else []
        histories = dict(zip(names, executor.map(lambda who: _history(organiser, name, who), names), strict=True))
    statistics = _fetch_statistics(organiser, matches if full else (), entrants, progress)
    return build_ladder_report(ladder, standings, matches, histories, statistics)


def _history(organiser: Organiser, ladder: str, who: str) -> Sequence[rating_pb2.RatingPoint]:
    """Fetch the rating history of an entrant; empty if there is none."""
    return _answer(lambda: list(organiser.ladders.history(ladder, who))) or []


def _fetch_statistics(
    organiser: Organiser, matches: Iterable[match_pb2.Match], entrants: EntrantIndex, progress: Progress
) -> RecordStatistics:
    """Compute statistics from the records that are available."""
    statistics = RecordStatistics(entrants.find)
    played = (match.id for match in matches if match.HasField("result"))
    newest = list(islice(played, MAX_RECORDS))
    with ThreadPoolExecutor(CONCURRENT_CALLS) as executor:
        records = executor.map(lambda match: _answer(lambda: organiser.record_bytes(match)), newest)
        for number, record in enumerate(records, 1):
            if record:
                statistics.add_record(record)
            progress(number, len(newest))
    return statistics


def _answer(ask: Callable[[], T]) -> T | None:
    """Call the server; return None on an error, as for records that are archived or not yet visible."""
    try:
        return ask()
    except Refused:
        return None
