"""Invitations in PostgreSQL. Of a code only its SHA-256 hash is stored.

Invitations are created under the lock of the organiser, whose authors are counted, and redeemed under the lock of the
new author, whose name must be new, and then of the row of the invitation, whose uses are counted.
"""

from referee.accounts.account_errors import BadInvitation, NameTaken, NoSuchInvitation, TooManyNames
from referee.accounts.invitations import MAX_UNUSED_INVITATIONS, CreatedInvitation, Invitation, Redeemed, Redemption
from referee.accounts.tokens import Token
from referee.match.match_errors import RequestIdReused
from referee.storage.account_rows import INVITATION_COLUMNS, MAX_INTEGER, invitation_row, read_invitation
from referee.storage.postgres.account_locks import lock_holders
from referee.storage.postgres.accounts import insert_token, token_of_id
from referee.storage.postgres.database import Connection, PostgresDatabase

INSERT = f"""
    INSERT INTO invitations (invitation_id, request_id, {INVITATION_COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
"""

SELECT_REQUESTED = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE organiser = $1 AND request_id = $2"

SELECT_BY_ID = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE invitation_id = $1"

SELECT_BY_SHA256 = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE sha256 = $1"

LOCK_BY_SHA256 = f"{SELECT_BY_SHA256} FOR NO KEY UPDATE"

COUNT_AUTHORS = """
    SELECT coalesce(sum(CASE WHEN revoked = 1 OR expires_ms <= $2 THEN uses ELSE max_uses END), 0)::bigint
    FROM invitations
    WHERE organiser = $1
"""

# `uses` is compared twice: the outer comparison is repeated if a row has been redeemed while this waited for it.
DELETE_UNUSED = """
    DELETE FROM invitations
    WHERE uses = 0 AND invitation IN (
        SELECT invitation FROM invitations
        WHERE organiser = $1 AND uses = 0 AND (revoked = 1 OR expires_ms <= $2)
        ORDER BY invitation DESC
        OFFSET $3
    )
"""

SELECT_PAGE = f"""
    SELECT {INVITATION_COLUMNS} FROM invitations
    WHERE ($1 = '' OR organiser = $1)
        AND ($2::bigint IS NULL OR revoked = 0 AND expires_ms > $2 AND uses < max_uses)
        AND ($3 = '' OR invitation < (SELECT invitation FROM invitations WHERE invitation_id = $3))
    ORDER BY invitation DESC
    LIMIT $4
"""

REVOKE = f"UPDATE invitations SET revoked = 1 WHERE invitation_id = $1 RETURNING {INVITATION_COLUMNS}"

COUNT_USE = f"UPDATE invitations SET uses = uses + 1 WHERE sha256 = $1 RETURNING {INVITATION_COLUMNS}"

INSERT_REDEMPTION = """
    INSERT INTO redemptions (invitation, request_id, holder, token_id, redeemed_ms)
    VALUES ((SELECT invitation FROM invitations WHERE sha256 = $1), $2, $3, $4, $5)
"""

SELECT_REDEEMED = """
    SELECT token_id FROM redemptions
    WHERE invitation = (SELECT invitation FROM invitations WHERE sha256 = $1) AND holder = $2 AND request_id = $3
"""

SELECT_REDEMPTIONS = """
    SELECT redemption, holder, token_id, redeemed_ms FROM redemptions
    WHERE invitation = (SELECT invitation FROM invitations WHERE invitation_id = $1) AND redemption > $2
    ORDER BY redemption
    LIMIT $3
"""

SELECT_IS_KNOWN = """
    SELECT EXISTS (SELECT 1 FROM tokens WHERE lower(holder) = lower($1 COLLATE "C"))
        OR EXISTS (SELECT 1 FROM bots WHERE lower(owner) = lower($1 COLLATE "C"))
        OR EXISTS (SELECT 1 FROM quotas WHERE lower(holder) = lower($1 COLLATE "C"))
"""
"""Whether a holder is known, in upper or lower case."""


