"""Bots that reconnect after a crash of the server, repeat their answers, and record which were accepted."""

import queue
import random
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import grpc
from referee_api.v1 import play_pb2, play_service_pb2
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

from tests.e2e.server import TIMEOUT_S, bearer


class Asked(NamedTuple):
    match_id: str
    token: str


class Owed(NamedTuple):
    match_id: str
    seat: int
    ply: int


@dataclass
class Witness:
    """Observations that all bots share."""

    accepted: dict[Asked, str] = field(default_factory=dict)
    """Moves that the server has reported as accepted."""
    tokens: dict[Owed, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Turn tokens with which each turn was ever sent."""
    refused: list[str] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)
    """Matches whose end has been reported to any bot."""
    _news: threading.Condition = field(default_factory=threading.Condition)

    def hears(self, turn: play_pb2.Turn) -> None:
        with self._news:
            self.tokens[Owed(turn.match_id, turn.seat, turn.ply)].add(turn.turn_token)

    def hears_verdict(self, verdict: play_pb2.Verdict, move: str) -> None:
        with self._news:
            if verdict.HasField("rejected"):
                self.refused.append(verdict.rejected.error.message)
            elif verdict.HasField("accepted"):
                self.accepted[Asked(verdict.match_id, verdict.turn_token)] = move
            self._news.notify_all()

    def hears_end(self, match_id: str) -> None:
        with self._news:
            self.ended.add(match_id)
            self._news.notify_all()

    def wait_for_more(self, moves: int) -> None:
        """Wait until `moves` more moves have been accepted."""
        with self._news:
            wanted = len(self.accepted) + moves
            assert self._news.wait_for(lambda: len(self.accepted) >= wanted, TIMEOUT_S)

    def wait_for_ends(self, matches: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: len(self.ended) >= matches, 5 * TIMEOUT_S)


class SteadfastBot:
    """Plays a random legal move in every turn. A repeated turn gets the same answer, also from a restarted server."""

    def __init__(self, secret: str, witness: Witness) -> None:
        self._secret = secret
        self._witness = witness
        self._choose = random.Random(secret)
        self._answers: dict[Asked, str] = {}

    def play(self, channel: grpc.Channel) -> None:
        """Play until the stream breaks."""
        said: queue.Queue[play_pb2.BotItem] = queue.Queue()
        wishes = play_pb2.TurnOptions(max_legal_moves=1000)
        said.put(play_pb2.BotItem(hello=play_pb2.Hello(version="1", max_matches=64, turn_options=wishes)))
        try:
            for response in PlayServiceStub(channel).Play(_requests(said), metadata=bearer(self._secret)):
                for item in response.items:
                    self._hear(item, said)
        except grpc.RpcError:
            pass  # The server was killed, and will be restarted.

    def _hear(self, item: Any, said: "queue.Queue[play_pb2.BotItem]") -> None:
        if item.HasField("ping"):
            said.put(play_pb2.BotItem(pong=play_pb2.Pong(id=item.ping.id)))
        elif item.HasField("turn"):
            turn = item.turn
            self._witness.hears(turn)
            move = self._answers.setdefault(
                Asked(turn.match_id, turn.turn_token), self._choose.choice(turn.legal_moves)
            )
            said.put(
                play_pb2.BotItem(move=play_pb2.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move))
            )
        elif item.HasField("verdict"):
            verdict = item.verdict
            self._witness.hears_verdict(verdict, self._answers[Asked(verdict.match_id, verdict.turn_token)])
        elif item.HasField("match_ended"):
            self._witness.hears_end(item.match_ended.match_id)


class Company:
    """Bots that are connected to one server process."""

    def __init__(self, bots: Sequence[SteadfastBot], address: str) -> None:
        # A separate connection and thread for each bot.
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [grpc.insecure_channel(address, options=options) for _ in bots]
        self._playing = [
            threading.Thread(target=bot.play, args=(channel,))
            for bot, channel in zip(bots, self._channels, strict=True)
        ]
        for one in self._playing:
            one.start()

    def goes(self) -> None:
        for channel in self._channels:
            channel.close()
        for one in self._playing:
            one.join(TIMEOUT_S)


def _requests(said: "queue.Queue[play_pb2.BotItem]") -> Iterator[play_service_pb2.PlayRequest]:
    while True:
        items = [said.get()]
        while not said.empty():
            items.append(said.get())
        yield play_service_pb2.PlayRequest(items=items)
