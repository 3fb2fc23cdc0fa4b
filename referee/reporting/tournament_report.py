"""Build the report of a tournament from messages of the contract."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from referee_api.v1 import contest_pb2, match_pb2, sprt_pb2, tournament_pb2
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse

from referee.contests.strength.elo import EloEstimate
from referee.contests.strength.rating import RatingRecord, compute_rating_updates
from referee.reporting.formatting import moment
from referee.reporting.message_conversion import (
    EntrantIndex,
    chosen_text,
    clock_text,
    enum_word,
    finished_games,
    rules_text,
)
from referee.reporting.record_statistics import RecordStatistics
from referee.reporting.report import Game, Meeting, Point, Report, Row, Sprt


def build_tournament_report(
    tournament: tournament_pb2.Tournament,
    table: GetTournamentStandingsResponse,
    matches: Sequence[match_pb2.Match],
    statistics: RecordStatistics,
    pairings: Iterable[contest_pb2.Pairing] = (),
) -> Report:
    games = finished_games(matches, EntrantIndex(tournament.entrants))
    first = table.standings[0].tie_breaks if table.standings else ()
    return Report(
        "tournament",
        tournament.name,
        tournament.title or tournament.name,
        _facts(tournament, len(games)),
        tuple(map(_row, table.standings)),
        games,
        tuple(enum_word(tournament_pb2.TieBreak.DESCRIPTOR, it.tie_break) for it in first),
        histories(games),
        statistics.times(),
        statistics.matches,
        tuple(statistics.illegal_moves),
        sprt_of(table.sprt) if table.HasField("sprt") else None,
        tuple(map(_meeting, pairings)),
    )


def _meeting(pairing: contest_pb2.Pairing) -> Meeting:
    state = enum_word(contest_pb2.PairingPhase.DESCRIPTOR, pairing.phase)
    return Meeting(pairing.round, pairing.board, tuple(pairing.entrants), tuple(pairing.points), state)


def sprt_of(sprt: sprt_pb2.SprtState) -> Sprt:
    estimate = sprt.estimate
    return Sprt(
        enum_word(sprt_pb2.SprtVerdict.DESCRIPTOR, sprt.verdict),
        tuple(sprt.counts),
        EloEstimate(estimate.elo, estimate.low_elo, estimate.high_elo, estimate.superiority),
        sprt.llr if sprt.HasField("llr") else None,
        (sprt.llr_lower, sprt.llr_upper),
        sprt.matches,
        sprt.expected_matches_left,
    )


def _facts(tournament: tournament_pb2.Tournament, games: int) -> tuple[tuple[str, str], ...]:
    terms = tournament.terms
    facts = {
        "Game": rules_text(terms.match_terms.rules),
        "Clock": clock_text(terms.match_terms.time_control),
        "Format": chosen_text(terms),
        "State": enum_word(tournament_pb2.TournamentPhase.DESCRIPTOR, tournament.phase),
        "Entrants": str(len(tournament.entrants)),
        "Matches": str(games),
    }
    if tournament.HasField("start_time"):
        facts["Began"] = moment(tournament.start_time.ToMilliseconds())
    if tournament.HasField("end_time"):
        facts["Ended"] = moment(tournament.end_time.ToMilliseconds())
    return tuple(facts.items())


def _row(row: tournament_pb2.TournamentStanding) -> Row:
    return Row(
        row.rank,
        row.entrant,
        row.wins,
        row.draws,
        row.losses,
        row.forfeits,
        row.points,
        tie_breaks=tuple(it.value for it in row.tie_breaks),
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
