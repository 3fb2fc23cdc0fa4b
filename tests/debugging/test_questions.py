"""What a seat was asked can be said again, to the byte, from the record alone."""

import queue
from collections.abc import Iterator
from pathlib import Path

import pytest
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub
from referee_client.organiser.terms import Terms

from engines.registry import find
from referee.app.sessions import TurnWishes
from referee.debugging.questions import questions
from referee.storage.record.story import story
from referee.transport.convert.turns import turn_of
from tests.clients.sdk import organising
from tests.e2e.server import bearer, serving

WISHES = TurnWishes(legal_moves_at_most=5_000, view=True, all_moves=False)
OF_THE_MOMENT = ("clocks", "left_ms", "again")
"""How much time was left when a turn was sent, and whether it had been sent before, no record knows."""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["alquerque", "toc"])
def test_the_turns_of_a_record_are_those_that_the_server_sent(tmp_path: Path, game: str) -> None:
    seats = 4 if game == "toc" else 2
    with serving(tmp_path, "--ephemeral") as server, organising(server) as ours:
        secret = ours.register_bot("solo")
        said: queue.Queue[play_pb2.FromBot] = queue.Queue()
        wishes = play_pb2.TurnWishes(legal_moves_at_most=5_000, view=True)
        said.put(play_pb2.FromBot(hello=play_pb2.Hello(version="1", matches_at_most=1, wishes=wishes)))
        options = {"max_turns": "60"} if game == "toc" else {}
        with server.channel() as channel:
            stream = PlayServiceStub(channel).Play(_spoken(said), metadata=bearer(secret))
            match = ours.create_match(Terms(game, options=options, clock="1h", start_within="10m"), ["solo"] * seats)
            sent = list(_played(stream, said, seats))
            stream.cancel()
        record = ours.record(match.id, tmp_path / "match.jsonl")

    tale = story(record, find)
    for seat in range(seats):
        rebuilt = [turn_of(one.due, WISHES) for one in questions(tale, seat)]
        received = [turn for turn in sent if turn.seat == seat]
        assert [_lasting(turn) for turn in rebuilt] == [_lasting(turn) for turn in received]


def _played(
    stream: Iterator[play_service_pb2.PlayResponse], said: "queue.Queue[play_pb2.FromBot]", seats: int
) -> Iterator[play_pb2.Turn]:
    """Every turn that is asked, answered by its last legal move, and every fifth first by one that is none.

    One answer is on its way at a time: where seats choose together, what a turn says of the others would
    otherwise be a matter of chance. So after a refusal the next to answer is the seat that is asked again.
    """
    ended = 0
    asked: dict[int, play_pb2.Turn] = {}
    awaited: int | None = None
    for response in stream:
        for item in response.items:
            kind = item.WhichOneof("item")
            if kind == "ping":
                said.put(play_pb2.FromBot(pong=play_pb2.Pong(id=item.ping.id)))
            elif kind == "turn":
                yield item.turn
                asked[item.turn.seat] = item.turn
                awaited = None if awaited == item.turn.seat else awaited
            elif kind == "verdict" and item.verdict.WhichOneof("outcome") == "accepted":
                awaited = None
            elif kind == "match_ended":
                ended += 1
        if ended == seats:
            return
        if asked and awaited is None:
            awaited = min(asked)
            said.put(_answer(asked.pop(awaited)))


def _answer(turn: play_pb2.Turn) -> play_pb2.FromBot:
    move = "nonsense" if turn.ply % 5 == 0 and turn.attempts_left == 3 else turn.legal_moves[-1]
    return play_pb2.FromBot(move=play_pb2.Move(match_id=turn.match_id, token=turn.token, move=move))


def _spoken(said: "queue.Queue[play_pb2.FromBot]") -> Iterator[play_service_pb2.PlayRequest]:
    while True:
        yield play_service_pb2.PlayRequest(items=[said.get()])


def _lasting(turn: play_pb2.Turn) -> bytes:
    lasting = play_pb2.Turn.FromString(turn.SerializeToString())
    for name in OF_THE_MOMENT:
        lasting.ClearField(name)  # type: ignore[arg-type]  # They are fields of it.
    return lasting.SerializeToString(deterministic=True)
