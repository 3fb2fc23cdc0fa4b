"""Invitations in a database. Of a code only its SHA-256 hash is stored.

Operations take turns for the organiser of a new invitation, whose authors are counted, and to redeem one for the new
author, whose name must be new; then they lock the row of the invitation, whose uses are counted.
"""

from referee.accounts.account_errors import BadInvitation, NameTaken, NoSuchInvitation, TooManyNames
from referee.accounts.invitations import MAX_UNUSED_INVITATIONS, CreatedInvitation, Invitation, Redeemed, Redemption
from referee.accounts.tokens import Token
from referee.match.match_errors import RequestIdReused
from referee.storage.account_rows import INVITATION_COLUMNS, read_row, row_of
from referee.storage.sql import MAX_INTEGER, Database, SqlConnection, row_limit
from referee.storage.stored_accounts import insert_token, lock_holders, token_of_id

INSERT = f"""
    INSERT INTO invitations (invitation_id, request_id, {INVITATION_COLUMNS})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
"""

SELECT_REQUESTED = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE organiser = $1 AND request_id = $2"

SELECT_BY_ID = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE invitation_id = $1"

SELECT_BY_SHA256 = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE sha256 = $1"

COUNT_AUTHORS = """
    SELECT coalesce(sum(CASE WHEN revoked = 1 OR expires_ms <= $2 THEN uses ELSE max_uses END), 0)
    FROM invitations
    WHERE organiser = $1
"""

# `uses` is compared twice: the outer comparison is repeated if a row has been redeemed while this waited for it.
DELETE_UNUSED = f"""
    DELETE FROM invitations
    WHERE uses = 0 AND invitation IN (
        SELECT invitation FROM invitations
        WHERE organiser = $1 AND uses = 0 AND (revoked = 1 OR expires_ms <= $2)
        ORDER BY invitation DESC
        LIMIT {MAX_INTEGER} OFFSET $3
    )
"""

SELECT_PAGE = f"""
    SELECT {INVITATION_COLUMNS} FROM invitations
    WHERE ($1 = '' OR organiser = $1)
        AND (CAST($2 AS bigint) IS NULL OR revoked = 0 AND expires_ms > $2 AND uses < max_uses)
        AND ($3 = '' OR invitation < (SELECT invitation FROM invitations WHERE invitation_id = $3))
    ORDER BY invitation DESC
    LIMIT $4
"""

REVOKE = "UPDATE invitations SET revoked = 1 WHERE invitation_id = $1"

COUNT_USE = "UPDATE invitations SET uses = uses + 1 WHERE sha256 = $1"

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
    SELECT EXISTS (SELECT 1 FROM tokens WHERE lower(holder) = $1)
        OR EXISTS (SELECT 1 FROM bots WHERE lower(owner) = $1)
        OR EXISTS (SELECT 1 FROM quotas WHERE lower(holder) = $1)
"""
"""Whether a holder whose name is given in lower case is known, in upper or lower case."""


class StoredInvitations:
    """An Invitations port in a database."""

    def __init__(self, database: Database) -> None:
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
        return await self._database.write(lambda connection: _revoke(connection, invitation_id))

    async def redeem(self, sha256: bytes, request_id: str, token: Token) -> Redeemed:
        return await self._database.write(lambda connection: _redeem(connection, sha256, request_id, token))

    async def redemptions(self, invitation_id: str, after: int = 0, limit: int | None = None) -> list[Redemption]:
        values = invitation_id, min(after, MAX_INTEGER), row_limit(limit)
        rows = await self._database.read(lambda connection: connection.fetch(SELECT_REDEMPTIONS, *values))
        return [Redemption(*row) for row in rows]


async def _create(
    connection: SqlConnection, request_id: str, invitation: Invitation, max_authors: int
) -> CreatedInvitation:
    await lock_holders(connection, invitation.organiser)
    before = await connection.fetchrow(SELECT_REQUESTED, invitation.organiser, request_id)
    if before:
        first = read_row(Invitation, before)
        if first.terms != invitation.terms:
            raise RequestIdReused(request_id)
        return CreatedInvitation(first, repeated=True)
    authors = await _count_authors(connection, invitation.organiser, invitation.created_ms)
    if authors + invitation.max_uses > max_authors:
        raise TooManyNames("invited authors", max_authors)
    await connection.change(INSERT, invitation.id, request_id, *row_of(invitation))
    await connection.change(DELETE_UNUSED, invitation.organiser, invitation.created_ms, MAX_UNUSED_INVITATIONS)
    return CreatedInvitation(invitation, repeated=False)


async def _count_authors(connection: SqlConnection, organiser: str, now_ms: int) -> int:
    return int(await connection.fetchval(COUNT_AUTHORS, organiser, now_ms))


async def _page(
    connection: SqlConnection, organiser: str, open_at_ms: int | None, before: str, limit: int | None
) -> list[Invitation]:
    if before:
        await _of_id(connection, before)
    rows = await connection.fetch(SELECT_PAGE, organiser, open_at_ms, before, row_limit(limit))
    return [read_row(Invitation, row) for row in rows]


async def _of_id(connection: SqlConnection, invitation_id: str) -> Invitation:
    row = await connection.fetchrow(SELECT_BY_ID, invitation_id)
    if not row:
        raise NoSuchInvitation(invitation_id)
    return read_row(Invitation, row)


async def _revoke(connection: SqlConnection, invitation_id: str) -> Invitation:
    await connection.change(REVOKE, invitation_id)
    return await _of_id(connection, invitation_id)


async def _redeem(connection: SqlConnection, sha256: bytes, request_id: str, token: Token) -> Redeemed:
    await lock_holders(connection, token.holder)
    row = await connection.lock_row(SELECT_BY_SHA256, sha256)
    if not row:
        raise BadInvitation("unknown")
    invitation = read_row(Invitation, row)
    token_id = await connection.fetchval(SELECT_REDEEMED, sha256, token.holder, request_id)
    if token_id:
        return Redeemed(invitation, await token_of_id(connection, token_id), repeated=True)
    if end := invitation.end_at(token.created_ms):
        raise BadInvitation(end)
    in_lower_case = token.holder.encode().lower().decode()  # Of ASCII only, as in both databases.
    if await connection.fetchval(SELECT_IS_KNOWN, in_lower_case):
        raise NameTaken(token.holder)
    await insert_token(connection, token)
    await connection.change(COUNT_USE, sha256)
    await connection.change(INSERT_REDEMPTION, sha256, request_id, token.holder, token.id, token.created_ms)
    return Redeemed(await _of_id(connection, invitation.id), token, repeated=False)
