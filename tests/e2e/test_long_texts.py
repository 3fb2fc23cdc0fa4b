"""Texts of any length in any field: no call uses more than a limited time of the event loop."""

from collections.abc import Iterator
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from referee_api.v1 import game_pb2, match_pb2
from referee_api.v1.game_service_pb2 import ReadPositionRequest
from referee_api.v1.match_service_pb2 import CreateMatchRequest

from engines.api import REFEREE
from engines.registry import find, own_games
from referee.local.embedded_server import settings
from referee.transport.contract_options import CALL_RULES
from tests.e2e.fuzz_calls import FORBIDDEN_CODES
from tests.e2e.organiser import ALQUERQUE, Organiser
from tests.e2e.server import TIMEOUT_S, bearer, create_organiser_token
from tests.e2e.server_thread import ServerThread
from tests.transport.test_field_limits import TEXTS, case_id, filled_request

MAX_CPU_S = 0.25
"""CPU time of the event loop per call. Reading and rejecting a message of a megabyte takes a tenth of that."""
ATTEMPTS = 3
"""A call that took longer is repeated: collecting the garbage of all tests of a process can take 0.7 s of one."""
MESSAGE_BYTES = (1 << 20) - 2_000
PIECES = ("x", "a1", "xc3", "-c2", "é", "0", "b1:TrWrMr,", "NBR@0.0u/0.-1d,", "7D:30>33,", "[", '{"cells":[', " ", "/")
"""Text that the games' grammars accept, and text that they do not."""


