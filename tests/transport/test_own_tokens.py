"""The method that returns the token of its call."""

import asyncio

import pytest
from referee_api.v1 import token_pb2, token_service_pb2

from referee.accounts.tokens import PROVIDER_HOLDER, Role, Token, mint_secret
from referee.transport.contract_options import CALL_RULES
from referee.transport.guards.authentication import CALLER, Caller
from referee.transport.services.own_tokens import OwnTokens
from referee.transport.wire.accounts import ROLES

MINTED = mint_secret(bytes(32))
MADE_MS, EXPIRES_MS = 1_000, 2_000


def own_token(token: Token) -> token_pb2.Token:
    async def call() -> token_service_pb2.GetOwnTokenResponse:
        CALLER.set(Caller(token))
        return await OwnTokens().GetOwnToken(token_service_pb2.GetOwnTokenRequest(), None)

    return asyncio.run(call()).token


@pytest.mark.parametrize("role", ROLES.values())
def test_each_holder_of_a_token_reads_its_own(role: Role) -> None:
    bot = "anna" if role is Role.BOT else ""
    shown = own_token(Token(MINTED.sha256, role, "ada", MADE_MS, bot=bot, label="laptop", expires_ms=EXPIRES_MS))
    assert (ROLES[shown.role], shown.holder, shown.bot, shown.label) == (role, "ada", bot, "laptop")
    assert (shown.create_time.ToMilliseconds(), shown.expire_time.ToMilliseconds()) == (MADE_MS, EXPIRES_MS)
    assert MINTED.secret not in str(shown)
    assert role in CALL_RULES["TokenService/GetOwnToken"].callers


def test_when_a_token_of_an_identity_provider_was_created_is_not_known() -> None:
    shown = own_token(Token(MINTED.sha256, Role.AUTHOR, f"{PROVIDER_HOLDER}ada", 0, expires_ms=EXPIRES_MS))
    assert not shown.HasField("create_time")
