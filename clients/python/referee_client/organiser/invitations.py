"""Client for invitations: organisers create codes, and authors redeem them without a token."""

import os
from collections.abc import Iterator
from datetime import datetime

from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import invitation_pb2
from referee_api.v1 import invitation_service_pb2 as pb
from referee_api.v1.invitation_service_pb2_grpc import InvitationServiceStub

from referee_client.address import address
from referee_client.organiser.calls import PAGE_SIZE, Calls, request_id

PATIENCE_S = 60.0


class Invitations:
    """All methods raise Refused (of which NotAllowed is a subclass), or Unreachable if no retry has succeeded."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._stub = InvitationServiceStub(calls.channel)

    def make(self, expires_at: datetime, max_uses: int = 1, label: str = "") -> pb.CreateInvitationResponse:
        """Create an invitation and return it with its code, which cannot be read again later."""
        # A retry after a lost answer returns no code. The invitation is then useless, but visible in the list.
        expire_time = Timestamp()
        expire_time.FromDatetime(expires_at)
        request = pb.CreateInvitationRequest(
            request_id=request_id(), max_uses=max_uses, expire_time=expire_time, label=label
        )
        return self._calls.call(self._stub.CreateInvitation, request)

    def list(self, include_inactive: bool = False) -> Iterator[invitation_pb2.Invitation]:
        """Return your invitations, the newest first; with `include_inactive`, also those that cannot be redeemed."""
        request = pb.ListInvitationsRequest(include_inactive=include_inactive, page_size=PAGE_SIZE)
        for page in self._calls.pages(self._stub.ListInvitations, request):
            yield from page.invitations

    def revoke(self, invitation_id: str) -> invitation_pb2.Invitation:
        """Revoke an invitation; authors who have redeemed it stay."""
        request = pb.RevokeInvitationRequest(invitation_id=invitation_id)
        return self._calls.call(self._stub.RevokeInvitation, request).invitation

    def redemptions(self, invitation_id: str) -> Iterator[invitation_pb2.Redemption]:
        """Return who has redeemed an invitation, the earliest first."""
        request = pb.ListRedemptionsRequest(invitation_id=invitation_id, page_size=PAGE_SIZE)
        for page in self._calls.pages(self._stub.ListRedemptions, request):
            yield from page.redemptions


def redeem(
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
    calls = Calls(address(target, "", ca), patience_s)
    try:
        request = pb.RedeemInvitationRequest(request_id=request_id(), code=code, holder=holder)
        return calls.call(InvitationServiceStub(calls.channel).RedeemInvitation, request).secret
    finally:
        calls.close()
