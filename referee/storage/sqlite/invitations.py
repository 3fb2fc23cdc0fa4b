"""Invitations in SQLite. Of a code only its SHA-256 hash is stored."""

from sqlite3 import Connection
from typing import Any

from referee.accounts.account_errors import BadInvitation, NameTaken, NoSuchInvitation, TooManyNames
from referee.accounts.invitations import MAX_UNUSED_INVITATIONS, CreatedInvitation, Invitation, Redeemed, Redemption
from referee.accounts.tokens import Token
from referee.match.match_errors import RequestIdReused
from referee.storage.account_rows import INVITATION_COLUMNS, invitation_row, read_invitation
from referee.storage.sqlite.accounts import insert_token, token_of_id
from referee.storage.sqlite.store import SqliteStore, row_limit

INSERT = f"""
    INSERT INTO invitations (invitation_id, request_id, {INVITATION_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""

SELECT_REQUESTED = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE organiser = ? AND request_id = ?"

SELECT_BY_ID = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE invitation_id = ?"

SELECT_BY_SHA256 = f"SELECT {INVITATION_COLUMNS} FROM invitations WHERE sha256 = ?"

COUNT_AUTHORS = """
    SELECT coalesce(sum(CASE WHEN revoked OR expires_ms <= :now_ms THEN uses ELSE max_uses END), 0)
    FROM invitations
    WHERE organiser = :organiser
"""

DELETE_UNUSED = """
    DELETE FROM invitations
    WHERE invitation IN (
        SELECT invitation FROM invitations
        WHERE organiser = :organiser AND uses = 0 AND (revoked OR expires_ms <= :now_ms)
        ORDER BY invitation DESC
        LIMIT -1 OFFSET :kept
    )
"""

SELECT_PAGE = f"""
    SELECT {INVITATION_COLUMNS} FROM invitations
    WHERE (:organiser = '' OR organiser = :organiser)
        AND (:open_at_ms IS NULL OR NOT revoked AND expires_ms > :open_at_ms AND uses < max_uses)
        AND (:before = '' OR invitation < (SELECT invitation FROM invitations WHERE invitation_id = :before))
    ORDER BY invitation DESC
    LIMIT :limit
"""

REVOKE = "UPDATE invitations SET revoked = 1 WHERE invitation_id = ?"

COUNT_USE = "UPDATE invitations SET uses = uses + 1 WHERE sha256 = ?"

INSERT_REDEMPTION = """
    INSERT INTO redemptions (invitation, request_id, holder, token_id, redeemed_ms)
    VALUES ((SELECT invitation FROM invitations WHERE sha256 = ?), ?, ?, ?, ?)
"""

SELECT_REDEEMED = """
    SELECT token_id FROM redemptions
    WHERE invitation = (SELECT invitation FROM invitations WHERE sha256 = ?) AND holder = ? AND request_id = ?
"""

SELECT_REDEMPTIONS = """
    SELECT redemption, holder, token_id, redeemed_ms FROM redemptions
    WHERE invitation = (SELECT invitation FROM invitations WHERE invitation_id = ?) AND redemption > ?
    ORDER BY redemption
    LIMIT ?
"""

SELECT_IS_KNOWN = """
    SELECT EXISTS (SELECT 1 FROM tokens WHERE holder = :holder COLLATE NOCASE)
        OR EXISTS (SELECT 1 FROM bots WHERE owner = :holder COLLATE NOCASE)
        OR EXISTS (SELECT 1 FROM quotas WHERE holder = :holder COLLATE NOCASE)
