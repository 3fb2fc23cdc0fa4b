"""A token that another node has revoked is rejected within seconds, and its streams end."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

import pytest

from referee.accounts.tokens import PROVIDER_HOLDER, Quota, Role, Token, mint_secret, revoked
from referee.live.ports import StoreUnavailable
from referee.match.clock import SECOND
from referee.transport.contract_options import CALL_RULES
from referee.transport.guards.authentication import MAX_UNCONFIRMED_US, Authenticator, Caller
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.guards.revocation_check import CHECK_INTERVAL_US, RevocationCheck
from referee.transport.wire.wire_errors import BadToken
from tests.live.fake_time import FakeTime
from tests.live.runner_harness import ServerProcess
from tests.storage.memory_accounts import MemoryTokens
from tests.transport.rate_limiters import create_rate_limiter


class SharedTokens(MemoryTokens):
    """A store that other nodes change, and that can be unavailable."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None
        self.reads = 0

    async def find_token(self, sha256: bytes) -> Token | None:
        self.reads += 1
        if isinstance(self.error, StoreUnavailable):
            raise self.error
        return await super().find_token(sha256)

    async def revoked(self, token_ids: Collection[str]) -> set[str]:
        if self.error:
            raise self.error
        return await super().revoked(token_ids)


@dataclass
class Node(ServerProcess):
    time: FakeTime = field(default_factory=FakeTime)
    tokens: SharedTokens = field(default_factory=SharedTokens)

    def __post_init__(self) -> None:
        super().__init__()
        self.authenticator = Authenticator(self.tokens, self.time, is_shared=True)
        self.rate_limiter: RateLimiter = create_rate_limiter(self.time, Quota(max_streams=9, max_bot_streams=9))
        self.check = RevocationCheck(self.tokens, self.authenticator, self.rate_limiter, self.time)
        minted = mint_secret(bytes(32))
        self.secret = minted.secret
        self.token = Token(minted.sha256, Role.SPECTATOR, "ada", self.time.wall_ms())
        self.tokens.add(self.token, 1)

    async def close(self) -> None:
        await self.check.close()
        assert not self.time.alarms_us

    async def call(self) -> None:
        await self.authenticator.caller(f"Bearer {self.secret}", CALL_RULES["GameService/ListGames"])

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
