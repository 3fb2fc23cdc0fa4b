"""Conditions under which a server does not start, and what a failed first start leaves behind."""

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.live.match_timing import LoopTime
from referee.local.embedded_server import settings as local_settings
from referee.observability.http_server import MAX_CONNECTIONS
from referee.server.open_files import MAX_RESERVED, max_connections
from referee.server.referee_server import RefereeServer, ServerInfo
from referee.server.setting_types import Address
from referee.server.settings import Settings
from referee.server.stores import DATABASE, KEY, StartupError, open_stores
from referee.storage.sqlite.database import DataDirLock


def settings(data_dir: Path) -> Settings:
    return local_settings(start_within_s=1, patient=True, data=data_dir)


@asynccontextmanager
async def running(start_settings: Settings) -> AsyncIterator[tuple[RefereeServer, ServerInfo]]:
    """Run a server. Raises StartupError."""
    server = RefereeServer(start_settings)
    info = await server.open()
    try:
        yield server, info
    finally:
        server.shutdown(grace_us=0)
        await server.close()


async def start(start_settings: Settings) -> ServerInfo:
    """Start a server and stop it. Raises StartupError."""
    async with running(start_settings) as (_, info):
        return info


async def test_a_second_server_on_a_data_directory_does_not_start(tmp_path: Path) -> None:
    async with running(settings(tmp_path)):
        with pytest.raises(StartupError, match=r"process .* already uses it"):
            RefereeServer(settings(tmp_path))
    await start(settings(tmp_path))


@pytest.mark.parametrize("setting", ["listen", "http_listen"])
async def test_a_first_start_that_fails_on_a_used_port_creates_no_token(tmp_path: Path, setting: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other_server:
        address: Any = Address("127.0.0.1", other_server.getsockname()[1])
        with pytest.raises(StartupError, match=rf"cannot listen on {address}.*: Address already in use"):
            await start(replace(settings(tmp_path), **{setting: address}))
    assert (await start(settings(tmp_path))).admin_token.startswith("rf_")


async def test_the_first_token_is_written_to_a_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    file = tmp_path / "admin-token"
    file.touch(0o644)
    info = await start(replace(settings(tmp_path / "data"), admin_token_file=file))
    assert (info.admin_token, info.admin_token_file) == ("", str(file))
    assert file.read_text().startswith("rf_")
    assert file.stat().st_mode & 0o777 == 0o600
    assert (await start(replace(settings(tmp_path / "data"), admin_token_file=file))).admin_token_file == ""


async def test_a_token_that_cannot_be_written_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="No such file"):
        await start(replace(settings(tmp_path / "data"), admin_token_file=tmp_path / "missing" / "admin-token"))
    assert (await start(settings(tmp_path / "data"))).admin_token.startswith("rf_")


async def test_a_missing_signing_key_is_not_replaced_silently(tmp_path: Path) -> None:
    await start(settings(tmp_path))
    (tmp_path / KEY).unlink()
    with pytest.raises(StartupError, match=r"referee-key\.pem is missing .* `referee data recover signing-key`"):
        await start(settings(tmp_path))
    assert not (tmp_path / KEY).exists()
    DataDirLock(tmp_path).release()  # The lock can be taken, because a failed start releases it.


async def test_files_in_an_existing_data_directory_are_not_readable_by_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for _ in range(2):
        stores = open_stores(settings(tmp_path), LoopTime(), lambda _: None)
        readable = [file.name for file in tmp_path.iterdir() if file.stat().st_mode & 0o007]
        await stores.close()
        assert not readable
        (tmp_path / DATABASE).chmod(0o644)


async def test_an_issuer_without_its_library_is_named_before_anything_is_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)
    for module in ("oidc", "provider_keys"):
        monkeypatch.delitem(sys.modules, f"referee.transport.guards.{module}", raising=False)
    changed = replace(settings(tmp_path / "data"), oidc_issuer="https://id.example.org", oidc_audience="referee")
    with pytest.raises(StartupError, match=r"oidc_issuer requires the package jwt: pip install 'referee\[oidc\]'"):
        await start(changed)
    assert not (tmp_path / "data").exists()


FILES_AT_START = 33
"""Measured: standard streams, event loops, listening sockets, the database."""


@pytest.mark.parametrize("open_files", [1_024, 4_096, 65_536, 2**63 - 1])
def test_files_are_left_for_health_checks_and_the_store(open_files: int) -> None:
    assert open_files - max_connections(open_files) > MAX_CONNECTIONS + FILES_AT_START


def test_nearly_all_of_many_files_are_for_connections() -> None:
    assert max_connections(65_536) == 65_536 - MAX_RESERVED
    assert max_connections(256) == 205
