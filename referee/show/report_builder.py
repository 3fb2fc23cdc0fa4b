"""Build the report of a tournament or a ladder from values of the client."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from referee_api.conversion import to_message
from referee_api.v1 import clock_pb2, tournament_pb2
from referee_client.organiser.responses import TournamentTable
from referee_values import (
    Ladder,
    LadderStanding,
    Match,
    MatchCorrection,
    Pairing,
    RatingPoint,
    TimeControl,
    Tournament,
    TournamentStanding,
)

from referee.contests.strength.rating import RatingRecord, compute_rating_updates
from referee.show.formatting import moment, plain
from referee.show.record_statistics import RecordStatistics
from referee.show.report import Game, Point, Rating, Report, Row
from referee.show.value_conversion import (
    EntrantIndex,
    correction_text,
    finished_games,
    rules_text,
    unix_ms,
)
from referee.show.words import format_text, time_control_text


def build_tournament_report(
    tournament: Tournament,
    table: TournamentTable,
    matches: Sequence[Match],
    statistics: RecordStatistics,
    repeated: frozenset[str],
    pairings: Iterable[Pairing] = (),
    corrections: Sequence[MatchCorrection] = (),
) -> Report:
    """`repeated` are the ids of matches that repeat the games of others."""
    games = corrected_games(finished_games(matches, EntrantIndex(tournament.entrants)), corrections)
    first = table.standings[0].tie_breaks if table.standings else ()
    return Report(
        "tournament",
        tournament.name,
        tournament.title or tournament.name,
        _tournament_facts(tournament, len(games)),
        tuple(map(_tournament_row, table.standings)),
        games,
        tuple(plain(tie_break.tie_break) for tie_break in first),
        histories(games),
        statistics.times(),
        statistics.matches,
        tuple(statistics.illegal_moves),
        table.sprt,
        tuple(pairings),
        tournament.terms.boards,
        repeated,
        tuple(map(correction_text, corrections)),
    )


def corrected_games(games: Sequence[Game], corrections: Iterable[MatchCorrection]) -> tuple[Game, ...]:
    """Return the games with the results that count; those that are struck have none."""
    ranks = {correction.match_id: tuple(correction.ranks) for correction in corrections}
    return tuple(replace(game, ranks=ranks[game.id], at_fault=()) if game.id in ranks else game for game in games)


def _tournament_facts(tournament: Tournament, games: int) -> tuple[tuple[str, str], ...]:
    terms = tournament.terms
    facts = {
        "Game": rules_text(terms.match_terms.rules),
        "Clock": control_text(terms.match_terms.time_control),
        "Format": format_text(to_message(terms, tournament_pb2.TournamentTerms)),
        "State": tournament.phase,
        "Entrants": str(len(tournament.entrants)),
        "Matches": str(games),
    }
    if terms.boards:
        facts["Boards"] = str(terms.boards)
    if terms.freeze_versions:
        facts["Versions"] = "frozen at the start"
    if tournament.start_time:
        facts["Began"] = moment(unix_ms(tournament.start_time))
    if tournament.end_time:
        facts["Ended"] = moment(unix_ms(tournament.end_time))
    return tuple(facts.items())


def control_text(control: TimeControl) -> str:
    return time_control_text(to_message(control, clock_pb2.TimeControl))


def _tournament_row(row: TournamentStanding) -> Row:
    return Row(
        row.rank,
        row.entrant,
        row.wins,
        row.draws,
        row.losses,
        row.forfeits,
        row.points,
        tie_breaks=tuple(tie_break.value for tie_break in row.tie_breaks),
        no_shows=row.no_shows,
    )


def histories(games: Iterable[Game]) -> Mapping[str, tuple[Point, ...]]:
    """Return the rating history of each player, computed from the matches in the order of their ends."""
    ratings: dict[str, RatingRecord] = {}
    lines: defaultdict[str, list[Point]] = defaultdict(list)
    for game in games:
        if finish := game.finish:
            for change in compute_rating_updates(ratings, finish):
                ratings[change.player] = change.after
                rating = change.after.rating
                lines[change.player].append(Point(game.at_ms, rating.value, rating.deviation))
    return {name: tuple(line) for name, line in lines.items()}


def build_ladder_report(
    ladder: Ladder,
    standings: Sequence[LadderStanding],
    matches: Sequence[Match],
    histories: Mapping[str, Sequence[RatingPoint]],
    statistics: RecordStatistics,
    corrections: Sequence[MatchCorrection] = (),
) -> Report:
    games = corrected_games(finished_games(matches, EntrantIndex(row.entrant for row in standings)), corrections)
    return Report(
        "ladder",
        ladder.name,
        ladder.title or ladder.name,
        _ladder_facts(ladder, len(games)),
        tuple(map(_ladder_row, standings)),
        games,
        histories={name: tuple(map(_point, points)) for name, points in histories.items()},
        times=statistics.times(),
        timed_matches=statistics.matches,
        illegal_moves=tuple(statistics.illegal_moves),
        repeated=frozenset(statistics.repeated),
        corrections=tuple(map(correction_text, corrections)),
    )


def name_of(row: LadderStanding) -> str:
    """Return the name of the entrant."""
    return row.entrant.name or row.entrant.bots[0].bot


def _ladder_facts(ladder: Ladder, games: int) -> tuple[tuple[str, str], ...]:
    terms = ladder.terms.match_terms
    return (
        ("Game" if len(terms) == 1 else "Games", "; ".join(rules_text(match_terms.rules) for match_terms in terms)),
        ("Clock", "; ".join(dict.fromkeys(control_text(match_terms.time_control) for match_terms in terms))),
        ("State", "closed" if ladder.closed else "paused" if ladder.paused else "open"),
        ("Season", str(ladder.season)),
        ("Entrants", str(ladder.entrant_count)),
        ("Matches", str(games)),
        ("Created", moment(unix_ms(ladder.create_time))),
    )


def _ladder_row(row: LadderStanding) -> Row:
    rating = Rating(row.rating.value, row.rating.deviation, row.rating.provisional)
    return Row(row.rank, name_of(row), row.wins, row.draws, row.losses, row.forfeits, rating=rating)


def _point(point: RatingPoint) -> Point:
    return Point(unix_ms(point.match_end_time), point.rating.value, point.rating.deviation)
