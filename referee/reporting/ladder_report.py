"""Build the report of a ladder from messages of the contract."""

from collections.abc import Mapping, Sequence

from referee_api.v1 import ladder_pb2, match_pb2, rating_pb2

from referee.reporting.formatting import moment
from referee.reporting.message_conversion import EntrantIndex, clock_text, finished_games, rules_text
from referee.reporting.record_statistics import RecordStatistics
from referee.reporting.report import Point, Rating, Report, Row


def build_ladder_report(
    ladder: ladder_pb2.Ladder,
    standings: Sequence[ladder_pb2.LadderStanding],
    matches: Sequence[match_pb2.Match],
    histories: Mapping[str, Sequence[rating_pb2.RatingPoint]],
    statistics: RecordStatistics,
) -> Report:
    games = finished_games(matches, EntrantIndex(row.entrant for row in standings))
    return Report(
        "ladder",
        ladder.name,
        ladder.title or ladder.name,
        _facts(ladder, len(games)),
        tuple(map(_row, standings)),
        games,
        histories={name: tuple(map(_point, points)) for name, points in histories.items()},
        times=statistics.times(),
        timed_matches=statistics.matches,
        illegal_moves=tuple(statistics.illegal_moves),
    )


def name_of(row: ladder_pb2.LadderStanding) -> str:
    """Return the name of the entrant."""
    return row.entrant.name or row.entrant.bots[0].bot


def _facts(ladder: ladder_pb2.Ladder, games: int) -> tuple[tuple[str, str], ...]:
    terms = ladder.terms.match_terms
    return (
        ("Game" if len(terms) == 1 else "Games", "; ".join(rules_text(one.rules) for one in terms)),
        ("Clock", "; ".join(dict.fromkeys(clock_text(one.time_control) for one in terms))),
        ("State", "closed" if ladder.closed else "paused" if ladder.paused else "open"),
        ("Season", str(ladder.season)),
        ("Entrants", str(ladder.entrant_count)),
        ("Matches", str(games)),
        ("Created", moment(ladder.create_time.ToMilliseconds())),
    )


def _row(row: ladder_pb2.LadderStanding) -> Row:
    rating = Rating(row.rating.value, row.rating.deviation, row.rating.provisional)
    return Row(row.rank, name_of(row), row.wins, row.draws, row.losses, row.forfeits, rating=rating)


def _point(point: rating_pb2.RatingPoint) -> Point:
    return Point(point.match_end_time.ToMilliseconds(), point.rating.value, point.rating.deviation)
