"""An organiser with bots of its own: many clubs can use one server, and none is in another's way."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass
from referee_api.v1 import clock_pb2, entry_pb2, game_pb2, match_pb2

from tests.docs import contract
from tests.e2e.server import WITHIN_S, Running, bearer, organiser, registered, serving
from tests.e2e.talk import Talk

METHODS = contract.methods()
ALQUERQUE = game_pb2.Rules(game="alquerque")
HOUR = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=3_600_000))


def ask(channel: grpc.Channel, method: str, secret: str | None, **fields: Any) -> Any:
    """Call a method, such as `MatchService/GetMatch`. The answer; of a stream, the call. Raises grpc.RpcError."""
    return ask_patiently(channel, method, secret, WITHIN_S, fields)


def ask_patiently(
    channel: grpc.Channel, method: str, secret: str | None, timeout_s: float, fields: Mapping[str, Any]
) -> Any:
    """The same with another timeout."""
    described = METHODS[method]
    request = GetMessageClass(described.input_type)(**fields)
    stub: Any = channel.unary_stream if described.server_streaming else channel.unary_unary
    call = stub(
        f"/{described.containing_service.file.package}.{method}",
        request_serializer=GetMessageClass(described.input_type).SerializeToString,
        response_deserializer=GetMessageClass(described.output_type).FromString,
    )
    return call(request, metadata=None if secret is None else bearer(secret), timeout=timeout_s)


def entries_of(watched: Any) -> list[entry_pb2.Entry]:
    """What one answer of WatchMatch tells."""
    return [item.entry for item in watched.items if item.HasField("entry")]


class Club:
    def __init__(self, server: Running, channel: grpc.Channel, name: str, seats: int, owner: str) -> None:
        self.server = server
        self.channel = channel
        self.name = name
        self.bots = [f"{name}-{seat}" for seat in range(seats)]
        """By seat, in a match of this club alone."""
        self.owner = owner
        """Its secret."""
        self.secrets = registered(channel, owner, *self.bots)
        self._numbers = count(1)
        self._talks = ExitStack()
        self._talking: dict[int, Talk] = {}

    def ask(self, method: str, **fields: Any) -> Any:
        """In the name of the organiser."""
        return ask(self.channel, method, self.owner, **fields)

    def ask_as(self, seat: int, method: str, **fields: Any) -> Any:
        """In the name of the bot of that seat."""
        return ask(self.channel, method, self.secrets[seat], **fields)

    def ask_admin(self, method: str, **fields: Any) -> Any:
        return ask(self.channel, method, self.server.admin_token, **fields)

    def wanted(
        self,
        rules: game_pb2.Rules = ALQUERQUE,
        rule: clock_pb2.ClockRule = HOUR,
        seating: Sequence[int] = (),
        **terms: Any,
    ) -> dict[str, Any]:
        """The fields of a request for a match of the club's bots; `seating` says which of them sits where."""
        bots = [self.bots[one] for one in seating] or self.bots
        control = clock_pb2.TimeControl(rule=rule)
        return {
            "request_id": f"match {next(self._numbers)}",
            "terms": match_pb2.MatchTerms(rules=rules, time_control=control, start_within_ms=600_000, **terms),
            "seats": [match_pb2.BotRef(bot=bot) for bot in bots],
        }

    def waiting(self, **terms: Any) -> str:
        """The id of a match that waits for its bots."""
        made: str = self.ask("MatchService/CreateMatch", **self.wanted(**terms)).match.id
        return made

    def playing(self, **terms: Any) -> str:
        """The id of a match that has begun: every bot has heard so, and keeps its session."""
        match_id = self.waiting(**terms)
        for talk in [self.talk(seat) for seat in range(len(self.bots))]:
            talk.hear("match_started")
        return match_id

    def talk(self, seat: int) -> Talk:
        """What the bot of that seat says and hears."""
        if seat not in self._talking:
            talking = self._talking[seat] = Talk(self.channel, self.secrets[seat])
            self._talks.callback(talking.end)
        return self._talking[seat]

    def turn(self, seat: int = 0) -> Any:
        """The next that the bot of that seat is asked."""
        return self.talk(seat).hear("turn")

    def submit(self, turn: Any, move: str, **more: Any) -> Any:
        """Answer a turn without the stream."""
        request = {"request_id": f"{turn.token} {move}"[:64], "match_id": turn.match_id, "token": turn.token} | more
        return self.ask_as(turn.seat, "MatchService/SubmitMove", move=move, **request)

    def goes_home(self) -> None:
        self._talks.close()


@contextmanager
def club(server: Running, channel: grpc.Channel, name: str = "club", seats: int = 2) -> Iterator[Club]:
    founded = Club(server, channel, name, seats, organiser(channel, server.admin_token, name))
    try:
        yield founded
    finally:
        founded.goes_home()


@contextmanager
def club_alone(folder: Path, *flags: str) -> Iterator[Club]:
    """On a server of its own."""
    with serving(folder, *flags) as server, server.channel() as channel, club(server, channel) as founded:
        yield founded


@contextmanager
def narrow(server: Running) -> Iterator[grpc.Channel]:
    """A connection of its own, on which little is on its way that is not read."""
    options = [("grpc.http2.bdp_probe", 0), ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(server.address, options=options) as channel:
        yield channel
