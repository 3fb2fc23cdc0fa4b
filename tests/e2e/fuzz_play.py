"""Random conversations in a Play stream, as a faulty or malicious bot might have them."""

import queue
from collections.abc import Iterator
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from referee_api.v1 import error_pb2, play_pb2, play_service_pb2

from tests.e2e.fuzz_calls import Answer, Method, errors_in, failed_answer
from tests.e2e.fuzz_messages import KnownValues, MessageGenerator
from tests.e2e.server import TIMEOUT_S, bearer

ITEM = play_pb2.BotItem.DESCRIPTOR
UNKNOWN_MATCH = "no such match"
FORBIDDEN_REASONS = frozenset(
    {
        error_pb2.ERROR_REASON_UNSPECIFIED,
        error_pb2.ERROR_REASON_REFEREE_FAULT,
        error_pb2.ERROR_REASON_ENGINE_FAULT,
    }
)


class RandomBot:
    """Sends a few rounds of items, and waits after each one until everything has been answered."""

    def __init__(self, rng: Random, generator: MessageGenerator, known: KnownValues) -> None:
        self._rng = rng
        self._generator = generator
        self._known = known
        self._turns: list[play_pb2.Turn] = []
        self._sent_items: list[play_pb2.BotItem] = []
        self.sent: list[bytes] = []
        """All messages that were sent, so that they can be sent again."""

    def play(self, channel: grpc.Channel, method: Method, secret: str) -> Answer:
        """Run the conversation and return its outcome. Each round gets a verdict in time, or ends the stream."""
        outgoing: queue.Queue[bytes | None] = queue.Queue()
        stub: Any = channel.stream_stream(method.path)
        call = stub(iter(outgoing.get, None), metadata=bearer(secret), timeout=TIMEOUT_S)
        responses: list[Message] = []
        try:
            for last_id in range(1, self._rng.randint(2, 5)):
                self._send(outgoing, self._round(first=last_id == 1))
                # A message of its own, because the round may be too corrupt to be parsed.
                verdict_request = play_pb2.BotItem(item_id=last_id, move=play_pb2.Move(match_id=UNKNOWN_MATCH))
                self._send(outgoing, play_service_pb2.PlayRequest(items=[verdict_request]).SerializeToString())
                self._read_until_verdict(call, last_id, responses)
            outgoing.put(None)
            responses.extend(map(play_service_pb2.PlayResponse.FromString, call))
        except grpc.RpcError as error:
            return failed_answer(error, responses)
        finally:
            outgoing.put(None)
        return Answer(tuple(responses))

    def _send(self, outgoing: "queue.Queue[bytes | None]", data: bytes) -> None:
        self.sent.append(data)
        outgoing.put(data)

    def _read_until_verdict(self, call: Any, last_id: int, responses: list[Message]) -> None:
        """Read until the verdict on the item that follows the round."""
        for data in call:
            response = play_service_pb2.PlayResponse.FromString(data)
            responses.append(response)
            self._known.learn(response)
            self._turns += [item.turn for item in response.items if item.HasField("turn")]
            if any(
                item.verdict.item_id == last_id and item.verdict.match_id == UNKNOWN_MATCH for item in response.items
            ):
                return

    def _round(self, *, first: bool) -> bytes:
        if self._rng.random() < 0.03:
            return self._generator.random_bytes()
        items = [self._item() for _ in range(self._rng.choice((0, 1, 2, 5, 20)))]
        if first and self._rng.random() < 0.95:
            items.insert(0, self._hello())
        self._sent_items += items
        data = play_service_pb2.PlayRequest(items=items).SerializeToString()
        return self._generator.corrupted(data) if self._rng.random() < 0.03 else data

    def _hello(self) -> play_pb2.BotItem:
        turn_options = play_pb2.TurnOptions(max_legal_moves=self._rng.choice((0, 3, 5_000)), include_view=True)
        hello = play_pb2.Hello(max_matches=self._rng.choice((0, 1, 64)), turn_options=turn_options)
        return self._mutated(play_pb2.BotItem(hello=hello), self._rng.choice((0, 0, 0, 1)))

    def _item(self) -> play_pb2.BotItem:
        kind = self._rng.random()
        if kind < 0.1 and self._sent_items:
            return self._rng.choice(self._sent_items)
        if kind < 0.5 and self._turns:
            turn = self._rng.choice(self._turns)
            move = self._rng.choice([*turn.legal_moves, "a1-b2"])
            answer = play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move)
            return self._mutated(play_pb2.BotItem(move=answer), self._rng.choice((0, 0, 1, 2)))
        item = play_pb2.BotItem()
        item.MergeFromString(self._generator.message(ITEM).SerializeToString())
        return item

    def _mutated(self, item: play_pb2.BotItem, times: int) -> play_pb2.BotItem:
        mutated = self._generator.mutated(item, times)
        assert isinstance(mutated, play_pb2.BotItem)
        return mutated


def faults_in(answer: Answer) -> Iterator[str]:
    """Yield errors in the answers that must not occur: those without a reason, and faults of the referee."""
    for message in answer.responses:
        for error in errors_in(message):
            if error.reason in FORBIDDEN_REASONS:
                yield f"{error_pb2.ErrorReason.Name(error.reason)}: {error.message}"
