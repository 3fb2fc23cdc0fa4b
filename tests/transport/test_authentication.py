"""Verification of tokens and roles."""

import asyncio
from collections.abc import Collection
from typing import Any

import pytest
from referee_api.v1 import quota_pb2, token_pb2, token_service_pb2

from referee.accounts.tokens import PROVIDER_HOLDER, Quota, Role, Token, mint_secret, revoked
from referee.live.ports import StoreUnavailable
from referee.match.clock import SECOND
from referee.transport.contract_options import CALL_RULES, CallRule
from referee.transport.guards.authentication import CACHE_US, CALLER, MAX_UNCONFIRMED_US, Authenticator, Caller
from referee.transport.guards.revocation_check import CHECK_INTERVAL_US, RevocationCheck
from referee.transport.services.own_tokens import OwnTokens
from referee.transport.wire.wire_errors import BadToken, NoToken, NotYours
from tests.live.fake_time import FakeTime, settle
from tests.live.runner_harness import ServerProcess
from tests.storage.memory import MemoryTokens
from tests.transport.rate_limiters import create_rate_limiter

LIST_GAMES = CALL_RULES["GameService/ListGames"]


class FaultyTokens(MemoryTokens):
    """A store that can block and fail."""

    def __init__(self, token: Token) -> None:
        super().__init__(token)
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: Exception | None = None
        self.reads = 0

    async def find_token(self, sha256: bytes) -> Token | None:
        self.reads += 1
        await self.gate.wait()
        if isinstance(self.error, StoreUnavailable):
            raise self.error
        return await super().find_token(sha256)

    async def revoked(self, token_ids: Collection[str]) -> set[str]:
        if self.error:
            raise self.error
        return await super().revoked(token_ids)


class AuthenticationHarness:
    def __init__(self, role: Role = Role.SPECTATOR, expires_ms: int | None = None, *, is_shared: bool = False) -> None:
        self.time = FakeTime()
        minted = mint_secret(bytes(32))
        self.secret = minted.secret
        self.token = Token(minted.sha256, role, "ada", self.time.wall_ms(), expires_ms=expires_ms)
        self.tokens = FaultyTokens(self.token)
        self.authenticator = Authenticator(self.tokens, self.time, is_shared=is_shared)

    async def call(self, rule: CallRule = LIST_GAMES) -> Token:
        return (await self.authenticator.caller(f"Bearer {self.secret}", rule)).token


async def test_a_valid_token_identifies_its_holder() -> None:
    assert (await AuthenticationHarness().call()).holder == "ada"


