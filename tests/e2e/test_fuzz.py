"""Random requests to the real server: it always answers as the contract says, and continues to work."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2
from referee_api.v1 import admin_service_pb2
from referee_api.v1.admin_service_pb2_grpc import AdminServiceStub

from referee.transport.guards.authentication import RULES
from tests.e2e.fuzz_calls import Answer, Method, ask, served_methods, wrong_with
from tests.e2e.fuzz_guests import Guests, dismiss, invited
from tests.e2e.fuzz_messages import Inventor, Known
from tests.e2e.fuzz_play import StrangeBot, faults_in
from tests.e2e.honest_bots import HonestBotsProcess, create_match, entries, run_honest_bots
from tests.e2e.server import TIMEOUT_S, ServerProcess, bearer, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import ENGINE_FAULTS, FAULTS, MATCH_FAULTS, MEMORY, error_log_lines, metrics

HOSTS = ("admin", "house", "partner", "sparring")
"""Holders and bots that the test itself relies on; random requests do not name them."""
BARRED_AT_MOST = 0.25
"""Maximum share of requests from callers that may not call the method."""
CASES_OF_A_PARTY = 250
GROWTH_AT_MOST_BYTES = 150_000_000
"""Maximum memory growth, independent of the number of requests."""


class Fuzz:
    """Sends random requests one after the other, while an honest match is always being played."""

    def __init__(
        self, server: ServerProcess, channel: grpc.Channel, honest: HonestBotsProcess, owner: str, seed: int
    ) -> None:
        self._server = server
        self._channel = channel
        self._honest = honest
        self._owner = owner
        self._seed = seed
        # An administrator may drain the server, which would end the test.
        self._methods = [method for method in served_methods(channel) if method.name != "Drain"]
        self._spared = {*HOSTS, *_token_ids(server, channel)}
        self._numbers = count()
        self.answers: Counter[tuple[str, str]] = Counter()
        """Number of answers by method and reason, or by status code if there is no reason."""

    def ask(self, parties: int) -> None:
        """Run this number of parties, each with all of its requests."""
        for number in islice(self._numbers, parties):
            match_id = create_match(
                self._channel, self._owner, f"honest {number}", "alquerque", ["partner", "sparring"]
            )
            guests = invited(self._server, self._channel, number, "sparring")
            party = Party(self._channel, self._methods, guests, Known({*self._spared, match_id}))
            for case in range(CASES_OF_A_PARTY):
                method, answer = party.case(f"{self._seed}/{number}/{case}")
                self.answers[method.path, answer.reason or answer.code.name] += 1
            assert not self._honest.failure()
            last = entries(self._channel, self._owner, match_id)[-1]
            assert last.play_ended.result.HasField("played"), last
            dismiss(self._server, self._channel, "sparring")


def _token_ids(server: ServerProcess, channel: grpc.Channel) -> set[str]:
    request = admin_service_pb2.ListTokensRequest(page_size=100)
    listed = AdminServiceStub(channel).ListTokens(request, metadata=bearer(server.admin_token), timeout=TIMEOUT_S)
    return {token.id for token in listed.tokens}


class Party:
    """Random requests by one set of callers."""

    def __init__(self, channel: grpc.Channel, methods: list[Method], guests: Guests, known: Known) -> None:
        self._channel = channel
        self._methods = methods
        self._guests = guests
        self._known = known
        for message in (*guests.said, *guests.examples):
            known.hear(message)
        self._sensible: defaultdict[str, list[Message]] = defaultdict(list)
        """Successful requests by type."""
        for request in guests.examples:
            self._sensible[request.DESCRIPTOR.full_name].append(request)

    def case(self, seed: str) -> tuple[Method, Answer]:
        """Send one random request. The same seed sends the same one, as far as the server is deterministic."""
        chance = Random(seed)
        inventor = Inventor(chance, self._known)
        method = chance.choice(self._methods)
        role = chance.choice(sorted(self._guests.secrets))
        if chance.random() > BARRED_AT_MOST and allowed(method):
            role = chance.choice(allowed(method))
        secret = self._guests.secrets[role]
        if role == "bot" and method.name == "Play":
            bot = StrangeBot(chance, inventor, self._known)
            answer, asked = bot.converse(self._channel, method, secret or ""), bot.told
        else:
            asked = [self._request(chance, inventor, method) for _ in range(chance.choice((1, 1, 1, 2)))]
            answer = ask(self._channel, method, asked, secret)
        wrong = [*filter(None, [wrong_with(method, answer)]), *faults_in(answer)]
        assert not wrong, f"case {seed}: {method.path} by {role}: {wrong}\n{shown(method, asked)}"
        self._remember(method, asked, answer)
        return method, answer

    def _request(self, chance: Random, inventor: Inventor, method: Method) -> bytes:
        kind = chance.random()
        if kind < 0.05:
            return inventor.noise()
        sensible = self._sensible[method.request.full_name]
        if sensible and kind < 0.5:
            made = inventor.mutated(chance.choice(sensible), chance.choice((0, 1, 1, 2, 5)))
        else:
            made = inventor.message(method.request)
        data = made.SerializeToString()
        return inventor.garbled(data) if kind > 0.95 else data

    def _remember(self, method: Method, asked: list[bytes], answer: Answer) -> None:
        for message in answer.said:
            self._known.hear(message)
        sensible = self._sensible[method.request.full_name]
        if answer.code is grpc.StatusCode.OK and not method.listens and len(sensible) < 30:
            sensible.append(GetMessageClass(method.request).FromString(asked[0]))


def allowed(method: Method) -> list[str]:
    """Return the roles that may call the method; empty for services that are not the referee's."""
    service = method.descriptor.containing_service.name
    return sorted(role.value for role in RULES.get(service, {}).get(method.name, ()))


def shown(method: Method, asked: list[bytes]) -> str:
    """Return requests both as text and as bytes that can be sent again."""
    return "\n".join(f"{_text(method, data)}\n{data[:2000]!r}" for data in asked)


def _text(method: Method, data: bytes) -> str:
    try:
        return str(GetMessageClass(method.request).FromString(data))[:2000]
    except DecodeError:
        return "(cannot be read)"


@contextmanager
def fuzzing(folder: Path, seed: int) -> Iterator[tuple[ServerProcess, Fuzz]]:
    with run_server(folder, "--durability", "normal") as server, server.channel() as channel:
        owner = create_organiser_token(channel, server.admin_token, "house")
        secrets = register_bots(channel, owner, "partner", "sparring")
        with run_honest_bots(server, folder, secrets) as honest:
            yield server, Fuzz(server, channel, honest, owner, seed)


def need_health(server: ServerProcess) -> None:
    with server.channel() as channel:
        check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
        answer = health_pb2.HealthCheckResponse.FromString(check(b"", timeout=TIMEOUT_S))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    now = metrics(server)
    assert [now.get(name, 0) for name in (FAULTS, ENGINE_FAULTS, MATCH_FAULTS)] == [0, 0, 0]
    assert not list(error_log_lines(server))


@pytest.mark.slow
@pytest.mark.parametrize("parties", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_strange_questions_are_answered_as_the_contract_says_and_leave_the_server_as_it_was(
    tmp_path: Path, rng: Random, parties: int
) -> None:
    with fuzzing(tmp_path, rng.getrandbits(32)) as (server, fuzz):
        fuzz.ask(1)
        before = metrics(server)[MEMORY]
        fuzz.ask(parties)
        need_health(server)
        assert metrics(server)[MEMORY] - before < GROWTH_AT_MOST_BYTES