class Callers:
    """Callers, one of each role."""

    def __init__(self, server: ServerThread) -> None:
        self.server = server
        self.channel = grpc.insecure_channel(
            server.info.grpc, [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        )
        admin = server.info.admin_token
        self.organiser = Organiser(
            server.info, self.channel, "organiser", 2, create_organiser_token(self.channel, admin, "organiser")
        )
        self.secrets = {"admin": admin, "organiser": self.organiser.token, "bot": self.organiser.secrets[0]}

    def call(self, path: str, request: Message) -> grpc.StatusCode:
        """Call a method and return its status. Assert that it used little CPU time and caused no fault."""
        allowed = {role.value for role in CALL_RULES[path].callers}
        secret = next(secret for role, secret in self.secrets.items() if role in allowed)
        used_s: list[float] = []
        while len(used_s) < ATTEMPTS:
            before_s = self.server.cpu_s()
            code = self._status(path, request, secret)
            assert code not in FORBIDDEN_CODES, (path, code)
            used_s.append(self.server.cpu_s() - before_s)
            if used_s[-1] < MAX_CPU_S:
                return code
        raise AssertionError(f"{path}: {used_s}")

    def _status(self, path: str, request: Message, secret: str) -> grpc.StatusCode:
        try:
            call: Any = self.channel.unary_stream(f"/referee_api.v1.{path}")
            next(call(request.SerializeToString(), metadata=bearer(secret), timeout=TIMEOUT_S), None)
        except grpc.RpcError as error:
            status: grpc.StatusCode = error.code()  # The error is also the call.
            return status
        return grpc.StatusCode.OK

    def assert_quick(self, before_s: float, what: object) -> None:
        used_s = self.server.cpu_s() - before_s
        assert used_s < MAX_CPU_S, f"{what}: {used_s:.3f} s"

    def close(self) -> None:
        self.organiser.disconnect_bots()
        self.channel.close()


@pytest.fixture(scope="module")
def callers() -> Iterator[Callers]:
    with ServerThread.serving(settings(start_within_s=600, patient=True)) as server:
        callers = Callers(server)
        yield callers
        callers.close()


METHODS = {
    method.input_type.name: f"{service.name}/{method.name}"
    for file in {request.DESCRIPTOR.file for request, _ in TEXTS}
    for service in file.services_by_name.values()
    for method in service.methods
}


def random_text(rng: Random, size: int) -> str:
    """Return a random text of at most `size` bytes, and at most a few less."""
    piece = rng.choice(PIECES)
    text = rng.choice(PIECES) + piece * (size // len(piece))
    return text.encode()[:size].decode(errors="ignore")


def fill_every_field(callers: Callers, rng: Random, sizes: tuple[int, ...]) -> None:
    for case in TEXTS:
        method = METHODS[case[0].DESCRIPTOR.name]
        if method == "PlayService/Play":
            continue
        for size in sizes:
            request = filled_request(case, size, rng.choice(("x", "0", "[")))
            assert request.ByteSize() < 1 << 20
            assert callers.call(method, request) is not grpc.StatusCode.OK or size < MESSAGE_BYTES, case_id(case)


def send_to_every_game(callers: Callers, rng: Random, sizes: tuple[int, ...]) -> None:
    for name in own_games():
        game = find(name)
        start = game.start(game.settings(), bytes(32)).text(REFEREE)
        for size in sizes:
            texts = [random_text(rng, size) for _ in range(3)]
            openings = [game_pb2.Opening(position=text) for text in (*texts, f"{start} {texts[0]}"[:size])]
            chain = "a1" + "xc3" * (MESSAGE_BYTES // 3)  # Was once parsed in quadratic time: 26 seconds.
            openings += [game_pb2.Opening(moves=[game_pb2.SeatMove(move=text)]) for text in (*texts, chain)]
            for opening in openings:
                rules = game_pb2.Rules(game=name)
                callers.call("GameService/ReadPosition", ReadPositionRequest(rules=rules, opening=opening))
                request = callers.organiser.match_request(rules)
                request.pop("seats")
                callers.call("MatchService/CreateMatch", CreateMatchRequest(opening=opening, **request))
            for option in game.options.declared:
                rules = game_pb2.Rules(game=name, options={option.name: texts[0]})
                callers.call("GameService/ReadPosition", ReadPositionRequest(rules=rules))
                callers.call("MatchService/CreateMatch", CreateMatchRequest(terms=match_pb2.MatchTerms(rules=rules)))


def answer_with_every_size(callers: Callers, rng: Random, sizes: tuple[int, ...]) -> None:
    """Send long answers in the stream and without it. Every answer gets a verdict, and the stream stays open."""
    organiser = callers.organiser
    for size in sizes:
        match_id = organiser.start_match(rules=ALQUERQUE)
        turn = organiser.next_turn()
        before_s = callers.server.cpu_s()
        connection = organiser.connection(0)
        for field in ("match_id", "turn_token", "move"):
            connection.send(move={"match_id": match_id, "turn_token": turn.turn_token, field: random_text(rng, size)})
            verdict = connection.receive("verdict")
            assert verdict.WhichOneof("outcome") == "rejected"
            callers.assert_quick(before_s, (field, size))
            before_s = callers.server.cpu_s()
        organiser.call_as_bot(0, "MatchService/Resign", match_id=match_id, request_id=f"resign {size}")
        connection.receive("match_ended")
        organiser.connection(1).receive("match_ended")


def test_long_texts_in_any_field_do_not_block_the_event_loop(callers: Callers) -> None:
    rng = Random(1)
    fill_every_field(callers, rng, (MESSAGE_BYTES,))
    send_to_every_game(callers, rng, (1_000,))
    answer_with_every_size(callers, rng, (1_001, MESSAGE_BYTES))


@pytest.mark.soak
def test_texts_of_random_sizes_in_any_field_do_not_block_the_event_loop(callers: Callers, rng: Random) -> None:
    sizes = (rng.randrange(1, 300), rng.randrange(300, 4_001), rng.randrange(4_001, 65_537), MESSAGE_BYTES)
    fill_every_field(callers, rng, sizes)
    send_to_every_game(callers, rng, sizes)
    answer_with_every_size(callers, rng, (1_001 + rng.randrange(100_000), MESSAGE_BYTES))
