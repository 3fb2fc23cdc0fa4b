"""Lines between the bridge and a program: JSON objects without whitespace, whose fields are in a fixed order.

A program answers every turn with one line, in order: a plain move, or an object.
"""

import json
from dataclasses import dataclass
from typing import Any

from referee_values import Match, MatchEnded

from referee_client.answers import ACCEPT_DRAW, CLAIM_DRAW, RESIGN, Answer, Choice
from referee_client.results import outcome, ranks, reason, scores, seat_result
from referee_client.turn import Turn

PROTOCOL = 1

SPECIAL_ANSWERS = {"resign": RESIGN, "accept_draw": ACCEPT_DRAW, "claim_draw": CLAIM_DRAW}


@dataclass(frozen=True)
class ReceivedAnswer:
    """Answer of a program, and the id of its turn; None: the first turn that has no answer yet."""

    id: int | None
    answer: Answer


def hello_line() -> bytes:
    return _line({"type": "hello", "protocol": PROTOCOL})


def started_line(match: Match, seat: int) -> bytes:
    return _line(
        {
            "type": "started",
            "match": match.id,
            "seat": seat,
            "game": match.terms.rules.game,
            "options": dict(match.terms.rules.options),
            "bots": [seat.bot for seat in match.seats],
        }
    )


def turn_line(number: int, turn: Turn, view: bool) -> bytes:
    left = turn.time_left_now
    fields: dict[str, Any] = {
        "type": "turn",
        "id": number,
        "match": turn.match_id,
        "seat": turn.seat,
        "game": turn.game,
        "options": dict(turn.options),
        "ply": turn.ply,
        "left_ms": None if left is None else max(0, int(left * 1_000)),
        "attempts_left": turn.attempts_left,
        "refused": str(turn.rejection) if turn.rejection else None,
        "sealed": turn.simultaneous,
        "draw_offers": turn.draw_offers,
        "moves_since": [{"seat": played.seat, "move": played.move} for played in turn.history],
        "position": turn.position,
        "legal_moves": turn.legal_moves,
    }
    return _line({**fields, "view": turn.view} if view else fields)


def ended_line(end: MatchEnded) -> bytes:
    result, own = end.result, seat_result(end)
    return _line(
        {
            "type": "ended",
            "match": end.match_id,
            "seat": end.seat,
            "kind": outcome(result),
            "reason": reason(result),
            "rank": own.rank if own else None,
            "score": own.score if own else None,
            "ranks": ranks(result),
            "scores": scores(result),
        }
    )


def read_answer(line: str) -> ReceivedAnswer:
    """Parse an answer. Unparsable text is used as a move, so that the referee rejects and explains it."""
    if line.startswith("{"):
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            return ReceivedAnswer(None, line)
        return ReceivedAnswer(_id(fields), _answer(fields, line))
    return ReceivedAnswer(None, line)


def _id(fields: dict[str, Any]) -> int | None:
    number = fields.get("id")
    return number if isinstance(number, int) else None


def _answer(fields: dict[str, Any], line: str) -> Answer:
    special = next((answer for name, answer in SPECIAL_ANSWERS.items() if fields.get(name) is True), None)
    move = fields.get("move")
    if special is None and isinstance(move, str):
        score = fields.get("score")
        score = score if isinstance(score, int) and not isinstance(score, bool) else None
        return Choice(move, offer_draw=fields.get("offer_draw") is True, score=score)
    return special or line


def _line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
