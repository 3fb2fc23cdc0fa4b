"""Tokens of an identity provider: a real issuer on this machine, and a real server that fetches its keys."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import token_pb2

from tests.e2e.call_errors import parse_error
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

    def call(self, method: str, secret: str, **fields: Any) -> Any:
        return call_method(self.channel, method, secret, **fields)

    def reason_of(self, secret: str, method: str = "GameService/ListGames", **fields: Any) -> str:
        """Return the reason of the error of a call; empty: there is none."""
        try:
            self.call(method, secret, **fields)
        except grpc.RpcError as error:
            return parse_error(error).reason
        return ""

    def register(self, secret: str, bot: str) -> Any:
        return self.call("BotService/RegisterBot", secret, request_id=f"register {bot}", name=bot)


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


def test_a_spectator_reads_and_registers_nothing(provider: Connected) -> None:
    spectator = provider.issuer.token(sub="sam", referee_role="spectator")
    assert provider.call("GameService/ListGames", spectator).games
    assert provider.reason_of(spectator, "BotService/RegisterBot", request_id="sam", name="sam-1") == "NOT_YOURS"


def test_an_author_registers_a_bot_and_creates_no_contests(provider: Connected) -> None:
    author = provider.issuer.token(provider.issuer.keys[1], sub="ann", referee_role="author")
    registered = provider.register(author, "ann-1")
    assert registered.bot.owner == "oidc:ann"
    assert provider.call("BotService/GetBot", registered.secret, name="ann-1").bot.name == "ann-1"
    assert provider.reason_of(author, "LadderService/CreateLadder", request_id="ann") == "NOT_YOURS"


def test_a_holder_of_the_provider_reads_its_own_token(provider: Connected) -> None:
    token = provider.call("TokenService/GetOwnToken", provider.issuer.token(sub="olga", referee_role="author")).token
    assert (token.role, token.holder) == (token_pb2.ROLE_AUTHOR, "oidc:olga")
    assert token.HasField("expire_time")
    assert not token.HasField("create_time")


def test_an_organiser_invites_authors(provider: Connected) -> None:
    organiser = provider.issuer.token(sub="olga")
    expiry = {"seconds": int(time.time()) + 3_600}
    invited = provider.call(
        "InvitationService/CreateInvitation", organiser, request_id="invite", max_uses=1, expire_time=expiry
    )
    redeemed = provider.call(
        "InvitationService/RedeemInvitation", organiser, request_id="redeem", code=invited.code, holder="team-1"
    )
    assert redeemed.secret.startswith("rf_")


def test_a_holder_of_the_provider_has_the_limits_of_an_author_until_it_gets_a_quota(provider: Connected) -> None:
    quota = provider.call("AdminService/GetQuota", provider.admin_token, holder="oidc:olga").quota
    assert (quota.max_bots, quota.max_matches) == (10, 20)
    provider.call("AdminService/SetQuota", provider.admin_token, holder="oidc:olga", quota={"max_bots": 200})
    assert provider.call("AdminService/GetQuota", provider.admin_token, holder="oidc:olga").quota.max_bots == 200


def test_the_role_admin_is_refused_unless_a_setting_allows_it(
    provider: Connected, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert provider.reason_of(provider.issuer.token(referee_role="admin")) == "BAD_TOKEN"
    with connected(tmp_path_factory.mktemp("admins"), "--oidc-admins") as other:
        admin = other.issuer.token(referee_role="admin")
        assert other.call("AdminService/ListTokens", admin).tokens


def test_nobody_takes_over_the_property_of_a_holder_with_a_stored_token(provider: Connected) -> None:
    stored = create_organiser_token(provider.channel, provider.admin_token, "ada")
    provider.register(stored, "ada-stored")
    claimed = provider.issuer.token(sub="ada")
    update = {"name": "ada-stored", "description": "taken over"}
    assert provider.reason_of(claimed, "BotService/UpdateBot", **update) == "NOT_YOURS"
    provider.register(claimed, "ada-claimed")
    update = {"name": "ada-claimed", "description": "taken over"}
    assert provider.reason_of(stored, "BotService/UpdateBot", **update) == "NOT_YOURS"
    create = {"role": "ROLE_ORGANISER", "holder": "oidc:ada"}
    assert provider.reason_of(provider.admin_token, "AdminService/CreateToken", **create) == "BAD_FIELD"
    expiry = {"seconds": int(time.time()) + 3_600}
    invited = provider.call(
        "InvitationService/CreateInvitation", stored, request_id="collide", max_uses=1, expire_time=expiry
    )
    redeem = {"request_id": "collide", "code": invited.code, "holder": "oidc:ada"}
    assert provider.reason_of(stored, "InvitationService/RedeemInvitation", **redeem) == "BAD_NAME"


def test_tokens_are_refused_without_an_issuer(tmp_path: Path) -> None:
    with run_issuer() as issuer, run_server(tmp_path, "--ephemeral") as server, server.channel() as channel:
        assert Connected(issuer, channel, server.admin_token).reason_of(issuer.token()) == "BAD_TOKEN"
        assert issuer.fetches == 0


def test_while_the_issuer_is_down_the_server_runs_and_stored_tokens_are_valid(tmp_path: Path) -> None:
    with run_issuer() as issuer:
        issuer.up = False
        flags = ("--ephemeral", "--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE)
        with run_server(tmp_path, *flags) as server, server.channel() as channel:
            provider = Connected(issuer, channel, server.admin_token)
            assert provider.reason_of(issuer.token()) == "STORE_UNAVAILABLE"
            assert provider.reason_of(server.admin_token) == ""
