"""Messages of the contract and entries of records become the same lines, so that what was told can be compared."""

import ast
import json
from pathlib import Path

import pytest
from referee_api.v1 import clock_pb2, entry_pb2, match_pb2, play_pb2

from referee.match.events import PlayEnded
from referee.match.result import FORFEIT_CAUSES, EndCause, EndKind, Forfeit, Result
from referee.storage.codec import MATCH_CODEC
from referee.transport.wire.results import result_of
from tests.cluster.final_logs import match_of_record, result_of_record
from tests.cluster.history import Charge
from tests.cluster.message_lines import (
    game_result,
    match_entry,
    turn_received,
)

JUDGE = ("history", "final_logs", "message_lines", "final_state", "checker")
RECORDERS = ("recording_bots", "recording_watchers", "recorder_program")
ROOT = Path(__file__).parents[2]
PLAYED = (EndCause.RULES, EndCause.RESIGNATION, EndCause.DRAW_AGREED, EndCause.DRAW_CLAIMED, EndCause.ADJUDICATION)
VOID = (
    EndCause.NOT_STARTED,
    EndCause.ABORTED,
    EndCause.DECLARED,
    EndCause.ENGINE_FAULT,
    EndCause.REFEREE_FAULT,
)
SCORES = {"scores": (1.0, 0.0), "ranks": (1, 2), "side_scores": (1.0, 0.0), "side_ranks": (1, 2)}
RESULTS = [
    *(Result(EndKind.PLAYED, cause, "why", **SCORES) for cause in PLAYED),  # type: ignore[arg-type]
    *(Result(EndKind.VOID, cause, "why") for cause in VOID),
    *(
        Result(EndKind.FORFEITED, EndCause.FAULT, forfeits=(Forfeit(1, fault, 7),), **SCORES)  # type: ignore[arg-type]
        for fault in FORFEIT_CAUSES
    ),
]
CHARGE = clock_pb2.ClockCharge(asked_us=1, arrived_us=9, network_credit_us=2, stall_us=3, charged_us=4)
CHARGED = Charge(asked_us=1, arrived_us=9, credit_us=2, stall_us=3, charged_us=4)


def test_the_judge_imports_nothing_of_the_referee() -> None:
    folder = Path(__file__).parent
    paths = [path for name in (*JUDGE, *RECORDERS) for path in folder.glob(f"{name}.py")]
    assert len(paths) == len(JUDGE) + len(RECORDERS)
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        found += [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names]
        assert not [name for name in found if name.split(".")[0] in {"referee", "engines"}]


@pytest.mark.parametrize("result", RESULTS, ids=str)
def test_a_result_that_was_told_equals_that_of_the_record(result: Result) -> None:
    written = json.loads(MATCH_CODEC.encode(PlayEnded(0, result, b"")))["result"]
    assert game_result(result_of(result, "m1")) == result_of_record(written)


def test_the_example_of_a_record_is_read() -> None:
    page = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
    match = match_of_record(page.partition("```json\n")[2].partition("```")[0].splitlines())
    assert (match.match_id, match.players) == ("nim-1", ["ada", "bob"])
    assert [entry.kind for entry in match.entries] == ["match_created", "play_started", "move_played", "play_ended"]
    move = match.entries[2]
    assert (move.seat, move.token, move.move, move.is_bot_move) == (0, "0.0.1", "1", True)
    assert move.charge == Charge(10, 1000, 0, 0, 990)
    assert match.result
    assert match.result.ranks == (1, 2)


def test_a_flag_and_a_hidden_entry() -> None:
    flag = match_entry("m1", entry_pb2.Entry(number=3, flag_fell=entry_pb2.FlagFell(seat=1, clock_charge=CHARGE)), 5)
    assert (flag.kind, flag.seat, flag.charge) == ("flag_fell", 1, CHARGED)
    hidden = match_entry("m1", entry_pb2.Entry(number=4), 5)
    assert (hidden.number, hidden.kind, hidden.digest) == (4, "", "")


def test_the_digest_ignores_only_who_is_online() -> None:
    def created(title: str, online: bool) -> str:
        match = match_pb2.Match(id="m1", title=title, seats=[match_pb2.Seat(bot="anna", online=online)])
        return match_entry("m1", entry_pb2.Entry(number=1, match_created=match), 0).digest

    assert created("one", True) == created("one", False) != created("two", True)


def test_a_turn_with_and_without_a_limit() -> None:
    turn = play_pb2.Turn(match_id="m1", seat=1, turn_token="t", ply=4, position="p", time_left_ms=12)
    assert turn_received(turn, 5).left_us == 12_000
    turn.ClearField("time_left_ms")
    assert turn_received(turn, 5).left_us is None
