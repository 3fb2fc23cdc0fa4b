"""The methods that return the token of their call, and the quota of its holder."""

import asyncio
from typing import Any

import pytest
from referee_api.v1 import quota_pb2, token_pb2, token_service_pb2

from referee.accounts.tokens import PROVIDER_HOLDER, Role, Token, mint_secret
from referee.transport.contract_options import CALL_RULES
from referee.transport.guards.authentication import CALLER, Caller
from referee.transport.services.own_tokens import OwnTokens

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
