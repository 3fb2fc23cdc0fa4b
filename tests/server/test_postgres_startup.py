"""A server on PostgreSQL: its start, the lock of its database, and the commands that find the database there."""

import asyncio
import socket
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
from click.testing import CliRunner, Result

from deploy.cluster_demo.nats_server import PrivateNats
from engines.registry import find
from referee.cli import main
from referee.cluster.bus.nats_servers import parse_servers
from referee.live.match_request import MatchRequest
from referee.live.match_timing import LoopTime
from referee.live.ports import StoreUnavailable
from referee.local.embedded_server import settings as local_settings
from referee.match.clock import SECOND, Fischer
from referee.match.match_terms import MatchTerms
from referee.server.referee_server import RefereeServer, ServerInfo
from referee.server.setting_types import DatabaseUrl
from referee.server.settings import Settings
from referee.server.stores import StartupError, open_stores
from referee.storage.postgres import database_lock
from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_lock import SELECT_HOLDERS, SERVER_LOCK, DatabaseLock
from tests.cluster.bus.nats import new_cluster
from tests.cluster.faulty_proxy import run_proxy
from tests.cluster.shared_services import through
from tests.match.setups import time_control
from tests.server.test_startup import running
from tests.server.test_startup import start as start_with
from tests.storage.postgres_databases import PostgresDatabases, execute


def settings(url: str) -> Settings:
    return replace(local_settings(start_within_s=1, patient=True), ephemeral=False, database=DatabaseUrl(url))


async def start(url: str) -> ServerInfo:
    """Start a server and stop it. Raises StartupError."""
    return await start_with(settings(url))


@pytest.fixture
def empty_postgres_url(postgres_databases: PostgresDatabases) -> Iterator[str]:
    """URL of a database without tables."""
    with postgres_databases.lend("template0") as url:
        yield url


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_lock, "START_WAIT_S", 0)


