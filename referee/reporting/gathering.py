"""All that a report needs, asked of a referee that runs."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeAlias, TypeVar

from referee_api.v1 import contest_pb2, match_pb2, rating_pb2
from referee_client import Organiser, Refused

from referee.reporting.of_ladder import name_of, of_ladder
from referee.reporting.of_tournament import of_tournament
from referee.reporting.report import Report
from referee.reporting.snapshot import Snapshot, read_snapshot
from referee.reporting.timing import Stopwatches
from referee.reporting.wire import Entrants

RECORDS_AT_MOST = 250
"""The newest. Each is a call, and what an organiser may call in a minute is not to be used up by looking."""
PAIRINGS_AT_MOST = 2_000
"""The first ones: nine rounds of 400 entrants."""
AT_ONCE = 8

T = TypeVar("T")

Progress: TypeAlias = Callable[[int, int], None]


def in_silence(_done: int, _of: int) -> None:
    """Shows nothing."""


def tournament_report(organiser: Organiser, name: str, whole: bool = True, progress: Progress = in_silence) -> Report:
    """Without times used, if not `whole`. `progress` is told how many records are read, and of how many.

    All of it tells of one state, also while matches are played: whatever ends meanwhile is left out. Raises what an
    organiser raises.
    """
    exported = organiser.tournaments.export(name, "json")
    tournament = organiser.tournaments.get(name)
    snapshot = read_snapshot(exported, tournament.terms.tie_breaks)
    tournament = snapshot.of_then(tournament)
    played = snapshot.match_ids
    matches = [match for match in organiser.tournaments.matches(name) if match.id in played]
    watches = _timed(organiser, matches if whole else (), Entrants(tournament.entrants), progress)
    return of_tournament(tournament, snapshot.table, matches, watches, _meetings(snapshot) if whole else ())


def _meetings(snapshot: Snapshot) -> Sequence[contest_pb2.Pairing]:
    """The first pairings, by round; none of a test, whose sets are no rounds."""
    if snapshot.table.HasField("sprt"):
        return ()
    return sorted(snapshot.pairings, key=lambda it: (it.round, it.board))[:PAIRINGS_AT_MOST]


def ladder_report(organiser: Organiser, name: str, whole: bool = True, progress: Progress = in_silence) -> Report:
    """Without times used and histories, if not `whole`. `progress` as above. Raises what an organiser raises."""
    ladder = organiser.ladders.get(name)
    standings = organiser.ladders.standings(name)
    matches = list(organiser.ladders.matches(name))
    entrants = Entrants(row.entrant for row in standings)
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        names = [name_of(row) for row in standings] if whole else []
        histories = dict(zip(names, crowd.map(lambda who: _history(organiser, name, who), names), strict=True))
    watches = _timed(organiser, matches if whole else (), entrants, progress)
    return of_ladder(ladder, standings, matches, histories, watches)


def _history(organiser: Organiser, ladder: str, who: str) -> Sequence[rating_pb2.RatingPoint]:
    """Nothing, if the referee keeps none of it."""
    return _answer(lambda: list(organiser.ladders.history(ladder, who))) or []


def _timed(
    organiser: Organiser, matches: Iterable[match_pb2.Match], entrants: Entrants, progress: Progress
) -> Stopwatches:
    """By the records, as far as they are out."""
    watches = Stopwatches(entrants.of)
    played = (match.id for match in matches if match.HasField("result"))
    newest = list(islice(played, RECORDS_AT_MOST))
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        records = crowd.map(lambda match: _answer(lambda: organiser.record_bytes(match)), newest)
        for number, record in enumerate(records, 1):
            if record:
                watches.take(record)
            progress(number, len(newest))
    return watches


def _answer(ask: Callable[[], T]) -> T | None:
    """None if it is refused: no report is the worse for a record that is archived, or still sealed."""
    try:
        return ask()
    except Refused:
        return None
