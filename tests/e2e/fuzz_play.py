"""Random conversations in a Play stream, as a faulty or malicious bot might have them."""

import queue
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from tests.e2e.fuzz_calls import Answer, failed_answer
from tests.e2e.fuzz_messages import KnownValues, MessageGenerator
from tests.e2e.server import TIMEOUT_S, bearer

UNKNOWN_MATCH = "no such match"
PLAY_PATH = "/referee_api.v1.PlayService/Play"


class RandomBot:
    """Sends a few rounds of items, and waits after each one until everything has been answered."""

    def __init__(self, rng: Random, generator: MessageGenerator, known: KnownValues) -> None:
        self._rng = rng
        self._generator = generator
        self._known = known
        self._turns: list[play_pb2.Turn] = []
        self._sent_items: list[play_pb2.BotItem] = []
        self._outgoing: queue.Queue[bytes | None] = queue.Queue()
        self.sent: list[bytes] = []
        """All messages that were sent, so that they can be sent again."""

    def play(self, channel: grpc.Channel, secret: str) -> Answer:
        """Run the conversation and return its outcome. Each round gets a verdict in time, or ends the stream."""
        stub: Any = channel.stream_stream(PLAY_PATH, response_deserializer=PlayResponse.FromString)
        call = stub(iter(self._outgoing.get, None), metadata=bearer(secret), timeout=TIMEOUT_S)
        responses: list[Message] = []
        try:
            for last_id in range(1, self._rng.randint(2, 5)):
                self._send(self._round(first=last_id == 1))
                # A message of its own, because the round may be too corrupt to be parsed.
                verdict_request = play_pb2.BotItem(item_id=last_id, move=play_pb2.Move(match_id=UNKNOWN_MATCH))
                self._send(PlayRequest(items=[verdict_request]).SerializeToString())
                self._read_until_verdict(call, last_id, responses)
            self._outgoing.put(None)
            responses.extend(call)
        except grpc.RpcError as error:
            return failed_answer(error, responses)
        finally:
            self._outgoing.put(None)
        return Answer(tuple(responses))

    def _send(self, data: bytes) -> None:
        self.sent.append(data)
        self._outgoing.put(data)

    def _read_until_verdict(self, call: Any, last_id: int, responses: list[Message]) -> None:
        """Read until the verdict on the item that follows the round."""
        for response in call:
            responses.append(response)
            self._known.learn(response)
            self._turns += [item.turn for item in response.items if item.HasField("turn")]
            verdicts = [(item.verdict.item_id, item.verdict.match_id) for item in response.items]
            if (last_id, UNKNOWN_MATCH) in verdicts:
                return

    def _round(self, *, first: bool) -> bytes:
        if self._rng.random() < 0.03:
            return self._generator.random_bytes()
        items = [self._item() for _ in range(self._rng.choice((0, 1, 2, 5, 20)))]
        if first and self._rng.random() < 0.95:
            turn_options = play_pb2.TurnOptions(max_legal_moves=self._rng.choice((0, 3, 5_000)), include_view=True)
            hello = play_pb2.Hello(max_matches=self._rng.choice((0, 1, 64)), turn_options=turn_options)
            items.insert(0, self._mutated(play_pb2.BotItem(hello=hello), self._rng.choice((0, 0, 0, 1))))
        self._sent_items += items
        data = PlayRequest(items=items).SerializeToString()
        return self._generator.corrupted(data) if self._rng.random() < 0.03 else data

    def _item(self) -> play_pb2.BotItem:
        kind = self._rng.random()
        if kind < 0.1 and self._sent_items:
            return self._rng.choice(self._sent_items)
        if kind < 0.5 and self._turns:
            turn = self._rng.choice(self._turns)
            move = self._rng.choice([*turn.legal_moves, "a1-b2"])
            answer = play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move)
            return self._mutated(play_pb2.BotItem(move=answer), self._rng.choice((0, 0, 1, 2)))
        return self._mutated(self._generator.message(play_pb2.BotItem.DESCRIPTOR), 0)

    def _mutated(self, item: Message, times: int) -> play_pb2.BotItem:
        mutated = self._generator.mutated(item, times)
        assert isinstance(mutated, play_pb2.BotItem)
        return mutated
