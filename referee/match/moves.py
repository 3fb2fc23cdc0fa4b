"""Command handlers for answers to turns and for flags: late, illegal and repeated answers included."""

from engines.refusals import IllegalMove, MalformedMove, shortened
from referee.match.clock_charge import ClockCharge
from referee.match.commands import MAX_MOVE_CHARS, FallFlag, SubmitMove
from referee.match.decision import DecisionBuilder
from referee.match.events import DrawOffered, FlagFell, MovePlayed, MoveRefused, MoveSource, SeatForfeited
from referee.match.match_errors import ClockExpired, MatchOver, RequestIdReused, StaleTurn
from referee.match.result import Fault
from referee.match.setup import IllegalMovePolicy
from referee.match.state import Match, Turn

MAX_SENTENCE_CHARS = 1_000
"""Limit of the sentence with which an engine rejects a move, since it is stored in the log."""


def submit_move(builder: DecisionBuilder, command: SubmitMove) -> None:
    if _is_repeated(builder.match, command):
        return
    turn = _turn_answered(builder.match, command)
    row = builder.charge_turn(turn, command.measured)
    if row.late:
        # Checked before the move itself: a late move loses on time even if it is illegal.
        builder.apply_late_policy(turn, row, command)
        return
    try:
        _check_length(command.move)
        position = builder.match.require_position().play(command.seat, command.move)
    except (MalformedMove, IllegalMove) as refusal:
        _refuse(builder, turn, row, command, refusal)
        return
    builder.add(
        MovePlayed(builder.now_us, command.seat, turn.token, command.move, MoveSource.BOT, row, command.request_id),
        position,
    )
    if command.offers_draw and builder.match.game.draws_by_agreement and position.outcome is None:
        builder.add(DrawOffered(builder.now_us, command.seat))
    builder.settle()


def _check_length(move: str) -> None:
    """Raises MalformedMove."""
    if len(move) > MAX_MOVE_CHARS:
        raise MalformedMove(move, f"it has {len(move)} characters; {MAX_MOVE_CHARS} are the most")


def _is_repeated(match: Match, command: SubmitMove) -> bool:
    """Return whether this answer already has its verdict.

    Raises ClockExpired or RequestIdReused if its token or request id was used for another answer.
    """
    verdict = match.verdicts[command.seat]
    if verdict is None:
        return False
    if command.token == verdict.token:
        if isinstance(verdict, FlagFell):
            raise ClockExpired(verdict.row.texts())
        if shortened(command.move) == shortened(verdict.move):
            return True
    if command.request_id and command.request_id == verdict.request_id:
        raise RequestIdReused(command.request_id)
    return False


def _turn_answered(match: Match, command: SubmitMove) -> Turn:
    if match.result:
        raise MatchOver(str(match.result))
    turn = match.turns[command.seat]
    if turn is None or turn.token != command.token:
        raise StaleTurn(shortened(command.token), turn.token if turn else "")
    return turn


def _refuse(
    builder: DecisionBuilder, turn: Turn, row: ClockCharge, command: SubmitMove, refusal: MalformedMove | IllegalMove
) -> None:
    """Count a failed attempt, and apply the policy after the last one."""
    policies = builder.match.setup.policies
    left = policies.attempts_a_turn - turn.attempt
    illegal = isinstance(refusal, IllegalMove)
    builder.add(
        MoveRefused(
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
    if policies.illegal is IllegalMovePolicy.RANDOM_MOVE:
        builder.play_policy_move(turn, MoveSource.RANDOM, row)
        builder.settle()
    else:
        builder.drop_seat(SeatForfeited(builder.now_us, command.seat, Fault.ILLEGAL_MOVE))


def fall_flag(builder: DecisionBuilder, command: FallFlag) -> None:
    turn = builder.match.turns[command.seat]
    if turn is None:
        return
    row = builder.charge_turn(turn, command.measured)
    if row.late:
        builder.apply_late_policy(turn, row)
