"""Tournaments: what they are played by, how they stand, and what happened in them."""

from collections.abc import Iterable, Sequence

from referee_api.v1 import tournament_pb2 as pb

from referee.app.contests.held import Held
from referee.app.contests.terms import TournamentTerms
from referee.app.contests.tournament_tables import Cell, Row
from referee.contest.duplicate import Duplicate
from referee.contest.outlook import outlook
from referee.contest.terms import Seeding, Terms
from referee.contest.tiebreak import TieBreak
from referee.contest.tournament import Phase
from referee.transport.convert.contests import PARTNERS, duplicate_of, entrant_of
from referee.transport.convert.formats import format_of, read_format
from referee.transport.convert.ratings import estimate_of
from referee.transport.convert.rules import read_opening
from referee.transport.convert.terms import Customs
from referee.transport.convert.times import maybe_timestamp, timestamp
from referee.transport.convert.words import chosen, named, word

TIE_BREAKS = {
    pb.TIE_BREAK_BUCHHOLZ: TieBreak.BUCHHOLZ,
    pb.TIE_BREAK_MEDIAN_BUCHHOLZ: TieBreak.MEDIAN_BUCHHOLZ,
    pb.TIE_BREAK_SONNEBORN_BERGER: TieBreak.SONNEBORN_BERGER,
    pb.TIE_BREAK_DIRECT_ENCOUNTER: TieBreak.DIRECT_ENCOUNTER,
    pb.TIE_BREAK_WINS: TieBreak.WINS,
    pb.TIE_BREAK_PROGRESSIVE: TieBreak.PROGRESSIVE,
}
SEEDINGS = {
    pb.SEEDING_BY_ENTRY: Seeding.ENTRY,
    pb.SEEDING_BY_RATING: Seeding.RATING,
    pb.SEEDING_BY_LOT: Seeding.LOT,
}
"""Where nothing is said, the first holds."""
PHASES = {
    pb.TOURNAMENT_PHASE_ENTRY: Phase.ENTRY,
    pb.TOURNAMENT_PHASE_PLAYING: Phase.PLAYING,
    pb.TOURNAMENT_PHASE_FINISHED: Phase.FINISHED,
    pb.TOURNAMENT_PHASE_CANCELLED: Phase.CANCELLED,
}


def read_tournament_terms(terms: pb.TournamentTerms, customs: Customs) -> TournamentTerms:
    """Without a seed, which is none of the organiser's business. Raises a refusal of whatever cannot be."""
    match_terms = customs.read(terms.match_terms)
    table = customs.table(match_terms)
    partners = chosen(PARTNERS, terms.partners, "terms.partners")
    openings = tuple(map(read_opening, terms.duplicate.openings))
    duplicate = Duplicate(terms.duplicate.arrangements or len(table.sides), len(openings))
    return TournamentTerms(
        (match_terms,),
        Terms(
            read_format(terms, table, partners),
            b"",
            tuple(named(TIE_BREAKS, one, "terms.tie_breaks") for one in terms.tie_breaks) or None,
            chosen(SEEDINGS, terms.seeding, "terms.seeding"),
            terms.matches_at_once or None,
            terms.late_entry_rounds,
            duplicate if terms.HasField("duplicate") else None,
        ),
        openings,
        terms.ladder,
        partners,
    )


def tournament_of(held: Held, customs: Customs, *, with_openings: bool) -> pb.Tournament:
    """`with_openings`: those of duplicate play too, which are a secret while it is played."""
    tournament = held.tournament
    ahead = outlook(tournament)
    return pb.Tournament(
        name=held.name,
        title=held.title,
        terms=_terms_of(held, customs, with_openings=with_openings),
        organiser=held.organiser,
        phase=word(PHASES, tournament.phase),
        entrants=[entrant_of(entrant.name, entrant.bots) for entrant in tournament.entrants.values()],
        withdrawn=tournament.withdrawn,
        round=min(tournament.complete_rounds + 1, tournament.round),
        rounds=ahead.rounds,
        pairings_done=len(tournament.courses) - tournament.courses.open_count,
        pairings_planned=ahead.pairings,
        created_at=timestamp(held.made_ms),
        started_at=maybe_timestamp(held.started_ms),
        ended_at=maybe_timestamp(held.ended_ms),
    )


def _terms_of(held: Held, customs: Customs, *, with_openings: bool) -> pb.TournamentTerms:
    terms, contest = held.terms, held.terms.tournament
    sets, openings = contest.sets, terms.openings if with_openings else ()
    return pb.TournamentTerms(
        match_terms=customs.told(terms.match_terms[0]),
        duplicate=duplicate_of(sets.arrangements, openings) if sets else None,
        tie_breaks=[word(TIE_BREAKS, one) for one in held.tournament.tie_breaks],
        seeding=word(SEEDINGS, contest.seeding),
        matches_at_once=contest.matches_at_once or 0,
        ladder=terms.ladder,
        late_entry_rounds=contest.late_entry_rounds,
        partners=word(PARTNERS, terms.partners),
        **format_of(contest.format),
    )


def standings_of(rows: Iterable[Row], tie_breaks: Sequence[TieBreak]) -> list[pb.TournamentStanding]:
    return [_standing_of(row, tie_breaks) for row in rows]


def _standing_of(row: Row, tie_breaks: Sequence[TieBreak]) -> pb.TournamentStanding:
    standing = row.standing
    return pb.TournamentStanding(
        rank=standing.rank,
        entrant=standing.entrant,
        points=standing.points,
        tie_breaks=[
            pb.TieBreakValue(tie_break=word(TIE_BREAKS, one), value=value)
            for one, value in zip(tie_breaks, standing.tie_breaks, strict=True)
        ],
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        forfeits=row.forfeits,
        byes=standing.byes,
        estimate=estimate_of(row.estimate) if row.estimate else None,
    )


def cross_table_of(rows: Iterable[tuple[str, Sequence[Cell]]]) -> list[pb.CrossTableRow]:
    return [
        pb.CrossTableRow(
            entrant=entrant,
            cells=[
                pb.CrossTableCell(opponent=cell.opponent, points=cell.points, match_ids=cell.match_ids)
                for cell in cells
            ],
        )
        for entrant, cells in rows
    ]