async def test_the_first_start_creates_tables_and_a_token_and_leaves_no_files(
    empty_postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert (await start(empty_postgres_url)).admin_token.startswith("rf_")
    assert (await start(empty_postgres_url)).admin_token == ""
    assert not list(tmp_path.iterdir())


async def test_all_servers_of_a_database_sign_with_the_same_key(postgres_url: str) -> None:
    keys = set[bytes]()
    for _ in range(2):
        stores = open_stores(settings(postgres_url), LoopTime(), lambda _: None)
        await stores.open()
        keys.add(stores.key().public_key().public_bytes_raw())
        await stores.close()
    assert len(keys) == 1


async def test_a_second_server_on_a_database_does_not_start(postgres_url: str) -> None:
    async with running(settings(postgres_url)):
        with pytest.raises(StartupError, match=r"cannot use postgres://.*: a server already uses this database"):
            await RefereeServer(settings(postgres_url)).open()
    await start(postgres_url)


async def test_a_node_whose_port_is_in_use_says_so_and_leaves_nothing_behind(
    postgres_url: str, nats: PrivateNats
) -> None:
    node = replace(settings(postgres_url), nats=parse_servers(nats.url), nats_credentials=nats.credentials_file)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        used = replace(node, listen=replace(node.listen, port=listener.getsockname()[1]))
        with pytest.raises(StartupError, match="cannot listen on 127"):
            await RefereeServer(used).open()
    assert len(asyncio.all_tasks()) == 1


@pytest.mark.slow
async def test_a_node_that_cannot_reach_the_database_ends_all_streams_and_does_not_wait_for_the_way_back(
    postgres_url: str, nats: PrivateNats
) -> None:
    port = urlsplit(postgres_url).port
    assert port
    with run_proxy("127.0.0.1", port) as proxy:
        shared = replace(settings(through(proxy, postgres_url)), nats=parse_servers(nats.url))
        server = RefereeServer(replace(shared, nats_credentials=nats.credentials_file, nats_cluster=new_cluster()))
        await server.open()
        other = await asyncpg.connect(postgres_url)
        async with other.transaction():
            await other.execute("LOCK TABLE entries")
            game = find("alquerque")
            request = MatchRequest(MatchTerms(game.name, game.settings(), time_control((Fischer(SECOND, SECOND),))))
            creating = asyncio.create_task(server._application.referee.create(request))
            while not await other.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
                await asyncio.sleep(0)
            proxy.cut()  # Whether the match was stored is not known until the way is back.
            await server.wait_for_shutdown()
            await server.close()
        assert server.restarts
        assert isinstance((await asyncio.gather(creating, return_exceptions=True))[0], StoreUnavailable)
        await other.close()


async def test_a_database_that_cannot_be_reached_is_named_without_its_password() -> None:
    with pytest.raises(
        StartupError, match=r"cannot use postgres://ada:\*\*\*@127\.0\.0\.1:1/x: .* unavailable"
    ) as failed:
        await start("postgres://ada:secret@127.0.0.1:1/x")
    assert "secret" not in str(failed.value)


async def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "referee.server.postgres_stores", raising=False)
    for module in [name for name in sys.modules if name.startswith("referee.storage.postgres")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(StartupError, match=r"database requires the package asyncpg: pip install 'referee\[cluster\]'"):
        await start("postgres://127.0.0.1/x")


async def lock_holder(connection: asyncpg.Connection) -> int | None:
    pid: int | None = await connection.fetchval(SELECT_HOLDERS, SERVER_LOCK)
    return pid


async def test_a_lock_whose_connection_breaks_is_acquired_again(postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    async with running(settings(postgres_url)) as (server, _):
        before = await lock_holder(connection)
        await connection.execute("SELECT pg_terminate_backend($1)", before)
        while await lock_holder(connection) in (None, before):
            await asyncio.sleep(0)
        assert not server.failure
    await connection.close()


async def test_a_server_stops_if_another_one_has_taken_its_lock(postgres_url: str) -> None:
    connection, other = [await asyncpg.connect(postgres_url) for _ in range(2)]
    async with running(settings(postgres_url)) as (server, _):
        waiting = asyncio.create_task(other.execute("SELECT pg_advisory_lock($1)", SERVER_LOCK))
        while not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
            await asyncio.sleep(0)
        await connection.execute("SELECT pg_terminate_backend($1)", await lock_holder(connection))
        await waiting
        await server.wait_for_shutdown()
        assert server.failure == "a server already uses this database"
        await other.close()
    await connection.close()


async def test_a_lock_is_waited_for_while_postgresql_has_not_noticed_that_it_was_lost(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = PostgresDatabase(postgres_url)
    lost: list[str] = []
    keeper = database_lock.DatabaseLockKeeper(database, lost.append)
    former = await DatabaseLock.acquire(database)
    refused = asyncio.Event()
    ask = keeper._holders

    async def holders() -> list[int]:
        refused.set()
        return await ask()

    monkeypatch.setattr(keeper, "_holders", holders)
    acquiring = asyncio.create_task(keeper._acquire_again(former.pid))
    await refused.wait()
    await former.release()
    lock = await acquiring
    assert lock.pid != former.pid
    await lock.release()


async def invoke(url: str, *command: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, main, [*command, "--database", url])


@pytest.mark.parametrize("command", [("migrate",), ("recover", "admin-token")])
async def test_data_are_not_changed_while_a_single_server_uses_them(postgres_url: str, command: Sequence[str]) -> None:
    async with running(settings(postgres_url)):
        refused = await invoke(postgres_url, "data", *command)
    assert refused.exit_code == 1
    assert "a server already uses this database" in refused.output


async def test_a_lost_administrator_token_is_replaced(postgres_url: str) -> None:
    for _ in range(2):
        recovered = await invoke(postgres_url, "data", "recover", "admin-token", "--revoke-others")
        assert recovered.exit_code == 0
        assert recovered.output.startswith("rf_")
    assert (await start(postgres_url)).admin_token == ""


async def test_a_missing_signing_key_is_replaced_on_request_only(postgres_url: str) -> None:
    command = ("data", "recover", "signing-key")
    await start(postgres_url)
    assert "there is a signing key" in (await invoke(postgres_url, *command)).output
    await execute(postgres_url, "DELETE FROM signing_key; INSERT INTO matches (match_id) VALUES ('old')")
    with pytest.raises(StartupError, match=r"signing key is missing .* `referee data recover signing-key`"):
        await start(postgres_url)
    recovered = await invoke(postgres_url, *command)
    assert recovered.exit_code == 0
    fingerprint = recovered.output.removeprefix("new records are signed by ").strip()
    assert fingerprint in (await invoke(postgres_url, "doctor")).output
    await start(postgres_url)


@pytest.mark.parametrize(
    ("command", "instead"),
    [
        (["backup", "to"], "back it up with pg_dump"),
        (["restore", "from"], "restore a dump into an empty database with pg_restore"),
        (
            ["data", "archive", "--before", "2026-01-01", "--to", "to"],
            "matches can be archived from a data directory only",
        ),
    ],
)
def test_a_command_for_data_directories_says_what_to_do_instead(command: list[str], instead: str) -> None:
    refused = CliRunner().invoke(main, command, env={"REFEREE_DATABASE": "postgres://ada:secret@127.0.0.1/x"})
    assert refused.exit_code == 1
    assert f"the data is in PostgreSQL (setting database): {instead}" in refused.output


async def test_the_doctor_checks_the_database(empty_postgres_url: str) -> None:
    async def findings() -> list[str]:
        printed = (await invoke(empty_postgres_url, "doctor")).output
        return [line for line in printed.splitlines() if "  database " in line or "  key " in line]

    assert any("`referee serve` upgrades it when it starts" in line for line in await findings())
    await start(empty_postgres_url)
    version, fsync, pages, schema, key = await findings()
    assert "PostgreSQL" in version
    # The server of the tests is a quick one.
    assert fsync.startswith("bad")
    assert "fsync is off" in fsync
    assert pages.startswith("bad")
    assert "full_page_writes is off" in pages
    assert schema.startswith("ok")
    assert key.startswith("ok")
    await execute(empty_postgres_url, "UPDATE schema_version SET version = 1000, compatible_from = 1000")
    assert "is newer than this release" in (await findings())[3]


def test_the_doctor_reports_a_database_that_cannot_be_reached() -> None:
    examined = CliRunner().invoke(main, ["doctor", "--database", "postgres://ada:secret@127.0.0.1:1/x"])
    assert examined.exit_code == 4
    assert "bad   database       postgres://ada:***@127.0.0.1:1/x: the database is unavailable" in examined.output
    assert "secret" not in examined.output