"""
"""Whether a holder is known, in upper or lower case."""


class SqliteInvitations:
    """An Invitations port in SQLite."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    async def create(self, request_id: str, invitation: Invitation, max_authors: int) -> CreatedInvitation:
        return await self._store.write(lambda file: _create(file, request_id, invitation, max_authors))

    async def authors(self, organiser: str, now_ms: int) -> int:
        return await self._store.read(lambda file: _count_authors(file, organiser, now_ms))

    async def invitations(
        self, organiser: str = "", open_at_ms: int | None = None, before: str = "", limit: int | None = None
    ) -> list[Invitation]:
        values = {"organiser": organiser, "open_at_ms": open_at_ms, "before": before, "limit": row_limit(limit)}
        return await self._store.read(lambda file: _page(file, values))

    async def invitation(self, invitation_id: str) -> Invitation:
        return await self._store.read(lambda file: _of_id(file, invitation_id))

    async def revoke(self, invitation_id: str) -> Invitation:
        return await self._store.write(lambda file: _revoke(file, invitation_id))

    async def redeem(self, sha256: bytes, request_id: str, token: Token) -> Redeemed:
        return await self._store.write(lambda file: _redeem(file, sha256, request_id, token))

    async def redemptions(self, invitation_id: str, after: int = 0, limit: int | None = None) -> list[Redemption]:
        values = (invitation_id, after, row_limit(limit))
        return await self._store.read(
            lambda file: [Redemption(*row) for row in file.execute(SELECT_REDEMPTIONS, values)]
        )


def _create(file: Connection, request_id: str, invitation: Invitation, max_authors: int) -> CreatedInvitation:
    before = file.execute(SELECT_REQUESTED, (invitation.organiser, request_id)).fetchone()
    if before:
        first = read_invitation(before)
        if first.terms != invitation.terms:
            raise RequestIdReused(request_id)
        return CreatedInvitation(first, repeated=True)
    if _count_authors(file, invitation.organiser, invitation.created_ms) + invitation.max_uses > max_authors:
        raise TooManyNames("invited authors", max_authors)
    file.execute(INSERT, (invitation.id, request_id, *invitation_row(invitation)))
    kept = {"organiser": invitation.organiser, "now_ms": invitation.created_ms, "kept": MAX_UNUSED_INVITATIONS}
    file.execute(DELETE_UNUSED, kept)
    return CreatedInvitation(invitation, repeated=False)


def _count_authors(file: Connection, organiser: str, now_ms: int) -> int:
    row = file.execute(COUNT_AUTHORS, {"organiser": organiser, "now_ms": now_ms}).fetchone()
    return int(row[0])


def _page(file: Connection, values: dict[str, Any]) -> list[Invitation]:
    if values["before"]:
        _of_id(file, values["before"])
    return [read_invitation(row) for row in file.execute(SELECT_PAGE, values)]


def _of_id(file: Connection, invitation_id: str) -> Invitation:
    row = file.execute(SELECT_BY_ID, (invitation_id,)).fetchone()
    if not row:
        raise NoSuchInvitation(invitation_id)
    return read_invitation(row)


def _revoke(file: Connection, invitation_id: str) -> Invitation:
    file.execute(REVOKE, (invitation_id,))
    return _of_id(file, invitation_id)


def _redeem(file: Connection, sha256: bytes, request_id: str, token: Token) -> Redeemed:
    invitation = _of_sha256(file, sha256)
    before = file.execute(SELECT_REDEEMED, (sha256, token.holder, request_id)).fetchone()
    if before:
        (token_id,) = before
        return Redeemed(invitation, token_of_id(file, token_id), repeated=True)
    if end := invitation.end_at(token.created_ms):
        raise BadInvitation(end)
    (is_known,) = file.execute(SELECT_IS_KNOWN, {"holder": token.holder}).fetchone()
    if is_known:
        raise NameTaken(token.holder)
    insert_token(file, token)
    file.execute(COUNT_USE, (sha256,))
    file.execute(INSERT_REDEMPTION, (sha256, request_id, token.holder, token.id, token.created_ms))
    return Redeemed(_of_sha256(file, sha256), token, repeated=False)


def _of_sha256(file: Connection, sha256: bytes) -> Invitation:
    row = file.execute(SELECT_BY_SHA256, (sha256,)).fetchone()
    if not row:
        raise BadInvitation("unknown")
    return read_invitation(row)
