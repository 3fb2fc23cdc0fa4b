"""An organiser and its bots. Tests that share a server use one each, so that they do not affect each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass
from referee_api.v1 import clock_pb2, game_pb2, match_pb2

from tests.docs import contract
from tests.e2e.bot_connection import BotConnection
from tests.e2e.server import TIMEOUT_S, ServerProcess, bearer, create_organiser_token, register_bots, run_server

METHODS = contract.methods()
ALQUERQUE = game_pb2.Rules(game="alquerque")
HOUR = clock_pb2.ClockRule(sudden_death=clock_pb2.SuddenDeath(main_ms=3_600_000))
ONE_MS = clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=1))
UNTIMED = clock_pb2.ClockRule(untimed=clock_pb2.Untimed())


def call_method(channel: grpc.Channel, method: str, secret: str | None, **fields: Any) -> Any:
    """Call a method, such as `MatchService/GetMatch`.

    Return its answer, or the call if the answer is a stream. Raises grpc.RpcError.
    """
    return call_with_timeout(channel, method, secret, TIMEOUT_S, fields)


def call_with_timeout(
    channel: grpc.Channel, method: str, secret: str | None, timeout_s: float, fields: Mapping[str, Any]
) -> Any:
    """Do the same as `call_method`, with another timeout."""
    described = METHODS[method]
    request = GetMessageClass(described.input_type)(**fields)
    stub: Any = channel.unary_stream if described.server_streaming else channel.unary_unary
    call = stub(
        f"/{described.containing_service.file.package}.{method}",
        request_serializer=GetMessageClass(described.input_type).SerializeToString,
        response_deserializer=GetMessageClass(described.output_type).FromString,
    )
    return call(request, metadata=None if secret is None else bearer(secret), timeout=timeout_s)


def entries_of(watched: Any) -> list[Any]:
    """Return the entries in one response of a watch."""
    return [item.entry for item in watched.items if item.HasField("entry")]


class Organiser:
    """The token of an organiser, and bots that it has registered."""

    def __init__(self, server: ServerProcess, channel: grpc.Channel, name: str, seats: int, token: str) -> None:
        self.server = server
        self.channel = channel
        self.name = name
        self.bots = [f"{name}-{seat}" for seat in range(seats)]
        """Names of the bots; in a match of these bots alone, the index of each one is its seat."""
        self.token = token
        """Secret of the organiser's token."""
        self.secrets = register_bots(channel, token, *self.bots)
        self._numbers = count(1)
        self._open_connections = ExitStack()
        self._connections: dict[int, BotConnection] = {}

    def call(self, method: str, **fields: Any) -> Any:
        """Call a method as the organiser."""
        return call_method(self.channel, method, self.token, **fields)

    def set_consent(self, **consent: Any) -> None:
        """Set the consent of all its bots."""
        for bot in self.bots:
            self.call("BotService/UpdateBot", name=bot, consent=consent)

    def call_as_bot(self, seat: int, method: str, **fields: Any) -> Any:
        """Call a method as the bot in this seat."""
        return call_method(self.channel, method, self.secrets[seat], **fields)

    def call_as_admin(self, method: str, **fields: Any) -> Any:
        return call_method(self.channel, method, self.server.admin_token, **fields)

    def create_token(self, role: str, holder: str) -> str:
        """Create a token as the administrator, for a role such as `author`, and return its secret."""
        fields = {"role": f"ROLE_{role.upper()}", "holder": holder}
        secret: str = self.call_as_admin("AdminService/CreateToken", **fields).secret
        return secret

    def set_quota(self, **limits: int) -> None:
        """Set the quota of the organiser."""
        self.call_as_admin("AdminService/SetQuota", holder=self.name, quota=limits)

    def match_request(
        self,
        rules: game_pb2.Rules = ALQUERQUE,
        rule: clock_pb2.ClockRule = HOUR,
        seating: Sequence[int] = (),
        **terms: Any,
    ) -> dict[str, Any]:
        """Return the fields of a request for a match of the bots; `seating` lists the index of the bot in each seat."""
        bots = [self.bots[index] for index in seating] or self.bots
        control = clock_pb2.TimeControl(rule=rule)
        return {
            "request_id": f"match {next(self._numbers)}",
            "terms": match_pb2.MatchTerms(rules=rules, time_control=control, start_timeout_ms=600_000, **terms),
            "seats": [match_pb2.BotRef(bot=bot) for bot in bots],
        }

    def create_match(self, **terms: Any) -> str:
        """Create a match, and return its id. The match waits until its bots are online."""
        match_id: str = self.call("MatchService/CreateMatch", **self.match_request(**terms)).match.id
        return match_id

    def start_match(self, **terms: Any) -> str:
        """Create a match, wait until all bots are notified of its start, and return its id. The sessions stay open."""
        match_id = self.create_match(**terms)
        for connection in [self.connection(seat) for seat in range(len(self.bots))]:
            connection.receive("match_started")
        return match_id

    def connection(self, seat: int) -> BotConnection:
        """Return the Play stream of the bot in this seat; the first call opens it."""
        if seat not in self._connections:
            connection = self._connections[seat] = BotConnection(self.channel, self.secrets[seat])
            self._open_connections.callback(connection.abort)
        return self._connections[seat]

    def next_turn(self, seat: int = 0) -> Any:
        """Wait for the next turn of the bot in this seat, and return it."""
        return self.connection(seat).receive("turn")

    def submit_move(self, turn: Any, move: str, **more: Any) -> Any:
        """Answer a turn by a call of SubmitMove instead of the stream."""
        request = {
            "request_id": f"{turn.turn_token} {move}"[:64],
            "match_id": turn.match_id,
            "turn_token": turn.turn_token,
        } | more
        return self.call_as_bot(turn.seat, "MatchService/SubmitMove", move=move, **request)

    def move_to(self, server: ServerProcess, channel: grpc.Channel) -> None:
        """Call another process of the same server from now on; its bots connect again when they are needed."""
        self.disconnect_bots()
        self.server = replace(server, admin_token=self.server.admin_token)
        self.channel, self._connections = channel, {}

    def disconnect_bots(self) -> None:
        self._open_connections.close()


