"""Invitations on the real server: what organisers see, and what strangers can and cannot do with a code."""

from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import token_pb2

from tests.e2e.call_errors import error_of, reason_of
from tests.e2e.organiser import Organiser, call_method, new_organiser, server_with_organiser
from tests.e2e.server import ServerProcess

pytestmark = pytest.mark.slow

NUMBERS = count(1)
LATER = {"seconds": 2**32}
SERVER_FLAGS = ("--ephemeral", "--redemptions-per-minute", "100000")


def invite(organiser: Organiser, max_uses: int = 1, **more: Any) -> Any:
    request = {"request_id": f"invitation {next(NUMBERS)}", "max_uses": max_uses, "expire_time": LATER}
    return organiser.call("InvitationService/CreateInvitation", **request | more)


def redeem(organiser: Organiser, code: str, holder: str, request_id: str = "r", token: str | None = None) -> Any:
    fields = {"code": code, "holder": holder, "request_id": request_id}
    return call_method(organiser.channel, "InvitationService/RedeemInvitation", token, **fields)


def test_a_stranger_redeems_a_code_and_plays_as_an_author(organiser: Organiser) -> None:
    made, holder = invite(organiser, label="cup"), f"{organiser.name}-author"
    redeemed = redeem(organiser, made.code, holder)
    assert (redeemed.token.holder, redeemed.token.role) == (holder, token_pb2.ROLE_AUTHOR)
    call, bot = partial(call_method, organiser.channel), f"{holder}-bot"
    assert call("BotService/RegisterBot", redeemed.secret, request_id="b", name=bot).bot.owner == holder
    (use,) = organiser.call("InvitationService/ListRedemptions", invitation_id=made.invitation.id).redemptions
    assert (use.holder, use.token_id) == (holder, redeemed.token.id)
    organiser.call_as_admin("AdminService/RevokeToken", token_id=redeemed.token.id)
    assert reason_of(call, "BotService/UpdateBot", redeemed.secret, name=bot, description="again") == "BAD_TOKEN"


def test_an_organiser_sees_and_revokes_only_its_own_invitations(organiser: Organiser, server: ServerProcess) -> None:
    made = invite(organiser)
    of_mine = {"invitation_id": made.invitation.id}
    with new_organiser(server, organiser.channel, f"{organiser.name}-other") as other:
        assert not other.call("InvitationService/ListInvitations").invitations
        for method in ("RevokeInvitation", "ListRedemptions"):
            assert reason_of(other.call, f"InvitationService/{method}", **of_mine) == "NO_SUCH_INVITATION"
    shown = organiser.call_as_admin("InvitationService/ListInvitations", page_size=1000).invitations
    assert made.invitation.id in {invitation.id for invitation in shown}
    assert organiser.call("InvitationService/RevokeInvitation", **of_mine).invitation.revoked
    assert reason_of(redeem, organiser, made.code, f"{organiser.name}-author") == "BAD_INVITATION"
    assert not organiser.call("InvitationService/ListInvitations").invitations
    (listed,) = organiser.call("InvitationService/ListInvitations", include_inactive=True).invitations
    assert listed.revoked


def test_only_organisers_invite_and_only_redemption_needs_no_token(organiser: Organiser) -> None:
    author = redeem(organiser, invite(organiser).code, f"{organiser.name}-author", token="rf_0000").secret
    for method in ("CreateInvitation", "ListInvitations", "RevokeInvitation", "ListRedemptions"):
        call = partial(call_method, organiser.channel, f"InvitationService/{method}")
        reasons = [reason_of(call, token) for token in (author, organiser.secrets[0], None)]
        assert reasons == ["NOT_YOURS", "NOT_YOURS", "NO_TOKEN"]


@pytest.mark.parametrize("missing", ["expire_time", "request_id"])
def test_an_invitation_needs_an_end_and_a_request_id(organiser: Organiser, missing: str) -> None:
    assert reason_of(invite, organiser, **{missing: None}) == "BAD_FIELD"


def test_an_address_can_only_try_a_few_codes_a_minute(tmp_path: Path) -> None:
    with server_with_organiser(tmp_path, "--ephemeral", "--redemptions-per-minute", "1") as organiser:
        assert reason_of(redeem, organiser, "guessed", "eve") == "BAD_INVITATION"
        error = error_of(redeem, organiser, "guessed", "eve")
        assert (error.reason, error.metadata["limit"]) == ("TOO_MANY_CALLS", "1")
        assert organiser.call("BotService/GetBot", name=organiser.bots[0]).bot.name == organiser.bots[0]
