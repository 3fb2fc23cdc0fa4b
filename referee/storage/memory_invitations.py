"""The storage port of invitations in memory, for one event loop: for tests and for servers with `ephemeral`."""

from msgspec.structs import replace

from referee.accounts.account_errors import BadInvitation, NameTaken, NoSuchInvitation, TooManyNames
from referee.accounts.invitations import MAX_UNUSED_INVITATIONS, CreatedInvitation, Invitation, Redeemed, Redemption
from referee.accounts.tokens import Token
from referee.match.match_errors import RequestIdReused
from referee.storage.memory_accounts import MemoryAccounts, MemoryQuotas, MemoryTokens


class MemoryInvitations:
    """An Invitations port in memory; the tokens of new authors are added to `tokens`."""

    def __init__(self, tokens: MemoryTokens, accounts: MemoryAccounts, quotas: MemoryQuotas) -> None:
        self._tokens = tokens
        self._accounts = accounts
        self._quotas = quotas
        self._invitations: dict[str, Invitation] = {}
        """Invitations by id, the oldest first."""
        self._requests: dict[tuple[str, str], str] = {}
        """Id of the created invitation, by organiser and request id."""
        self._redemptions: dict[tuple[str, str, str], Redemption] = {}
        """Redemptions by id of the invitation, holder and request id, the earliest first."""

    async def create(self, request_id: str, invitation: Invitation, max_authors: int) -> CreatedInvitation:
        request = invitation.organiser, request_id
        if request in self._requests:
            first = self._invitations[self._requests[request]]
            if first.terms != invitation.terms:
                raise RequestIdReused(request_id)
            return CreatedInvitation(first, repeated=True)
        if self._count_authors(invitation.organiser, invitation.created_ms) + invitation.max_uses > max_authors:
            raise TooManyNames("invited authors", max_authors)
        self._invitations[invitation.id] = invitation
        self._requests[request] = invitation.id
        self._drop_oldest_unused(invitation.organiser, invitation.created_ms)
        return CreatedInvitation(invitation, repeated=False)

    def _drop_oldest_unused(self, organiser: str, now_ms: int) -> None:
        own = (one for one in self._invitations.values() if one.organiser == organiser)
        unused = [one.id for one in own if not one.uses and one.end_at(now_ms)]
        dropped = set(unused[: max(0, len(unused) - MAX_UNUSED_INVITATIONS)])
        for invitation_id in dropped:
            del self._invitations[invitation_id]
        self._requests = {request: one for request, one in self._requests.items() if one not in dropped}

    async def authors(self, organiser: str, now_ms: int) -> int:
        return self._count_authors(organiser, now_ms)

    def _count_authors(self, organiser: str, now_ms: int) -> int:
        own = (one for one in self._invitations.values() if one.organiser == organiser)
        return sum(one.uses if one.end_at(now_ms) else one.max_uses for one in own)

    async def invitations(
        self, organiser: str = "", open_at_ms: int | None = None, before: str = "", limit: int | None = None
    ) -> list[Invitation]:
        known = list(self._invitations)
        older = known[: known.index(self._get(before).id)] if before else known
        found = [self._invitations[invitation_id] for invitation_id in reversed(older)]
        return [
            one
            for one in found
            if organiser in ("", one.organiser) and (open_at_ms is None or not one.end_at(open_at_ms))
        ][:limit]

    async def invitation(self, invitation_id: str) -> Invitation:
        return self._get(invitation_id)

    async def revoke(self, invitation_id: str) -> Invitation:
        self._invitations[invitation_id] = replace(self._get(invitation_id), revoked=True)
        return self._invitations[invitation_id]

    async def redeem(self, sha256: bytes, request_id: str, token: Token) -> Redeemed:
        invitation = self._of_sha256(sha256)
        use = invitation.id, token.holder, request_id
        if use in self._redemptions:
            return Redeemed(invitation, self._tokens.get(self._redemptions[use].token_id), repeated=True)
        if end := invitation.end_at(token.created_ms):
            raise BadInvitation(end)
        if self._is_known(token.holder):
            raise NameTaken(token.holder)
        self._tokens.insert(token)
        number = len(self._redemptions) + 1
        self._redemptions[use] = Redemption(number, token.holder, token.id, token.created_ms)
        self._invitations[invitation.id] = replace(invitation, uses=invitation.uses + 1)
        return Redeemed(self._invitations[invitation.id], token, repeated=False)

    async def redemptions(self, invitation_id: str, after: int = 0, limit: int | None = None) -> list[Redemption]:
        uses = self._redemptions.items()
        return [use for (of, *_), use in uses if of == invitation_id and use.number > after][:limit]

    def _get(self, invitation_id: str) -> Invitation:
        if invitation_id not in self._invitations:
            raise NoSuchInvitation(invitation_id)
        return self._invitations[invitation_id]

    def _of_sha256(self, sha256: bytes) -> Invitation:
        found = next((one for one in self._invitations.values() if one.sha256 == sha256), None)
        if found is None:
            raise BadInvitation("unknown")
        return found

    def _is_known(self, holder: str) -> bool:
        known = self._tokens.holders | self._accounts.owners | self._quotas.limited_holders
        return holder.lower() in {name.lower() for name in known}
