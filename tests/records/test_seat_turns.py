"""The turns that a seat received can be rebuilt byte by byte from the match record alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from referee_api.v1 import play_pb2
from referee_client.organiser.terms import Terms

from engines.registry import find
from referee.live.sessions import TurnOptions
from referee.records.record_reader import read_record_history
from referee.records.seat_turns import seat_turns
from referee.transport.wire.matches import turn_of
from tests.clients.sdk import connect_organiser
from tests.e2e.bot_connection import BotConnection, connect_bot
from tests.e2e.server import run_server

TURN_OPTIONS = TurnOptions(max_legal_moves=5_000, view=True, all_moves=False)
VOLATILE_FIELDS = ("clocks", "time_left_ms", "repeated")
"""Fields that a record cannot restore: the time left when a turn was sent, and whether it was repeated."""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["alquerque", "toc"])
def test_the_turns_rebuilt_from_a_record_equal_those_that_the_server_sent(tmp_path: Path, game: str) -> None:
    seats = 4 if game == "toc" else 2
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser:
        secret = organiser.register_bot("solo")
        options = {"max_turns": "60"} if game == "toc" else {}
        sent_options = play_pb2.TurnOptions(max_legal_moves=5_000, include_view=True)
        with server.channel() as channel, connect_bot(channel, secret, turn_options=sent_options) as bot:
            match = organiser.create_match(
                Terms(game, options=options, clock="1h", start_within="10m"), ["solo"] * seats
            )
            sent = list(_play(bot, seats))
        record = organiser.record(match.id, tmp_path / "match.jsonl")

    history = read_record_history(record, find)
    for seat in range(seats):
        rebuilt = [turn_of(seat_turn.due, TURN_OPTIONS) for seat_turn in seat_turns(history, seat)]
        received = [turn for turn in sent if turn.seat == seat]
        assert [_without_volatile_fields(turn) for turn in rebuilt] == [
            _without_volatile_fields(turn) for turn in received
        ]


def _play(bot: BotConnection, seats: int) -> Iterator[play_pb2.Turn]:
    """Play all seats, and yield every turn that is received.

    Each turn is answered by its last legal move, and every fifth one first by an illegal move. Only one answer is
    pending at a time: where seats choose at the same time, what a turn says about the other seats would otherwise
    depend on timing. After a rejected answer the same seat is therefore the next to answer.
    """
    ended = 0
    pending: dict[int, play_pb2.Turn] = {}
    awaited: int | None = None
    while ended < seats:
        item = bot.receive("turn", "verdict", "match_ended")
        if isinstance(item, play_pb2.Turn):
            yield item
            pending[item.seat] = item
            awaited = None if awaited == item.seat else awaited
        elif isinstance(item, play_pb2.MatchEnded):
            ended += 1
        elif item.HasField("accepted"):
            awaited = None
        if pending and awaited is None:
            awaited = min(pending)
            bot.send(move=_answer(pending.pop(awaited)))


def _answer(turn: play_pb2.Turn) -> play_pb2.Move:
    move = "nonsense" if turn.ply % 5 == 0 and turn.attempts_left == 3 else turn.legal_moves[-1]
    return play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move)


def _without_volatile_fields(turn: play_pb2.Turn) -> bytes:
    stable_turn = play_pb2.Turn.FromString(turn.SerializeToString())
    for name in VOLATILE_FIELDS:
        stable_turn.ClearField(name)  # type: ignore[arg-type]  # All names are fields of Turn.
    return stable_turn.SerializeToString(deterministic=True)
