"""Command handlers that end a match: resignation, draw offers and claims, abort, void, adjudication."""

from engines.api import Seat
from referee.match.commands import (
    AbortMatch,
    AcceptDraw,
    AdjudicateMatch,
    ClaimDraw,
    DeclineDraw,
    OfferDraw,
    Resign,
    VoidMatch,
)
from referee.match.decision import DecisionBuilder, draw_result, is_draw_agreed
from referee.match.events import DrawDeclined, DrawOffered, SeatResigned
from referee.match.match_errors import BadVerdict, NoDraw, OfferedBefore, SeatOut, TooLateToAbort
from referee.match.result import VOID_CAUSES, EndCause, EndKind, result_by_rank, void_result
from referee.match.state import Match


def resign(builder: DecisionBuilder, command: Resign) -> None:
    _check_in(builder.match, command.seat)
    builder.drop_seat(SeatResigned(builder.now_us, command.seat))


def offer_draw(builder: DecisionBuilder, command: OfferDraw | AcceptDraw) -> None:
    match = builder.match
    _check_in(match, command.seat)
    if not match.game.draws_by_agreement:
        raise NoDraw(f"{match.game.title} has no draw by agreement")
    if command.seat in match.offers:
        raise OfferedBefore("the offer is still open")
    accepts = _others_offer(match, command.seat)
    if not accepts and match.offered_ply[command.seat] == match.ply:
        raise OfferedBefore("it was declined in this position")
    builder.add(DrawOffered(builder.now_us, command.seat))
    if is_draw_agreed(builder.match):
        builder.end(draw_result(builder.match, EndCause.DRAW_AGREED))


def accept_draw(builder: DecisionBuilder, command: AcceptDraw) -> None:
    _check_offered(builder.match, command.seat)
    offer_draw(builder, command)


def decline_draw(builder: DecisionBuilder, command: DeclineDraw) -> None:
    _check_offered(builder.match, command.seat)
    builder.add(DrawDeclined(builder.now_us, command.seat))


def claim_draw(builder: DecisionBuilder, command: ClaimDraw) -> None:
    reason = builder.match.require_position().claimable
    if reason is None or builder.match.turns[command.seat] is None:
        raise NoDraw("the rules allow this seat no claim in this position")
    builder.end(draw_result(builder.match, EndCause.DRAW_CLAIMED, reason))


def abort_match(builder: DecisionBuilder, command: AbortMatch) -> None:
    if command.seat is not None:
        _check_in(builder.match, command.seat)
        if builder.match.moves_made[command.seat]:
            raise TooLateToAbort
    builder.end(void_result(EndCause.ABORTED))


def void_match(builder: DecisionBuilder, command: VoidMatch) -> None:
    if command.cause not in VOID_CAUSES:
        raise BadVerdict(f"{command.cause.value} is no cause for a void match")
    builder.end(void_result(command.cause, command.reason))


def adjudicate_match(builder: DecisionBuilder, command: AdjudicateMatch) -> None:
    match = builder.match
    ranks = command.side_ranks
    if len(ranks) != len(match.table.sides):
        raise BadVerdict(f"it must have one rank for each of the {len(match.table.sides)} sides")
    # Normalise to standard competition ranks: 1 is best, and ties leave the following ranks out.
    side_ranks = tuple(1 + sum(rank < mine for rank in ranks) for mine in ranks)
    builder.end(
        result_by_rank(match.table, EndKind.PLAYED, EndCause.ADJUDICATION, side_ranks, command.reason, match.forfeits)
    )


def _check_offered(match: Match, seat: Seat) -> None:
    _check_in(match, seat)
    if not _others_offer(match, seat):
        raise NoDraw("no other seat has offered one")


def _others_offer(match: Match, seat: Seat) -> bool:
    """Return whether another side has offered a draw."""
    return any(match.side_of(other) != match.side_of(seat) for other in match.offers)


def _check_in(match: Match, seat: Seat) -> None:
    if seat in match.dropped_seats:
        raise SeatOut(seat)
