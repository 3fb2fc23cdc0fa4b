"""Lines of the bridge: their vectors, and the schema of lines."""

import json
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import structs
from referee_client import ACCEPT_DRAW, CLAIM_DRAW, RESIGN, Choice
from referee_client import turn as turn_module
from referee_client.answers import Answer
from referee_client.bridge.lines import ended_line, hello_line, read_answer, started_line, turn_line
from referee_client.errors import Refusal
from referee_client.turn import Turn
from referee_values import (
    Forfeit,
    ForfeitedResult,
    Match,
    MatchEnded,
    MatchTerms,
    PlayedResult,
    Result,
    Rules,
    Seat,
    SeatMove,
    SeatResult,
    VoidResult,
)

from tests.clients.vectors import ROOT, load_vectors

NOW = 1_000.0
VECTORS = load_vectors("bridge")
WRITTEN = [vector for vector in VECTORS if "writes" in vector]
READ = [vector for vector in VECTORS if "reads" in vector]
SCHEMA = Draft202012Validator(
    json.loads((ROOT / "clients" / "bridge" / "lines.schema.json").read_text(encoding="utf-8"))
)
SPECIAL = {"resigns": RESIGN, "accepts_draw": ACCEPT_DRAW, "claims_draw": CLAIM_DRAW}


def write_started(match: str, seat: int, game: str, options: dict[str, str], bots: list[str]) -> bytes:
    return started_line(
        Match(
            id=match,
            terms=MatchTerms(rules=Rules(game=game, options=options)),
            seats=tuple(Seat(bot=bot) for bot in bots),
        ),
        seat,
    )


def write_turn(id: int, match: str, view: str | None = None, **fields: Any) -> bytes:  # noqa: A002
    left_ms, waited_ms = fields.pop("time_left_ms", None), fields.pop("waited_ms", 0)
    refused = fields.pop("refused", None)
    turn = Turn(
        match,
        fields.pop("seat"),
        "token",
        time_left=None if left_ms is None else left_ms / 1_000,
        arrived_at=NOW - waited_ms / 1_000,
        rejection=Refusal(**refused) if refused else None,
        history=tuple(SeatMove(**played) for played in fields.pop("moves_since", [])),
        draw_offers=tuple(fields.pop("draw_offers", [])),
        simultaneous=fields.pop("sealed", False),
        listed_moves=tuple(fields.pop("legal_moves", [])),
        received_view=view or "",
        **fields,
    )
    return turn_line(id, turn, view is not None)


def write_ended(match: str, seat: int, kind: str, reason: str, ranks: list[int], scores: list[float]) -> bytes:
    word: Any = reason
    results: dict[str, Result] = {
        "played": Result(played=PlayedResult(reason=reason)),
        "forfeited": Result(forfeited=ForfeitedResult(forfeits=(Forfeit(cause=word),))),
        "void": Result(voided=VoidResult(cause=word)),
    }
    pairs = enumerate(zip(ranks, map(float, scores), strict=True))
    seats = tuple(SeatResult(seat=number, score=score, rank=rank) for number, (rank, score) in pairs)
    return ended_line(MatchEnded(match_id=match, seat=seat, result=structs.replace(results[kind], seats=seats)))


WRITERS: dict[str, Callable[..., bytes]] = {
    "hello": hello_line,
    "started": write_started,
    "turn": write_turn,
    "ended": write_ended,
}


@pytest.mark.parametrize("vector", WRITTEN, ids=lambda vector: vector["name"])
def test_lines_are_written_as_the_vectors_say(vector: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_module, "time", SimpleNamespace(monotonic=lambda: NOW))
    ((kind, fields),) = vector["writes"].items()
    line = WRITERS[kind](**fields).decode()
    assert line == vector["line"] + "\n"
    SCHEMA.validate(json.loads(line))


@pytest.mark.parametrize("vector", READ, ids=lambda vector: vector["name"])
def test_answers_are_read_as_the_vectors_say(vector: dict[str, Any]) -> None:
    line = repeated(vector["line_repeat"]) if "line_repeat" in vector else vector["line"]
    received = read_answer(line)
    expected = dict(vector["reads"])
    assert received.id == expected.pop("id", None)
    if "move_pattern" in expected:
        assert re.fullmatch(expected["move_pattern"], text_of(received.answer))
    elif "move" in expected or "move_repeat" in expected:
        move = repeated(expected["move_repeat"]) if "move_repeat" in expected else expected["move"]
        assert (text_of(received.answer), offers_draw(received.answer)) == (move, expected.get("offer_draw", False))
    else:
        assert {name: received.answer == answer for name, answer in SPECIAL.items()} == {
            name: name in expected for name in SPECIAL
        }


def repeated(text_and_times: tuple[str, int]) -> str:
    text, times = text_and_times
    return text * times


def text_of(answer: Answer) -> str:
    text = answer.move if isinstance(answer, Choice) else answer
    assert isinstance(text, str)
    return text


def offers_draw(answer: Answer) -> bool:
    return isinstance(answer, Choice) and answer.offer_draw


@pytest.mark.parametrize(
    "answer", ['{"move":"c2-c3"}', '{"id":7,"move":"c2-c3","offer_draw":true}', '{"id":1,"resign":true}']
)
def test_answers_match_the_schema(answer: str) -> None:
    SCHEMA.validate(json.loads(answer))


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"move":7}',
        '{"resign":false}',
        '{"type":"hello","protocol":2}',
        '{"type":"turn","id":1}',
        '{"resign":true,"move":"a"}',
    ],
)
def test_other_lines_do_not_match_the_schema(line: str) -> None:
    assert not SCHEMA.is_valid(json.loads(line))
