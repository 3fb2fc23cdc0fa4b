"""The report of a tournament, from what the contract says of it."""

from collections.abc import Iterable, Sequence

from referee_api.v1 import contest_pb2, match_pb2, sprt_pb2, tournament_pb2
from referee_api.v1.tournament_service_pb2 import GetTournamentStandingsResponse

from referee.contest.estimate import Estimate
from referee.reporting.again import histories
from referee.reporting.report import Meeting, Report, Row, Sprt
from referee.reporting.timing import Stopwatches
from referee.reporting.wire import Entrants, chosen_text, clock_text, enum_word, games_of, rules_text
from referee.reporting.words import moment


def of_tournament(
    tournament: tournament_pb2.Tournament,
    table: GetTournamentStandingsResponse,
    matches: Sequence[match_pb2.Match],
    watches: Stopwatches,
    pairings: Iterable[contest_pb2.Pairing] = (),
) -> Report:
    games = games_of(matches, Entrants(tournament.entrants))
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
        watches.times(),
        watches.matches,
        tuple(watches.illegal_moves),
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
        Estimate(estimate.elo, estimate.low_elo, estimate.high_elo, estimate.superiority),
        sprt.llr if sprt.HasField("llr") else None,
        (sprt.llr_lower, sprt.llr_upper),
        sprt.matches,
        sprt.matches_to_go,
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
    if tournament.HasField("started_at"):
        facts["Began"] = moment(tournament.started_at.ToMilliseconds())
    if tournament.HasField("ended_at"):
        facts["Ended"] = moment(tournament.ended_at.ToMilliseconds())
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
