"""Answers of a bot to a turn: a move, a resignation, or a reply about a draw."""

import logging
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from referee_api.v1 import play_pb2

from referee_client.turn import Turn

log = logging.getLogger("referee_client")

MAX_MOVE_CHARS = 1_000
"""The longest move that is sent. No game has longer moves, and the referee rejects them."""
MAX_SCORE = 1_000_000
"""Higher scores are sent as this one."""


@dataclass(frozen=True)
class Choice:
    """A move, optionally with a draw offer, and with what the bot expects for its side.

    `score` is in hundredths of a point of the game, and positive if the bot is ahead; None: it does not say. It is
    recorded, and can end a match whose terms say so. Others find it only in the record of the finished match.
    """

    move: str
    offer_draw: bool = False
    score: int | None = None


class SpecialAnswer(Enum):
    """Answers that are not moves."""

    RESIGN = "resign"
    ACCEPT_DRAW = "accept the offered draw"
    CLAIM_DRAW = "claim a draw by the rules"


RESIGN, ACCEPT_DRAW, CLAIM_DRAW = SpecialAnswer.RESIGN, SpecialAnswer.ACCEPT_DRAW, SpecialAnswer.CLAIM_DRAW

Answer: TypeAlias = str | Choice | SpecialAnswer


def checked(answer: object) -> Answer:
    """Return the answer. Raises TypeError if it is not a valid answer."""
    match answer:
        case SpecialAnswer():
            return answer
        case str() | Choice(str(), bool(), None):
            return answer
        case Choice(str(), bool(), int() as score) if not isinstance(score, bool):
            return answer
        case Choice(str(), bool(), score):
            raise TypeError(f"the score of a Choice must be a whole number (int) or None, not {score!r}")
    raise TypeError(f"a bot must return a move, a Choice, RESIGN, ACCEPT_DRAW or CLAIM_DRAW, not {answer!r}")


def sendable(turn: Turn, move: str) -> str:
    """Return the move, or a similar text that the referee rejects if the move cannot be sent.

    Such a move would break the stream, and with it all other matches. The similar text costs only one attempt.
    """
    match_and_seat = (turn.match_id, turn.seat)
    if not _can_be_encoded(move):
        log.error("match %s, seat %d: the answer is not valid UTF-8; the referee will reject it", *match_and_seat)
        move = move.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if len(move) > MAX_MOVE_CHARS:
        message = "match %s, seat %d: the answer has %d characters, the limit is %d; the referee will reject it"
        log.error(message, *match_and_seat, len(move), MAX_MOVE_CHARS)
        move = move[: MAX_MOVE_CHARS + 1]
    return move


def sendable_score(score: int | None) -> int | None:
    """Return the score within the limits of what is sent; a mate in chess is near them."""
    return None if score is None else max(-MAX_SCORE, min(score, MAX_SCORE))


def _can_be_encoded(move: str) -> bool:
    """Return whether a text can be encoded as UTF-8. Text with lone surrogates cannot."""
    try:
        move.encode()
    except UnicodeEncodeError:
        return False
    return True


def answer_item(turn: Turn, answer: Answer) -> play_pb2.BotItem:
    """Return the answer as a message of the contract."""
    match_id, seat = turn.match_id, turn.seat
    match answer:
        case SpecialAnswer.RESIGN:
            return play_pb2.BotItem(resignation=play_pb2.Resignation(match_id=match_id, seat=seat))
        case SpecialAnswer.ACCEPT_DRAW:
            return play_pb2.BotItem(draw_answer=play_pb2.DrawAnswer(match_id=match_id, seat=seat, accept=True))
        case SpecialAnswer.CLAIM_DRAW:
            return play_pb2.BotItem(draw_claim=play_pb2.DrawClaim(match_id=match_id, seat=seat))
        case Choice(move, offer_draw, score):
            message = play_pb2.Move(
                match_id=match_id,
                turn_token=turn.token,
                move=sendable(turn, move),
                offer_draw=offer_draw,
                score=sendable_score(score),
            )
            return play_pb2.BotItem(move=message)
        case move:
            return answer_item(turn, Choice(move))
