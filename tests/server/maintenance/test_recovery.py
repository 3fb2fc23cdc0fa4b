"""Replacement of a lost administrator's token or signing key while the server is stopped."""

import asyncio
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.accounts.tokens import Role, Token, TokenFilter, sha256_of
from referee.cli import main
from referee.records.signing_key import fingerprint, load, public_hex
from referee.server.maintenance.data_dir import MaintenanceError
from referee.server.maintenance.token_recovery import create_admin_token, create_signing_key
from referee.server.stores import DATABASE, KEY
from referee.storage.sqlite.database import DataDirLock
from referee.storage.sqlite.store import SqliteStore
from tests.storage.account_stores import in_sqlite
from tests.storage.stores import opened

NOW_MS = 1_000


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    asyncio.run(SqliteStore(tmp_path / DATABASE).close())
    return tmp_path


async def test_other_administrator_tokens_are_revoked_on_request(data_dir: Path) -> None:
    first, second = [
        await asyncio.to_thread(create_admin_token, data_dir, NOW_MS, revoke_others=False) for _ in range(2)
    ]
    async with opened(stores := in_sqlite(data_dir / DATABASE)):
        valid = await stores.tokens.tokens(TokenFilter(valid_at_ms=NOW_MS))
        assert [(token.sha256, token.role) for token in valid] == [
            (sha256_of(second), Role.ADMIN),
            (sha256_of(first), Role.ADMIN),
        ]
        await stores.tokens.add_token(Token(b"o" * 32, Role.ORGANISER, "ada", NOW_MS), 9)
    secret = await asyncio.to_thread(create_admin_token, data_dir, NOW_MS, revoke_others=True)
    async with opened(stores := in_sqlite(data_dir / DATABASE)):
        valid = await stores.tokens.tokens(TokenFilter(valid_at_ms=NOW_MS))
    assert [token.sha256 for token in valid] == [sha256_of(secret), b"o" * 32]


def test_a_signing_key_is_created_only_if_there_is_none(data_dir: Path) -> None:
    shown = create_signing_key(data_dir)
    assert shown == fingerprint(public_hex(load(data_dir / KEY)))
    with pytest.raises(MaintenanceError, match=r"referee-key\.pem exists"):
        create_signing_key(data_dir)


def test_recovery_is_rejected_while_the_server_runs_and_without_a_database(data_dir: Path) -> None:
    with DataDirLock(data_dir), pytest.raises(MaintenanceError, match="already uses it"):
        create_admin_token(data_dir, NOW_MS, revoke_others=True)
    with pytest.raises(MaintenanceError, match=r"there is no referee\.db"):
        create_signing_key(data_dir / "elsewhere")


def test_the_commands_print_the_new_token_and_key(data_dir: Path) -> None:
    flags = ["--data-dir", str(data_dir)]
    token = CliRunner().invoke(main, ["data", "recover", "admin-token", *flags])
    key = CliRunner().invoke(main, ["data", "recover", "signing-key", *flags])
    second_key = CliRunner().invoke(main, ["data", "recover", "signing-key", *flags])
    assert token.stdout.startswith("rf_")
    assert key.stdout.startswith("new records are signed by ")
    assert (second_key.exit_code, "referee-key.pem exists" in second_key.stderr) == (1, True)
