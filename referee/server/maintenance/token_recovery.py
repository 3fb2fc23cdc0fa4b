"""Recovery of lost credentials on a stopped server: a new administrator token, or a new signing key."""

import asyncio
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.accounts.tokens import FIRST_ADMIN, SECRET_BYTES, Role, Token, TokenFilter, Tokens, mint_secret, revoked
from referee.live.ports import StoreUnavailable
from referee.records.signing_key import KeyUnusable, fingerprint, load_or_create, public_hex
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.database import DataDirLock, NewerDatabase
from referee.storage.sqlite.store import SqliteStore
from referee.storage.stored_accounts import StoredTokens

MAX_TOKENS = 2**31


def create_admin_token(data_dir: Path, now_ms: int, revoke_others: bool) -> str:
    """Create an administrator token and return its secret. Raises MaintenanceError.

    `revoke_others` revokes all earlier administrator tokens.
    """
    with _locked(data_dir):
        return asyncio.run(_create_admin_token(data_dir / DATABASE, now_ms, revoke_others))


def create_signing_key(data_dir: Path) -> str:
    """Create the missing signing key and return its fingerprint. Raises MaintenanceError, also if there is a key."""
    with _locked(data_dir):
        if (data_dir / KEY).exists():
            raise MaintenanceError(f"{KEY} exists: move it away first to sign records with a new one")
        return fingerprint(public_hex(load_or_create(data_dir / KEY)))


async def _create_admin_token(database: Path, now_ms: int, revoke_others: bool) -> str:
    store = SqliteStore(database)
    try:
        return await add_admin_token(StoredTokens(store), now_ms, revoke_others)
    finally:
        await store.close()


async def add_admin_token(tokens: Tokens, now_ms: int, revoke_others: bool) -> str:
    """Add an administrator token, and return its secret. Raises StoreUnavailable."""
    if revoke_others:
        for token in await tokens.tokens(TokenFilter(valid_at_ms=now_ms)):
            if token.role is Role.ADMIN:
                await tokens.change_token(token.id, revoked)
    minted = mint_secret(secrets.token_bytes(SECRET_BYTES))
    await tokens.add_token(Token(minted.sha256, Role.ADMIN, FIRST_ADMIN, now_ms, label="recovered"), MAX_TOKENS)
    return minted.secret


@contextmanager
def _locked(data_dir: Path) -> Iterator[None]:
    """Hold the lock of the data directory, which a running server has. Raises MaintenanceError."""
    if not (data_dir / DATABASE).is_file():
        raise MaintenanceError(f"there is no {DATABASE} in {data_dir}: is it the data directory of a referee?")
    try:
        with DataDirLock(data_dir):
            yield
    except (OSError, StoreUnavailable, NewerDatabase, KeyUnusable) as why:
        raise MaintenanceError(f"cannot use {data_dir}: {why}") from None
