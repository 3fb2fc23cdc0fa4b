"""Roles of every method of the contract, and verification of tokens."""

import asyncio

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

from referee.accounts.tokens import Role, Token, mint_secret, revoked
from referee.live.ports import LogUnavailable
from referee.storage.memory import MemoryTokens
from referee.transport.guards.authentication import CACHE_US, RULES, Authenticator
from referee.wire.wire_errors import BadToken, NoToken, NotYours
from tests.live.fake_time import StoppedTime, settled

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
        self.authenticator = Authenticator(self.tokens, self.time)
        minted = mint_secret(bytes(32))
        self.secret = minted.secret
        self.token = Token(minted.sha256, role, "ada", self.time.wall_ms(), expires_ms=expires_ms)
        self.tokens.add(self.token, 1)

    def call(self, authorization: str, method: str = "ListGames") -> Token:
        return asyncio.run(self.authenticator.caller(authorization, "GameService", method)).token


def test_a_valid_token_identifies_its_holder() -> None:
    scene = Scene()
    assert scene.call(f"Bearer {scene.secret}").holder == "ada"


@pytest.mark.parametrize("authorization", ["", "Basic abc", "rf_abc"])
def test_a_call_without_a_bearer_token_is_rejected(authorization: str) -> None:
    with pytest.raises(NoToken):
        Scene().call(authorization)


def test_an_unknown_token_is_rejected() -> None:
    with pytest.raises(BadToken):
        Scene().call("Bearer rf_unknown")


def test_an_expired_token_is_rejected_even_if_it_is_cached() -> None:
    scene = Scene(expires_ms=StoppedTime().wall_ms() + 1_000)
    scene.call(f"Bearer {scene.secret}")
    scene.time.us += 1_000_000
    with pytest.raises(BadToken):
        scene.call(f"Bearer {scene.secret}")


def test_a_revoked_token_is_rejected_at_once() -> None:
    scene = Scene()
    scene.call(f"Bearer {scene.secret}")
    scene.authenticator.forget(asyncio.run(scene.tokens.change_token(scene.token.id, revoked)))
    with pytest.raises(BadToken):
        scene.call(f"Bearer {scene.secret}")


def test_a_method_without_a_rule_cannot_be_called() -> None:
    scene = Scene(Role.ADMIN)
    with pytest.raises(NotYours):
        scene.call(f"Bearer {scene.secret}", "SomethingNew")


def test_the_last_use_of_a_token_is_stored_to_the_minute() -> None:
    scene = Scene()

    async def stored() -> Token | None:
        await scene.authenticator.caller(f"Bearer {scene.secret}", "GameService", "ListGames")
        await settled()
        return await scene.tokens.find_token(scene.token.sha256)

    token = asyncio.run(stored())
    assert token
    assert token.used_ms == scene.time.wall_ms() - scene.time.wall_ms() % 60_000


class SlowTokens(MemoryTokens):
    """A store that can block and fail."""

    def __init__(self) -> None:
        super().__init__()
        self.free = asyncio.Event()
        self.free.set()
        self.trouble: LogUnavailable | None = None
        self.read = 0

    async def find_token(self, sha256: bytes) -> Token | None:
        self.read += 1
        await self.free.wait()
        if self.trouble:
            raise self.trouble
        return await super().find_token(sha256)


def test_a_cached_token_is_read_again_in_the_background() -> None:
    scene = Scene()

    async def calls() -> None:
        tokens = SlowTokens()
        tokens.add(scene.token, 1)
        authenticator = Authenticator(tokens, scene.time)

        async def call() -> Token:
            token = (await authenticator.caller(f"Bearer {scene.secret}", "GameService", "ListGames")).token
            await settled()
            return token

        await call()
        await call()
        assert tokens.read == 2, "once to cache it, once to store its use"
        tokens.free.clear()
        scene.time.us += CACHE_US
        await call()
        await call()
        assert tokens.read == 3
        tokens.trouble = LogUnavailable("the disk is full")
        tokens.free.set()
        await call()
        await call()
        assert tokens.read == 4, "it is tried again"
        tokens.trouble = None
        await tokens.change_token(scene.token.id, revoked)
        assert not (await call()).revoked
        with pytest.raises(BadToken):
            await call()

    asyncio.run(calls())


def test_a_token_revoked_while_it_is_read_again_is_not_cached_as_valid() -> None:
    scene = Scene()

    async def calls() -> None:
        tokens = SlowTokens()
        tokens.add(scene.token, 1)
        authenticator = Authenticator(tokens, scene.time)
        await authenticator.caller(f"Bearer {scene.secret}", "GameService", "ListGames")
        authenticator.forget(await tokens.change_token(scene.token.id, revoked))
        await settled()
        with pytest.raises(BadToken):
            await authenticator.caller(f"Bearer {scene.secret}", "GameService", "ListGames")

    asyncio.run(calls())
