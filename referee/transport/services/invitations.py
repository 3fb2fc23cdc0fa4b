"""InvitationService: organisers invite authors, and strangers redeem codes for the token of an author."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import grpc.aio
import structlog
from referee_api.v1 import invitation_service_pb2 as pb
from referee_api.v1.invitation_service_pb2_grpc import (
    InvitationServiceServicer,
    add_InvitationServiceServicer_to_server,
)

from referee.accounts.account_errors import BadField, NoSuchInvitation
from referee.accounts.invitations import CODE_PREFIX, Invitation, Invitations
from referee.accounts.names import check_name
from referee.accounts.tokens import Role, mint_secret, sha256_of
from referee.live.ports import Time
from referee.transport.guards.authentication import CALLER
from referee.transport.guards.caller_address import caller_address
from referee.transport.guards.pace import AddressPace
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.services.bots import TokenIssuer
from referee.transport.services.matches import check_request_id
from referee.transport.services.paging import (
    convert_page,
    page_after_last,
    page_size,
    parse_page_number,
    parse_page_token,
)
from referee.transport.wire.accounts import invitation_of, redemption_of, token_of
from referee.transport.wire.basic_types import unix_ms

log = structlog.get_logger("referee.transport")


@dataclass(eq=False)
class InvitationServicer(InvitationServiceServicer):
    _invitations: Invitations
    _token_issuer: TokenIssuer
    _rate_limiter: RateLimiter
    _redemption_pace: AddressPace
    _time: Time
    _random_bytes: Callable[[], bytes]
    """Returns 32 bytes from a secure random source."""

    def add_to(self, server: grpc.aio.Server) -> None:
        add_InvitationServiceServicer_to_server(self, server)

    async def CreateInvitation(self, request: pb.CreateInvitationRequest, context: Any) -> pb.CreateInvitationResponse:
        check_request_id(request.request_id)
        if not request.HasField("expire_time"):
            raise BadField("expire_time", "it is required")
        minted, organiser = mint_secret(self._random_bytes(), CODE_PREFIX), CALLER.get().holder
        invitation = Invitation(
            minted.sha256,
            organiser,
            self._time.wall_ms(),
            unix_ms(request.expire_time, "expire_time"),
            request.max_uses or 1,
            request.label,
        )
        limit = (await self._rate_limiter.quota(organiser)).max_authors
        created = await self._invitations.create(request.request_id, invitation, limit)
        log.info("invitation created", invitation_id=created.invitation.id, repeated=created.repeated)
        code = "" if created.repeated else minted.secret
        return pb.CreateInvitationResponse(invitation=invitation_of(created.invitation), code=code)

    async def ListInvitations(self, request: pb.ListInvitationsRequest, context: Any) -> pb.ListInvitationsResponse:
        caller, size, last = CALLER.get(), page_size(request.page_size), parse_page_token(request)
        organiser = "" if caller.role is Role.ADMIN else caller.holder
        open_at_ms = None if request.include_inactive else self._time.wall_ms()
        with page_after_last():
            found = await self._invitations.invitations(organiser, open_at_ms, last, size + 1)
        shown, token = await convert_page(request, found, size, lambda invitation: invitation.id, invitation_of)
        return pb.ListInvitationsResponse(invitations=shown, next_page_token=token)

    async def RevokeInvitation(self, request: pb.RevokeInvitationRequest, context: Any) -> pb.RevokeInvitationResponse:
        invitation = await self._invitations.revoke((await self._own(request.invitation_id)).id)
        log.info("invitation revoked", invitation_id=invitation.id)
        return pb.RevokeInvitationResponse(invitation=invitation_of(invitation))

    async def ListRedemptions(self, request: pb.ListRedemptionsRequest, context: Any) -> pb.ListRedemptionsResponse:
        size, last = page_size(request.page_size), parse_page_number(request)
        invitation = await self._own(request.invitation_id)
        found = await self._invitations.redemptions(invitation.id, last, size + 1)
        shown, token = await convert_page(request, found, size, lambda use: str(use.number), redemption_of)
        return pb.ListRedemptionsResponse(redemptions=shown, next_page_token=token)

    async def RedeemInvitation(self, request: pb.RedeemInvitationRequest, context: Any) -> pb.RedeemInvitationResponse:
        self._redemption_pace.count_call(caller_address(context))
        check_request_id(request.request_id)
        check_name(request.holder)
        minted = self._token_issuer.mint()
        token = self._token_issuer.token(minted, Role.AUTHOR, request.holder)
        redeemed = await self._invitations.redeem(sha256_of(request.code), request.request_id, token)
        self._rate_limiter.forget(request.holder)  # Its default limits are now those of an author.
        log.info(
            "invitation redeemed",
            invitation_id=redeemed.invitation.id,
            made_token_id=redeemed.token.id,
            repeated=redeemed.repeated,
        )
        secret = "" if redeemed.repeated else minted.secret
        return pb.RedeemInvitationResponse(secret=secret, token=token_of(redeemed.token))

    async def _own(self, invitation_id: str) -> Invitation:
        """Return the invitation if it is the caller's. Raises NoSuchInvitation, also if it belongs to another."""
        caller, invitation = CALLER.get(), await self._invitations.invitation(invitation_id)
        if caller.role is not Role.ADMIN and caller.holder != invitation.organiser:
            raise NoSuchInvitation(invitation_id)
        return invitation
