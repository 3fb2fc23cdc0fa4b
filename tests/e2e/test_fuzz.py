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

from referee.transport.contract_options import CALL_RULES, FOREIGN_RULE
from tests.e2e.fuzz_callers import Callers, create_callers, end_contests_and_matches
from tests.e2e.fuzz_calls import Answer, Method, call_raw, contract_violation, served_methods
from tests.e2e.fuzz_messages import KnownValues, MessageGenerator
from tests.e2e.fuzz_play import RandomBot, faults_in
from tests.e2e.honest_bots import HonestBotsProcess, create_match, entries, run_honest_bots
from tests.e2e.server import (
    ANY_MATCH,
    TIMEOUT_S,
    ServerProcess,
    bearer,
    create_organiser_token,
    register_bots,
    run_server,
)
from tests.e2e.server_metrics import ENGINE_FAULTS, FAULTS, MATCH_FAULTS, MEMORY, error_log_lines, metrics

RESERVED_NAMES = ("admin", "owner", "partner", "sparring")
"""Holders and bots that the test itself relies on; random requests do not name them."""
MAX_FORBIDDEN_SHARE = 0.25
"""Maximum share of requests from callers that may not call the method."""
CASES_PER_ROUND = 250
MAX_GROWTH_BYTES = 150_000_000
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
        self._excluded = {*RESERVED_NAMES, *_token_ids(server, channel)}
        self._numbers = count()
        self.answers: Counter[tuple[str, str]] = Counter()
        """Number of answers by method and reason, or by status code if there is no reason."""

    def run(self, rounds: int) -> None:
        """Run this number of rounds, each with new callers."""
        for number in islice(self._numbers, rounds):
            match_id = create_match(
                self._channel, self._owner, f"honest {number}", "alquerque", ["partner", "sparring"]
            )
            callers = create_callers(self._server, self._channel, number, "sparring")
            call_round = CallRound(self._channel, self._methods, callers, KnownValues({*self._excluded, match_id}))
            for case in range(CASES_PER_ROUND):
                method, answer = call_round.case(f"{self._seed}/{number}/{case}")
                self.answers[method.path, answer.reason or answer.code.name] += 1
            assert not self._honest.failure()
            last = entries(self._channel, self._owner, match_id)[-1]
            assert last.play_ended.result.HasField("played"), last
            end_contests_and_matches(self._server, self._channel, "sparring")


def _token_ids(server: ServerProcess, channel: grpc.Channel) -> set[str]:
    request = admin_service_pb2.ListTokensRequest(page_size=100)
    listed = AdminServiceStub(channel).ListTokens(request, metadata=bearer(server.admin_token), timeout=TIMEOUT_S)
    return {token.id for token in listed.tokens}


class CallRound:
    """Random requests by one set of callers."""

    def __init__(self, channel: grpc.Channel, methods: list[Method], callers: Callers, known: KnownValues) -> None:
        self._channel = channel
        self._methods = methods
        self._callers = callers
        self._known = known
        for message in (*callers.responses, *callers.examples):
            known.learn(message)
        self._accepted: defaultdict[str, list[Message]] = defaultdict(list)
        """Successful requests by type."""
        for request in callers.examples:
            self._accepted[request.DESCRIPTOR.full_name].append(request)

    def case(self, seed: str) -> tuple[Method, Answer]:
        """Send one random request. The same seed sends the same one, as far as the server is deterministic."""
        rng = Random(seed)
        generator = MessageGenerator(rng, self._known)
        method = rng.choice(self._methods)
        role = rng.choice(sorted(self._callers.secrets))
        if rng.random() > MAX_FORBIDDEN_SHARE and allowed_roles(method):
            role = rng.choice(allowed_roles(method))
        secret = self._callers.secrets[role]
        if role == "bot" and method.name == "Play":
            bot = RandomBot(rng, generator, self._known)
            answer, requests = bot.play(self._channel, method, secret or ""), bot.sent
        else:
            requests = [self._request(rng, generator, method) for _ in range(rng.choice((1, 1, 1, 2)))]
            answer = call_raw(self._channel, method, requests, secret)
        violations = [*filter(None, [contract_violation(method, answer)]), *faults_in(answer)]
        assert not violations, (
            f"case {seed}: {method.path} by {role}: {violations}\n{format_requests(method, requests)}"
        )
        self._remember(method, requests, answer)
        return method, answer

    def _request(self, rng: Random, generator: MessageGenerator, method: Method) -> bytes:
        kind = rng.random()
        if kind < 0.05:
            return generator.random_bytes()
        accepted = self._accepted[method.request.full_name]
        if accepted and kind < 0.5:
            message = generator.mutated(rng.choice(accepted), rng.choice((0, 1, 1, 2, 5)))
        else:
            message = generator.message(method.request)
        data = message.SerializeToString()
        return generator.corrupted(data) if kind > 0.95 else data

    def _remember(self, method: Method, requests: list[bytes], answer: Answer) -> None:
        for message in answer.responses:
            self._known.learn(message)
        accepted = self._accepted[method.request.full_name]
        if answer.code is grpc.StatusCode.OK and not method.streams_requests and len(accepted) < 30:
            accepted.append(GetMessageClass(method.request).FromString(requests[0]))


def allowed_roles(method: Method) -> list[str]:
    """Return the roles that may call the method; empty for services that are not the referee's."""
    rule = CALL_RULES.get(f"{method.descriptor.containing_service.name}/{method.name}", FOREIGN_RULE)
    return sorted(role.value for role in rule.callers)


def format_requests(method: Method, requests: list[bytes]) -> str:
    """Return requests both as text and as bytes that can be sent again."""
    return "\n".join(f"{_text(method, data)}\n{data[:2000]!r}" for data in requests)


def _text(method: Method, data: bytes) -> str:
    try:
        return str(GetMessageClass(method.request).FromString(data))[:2000]
    except DecodeError:
        return "(cannot be read)"


@contextmanager
def run_fuzz(folder: Path, seed: int) -> Iterator[tuple[ServerProcess, Fuzz]]:
    public = ("--public-reading", "--public-calls-per-minute", "100000")
    with run_server(folder, "--durability", "normal", *public) as server, server.channel() as channel:
        owner = create_organiser_token(channel, server.admin_token, "owner")
        secrets = register_bots(channel, owner, "partner", "sparring", consent=ANY_MATCH)
        with run_honest_bots(server, folder, secrets) as honest:
            yield server, Fuzz(server, channel, honest, owner, seed)


def assert_healthy(server: ServerProcess) -> None:
    with server.channel() as channel:
        check: Any = channel.unary_unary("/grpc.health.v1.Health/Check")
        answer = health_pb2.HealthCheckResponse.FromString(check(b"", timeout=TIMEOUT_S))
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    now = metrics(server)
    assert [now.get(name, 0) for name in (FAULTS, ENGINE_FAULTS, MATCH_FAULTS)] == [0, 0, 0]
    assert not list(error_log_lines(server))


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2, pytest.param(20, marks=pytest.mark.soak)])
def test_random_requests_get_answers_of_the_contract_and_leave_the_server_healthy(
    tmp_path: Path, rng: Random, rounds: int
) -> None:
    with run_fuzz(tmp_path, rng.getrandbits(32)) as (server, fuzz):
        fuzz.run(1)
        before = metrics(server)[MEMORY]
        fuzz.run(rounds)
        assert_healthy(server)
        assert metrics(server)[MEMORY] - before < MAX_GROWTH_BYTES
