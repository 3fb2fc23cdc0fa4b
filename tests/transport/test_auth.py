"""Who may call what: every method of the contract has its rule, and the gate holds to it."""

import asyncio
from collections.abc import Callable

import pytest
from google.protobuf.descriptor import ServiceDescriptor
from referee_api.v1 import (
    admin_service_pb2,
    bot_service_pb2,
    game_service_pb2,
    ladder_service_pb2,
    match_service_pb2,
    play_service_pb2,
    tournament_service_pb2,
)

from referee.app.ports import LogUnavailable
from referee.app.tokens import Role, Token, mint, revoked
from referee.storage.accounts_memory import MemoryTokens
from referee.transport.auth import KEPT_US, RULES, Gate
from referee.transport.refused import BadToken, NoToken, NotYours
from tests.app.stopped_time import StoppedTime, settled

SERVED: list[ServiceDescriptor] = [
    module.DESCRIPTOR.services_by_name[name]
    for module, name in (
        (game_service_pb2, "GameService"),
        (match_service_pb2, "MatchService"),
        (play_service_pb2, "PlayService"),
        (bot_service_pb2, "BotService"),
        (admin_service_pb2, "AdminService"),
        (ladder_service_pb2, "LadderService"),
        (tournament_service_pb2, "TournamentService"),
    )
]


@pytest.mark.parametrize("service", SERVED, ids=lambda service: str(service.name))
def test_every_method_of_the_contract_has_its_rule_and_no_other_has(service: ServiceDescriptor) -> None:
    assert set(RULES[service.name]) == {method.name for method in service.methods}


def test_no_other_service_has_rules() -> None:
    assert set(RULES) == {service.name for service in SERVED}


def test_administrators_do_everything_but_play() -> None:
    barred = {method for methods in RULES.values() for method, roles in methods.items() if Role.ADMIN not in roles}
    assert barred == {"Play", "ListTurns", "SubmitMove", "Resign", "OfferDraw", "AnswerDraw", "ClaimDraw"}


class Scene:
    def __init__(self, role: Role = Role.SPECTATOR, expires_ms: int | None = None) -> None:
        self.time = StoppedTime()
        self.tokens = MemoryTokens()
        self.gate = Gate(self.tokens, self.time)
        minted = mint(bytes(32))
        self.secret = minted.secret
        self.token = Token(minted.sha256, role, "ada", self.time.wall_ms(), expires_ms=expires_ms)
        self.tokens.add(self.token, 1)

    def call(self, authorization: str, method: str = "ListGames") -> Token:
        return asyncio.run(self.gate.caller(authorization, "GameService", method)).token


def test_a_good_token_comes_in_and_is_known_by_its_holder() -> None:
    scene = Scene()
    assert scene.call(f"Bearer {scene.secret}").holder == "ada"


@pytest.mark.parametrize("authorization", ["", "Basic abc", "rf_abc"])
def test_without_a_token_nobody_comes_in(authorization: str) -> None:
    with pytest.raises(NoToken):
        Scene().call(authorization)


def test_an_unknown_token_is_good_for_nothing() -> None:
    with pytest.raises(BadToken):
        Scene().call("Bearer rf_unknown")


def test_an_expired_token_is_good_for_nothing_also_while_it_is_remembered() -> None:
    scene = Scene(expires_ms=StoppedTime().wall_ms() + 1_000)
    scene.call(f"Bearer {scene.secret}")
    scene.time.us += 1_000_000
    with pytest.raises(BadToken):
        scene.call(f"Bearer {scene.secret}")


def test_a_revoked_token_is_good_for_nothing_at_once() -> None:
    scene = Scene()
    scene.call(f"Bearer {scene.secret}")
    scene.gate.forget(asyncio.run(scene.tokens.change_token(scene.token.id, revoked)))
    with pytest.raises(BadToken):
        scene.call(f"Bearer {scene.secret}")


def test_a_method_without_a_rule_is_called_by_nobody() -> None:
    scene = Scene(Role.ADMIN)
    with pytest.raises(NotYours):
        scene.call(f"Bearer {scene.secret}", "SomethingNew")


def test_it_is_noted_to_the_minute_when_a_token_was_used() -> None:
    scene = Scene()
    minute_ms = scene.time.wall_ms() - scene.time.wall_ms() % 60_000
    assert scene.call(f"Bearer {scene.secret}").used_ms == minute_ms

    async def stored() -> Token | None:
        await scene.gate.caller(f"Bearer {scene.secret}", "GameService", "ListGames")
        await settled()
        return await scene.tokens.token_of(scene.token.sha256)

    scene.gate.forget(scene.token)
    token = asyncio.run(stored())
    assert token
    assert token.used_ms == minute_ms


class SlowTokens(MemoryTokens):
    """Whose disk is busy, and then away."""

    def __init__(self) -> None:
        super().__init__()
        self.written = asyncio.Event()
        self.tried = 0

    async def change_token(self, token_id: str, change: Callable[[Token], Token]) -> Token:
        self.tried += 1
        await self.written.wait()
        raise LogUnavailable("the disk is full")


def test_nobody_waits_until_it_is_written_when_a_token_was_used() -> None:
    scene = Scene()

    async def calls() -> None:
        tokens = SlowTokens()
        tokens.add(scene.token, 1)
        gate = Gate(tokens, scene.time)
        for _ in range(3):
            await gate.caller(f"Bearer {scene.secret}", "GameService", "ListGames")
            scene.time.us += KEPT_US + 1
            await settled()
        assert tokens.tried == 1
        tokens.written.set()
        await settled()
        await gate.caller(f"Bearer {scene.secret}", "GameService", "ListGames")
        await settled()
        assert tokens.tried == 2

    asyncio.run(calls())
