"""Assignment of a line program's answers to turns."""

import asyncio
import socket

import pytest
from referee_client import Choice
from referee_client.answers import Answer
from referee_client.bridge.line_protocol import LineProtocol
from referee_client.bridge.program_lines import MAX_EXTRA_BYTES, MAX_LINE_BYTES, ProgramUnavailable
from referee_client.turn import Turn

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
