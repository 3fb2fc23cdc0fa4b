"""Bots that reconnect after a crash of the server, repeat their answers, and record which were accepted."""

import random
import threading
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import grpc
from referee_api.v1 import play_pb2

from tests.e2e.bot_connection import BotConnection, connect_bot
from tests.e2e.server import TIMEOUT_S


class TurnKey(NamedTuple):
    match_id: str
    token: str


class TurnPlace(NamedTuple):
    match_id: str
    seat: int
    ply: int


@dataclass
class Observations:
    """Observations that all bots share."""

    accepted: dict[TurnKey, str] = field(default_factory=dict)
    """Moves that the server has reported as accepted."""
    tokens: dict[TurnPlace, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Turn tokens with which each turn was ever sent."""
    rejections: list[str] = field(default_factory=list)
    ended: set[str] = field(default_factory=set)
    """Matches whose end has been reported to any bot."""
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def record_turn(self, turn: play_pb2.Turn) -> None:
        with self._changed:
            self.tokens[TurnPlace(turn.match_id, turn.seat, turn.ply)].add(turn.turn_token)

    def record_verdict(self, verdict: play_pb2.Verdict, move: str) -> None:
        with self._changed:
            if verdict.HasField("rejected"):
                self.rejections.append(verdict.rejected.error.message)
            elif verdict.HasField("accepted"):
                self.accepted[TurnKey(verdict.match_id, verdict.turn_token)] = move
            self._changed.notify_all()

    def record_end(self, match_id: str) -> None:
        with self._changed:
            self.ended.add(match_id)
            self._changed.notify_all()

    def wait_for_moves(self, moves: int) -> None:
        """Wait until `moves` more moves have been accepted."""
        with self._changed:
            target = len(self.accepted) + moves
            assert self._changed.wait_for(lambda: len(self.accepted) >= target, TIMEOUT_S)

    def wait_for_match_ends(self, matches: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.ended) >= matches, 5 * TIMEOUT_S)


class ReconnectingBot:
    """Plays a random legal move in every turn. A repeated turn gets the same answer, also from a restarted server."""

    def __init__(self, secret: str, observations: Observations) -> None:
        self._secret = secret
        self._observations = observations
        self._choose = random.Random(secret)
        self._answers: dict[TurnKey, str] = {}

    def play(self, channel: grpc.Channel) -> None:
        """Play until the stream breaks, because the server was killed; it will be restarted."""
        with suppress(grpc.RpcError), connect_bot(channel, self._secret, max_matches=64) as connection:
            while True:
                self._handle(connection.receive("turn", "verdict", "match_ended"), connection)

    def _handle(self, item: Any, connection: BotConnection) -> None:
        if isinstance(item, play_pb2.Turn):
            self._observations.record_turn(item)
            key = TurnKey(item.match_id, item.turn_token)
            move = self._answers.setdefault(key, self._choose.choice(item.legal_moves))
            connection.send(move=play_pb2.Move(match_id=item.match_id, turn_token=item.turn_token, move=move))
        elif isinstance(item, play_pb2.Verdict):
            self._observations.record_verdict(item, self._answers[TurnKey(item.match_id, item.turn_token)])
        else:
            self._observations.record_end(item.match_id)


class BotThreads:
    """Bots that are connected to one server process."""

    def __init__(self, bots: Sequence[ReconnectingBot], address: str) -> None:
        # A separate connection and thread for each bot.
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [grpc.insecure_channel(address, options=options) for _ in bots]
        self._threads = [
            threading.Thread(target=bot.play, args=(channel,))
            for bot, channel in zip(bots, self._channels, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        for channel in self._channels:
            channel.close()
        for thread in self._threads:
            thread.join(TIMEOUT_S)
