"""Ladders: what they are played by, how they stand, and what happened on them."""

from itertools import pairwise

from referee_api.v1 import contest_pb2, rating_pb2
from referee_api.v1 import ladder_pb2 as pb

from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.history import Point
from referee.app.contests.seating import seating
from referee.app.contests.terms import DuplicatePlay, LadderTerms, MatchTerms
from referee.app.refusals import BadField
from referee.contest.ladder import Ladder
from referee.contest.ladder_standings import LadderRow
from referee.transport.convert.contests import PARTNERS, duplicate_of, entrant_of
from referee.transport.convert.ratings import rated_of
from referee.transport.convert.rules import read_opening
from referee.transport.convert.terms import Customs
from referee.transport.convert.times import timestamp
from referee.transport.convert.words import chosen, word
from referee.transport.refused import BadSeats

REMATCH_AFTER = 1
PROVISIONAL_MATCHES = 20
PAUSE_AFTER_FAULTS = 3
"""Where nothing is said."""
MATCHES_PER_HOUR_AT_MOST = 3_600


def read_ladder_terms(terms: pb.LadderTerms, customs: Customs) -> LadderTerms:
    """Raises a refusal of whatever cannot be."""
    match_terms = tuple(map(customs.read, terms.match_terms))
    if not match_terms:
        raise BadField("terms.match_terms", "by which terms are its matches played? At least one")
    for one, other in pairwise(match_terms):
        _need_same_seats(one, other, customs)
    if terms.matches_per_hour > MATCHES_PER_HOUR_AT_MOST:
        raise BadField("terms.matches_per_hour", f"up to {MATCHES_PER_HOUR_AT_MOST} are right, or 0 for no limit")
    partners = chosen(PARTNERS, terms.partners, "terms.partners")
    meet = len(seating(customs.table(match_terms[0]), partners).places)
    return LadderTerms(
        match_terms,
        _read_duplicate(terms.duplicate, meet) if terms.HasField("duplicate") else None,
        partners,
        terms.matches_at_once,
        terms.rematch_after or REMATCH_AFTER,
        terms.provisional_matches or PROVISIONAL_MATCHES,
        terms.pause_after_faults or PAUSE_AFTER_FAULTS,
        terms.matches_per_hour,
    )


def _need_same_seats(one: MatchTerms, other: MatchTerms, customs: Customs) -> None:
    wanted, given = customs.table(one), customs.table(other)
    if len(wanted.seats) != len(given.seats):
        raise BadSeats(f"seats in {other.game}", len(given.seats), len(wanted.seats))
    if wanted.sides != given.sides:
        raise BadSeats(f"sides in {other.game}", len(given.sides), len(wanted.sides))


def _read_duplicate(duplicate: contest_pb2.DuplicatePlay, meet: int) -> DuplicatePlay:
    """Of pairings in which so many meet."""
    if duplicate.arrangements and not 2 <= duplicate.arrangements <= meet:
        wrong = f"it is {duplicate.arrangements}; here 2 to {meet} are right, or 0 for the usual"
        raise BadField("terms.duplicate.arrangements", wrong)
    return DuplicatePlay(duplicate.arrangements, tuple(map(read_opening, duplicate.openings)))


def ladder_of(held: HeldLadder, customs: Customs, *, with_openings: bool) -> pb.Ladder:
    """`with_openings`: those of duplicate play too, which are a secret while it is played."""
    return pb.Ladder(
        name=held.made.name,
        title=held.made.title,
        terms=_terms_of(held, customs, with_openings=with_openings),
        organiser=held.made.organiser,
        closed=held.closed,
        season=held.ladder.season,
        season_began_at=timestamp(held.season_began_ms),
        entrants=len(held.ladder.entrants),
        created_at=timestamp(held.made_ms),
        paused=held.ladder.paused,
    )


def _terms_of(held: HeldLadder, customs: Customs, *, with_openings: bool) -> pb.LadderTerms:
    terms, sets = held.terms, held.ladder.terms.duplicate
    openings = terms.duplicate.openings if terms.duplicate and with_openings else ()
    return pb.LadderTerms(
        match_terms=map(customs.told, terms.match_terms),
        duplicate=duplicate_of(sets.arrangements, openings) if sets else None,
        partners=word(PARTNERS, terms.partners),
        matches_at_once=terms.matches_at_once,
        rematch_after=terms.rematch_after,
        provisional_matches=terms.provisional_matches,
        pause_after_faults=terms.pause_after_faults,
        matches_per_hour=terms.matches_per_hour,
    )


def ladder_standing_of(row: LadderRow) -> pb.LadderStanding:
    return pb.LadderStanding(
        rank=row.rank,
        entrant=entrant_of(row.entrant.name, row.entrant.bots),
        version=row.player.version,
        rating=rated_of(row.rated, provisional=row.provisional),
        wins=row.balance.wins,
        draws=row.balance.draws,
        losses=row.balance.losses,
        forfeits=row.balance.forfeits,
        idle=row.idle,
    )


def point_of(point: Point, ladder: Ladder) -> rating_pb2.RatingPoint:
    return rating_pb2.RatingPoint(
        at=timestamp(point.at_ms),
        match_id=point.match_id,
        version=point.version,
        rating=rated_of(point.rated, provisional=ladder.terms.provisional(point.rated)),
        season=point.season,
    )