@contextmanager
def new_organiser(
    server: ServerProcess, channel: grpc.Channel, name: str = "organiser", seats: int = 2
) -> Iterator[Organiser]:
    organiser = Organiser(server, channel, name, seats, create_organiser_token(channel, server.admin_token, name))
    try:
        yield organiser
    finally:
        organiser.disconnect_bots()


@contextmanager
def server_with_organiser(folder: Path, *flags: str, games: Path | None = None, seats: int = 2) -> Iterator[Organiser]:
    """Run a server with one organiser."""
    with (
        run_server(folder, *flags, games=games) as server,
        server.channel() as channel,
        new_organiser(server, channel, seats=seats) as organiser,
    ):
        yield organiser


@contextmanager
def killable_server(folder: Path, *flags: str) -> Iterator[tuple[Organiser, Callable[[], None]]]:
    """Run a server with one organiser; the function kills it with SIGKILL and starts it again on the same data."""
    with ExitStack() as stack:
        organiser = stack.enter_context(server_with_organiser(folder, *flags))

        def kill_and_restart() -> None:
            organiser.server.kill()
            server = stack.enter_context(run_server(folder, *flags))
            organiser.move_to(server, stack.enter_context(server.channel()))

        yield organiser, kill_and_restart


@contextmanager
def small_window_channel(server: ServerProcess) -> Iterator[grpc.Channel]:
    """Open a separate connection whose flow control window does not grow, so that unread data fill it soon."""
    options = [("grpc.http2.bdp_probe", 0), ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(server.address, options=options) as channel:
        yield channel
