"""Replacing what an operator has lost, on a stopped server: the administrator's token, the key that signs records."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.app.ports import LogUnavailable
from referee.app.tokens import SECRET_BYTES, Role, Token, WantedTokens, mint, revoked
from referee.operating.not_done import NotDone
from referee.storage.clerk import Clerk
from referee.storage.data_lock import DataDirLock
from referee.storage.record.keys import KeyUnusable, fingerprint, load_or_create, public_hex
from referee.storage.sqlite_file import NewerDatabase
from referee.storage.tokens_sqlite import SqliteTokens
from referee.wiring.books import DATABASE, KEY
from referee.wiring.front import FIRST_ADMIN

NO_LIMIT = 2**31


def new_admin_token(data_dir: Path, now_ms: int, revoke_others: bool) -> str:
    """Return the secret of a new administrator's token; `revoke_others` revokes all earlier ones. Raises NotDone."""
    with _stopped(data_dir):
        return asyncio.run(_new_admin_token(data_dir / DATABASE, now_ms, revoke_others))


def new_signing_key(data_dir: Path) -> str:
    """Create the missing key and return its fingerprint. Raises NotDone, also if there is a key."""
    with _stopped(data_dir):
        if (data_dir / KEY).exists():
            raise NotDone(f"{KEY} exists: move it away first if records are to be signed by a new one")
        return fingerprint(public_hex(load_or_create(data_dir / KEY)))


async def _new_admin_token(database: Path, now_ms: int, revoke_others: bool) -> str:
    clerk = Clerk(database)
    try:
        tokens = SqliteTokens(clerk)
        if revoke_others:
            for token in await tokens.tokens(WantedTokens(good_at_ms=now_ms)):
                if token.role is Role.ADMIN:
                    await tokens.change_token(token.id, revoked)
        minted = mint(secrets.token_bytes(SECRET_BYTES))
        await tokens.add_token(Token(minted.sha256, Role.ADMIN, FIRST_ADMIN, now_ms, label="recovered"), NO_LIMIT)
    finally:
        await clerk.close()
    return minted.secret


@contextmanager
def _stopped(data_dir: Path) -> Iterator[None]:
    """While no server uses the directory. Raises NotDone."""
    if not (data_dir / DATABASE).is_file():
        raise NotDone(f"there is no {DATABASE} in {data_dir}: is it the data directory of a referee?")
    try:
        with DataDirLock(data_dir):
            yield
    except (OSError, LogUnavailable, NewerDatabase, KeyUnusable) as why:
        raise NotDone(f"cannot use {data_dir}: {why}") from None