class PostgresInvitations:
    """An Invitations port in PostgreSQL."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def create(self, request_id: str, invitation: Invitation, max_authors: int) -> CreatedInvitation:
        return await self._database.write(lambda connection: _create(connection, request_id, invitation, max_authors))

    async def authors(self, organiser: str, now_ms: int) -> int:
        return await self._database.read(lambda connection: _count_authors(connection, organiser, now_ms))

    async def invitations(
        self, organiser: str = "", open_at_ms: int | None = None, before: str = "", limit: int | None = None
    ) -> list[Invitation]:
        return await self._database.read(lambda connection: _page(connection, organiser, open_at_ms, before, limit))

    async def invitation(self, invitation_id: str) -> Invitation:
        return await self._database.read(lambda connection: _of_id(connection, invitation_id))

    async def revoke(self, invitation_id: str) -> Invitation:
        row = await self._database.write(lambda connection: connection.fetchrow(REVOKE, invitation_id))
        if not row:
            raise NoSuchInvitation(invitation_id)
        return read_invitation(row)

    async def redeem(self, sha256: bytes, request_id: str, token: Token) -> Redeemed:
        return await self._database.write(lambda connection: _redeem(connection, sha256, request_id, token))

    async def redemptions(self, invitation_id: str, after: int = 0, limit: int | None = None) -> list[Redemption]:
        values = invitation_id, min(after, MAX_INTEGER), limit
        rows = await self._database.read(lambda connection: connection.fetch(SELECT_REDEMPTIONS, *values))
        return [Redemption(*row) for row in rows]


async def _create(
    connection: Connection, request_id: str, invitation: Invitation, max_authors: int
) -> CreatedInvitation:
    await lock_holders(connection, invitation.organiser)
    before = await connection.fetchrow(SELECT_REQUESTED, invitation.organiser, request_id)
    if before:
        first = read_invitation(before)
        if first.terms != invitation.terms:
            raise RequestIdReused(request_id)
        return CreatedInvitation(first, repeated=True)
    authors = await _count_authors(connection, invitation.organiser, invitation.created_ms)
    if authors + invitation.max_uses > max_authors:
        raise TooManyNames("invited authors", max_authors)
    await connection.execute(INSERT, invitation.id, request_id, *invitation_row(invitation))
    await connection.execute(DELETE_UNUSED, invitation.organiser, invitation.created_ms, MAX_UNUSED_INVITATIONS)
    return CreatedInvitation(invitation, repeated=False)


async def _count_authors(connection: Connection, organiser: str, now_ms: int) -> int:
    return int(await connection.fetchval(COUNT_AUTHORS, organiser, now_ms))


async def _page(
    connection: Connection, organiser: str, open_at_ms: int | None, before: str, limit: int | None
) -> list[Invitation]:
    if before:
        await _of_id(connection, before)
    rows = await connection.fetch(SELECT_PAGE, organiser, open_at_ms, before, limit)
    return [read_invitation(row) for row in rows]


async def _of_id(connection: Connection, invitation_id: str) -> Invitation:
    row = await connection.fetchrow(SELECT_BY_ID, invitation_id)
    if not row:
        raise NoSuchInvitation(invitation_id)
    return read_invitation(row)


async def _redeem(connection: Connection, sha256: bytes, request_id: str, token: Token) -> Redeemed:
    await lock_holders(connection, token.holder)
    row = await connection.fetchrow(LOCK_BY_SHA256, sha256)
    if not row:
        raise BadInvitation("unknown")
    invitation = read_invitation(row)
    token_id = await connection.fetchval(SELECT_REDEEMED, sha256, token.holder, request_id)
    if token_id:
        return Redeemed(invitation, await token_of_id(connection, token_id), repeated=True)
    if end := invitation.end_at(token.created_ms):
        raise BadInvitation(end)
    if await connection.fetchval(SELECT_IS_KNOWN, token.holder):
        raise NameTaken(token.holder)
    await insert_token(connection, token)
    used = await connection.fetchrow(COUNT_USE, sha256)
    await connection.execute(INSERT_REDEMPTION, sha256, request_id, token.holder, token.id, token.created_ms)
    return Redeemed(read_invitation(used), token, repeated=False)
