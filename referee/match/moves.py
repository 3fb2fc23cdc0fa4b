"""Command handlers for what a seat does in play: answers to turns, flags, resignations, draw offers and claims.

Answers may be late, illegal or repeated.
"""

from msgspec import UNSET

from engines.api import Seat
from engines.game_errors import IllegalMove, MalformedMove, shortened
from referee.match.clock_charge import ClockCharge
from referee.match.commands import (
    MAX_MOVE_CHARS,
    AcceptDraw,
    ClaimDraw,
    DeclineDraw,
    FallFlag,
    OfferDraw,
    Resign,
    SubmitMove,
)
from referee.match.decision import DecisionBuilder, charge_turn, draw_result, is_draw_agreed
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    FlagFell,
    MovePlayed,
    MoveRejected,
    MoveSource,
    SeatForfeited,
    SeatResigned,
)
from referee.match.match_errors import (
    ClockExpired,
    DrawNotClaimable,
    DrawOfferedBefore,
    MatchOver,
    RequestIdReused,
    SeatOut,
    StaleTurn,
)
from referee.match.match_terms import attempts_a_turn
from referee.match.result import EndCause
from referee.match.state import BY_BOT, Match, Turn, Verdict, move_played

MAX_SENTENCE_CHARS = 1_000
"""Limit of the sentence with which an engine rejects a move, since it is stored in the log."""


def submit_move(builder: DecisionBuilder, command: SubmitMove) -> None:
    match, seat, token, move = builder.match, command.seat, command.token, command.move
    verdict, turn, position = match.verdicts[seat], match.turns[seat], match.position
    if verdict and (verdict.token == token or command.request_id) and _is_repeated(verdict, command):
        return
    if match.result:
        raise MatchOver(str(match.result))
    if turn is None or turn.token != token:
        raise StaleTurn(shortened(token), turn.token if turn else "")
    row = charge_turn(match, turn, command.measured)
    if row.late:
        # Checked before the move itself: a late move loses on time even if it is illegal.
        builder.apply_late_policy(turn, row, command)
        return
    assert position is not None
    try:
        if len(move) > MAX_MOVE_CHARS:
            raise MalformedMove(move, f"it has {len(move)} characters; {MAX_MOVE_CHARS} are the most")
        position = position.play(seat, move)
    except (MalformedMove, IllegalMove) as refusal:
        _refuse(builder, turn, row, command, refusal)
        return
    score = UNSET if command.score is None else command.score
    event = MovePlayed(builder.now_us, seat, token, move, BY_BOT, row, command.request_id, score)
    builder.match = after = move_played(match, event, position)
    builder.events, builder.states = (event,), (after,)
    if command.offers_draw and match.game.draws_by_agreement and position.outcome is None:
        builder.add(DrawOffered(builder.now_us, seat))
    if position.outcome or match.resigned or match.forfeits or match.terms.adjudication:
        builder.settle()


def _is_repeated(verdict: Verdict, command: SubmitMove) -> bool:
    """Return whether this answer already has its verdict, given the last one of its seat.

    Raises ClockExpired or RequestIdReused if its token or request id was used for another answer.
    """
    if command.token == verdict.token:
        if isinstance(verdict, FlagFell):
            raise ClockExpired(verdict.row.texts())
        if shortened(command.move) == shortened(verdict.move):
            return True
    if command.request_id and command.request_id == verdict.request_id:
        raise RequestIdReused(command.request_id)
    return False


def _refuse(
    builder: DecisionBuilder, turn: Turn, row: ClockCharge, command: SubmitMove, refusal: MalformedMove | IllegalMove
) -> None:
    """Count a failed attempt, and apply the policy after the last one."""
    policies = builder.match.terms.policies
    left = attempts_a_turn(policies) - turn.attempt
    illegal = isinstance(refusal, IllegalMove)
    builder.add(
        MoveRejected(
            builder.now_us,
            command.seat,
            turn.token,
            shortened(command.move),
            "ILLEGAL_MOVE" if illegal else "MALFORMED_MOVE",
            refusal.details["rule"] if illegal else "",
            str(refusal)[:MAX_SENTENCE_CHARS],
            left,
            command.request_id,
        )
    )
    if left > 0:
        return
    if policies.illegal_move.action == "random_move":
        builder.play_policy_move(turn, MoveSource.RANDOM, row)
        builder.settle()
    else:
        builder.drop_seat(SeatForfeited(builder.now_us, command.seat, "illegal_move"))


def fall_flag(builder: DecisionBuilder, command: FallFlag) -> None:
    turn = builder.match.turns[command.seat]
    if turn is None:
        return
    row = charge_turn(builder.match, turn, command.measured)
    if row.late:
        builder.apply_late_policy(turn, row)


def resign(builder: DecisionBuilder, command: Resign) -> None:
    check_not_dropped(builder.match, command.seat)
    builder.drop_seat(SeatResigned(builder.now_us, command.seat))


def offer_draw(builder: DecisionBuilder, command: OfferDraw | AcceptDraw) -> None:
    match = builder.match
    check_not_dropped(match, command.seat)
    if not match.game.draws_by_agreement:
        raise DrawNotClaimable(f"{match.game.title} has no draw by agreement")
    if command.seat in match.offers:
        raise DrawOfferedBefore("the offer is still open")
    accepts = _others_offer(match, command.seat)
    if not accepts and match.offered_ply[command.seat] == match.ply:
        raise DrawOfferedBefore("it was declined in this position")
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
        raise DrawNotClaimable("the rules allow this seat no claim in this position")
    builder.end(draw_result(builder.match, EndCause.DRAW_CLAIMED, reason))


def _check_offered(match: Match, seat: Seat) -> None:
    check_not_dropped(match, seat)
    if not _others_offer(match, seat):
        raise DrawNotClaimable("no other seat has offered one")


def _others_offer(match: Match, seat: Seat) -> bool:
    """Return whether another side has offered a draw."""
    return any(match.side_of(other) != match.side_of(seat) for other in match.offers)


def check_not_dropped(match: Match, seat: Seat) -> None:
    if seat in match.dropped_seats:
        raise SeatOut(seat)
