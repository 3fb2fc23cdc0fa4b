"""What organisers do with invitations."""

from typing import cast

from google.protobuf.message import Message
from referee_api.v1 import invitation_service_pb2

from referee.spectator.account.account_action import Action, by_name, confirmation_time, unary
from referee.spectator.account.account_session import Account
from referee.spectator.account.form_fields import Values, days_after
from referee.spectator.visitors import ACCOUNT


async def _invite(account: Account, values: Values, request_id: str) -> Message:
    return await account.call(
        invitation_service_pb2.CreateInvitationRequest(
            request_id=request_id,
            max_uses=int(values["uses"]),
            expire_time=days_after(confirmation_time(request_id), values["days"]),
            label=values.get("label", ""),
        )
    )


def _authors(values: Values) -> str:
    return "1 author" if values["uses"] == "1" else f"{values['uses']} authors"


INVITE = Action(
    "create-invitation",
    "Create an invitation",
    lambda it: (
        f"An invitation for {_authors(it)} is created, which expires after {it['days']} days. Its code is shown once,"
        " on the next page: whoever has it can register bots here."
    ),
    lambda it: f"An invitation for {_authors(it)} was created.",
    _invite,
    lambda _: ACCOUNT,
    required=("uses", "days"),
    optional=("label",),
    secret=lambda answer: cast(invitation_service_pb2.CreateInvitationResponse, answer).code,
)
REVOKE_INVITATION = Action(
    "revoke-invitation",
    "Revoke the invitation",
    lambda it: f"Nobody can redeem the invitation {it['invitation']} any more. Authors who have redeemed it stay.",
    lambda it: f"The invitation {it['invitation']} is revoked.",
    unary(lambda it: invitation_service_pb2.RevokeInvitationRequest(invitation_id=it["invitation"])),
    lambda _: ACCOUNT,
    required=("invitation",),
)

INVITATION_ACTIONS = by_name(INVITE, REVOKE_INVITATION)
