"""Answers to turns: in time or late, legal or not, given once or again."""

from engines.refusals import IllegalMove, MalformedMove, shortened
from referee.core.commands import MAX_MOVE_CHARS, FallFlag, SubmitMove
from referee.core.course import Course
from referee.core.errors import ClockExpired, MatchOver, RequestIdReused, StaleTurn
from referee.core.events import DrawOffered, FlagFell, MovePlayed, MoveRefused, SeatForfeited, Source
from referee.core.match import Match, Turn
from referee.core.policy import Illegal
from referee.core.result import Fault
from referee.core.row import ClockRow

MAX_SENTENCE_CHARS = 1_000
"""Of why an engine refuses a move: it stands in the log."""


def submit_move(course: Course, command: SubmitMove) -> None:
    if _is_repeated(course.match, command):
        return
    turn = _turn_answered(course.match, command)
    row = course.row(turn, command.measured)
    if row.late:
        # Before anything else about the answer: a late move is late, whatever it is.
        course.flag(turn, row, command)
        return
    try:
        _check_length(command.move)
        position = course.match.at_play().play(command.seat, command.move)
    except (MalformedMove, IllegalMove) as refusal:
        _refuse(course, turn, row, command, refusal)
        return
    course.happens(
        MovePlayed(course.now_us, command.seat, turn.token, command.move, Source.BOT, row, command.request_id), position
    )
    if command.offers_draw and course.match.game.draws_by_agreement and position.outcome is None:
        course.happens(DrawOffered(course.now_us, command.seat))
    course.settle()


def _check_length(move: str) -> None:
    """Raises MalformedMove."""
    if len(move) > MAX_MOVE_CHARS:
        raise MalformedMove(move, f"it has {len(move)} characters; {MAX_MOVE_CHARS} are the most")


def _is_repeated(match: Match, command: SubmitMove) -> bool:
    """Has this very answer had its verdict? Raises if its token, or its request id, was used for another."""
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
    course: Course, turn: Turn, row: ClockRow, command: SubmitMove, refusal: MalformedMove | IllegalMove
) -> None:
    """An attempt that failed counts; the last one brings the policy."""
    policies = course.match.setup.policies
    left = policies.attempts_a_turn - turn.attempt
    illegal = isinstance(refusal, IllegalMove)
    course.happens(
        MoveRefused(
            course.now_us,
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
    if policies.illegal is Illegal.RANDOM_MOVE:
        course.play_for(turn, Source.RANDOM, row)
        course.settle()
    else:
        course.drop(SeatForfeited(course.now_us, command.seat, Fault.ILLEGAL_MOVE))


def fall_flag(course: Course, command: FallFlag) -> None:
    turn = course.match.turns[command.seat]
    if turn is None:
        return
    row = course.row(turn, command.measured)
    if row.late:
        course.flag(turn, row)
