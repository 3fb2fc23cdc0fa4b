"""Lines of the bridge: their vectors, and the schema of lines."""

import asyncio
import json
import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec import structs
from referee_client import ACCEPT_DRAW, CLAIM_DRAW, RESIGN, Choice, Misconfigured
from referee_client import turn as turn_module
from referee_client.answers import Answer
from referee_client.bridge import player
from referee_client.bridge.line_protocol import LineProtocol
from referee_client.bridge.lines import ended_line, hello_line, read_answer, started_line, turn_line
from referee_client.bridge.player import Player, Restart
from referee_client.bridge.program_lines import MAX_EXTRA_BYTES, MAX_LINE_BYTES, ProgramUnavailable
from referee_client.bridge.programs import Command
from referee_client.bridge.stderr_log import StderrLog, create_stderr_log
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


TURN = Turn("m", 0, "t", "alquerque", {}, 0, "a position", listed_moves=())


async def answer_two_turns(lines: bytes) -> tuple[Answer, Answer]:
    bridge_end, program_end = socket.socketpair()
    protocol = LineProtocol(*await asyncio.open_connection(sock=bridge_end, limit=MAX_LINE_BYTES))
    reader, writer = await asyncio.open_connection(sock=program_end)
    tasks = [asyncio.create_task(protocol.choose(TURN)) for _ in range(2)]
    for _ in tasks:
        await reader.readline()
    writer.write(lines)
    first, second = await asyncio.wait_for(asyncio.gather(*tasks), timeout=60)
    writer.close()
    await protocol.close()
    return first, second


def test_answers_without_an_id_are_matched_in_the_order_of_turns() -> None:
    assert asyncio.run(answer_two_turns(b"a\nb\n")) == ("a", "b")


def test_answers_with_an_id_can_arrive_in_any_order() -> None:
    lines = b'{"id":2,"move":"b"}\n{"id":1,"move":"a"}\n'
    assert asyncio.run(answer_two_turns(lines)) == (Choice("a"), Choice("b"))


def test_a_second_answer_to_a_turn_is_not_used_for_another_turn() -> None:
    lines = b'{"id":1,"move":"a"}\n{"id":1,"move":"better"}\n{"id":2,"move":"b"}\n'
    assert asyncio.run(answer_two_turns(lines)) == (Choice("a"), Choice("b"))


def test_an_answer_may_have_a_score_that_is_an_integer() -> None:
    lines = b'{"move":"a","score":-35}\n{"move":"b","score":"high"}\n'
    assert asyncio.run(answer_two_turns(lines)) == (Choice("a", score=-35), Choice("b"))
    lines = b'{"move":"a","score":1.5}\n{"move":"b","score":true}\n'
    assert asyncio.run(answer_two_turns(lines)) == (Choice("a"), Choice("b"))


async def test_a_program_that_writes_empty_lines_is_ended_although_a_turn_is_pending() -> None:
    bridge_end, program_end = socket.socketpair()
    protocol = LineProtocol(*await asyncio.open_connection(sock=bridge_end, limit=MAX_LINE_BYTES))
    _, writer = await asyncio.open_connection(sock=program_end)
    writer.write((b" " * 1023 + b"\n") * (MAX_EXTRA_BYTES // 1024 + 1))
    writer.write_eof()
    try:
        with pytest.raises(ProgramUnavailable, match="bytes that answer no turn"):
            await protocol.choose(TURN)
    finally:
        writer.close()
        await protocol.close()


def test_standard_error_is_read_to_its_end_even_if_it_cannot_be_stored(tmp_path: Path) -> None:
    async def read_last_lines() -> list[str]:
        stderr = asyncio.StreamReader()
        stderr.feed_data(b"thinking\n" * 100_000 + b"the last line\n")
        stderr.feed_eof()
        log = StderrLog(tmp_path / "not-there")
        await log.read(stderr)
        return log.last_lines()

    assert asyncio.run(read_last_lines())[-1] == "the last line"


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured, match=f"in the folder {tmp_path / 'file'}: File exists"):
        create_stderr_log(tmp_path / "file")


LINE_PROGRAM = (sys.executable, str(Path(__file__).with_name("line_program.py")))


async def check_start(behaviour: str) -> None:
    bridged = Player(Command((*LINE_PROGRAM, behaviour)), Restart.ALWAYS, StderrLog(None))
    try:
        await bridged.check_start()
    finally:
        await bridged.stop()


def test_a_program_that_ends_immediately_is_rejected_with_the_end_of_its_standard_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(player, "START_CHECK_S", 600)
    with pytest.raises(ProgramUnavailable, match="it closed its output, exit status 1\n  no module named brain"):
        asyncio.run(check_start("exits_at_start"))


def test_a_program_that_keeps_running_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "START_CHECK_S", 0)
    asyncio.run(check_start("good"))
