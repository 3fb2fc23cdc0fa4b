"""Tokens, which authenticate callers.

A token is a random secret that is shown once, when it is created; the server stores its SHA-256 only. It is sent in
the metadata of every call as `authorization: Bearer …`.
"""

from typing import Literal

from referee_values.value import Timestamp, Value

Role = Literal["", "spectator", "bot", "organiser", "admin", "author"]
"""Role of a token, which decides what the token permits.

- `""`: Not used.
- `"spectator"`: To read public information.
- `"bot"`: To play for one bot, and to read public information.
- `"organiser"`: To register bots, to create matches, ladders and tournaments, to manage one's own, and to read
  public information.

- `"admin"`: Everything except playing and reading hidden information.
- `"author"`: To register bots, to manage one's own, to let them join ladders and tournaments, to create unrated
  matches, and to read public information. Its default limits are lower than those of an organiser.
"""


class Token(Value, frozen=True, kw_only=True):
    """A token without its secret."""

    id: str = ""
    """Public id for lists and logs."""
    role: Role = ""
    """Role, which decides what the token permits."""
    holder: str = ""
    """The person or team that has it."""
    bot: str = ""
    """With role bot: the bot that it acts for. Otherwise empty."""
    label: str = ""
    """Purpose of the token, as given when it was created."""
    create_time: Timestamp | None = None
    """Time when it was created. Not set: it is a token of an identity provider, which does not say so."""
    expire_time: Timestamp | None = None
    """Time when it expires. Not set: never."""
    last_use_time: Timestamp | None = None
    """Time when it was last used, to the minute. Not set: never."""
    revoked: bool = False
    """Whether it was revoked."""
