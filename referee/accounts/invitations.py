"""Invitations: an organiser creates a code, with which strangers become authors.

Like a token, a code is a random secret that is shown once; its SHA-256 is stored.
"""

from typing import Protocol

from msgspec import Struct

from referee.accounts.account_errors import BadField
from referee.accounts.names import check_words
from referee.accounts.tokens import LABEL_CHARS, Token

CODE_PREFIX = "rf_invite_"
MAX_USES = 1_000
"""Limit of the uses of one invitation."""
MAX_UNUSED_INVITATIONS = 100
"""Revoked and expired invitations of an organiser that nobody redeemed and that are kept."""


class Invitation(Struct, frozen=True, gc=False):
    """Stored data of an invitation, without its code. Times are Unix milliseconds. Raises BadField."""

    sha256: bytes
    organiser: str
    """The holder that created it."""
    created_ms: int
    expires_ms: int
    max_uses: int = 1
    label: str = ""
    revoked: bool = False
    uses: int = 0
    """Number of redemptions, filled in by the store."""

    def __post_init__(self) -> None:
        check_words("label", self.label, LABEL_CHARS)
        if not 1 <= self.max_uses <= MAX_USES:
            raise BadField("max_uses", f"it must be from 1 to {MAX_USES}")
        if self.expires_ms <= self.created_ms:
            raise BadField("expire_time", "it must be in the future")

    @property
    def id(self) -> str:
        """Public identifier, safe in lists and logs."""
        return f"in_{self.sha256.hex()[:16]}"

    @property
    def terms(self) -> tuple[int, int, str]:
        """What the request that created it has chosen."""
        return self.expires_ms, self.max_uses, self.label

    def end_at(self, now_ms: int) -> str:
        """Return why it cannot be redeemed, as BadInvitation names it; empty: it can."""
        if self.revoked:
            return "revoked"
        if self.expires_ms <= now_ms:
            return "expired"
        return "used_up" if self.uses >= self.max_uses else ""


class CreatedInvitation(Struct, frozen=True, gc=False):
    """Result of a request to create an invitation."""

    invitation: Invitation
    repeated: bool
    """Whether the same request had created the invitation before."""


class Redemption(Struct, frozen=True, gc=False):
    """One use of an invitation."""

    number: int
    """1, 2, 3, … for each use of any invitation."""
    holder: str
    token_id: str
    at_ms: int


class Redeemed(Struct, frozen=True, gc=False):
    """Result of a request to redeem a code."""

    invitation: Invitation
    token: Token
    repeated: bool
    """Whether the same request had redeemed the code before; then `token` is the original one."""


class Invitations(Protocol):
    """Store of all invitations. Every method raises StoreUnavailable if it cannot be used now."""

    async def create(self, request_id: str, invitation: Invitation, max_authors: int) -> CreatedInvitation:
        """Insert an invitation. A repeated request of the organiser inserts nothing.

        Raises TooManyNames if `authors` of the organiser would exceed `max_authors`, or RequestIdReused if the request
        created an invitation with other terms. Deletes the oldest invitations of the organiser that were never redeemed
        and cannot be any more, beyond `MAX_UNUSED_INVITATIONS`.
        """

    async def authors(self, organiser: str, now_ms: int) -> int:
        """Return how many authors have redeemed invitations of an organiser, or can still redeem open ones."""

    async def invitations(
        self, organiser: str = "", open_at_ms: int | None = None, before: str = "", limit: int | None = None
    ) -> list[Invitation]:
        """Return invitations, the newest first, older than the one with the id `before`; those of one organiser, if
        one is given, and those that can be redeemed at a time, if one is given. Raises NoSuchInvitation.
        """

    async def invitation(self, invitation_id: str) -> Invitation:
        """Return the invitation with that id. Raises NoSuchInvitation."""

    async def revoke(self, invitation_id: str) -> Invitation:
        """Revoke an invitation and return it. Raises NoSuchInvitation."""

    async def redeem(self, sha256: bytes, request_id: str, token: Token) -> Redeemed:
        """Insert the token of a new author, and count one use of the invitation with that hash, both or neither.

        A repeated request inserts and counts nothing. Strangers may choose the same request id, so it is compared
        together with the holder. Raises BadInvitation, or NameTaken if the holder of the token, in upper or lower case,
        has a token, a bot or a quota.
        """

    async def redemptions(self, invitation_id: str, after: int = 0, limit: int | None = None) -> list[Redemption]:
        """Return the uses of an invitation after a number, the earliest first."""