@pytest.mark.parametrize(
    ("authorization", "error"), [("", NoToken), ("Basic abc", NoToken), ("rf_abc", NoToken), ("Bearer rf_no", BadToken)]
)
async def test_a_call_without_a_known_bearer_token_is_rejected(authorization: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        await AuthenticationHarness().authenticator.caller(authorization, LIST_GAMES)


async def test_an_expired_token_is_rejected_even_if_it_is_cached() -> None:
    harness = AuthenticationHarness(expires_ms=FakeTime().wall_ms() + 1_000)
    await harness.call()
    harness.time.us += 1_000_000
    with pytest.raises(BadToken):
        await harness.call()


async def test_a_revoked_token_is_rejected_at_once() -> None:
    harness = AuthenticationHarness()
    await harness.call()
    harness.authenticator.forget(await harness.tokens.change_token(harness.token.id, revoked))
    with pytest.raises(BadToken):
        await harness.call()


@pytest.mark.parametrize(
    ("method", "right"),
    [
        ("PlayService/Play", "the bot's token"),
        ("LadderService/CreateLadder", "a token of the role organiser or admin"),
        ("AdminService/Drain", "a token of the role admin"),
    ],
)
async def test_the_token_of_an_author_does_not_do_what_others_may_and_the_right_one_is_named(
    method: str, right: str
) -> None:
    with pytest.raises(NotYours, match=f"; use {right}$"):
        await AuthenticationHarness(Role.AUTHOR).call(CALL_RULES[method])


async def test_the_last_use_of_a_token_is_stored_to_the_minute() -> None:
    harness = AuthenticationHarness()
    await harness.call()
    await settle()
    token = await harness.tokens.find_token(harness.token.sha256)
    assert token
    assert token.used_ms == harness.time.wall_ms() - harness.time.wall_ms() % 60_000


async def test_a_cached_token_is_read_again_in_the_background() -> None:
    harness = AuthenticationHarness()
    tokens = harness.tokens

    async def call() -> Token:
        token = await harness.call()
        await settle()
        return token

    await call()
    await call()
    assert tokens.reads == 2, "once to cache it, once to store its use"
    tokens.gate.clear()
    harness.time.us += CACHE_US
    await call()
    await call()
    assert tokens.reads == 3
    tokens.error = StoreUnavailable("the disk is full")
    tokens.gate.set()
    await call()
    await call()
    assert tokens.reads == 4, "it is tried again"
    tokens.error = None
    await tokens.change_token(harness.token.id, revoked)
    assert not (await call()).revoked
    with pytest.raises(BadToken):
        await call()


async def test_a_token_revoked_while_it_is_read_again_is_not_cached_as_valid() -> None:
    harness = AuthenticationHarness()
    await harness.call()
    harness.authenticator.forget(await harness.tokens.change_token(harness.token.id, revoked))
    await settle()
    with pytest.raises(BadToken):
        await harness.call()


class Node(AuthenticationHarness, ServerProcess):
    """A node whose tokens other nodes change."""

    def __init__(self) -> None:
        super().__init__(is_shared=True)
        ServerProcess.__init__(self)
        self.rate_limiter = create_rate_limiter(self.time, Quota(max_streams=9, max_bot_streams=9))
        self.check = RevocationCheck(self.tokens, self.authenticator, self.rate_limiter, self.time)

    async def close(self) -> None:
        await self.check.close()
        assert not self.time.alarms_us

    async def stay(self, token: Token) -> None:
        """Open a stream that never ends by itself."""
        async with self.rate_limiter.stream(Caller(token)):
            await asyncio.Event().wait()

    async def revoke_elsewhere(self) -> None:
        await self.tokens.change_token(self.token.id, revoked)


async def open_node() -> Node:
    node = Node()
    node.check.open()
    await node.time.advance(0)
    return node


async def test_a_token_revoked_on_another_node_is_rejected_after_the_next_check() -> None:
    node = await open_node()
    await node.call()
    await node.revoke_elsewhere()
    await node.call()
    await node.time.advance(CHECK_INTERVAL_US)
    with pytest.raises(BadToken):
        await node.call()


async def test_a_valid_token_is_not_read_again_for_a_call() -> None:
    node = await open_node()
    await node.call()
    await node.time.advance(5 * CHECK_INTERVAL_US)
    reads = node.tokens.reads
    await node.call()
    assert node.tokens.reads == reads


async def test_a_stream_whose_token_was_revoked_on_another_node_ends() -> None:
    node = await open_node()
    stream = asyncio.create_task(node.stay(node.token))
    await node.time.advance(2 * CHECK_INTERVAL_US)
    assert not stream.done()
    await node.revoke_elsewhere()
    await node.time.advance(CHECK_INTERVAL_US)
    with pytest.raises(BadToken):
        await stream


async def test_the_stream_of_a_token_that_is_not_in_the_store_does_not_end() -> None:
    node = await open_node()
    of_provider = Token(bytes(32), Role.AUTHOR, f"{PROVIDER_HOLDER}eve", 0)
    stream = asyncio.create_task(node.stay(of_provider))
    await node.time.advance(2 * CHECK_INTERVAL_US)
    assert not stream.done()
    stream.cancel()


async def test_cached_tokens_are_not_trusted_while_nobody_can_say_whether_they_are_revoked() -> None:
    node = await open_node()
    await node.call()
    node.tokens.error = StoreUnavailable("the network is cut")
    await node.time.advance(MAX_UNCONFIRMED_US)
    await node.call()
    await node.time.advance(SECOND)
    with pytest.raises(StoreUnavailable):
        await node.call()
    await node.revoke_elsewhere()
    node.tokens.error = None
    await node.time.advance(CHECK_INTERVAL_US)
    with pytest.raises(BadToken):
        await node.call()


async def test_a_fault_of_one_check_does_not_end_the_checks() -> None:
    node = await open_node()
    await node.call()
    node.tokens.error = ZeroDivisionError()
    await node.time.advance(CHECK_INTERVAL_US)
    node.tokens.error = None
    await node.revoke_elsewhere()
    await node.time.advance(CHECK_INTERVAL_US)
    with pytest.raises(BadToken):
        await node.call()


MINTED = mint_secret(bytes(32))
MADE_MS, EXPIRES_MS = 1_000, 2_000


class Usage:
    """Knows the holder of each quota, and nothing else."""

    async def quota_of(self, holder: str) -> quota_pb2.HolderQuota:
        return quota_pb2.HolderQuota(holder=holder)


def call(token: Token, method: str, request: Any) -> Any:
    async def run() -> Any:
        CALLER.set(Caller(token))
        return await getattr(OwnTokens(Usage()), method)(request, None)  # type: ignore[arg-type]  # All that is read.

    return asyncio.run(run())


def own_token(token: Token) -> token_pb2.Token:
    shown: token_pb2.Token = call(token, "GetOwnToken", token_service_pb2.GetOwnTokenRequest()).token
    return shown


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.PUBLIC])
def test_each_holder_of_a_token_reads_its_own(role: Role) -> None:
    bot = "anna" if role is Role.BOT else ""
    shown = own_token(Token(MINTED.sha256, role, "ada", MADE_MS, bot=bot, label="laptop", expires_ms=EXPIRES_MS))
    assert (token_pb2.Role.Name(shown.role), shown.holder, shown.bot, shown.label) == (
        f"ROLE_{role.name}",
        "ada",
        bot,
        "laptop",
    )
    assert (shown.create_time.ToMilliseconds(), shown.expire_time.ToMilliseconds()) == (MADE_MS, EXPIRES_MS)
    assert MINTED.secret not in str(shown)
    assert role in CALL_RULES["TokenService/GetOwnToken"].callers


def test_when_a_token_of_an_identity_provider_was_created_is_not_known() -> None:
    shown = own_token(Token(MINTED.sha256, Role.AUTHOR, f"{PROVIDER_HOLDER}ada", 0, expires_ms=EXPIRES_MS))
    assert not shown.HasField("create_time")


def test_an_owner_of_bots_reads_the_quota_of_its_holder_and_no_other_role_does() -> None:
    token = Token(MINTED.sha256, Role.AUTHOR, "ada", MADE_MS)
    assert call(token, "GetOwnQuota", token_service_pb2.GetOwnQuotaRequest()).quota.holder == "ada"
    assert CALL_RULES["TokenService/GetOwnQuota"].callers == {Role.AUTHOR, Role.ORGANISER, Role.ADMIN}
