"""Who may come in: tokens that nobody needs, that never end, or that nobody answers for."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from referee.app.tokens import Role, Token, WantedTokens
from referee.operating.doctor.finding import Finding, ok, warn
from referee.operating.memory import BUSY_MS, version_of
from referee.storage.sqlite_file import open_for_reading, released_steps
from referee.storage.tokens_sqlite import listed

DAY_MS = 86_400_000
IDLE_MS = 90 * DAY_MS
ADMINS_AT_MOST = 3
NAMED_AT_MOST = 5

OWNERS = "SELECT name, owner FROM bots ORDER BY bot"

TO_REVOKE = "referee admin tokens revoke ID"


def tokens(database: Path, now_ms: int) -> Iterator[Finding]:
    """Of a database of this release; of any other, whoever looks at the database says enough."""
    if not database.is_file():
        return
    try:
        if version_of(database) != len(released_steps()):
            return
        with closing(open_for_reading(database, BUSY_MS)) as connection:
            good = listed(connection, WantedTokens(good_at_ms=now_ms))
            owner_of = dict(connection.execute(OWNERS).fetchall())
    except sqlite3.Error:
        return
    yield from _admins([token for token in good if token.role is Role.ADMIN])
    yield from _idle([token for token in good if (token.used_ms or token.created_ms) < now_ms - IDLE_MS])
    yield from _unlooked_after(good, owner_of)
    yield ok("tokens", f"{len(good)} tokens are good, for {len(owner_of)} bots and those who look after them")


def _admins(admins: Sequence[Token]) -> Iterator[Finding]:
    if not admins:
        yield warn("tokens", "nobody is an administrator", "the next start of the server makes one, and shows it once")
    if len(admins) > ADMINS_AT_MOST:
        yield warn("tokens", f"{len(admins)} tokens are an administrator's", f"revoke those not needed ({TO_REVOKE})")
    if endless := [token for token in admins if token.expires_ms is None]:
        yield warn(
            "tokens",
            f"{len(endless)} of the administrator's tokens never expire: {_names(endless)}",
            "make one that does (referee admin tokens make admin --days 90), and revoke them",
        )


def _idle(idle: Sequence[Token]) -> Iterator[Finding]:
    if idle:
        sentence = f"{len(idle)} tokens were not used for ninety days: {_names(idle)}"
        yield warn("tokens", sentence, f"revoke them ({TO_REVOKE})")


def _unlooked_after(good: Sequence[Token], owner_of: dict[str, str]) -> Iterator[Finding]:
    holders = {token.holder for token in good if token.role in (Role.ORGANISER, Role.ADMIN)}
    left = sorted({token.bot for token in good if token.bot and owner_of.get(token.bot) not in holders})
    if left:
        named = ", ".join(left[:NAMED_AT_MOST])
        yield warn(
            "tokens",
            f"{len(left)} bots may come whose owners have no token any more: {named}",
            "make their owners a token (organiser), or revoke those of the bots",
        )


def _names(some: Sequence[Token]) -> str:
    more = len(some) - NAMED_AT_MOST
    return ", ".join(token.id for token in some[:NAMED_AT_MOST]) + (f" and {more} more" if more > 0 else "")
