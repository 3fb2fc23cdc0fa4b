"""Invitations, by which strangers become authors."""

from referee_values.value import Count, Timestamp, Value


class Invitation(Value, frozen=True, kw_only=True):
    """An invitation without its code."""

    id: str = ""
    """Public id for lists and logs."""
    organiser: str = ""
    """The holder that created it."""
    label: str = ""
    """Purpose of the invitation, as given when it was created."""
    max_uses: Count = 0
    """How many authors can redeem it."""
    uses: Count = 0
    """How many authors have redeemed it."""
    create_time: Timestamp | None = None
    """Time when it was created."""
    expire_time: Timestamp | None = None
    """Time when it expires."""
    revoked: bool = False
    """Whether it was revoked."""


class Redemption(Value, frozen=True, kw_only=True):
    """One use of an invitation."""

    holder: str = ""
    """The author that redeemed it."""
    token_id: str = ""
    """Id of the token that the author received."""
    create_time: Timestamp | None = None
    """Time of the redemption."""
