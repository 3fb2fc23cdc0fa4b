"""Client for invitations: organisers create codes, and authors redeem them without a token."""

import os
from collections.abc import AsyncIterator
from datetime import datetime

from referee_api.v1 import invitation_service_pb2 as pb
from referee_api.v1.invitation_service_pb2_grpc import InvitationServiceStub
from referee_values import Invitation, Redemption

from referee_client.address import address
from referee_client.organiser.blocking import Blocking, blocking, blocking_iterator, run
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id, timestamp
from referee_client.organiser.responses import NewInvitation
from referee_client.organiser.transport import AsyncTransport, BlockingTransport

PATIENCE_S = 60.0


class AsyncInvitations:
    """All methods raise Refused (of which NotAllowed is a subclass), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = InvitationServiceStub(calls.channel)

    async def make(self, expires_at: datetime, max_uses: int = 1, label: str = "") -> NewInvitation:
        """Create an invitation and return it with its code, which cannot be read again later."""
        # A retry after a lost answer returns no code. The invitation is then useless, but visible in the list.
        request = pb.CreateInvitationRequest(
            request_id=request_id(), max_uses=max_uses, expire_time=timestamp(expires_at), label=label
        )
        return await self._calls.fetch(NewInvitation, self._stub.CreateInvitation, request)

    async def list(self, include_inactive: bool = False) -> AsyncIterator[Invitation]:
        """Return your invitations, the newest first; with `include_inactive`, also those that cannot be redeemed."""
        request = pb.ListInvitationsRequest(include_inactive=include_inactive, page_size=PAGE_SIZE)
        async for invitation in self._calls.list_values(Invitation, self._stub.ListInvitations, request, "invitations"):
            yield invitation

    async def revoke(self, invitation_id: str) -> Invitation:
        """Revoke an invitation; authors who have redeemed it stay."""
        request = pb.RevokeInvitationRequest(invitation_id=invitation_id)
        return await self._calls.fetch(Invitation, self._stub.RevokeInvitation, request, "invitation")

    async def redemptions(self, invitation_id: str) -> AsyncIterator[Redemption]:
        """Return who has redeemed an invitation, the earliest first."""
        request = pb.ListRedemptionsRequest(invitation_id=invitation_id, page_size=PAGE_SIZE)
        async for redemption in self._calls.list_values(Redemption, self._stub.ListRedemptions, request, "redemptions"):
            yield redemption


class Invitations(Blocking[AsyncInvitations]):
    """Blocking version of AsyncInvitations."""

    make = blocking(AsyncInvitations.make)
    list = blocking_iterator(AsyncInvitations.list)
    revoke = blocking(AsyncInvitations.revoke)
    redemptions = blocking_iterator(AsyncInvitations.redemptions)


async def redeem_async(
    code: str,
    holder: str,
    target: str | None = None,
    *,
    ca: str | os.PathLike[str] | None = None,
    patience_s: float = PATIENCE_S,
) -> str:
    """Redeem the code of an invitation, and return the token of the new author, which is shown only once.

    `target`, `ca` and `patience_s` as for `Organiser`. Returns an empty text if the answer to an earlier attempt was
    lost: then the author exists, and an administrator can create another token for it. Raises Refused or Unreachable.
    """
    return await _redeem(Calls(address(target, "", ca), patience_s, AsyncTransport), code, holder)


def redeem(
    code: str,
    holder: str,
    target: str | None = None,
    *,
    ca: str | os.PathLike[str] | None = None,
    patience_s: float = PATIENCE_S,
) -> str:
    """Blocking version of redeem_async."""
    return run(_redeem(Calls(address(target, "", ca), patience_s, BlockingTransport), code, holder))


async def _redeem(calls: Calls, code: str, holder: str) -> str:
    try:
        request = pb.RedeemInvitationRequest(request_id=request_id(), code=code, holder=holder)
        return (await calls.call(InvitationServiceStub(calls.channel).RedeemInvitation, request)).secret
    finally:
        await calls.close()
