"""Tokens of an identity provider: a real issuer on this machine, and a real server that fetches its keys."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import token_pb2

from tests.e2e.call_errors import reason_of
from tests.e2e.issuer import AUDIENCE, Issuer, run_issuer
from tests.e2e.organiser import call_method
from tests.e2e.server import create_organiser_token, run_server

pytestmark = pytest.mark.slow


class Connected:
    """A server that accepts the tokens of an issuer."""

    def __init__(self, issuer: Issuer, channel: grpc.Channel, admin_token: str) -> None:
        self.issuer = issuer
        self.channel = channel
        self.admin_token = admin_token

    def call(self, secret: str, method: str = "GameService/ListGames", **fields: Any) -> Any:
        return call_method(self.channel, method, secret, **fields)

    def register(self, secret: str, bot: str) -> Any:
        return self.call(secret, "BotService/RegisterBot", request_id=f"register {bot}", name=bot)


@contextmanager
def connected(folder: Path, *flags: str) -> Iterator[Connected]:
    with (
        run_issuer() as issuer,
        run_server(folder, "--ephemeral", "--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE, *flags) as server,
        server.channel() as channel,
    ):
        yield Connected(issuer, channel, server.admin_token)


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connected]:
    with connected(tmp_path_factory.mktemp("provider")) as running:
        yield running


def test_each_role_of_a_signed_token_has_its_rights(provider: Connected) -> None:
    issuer = provider.issuer
    spectator = issuer.token(sub="sam", referee_role="spectator")
    assert provider.call(spectator).games
    assert reason_of(provider.register, spectator, "sam-1") == "NOT_YOURS"
    author = issuer.token(issuer.keys[1], sub="ann", referee_role="author")
    registered = provider.register(author, "ann-1")
    assert registered.bot.owner == "oidc:ann"
    assert provider.call(registered.secret, "BotService/GetBot", name="ann-1").bot.name == "ann-1"
    assert reason_of(provider.call, author, "LadderService/CreateLadder", request_id="ann") == "NOT_YOURS"
    token = provider.call(author, "TokenService/GetOwnToken").token
    assert (token.role, token.holder) == (token_pb2.ROLE_AUTHOR, "oidc:ann")
    assert (token.HasField("expire_time"), token.HasField("create_time")) == (True, False)


def invitation(request_id: str) -> dict[str, Any]:
    return {"request_id": request_id, "max_uses": 1, "expire_time": {"seconds": int(time.time()) + 3_600}}


def test_a_holder_of_the_provider_has_the_limits_of_an_author_until_it_gets_a_quota(provider: Connected) -> None:
    admin = partial(provider.call, provider.admin_token, holder="oidc:olga")
    quota = admin("AdminService/GetQuota").quota
    assert (quota.max_bots, quota.max_matches) == (10, 20)
    admin("AdminService/SetQuota", quota={"max_bots": 200})
    assert admin("AdminService/GetQuota").quota.max_bots == 200


def test_the_role_admin_is_refused_unless_a_setting_allows_it(
    provider: Connected, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert reason_of(provider.call, provider.issuer.token(referee_role="admin")) == "BAD_TOKEN"
    with connected(tmp_path_factory.mktemp("admins"), "--oidc-admins") as other:
        admin = other.issuer.token(referee_role="admin")
        assert other.call(admin, "AdminService/ListTokens").tokens


def test_nobody_takes_over_the_property_of_a_holder_with_a_stored_token(provider: Connected) -> None:
    stored = create_organiser_token(provider.channel, provider.admin_token, "ada")
    claimed = provider.issuer.token(sub="ada")
    provider.register(stored, "ada-stored")
    provider.register(claimed, "ada-claimed")
    for secret, bot in ((claimed, "ada-stored"), (stored, "ada-claimed")):
        update = {"name": bot, "description": "taken over"}
        assert reason_of(provider.call, secret, "BotService/UpdateBot", **update) == "NOT_YOURS"
    create = {"role": "ROLE_ORGANISER", "holder": "oidc:ada"}
    assert reason_of(provider.call, provider.admin_token, "AdminService/CreateToken", **create) == "BAD_FIELD"
    invited = provider.call(stored, "InvitationService/CreateInvitation", **invitation("collide"))
    redeem = {"request_id": "collide", "code": invited.code, "holder": "oidc:ada"}
    assert reason_of(provider.call, stored, "InvitationService/RedeemInvitation", **redeem) == "BAD_NAME"


def test_while_the_issuer_is_down_the_server_runs_and_stored_tokens_are_valid(tmp_path: Path) -> None:
    with run_issuer() as issuer:
        issuer.up = False
        flags = ("--ephemeral", "--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE)
        with run_server(tmp_path, *flags) as server, server.channel() as channel:
            provider = Connected(issuer, channel, server.admin_token)
            assert reason_of(provider.call, issuer.token()) == "STORE_UNAVAILABLE"
            assert provider.call(server.admin_token).games
