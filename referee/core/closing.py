"""Ends that players or people bring: resigning, agreeing on a draw, calling off, deciding."""

from engines.api import Seat
from referee.core.commands import Abort, AcceptDraw, Adjudicate, ClaimDraw, DeclineDraw, OfferDraw, Resign, Void
from referee.core.course import Course
from referee.core.ending import drawn, levelled
from referee.core.errors import BadVerdict, NoDraw, OfferedBefore, SeatOut, TooLateToAbort
from referee.core.events import DrawDeclined, DrawOffered, SeatResigned
from referee.core.match import Match
from referee.core.result import VOID_CAUSES, Cause, Kind, by_rank, void


def resign(course: Course, command: Resign) -> None:
    _check_in(course.match, command.seat)
    course.drop(SeatResigned(course.now_us, command.seat))


def offer_draw(course: Course, command: OfferDraw | AcceptDraw) -> None:
    match = course.match
    _check_in(match, command.seat)
    if not match.game.draws_by_agreement:
        raise NoDraw(f"{match.game.title} knows no draw by agreement")
    if command.seat in match.offers:
        raise OfferedBefore("that offer stands")
    accepts = _others_offer(match, command.seat)
    if not accepts and match.offered_ply[command.seat] == match.ply:
        raise OfferedBefore("it was declined in this position")
    course.happens(DrawOffered(course.now_us, command.seat))
    if levelled(course.match):
        course.end(drawn(course.match, Cause.DRAW_AGREED))


def accept_draw(course: Course, command: AcceptDraw) -> None:
    _check_offered(course.match, command.seat)
    offer_draw(course, command)


def decline_draw(course: Course, command: DeclineDraw) -> None:
    _check_offered(course.match, command.seat)
    course.happens(DrawDeclined(course.now_us, command.seat))


def claim_draw(course: Course, command: ClaimDraw) -> None:
    reason = course.match.at_play().claimable
    if reason is None or course.match.turns[command.seat] is None:
        raise NoDraw("the rules give this seat none to claim now")
    course.end(drawn(course.match, Cause.DRAW_CLAIMED, reason))


def abort(course: Course, command: Abort) -> None:
    if command.seat is not None:
        _check_in(course.match, command.seat)
        if course.match.moves_made[command.seat]:
            raise TooLateToAbort
    course.end(void(Cause.ABORTED))


def declare_void(course: Course, command: Void) -> None:
    if command.cause not in VOID_CAUSES:
        raise BadVerdict(f"{command.cause.value} makes no match void")
    course.end(void(command.cause, command.reason))


def adjudicate(course: Course, command: Adjudicate) -> None:
    match = course.match
    ranks = command.side_ranks
    if len(ranks) != len(match.table.sides):
        raise BadVerdict(f"it needs a rank for each of the {len(match.table.sides)} sides")
    # So that 1 is best and shared ranks leave the next one out, however they were counted.
    side_ranks = tuple(1 + sum(rank < mine for rank in ranks) for mine in ranks)
    course.end(by_rank(match.table, Kind.PLAYED, Cause.ADJUDICATION, side_ranks, command.reason, match.forfeits))


def _check_offered(match: Match, seat: Seat) -> None:
    _check_in(match, seat)
    if not _others_offer(match, seat):
        raise NoDraw("nobody else has offered one")


def _others_offer(match: Match, seat: Seat) -> bool:
    """Has another side offered a draw?"""
    return any(match.side_of(other) != match.side_of(seat) for other in match.offers)


def _check_in(match: Match, seat: Seat) -> None:
    if seat in match.out:
        raise SeatOut(seat)
