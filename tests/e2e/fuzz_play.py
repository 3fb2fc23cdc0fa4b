"""Random conversations in a Play stream, as a faulty or malicious bot might have them."""

import queue
from collections.abc import Iterator
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from referee_api.v1 import error_pb2, play_pb2, play_service_pb2

from tests.e2e.fuzz_calls import Answer, Method, ended_by, refusals_in
from tests.e2e.fuzz_messages import Inventor, Known
from tests.e2e.server import TIMEOUT_S, bearer

ITEM = play_pb2.BotItem.DESCRIPTOR
NOWHERE = "no such match"
NO_REASON = frozenset(
    {
        error_pb2.ERROR_REASON_UNSPECIFIED,
        error_pb2.ERROR_REASON_REFEREE_FAULT,
        error_pb2.ERROR_REASON_ENGINE_FAULT,
    }
)


class StrangeBot:
    """Sends a few rounds of items, and waits after each one until everything has been answered."""

    def __init__(self, chance: Random, inventor: Inventor, known: Known) -> None:
        self._chance = chance
        self._inventor = inventor
        self._known = known
        self._turns: list[play_pb2.Turn] = []
        self._said: list[play_pb2.BotItem] = []
        self.told: list[bytes] = []
        """All messages that were sent, so that they can be sent again."""

    def converse(self, channel: grpc.Channel, method: Method, secret: str) -> Answer:
        """Run the conversation and return its outcome. Each round gets a verdict in time, or ends the stream."""
        speaking: queue.Queue[bytes | None] = queue.Queue()
        stub: Any = channel.stream_stream(method.path)
        call = stub(iter(speaking.get, None), metadata=bearer(secret), timeout=TIMEOUT_S)
        heard: list[Message] = []
        try:
            for last_id in range(1, self._chance.randint(2, 5)):
                self._say(speaking, self._round(first=last_id == 1))
                # A message of its own, because the round may be too corrupt to be parsed.
                asks_for_a_verdict = play_pb2.BotItem(item_id=last_id, move=play_pb2.Move(match_id=NOWHERE))
                self._say(speaking, play_service_pb2.PlayRequest(items=[asks_for_a_verdict]).SerializeToString())
                self._listen(call, last_id, heard)
            speaking.put(None)
            heard.extend(map(play_service_pb2.PlayResponse.FromString, call))
        except grpc.RpcError as refused:
            return ended_by(refused, heard)
        finally:
            speaking.put(None)
        return Answer(tuple(heard))

    def _say(self, speaking: "queue.Queue[bytes | None]", data: bytes) -> None:
        self.told.append(data)
        speaking.put(data)

    def _listen(self, call: Any, last_id: int, heard: list[Message]) -> None:
        """Read until the verdict on the item that follows the round."""
        for data in call:
            response = play_service_pb2.PlayResponse.FromString(data)
            heard.append(response)
            self._known.hear(response)
            self._turns += [item.turn for item in response.items if item.HasField("turn")]
            if any(item.verdict.item_id == last_id and item.verdict.match_id == NOWHERE for item in response.items):
                return

    def _round(self, *, first: bool) -> bytes:
        if self._chance.random() < 0.03:
            return self._inventor.noise()
        items = [self._item() for _ in range(self._chance.choice((0, 1, 2, 5, 20)))]
        if first and self._chance.random() < 0.95:
            items.insert(0, self._hello())
        self._said += items
        data = play_service_pb2.PlayRequest(items=items).SerializeToString()
        return self._inventor.garbled(data) if self._chance.random() < 0.03 else data

    def _hello(self) -> play_pb2.BotItem:
        wishes = play_pb2.TurnOptions(max_legal_moves=self._chance.choice((0, 3, 5_000)), include_view=True)
        hello = play_pb2.Hello(max_matches=self._chance.choice((0, 1, 64)), turn_options=wishes)
        return self._mutated(play_pb2.BotItem(hello=hello), self._chance.choice((0, 0, 0, 1)))

    def _item(self) -> play_pb2.BotItem:
        kind = self._chance.random()
        if kind < 0.1 and self._said:
            return self._chance.choice(self._said)
        if kind < 0.5 and self._turns:
            turn = self._chance.choice(self._turns)
            move = self._chance.choice([*turn.legal_moves, "a1-b2"])
            answer = play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move)
            return self._mutated(play_pb2.BotItem(move=answer), self._chance.choice((0, 0, 1, 2)))
        made = play_pb2.BotItem()
        made.MergeFromString(self._inventor.message(ITEM).SerializeToString())
        return made

    def _mutated(self, item: play_pb2.BotItem, times: int) -> play_pb2.BotItem:
        mutated = self._inventor.mutated(item, times)
        assert isinstance(mutated, play_pb2.BotItem)
        return mutated


def faults_in(answer: Answer) -> Iterator[str]:
    """Yield errors in the answers that must not occur: those without a reason, and faults of the referee."""
    for message in answer.said:
        for refusal in refusals_in(message):
            if refusal.reason in NO_REASON:
                yield f"{error_pb2.ErrorReason.Name(refusal.reason)}: {refusal.message}"
