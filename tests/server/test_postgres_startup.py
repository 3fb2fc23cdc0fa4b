"""A server on PostgreSQL: its start, the lock of its database, and the commands that find the database there."""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
from click.testing import CliRunner

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
from tests.cluster.faulty_proxy import FaultyProxy, run_proxy
from tests.cluster.shared_services import through
from tests.match.setups import time_control
from tests.server.test_startup import start as start_with
from tests.storage.postgres_databases import PostgresDatabases

TIMEOUT_S = 180


def settings(url: str) -> Settings:
    return replace(local_settings(start_within_s=1, patient=True), ephemeral=False, database=DatabaseUrl(url))


def start(url: str) -> ServerInfo:
    """Start a server and stop it. Raises StartupError."""
    return start_with(settings(url))


@pytest.fixture
def empty_postgres_url(postgres_databases: PostgresDatabases) -> Iterator[str]:
    """URL of a database without tables."""
    with postgres_databases.lend("template0") as url:
        yield url


@pytest.fixture(autouse=True)
def _no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_lock, "START_WAIT_S", 0)


def test_the_first_start_creates_tables_and_a_token_and_leaves_no_files(
    empty_postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert start(empty_postgres_url).admin_token.startswith("rf_")
    assert start(empty_postgres_url).admin_token == ""
    assert not list(tmp_path.iterdir())


def test_all_servers_of_a_database_sign_with_the_same_key(postgres_url: str) -> None:
    async def read_key() -> bytes:
        stores = open_stores(settings(postgres_url), LoopTime(), lambda _: None)
        await stores.open()
        key = stores.key().public_key().public_bytes_raw()
        await stores.close()
        return key

    assert asyncio.run(read_key()) == asyncio.run(read_key())


def test_a_second_server_on_a_database_does_not_start(postgres_url: str) -> None:
    async def check() -> None:
        first = RefereeServer(settings(postgres_url))
        await first.open()
        with pytest.raises(StartupError, match=r"cannot use postgres://.*: a server already uses this database"):
            await RefereeServer(settings(postgres_url)).open()
        first.shutdown(grace_us=0)
        await first.close()

    asyncio.run(check())
    start(postgres_url)


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
def test_a_node_that_cannot_reach_the_database_ends_all_streams_and_does_not_wait_for_the_way_back(
    postgres_url: str, nats: PrivateNats
) -> None:
    port = urlsplit(postgres_url).port
    assert port

    async def check(proxy: FaultyProxy) -> None:
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

    async def check_in_time(proxy: FaultyProxy) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            await check(proxy)

    with run_proxy("127.0.0.1", port) as proxy:
        asyncio.run(check_in_time(proxy))


def test_a_database_that_cannot_be_reached_is_named_without_its_password() -> None:
    with pytest.raises(
        StartupError, match=r"cannot use postgres://ada:\*\*\*@127\.0\.0\.1:1/x: .* unavailable"
    ) as failed:
        start("postgres://ada:secret@127.0.0.1:1/x")
    assert "secret" not in str(failed.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "referee.server.postgres_stores", raising=False)
    for module in [name for name in sys.modules if name.startswith("referee.storage.postgres")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(StartupError, match=r"database requires the package asyncpg: pip install 'referee\[cluster\]'"):
        start("postgres://127.0.0.1/x")


async def lock_holder(connection: asyncpg.Connection) -> int | None:
    pid: int | None = await connection.fetchval(SELECT_HOLDERS, SERVER_LOCK)
    return pid


def test_a_lock_whose_connection_breaks_is_acquired_again(postgres_url: str) -> None:
    async def check(connection: asyncpg.Connection, server: RefereeServer) -> None:
        before = await lock_holder(connection)
        await connection.execute("SELECT pg_terminate_backend($1)", before)
        while await lock_holder(connection) in (None, before):
            await asyncio.sleep(0)
        assert not server.failure

    run_with_server(postgres_url, check)


def test_a_server_stops_if_another_one_has_taken_its_lock(postgres_url: str) -> None:
    async def check(connection: asyncpg.Connection, server: RefereeServer) -> None:
        other = await asyncpg.connect(postgres_url)
        waiting = asyncio.create_task(other.execute("SELECT pg_advisory_lock($1)", SERVER_LOCK))
        while not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"):
            await asyncio.sleep(0)
        await connection.execute("SELECT pg_terminate_backend($1)", await lock_holder(connection))
        await waiting
        await server.wait_for_shutdown()
        assert server.failure == "a server already uses this database"
        await other.close()

    run_with_server(postgres_url, check)


def run_with_server(url: str, check: Callable[[asyncpg.Connection, RefereeServer], Awaitable[None]]) -> None:
    async def run() -> None:
        connection, server = await asyncpg.connect(url), RefereeServer(settings(url))
        await server.open()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await check(connection, server)
        finally:
            server.shutdown(grace_us=0)
            await server.close()
            await connection.close()

    asyncio.run(run())


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


def test_a_lost_administrator_token_is_replaced_while_no_server_uses_the_database(postgres_url: str) -> None:
    command = ["data", "recover", "admin-token", "--revoke-others", "--database", postgres_url]

    async def check(_connection: asyncpg.Connection, _server: RefereeServer) -> None:
        refused = await asyncio.to_thread(CliRunner().invoke, main, command)
        assert refused.exit_code == 1
        assert "a server already uses this database" in refused.output

    run_with_server(postgres_url, check)
    first, second = (CliRunner().invoke(main, command) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert second.output.startswith("rf_")
    assert start(postgres_url).admin_token == ""


def test_a_database_is_not_migrated_while_a_single_server_uses_it(postgres_url: str) -> None:
    async def check(_connection: asyncpg.Connection, _server: RefereeServer) -> None:
        refused = await asyncio.to_thread(CliRunner().invoke, main, ["data", "migrate", "--database", postgres_url])
        assert refused.exit_code == 1
        assert "a server already uses this database" in refused.output

    run_with_server(postgres_url, check)


def test_a_missing_signing_key_is_replaced_on_request_only(postgres_url: str) -> None:
    command = ["data", "recover", "signing-key", "--database", postgres_url]
    start(postgres_url)
    assert "there is a signing key" in CliRunner().invoke(main, command).output
    execute(postgres_url, "DELETE FROM signing_key; INSERT INTO matches (match_id) VALUES ('old')")
    with pytest.raises(StartupError, match=r"signing key is missing .* `referee data recover signing-key`"):
        start(postgres_url)
    recovered = CliRunner().invoke(main, command)
    assert recovered.exit_code == 0
    fingerprint = recovered.output.removeprefix("new records are signed by ").strip()
    assert fingerprint in CliRunner().invoke(main, ["doctor", "--database", postgres_url]).output
    start(postgres_url)


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


def test_the_doctor_checks_the_database(empty_postgres_url: str) -> None:
    def findings() -> list[str]:
        printed = CliRunner().invoke(main, ["doctor", "--database", empty_postgres_url]).output
        return [line for line in printed.splitlines() if "  database " in line or "  key " in line]

    assert any("`referee serve` upgrades it when it starts" in line for line in findings())
    start(empty_postgres_url)
    version, fsync, pages, schema, key = findings()
    assert "PostgreSQL" in version
    # The server of the tests is a quick one.
    assert fsync.startswith("bad")
    assert "fsync is off" in fsync
    assert pages.startswith("bad")
    assert "full_page_writes is off" in pages
    assert schema.startswith("ok")
    assert key.startswith("ok")
    execute(empty_postgres_url, "UPDATE schema_version SET version = 1000, compatible_from = 1000")
    assert "is newer than this release" in findings()[3]


def test_the_doctor_reports_a_database_that_cannot_be_reached() -> None:
    examined = CliRunner().invoke(main, ["doctor", "--database", "postgres://ada:secret@127.0.0.1:1/x"])
    assert examined.exit_code == 4
    assert "bad   database       postgres://ada:***@127.0.0.1:1/x: the database is unavailable" in examined.output
    assert "secret" not in examined.output


def execute(url: str, statements: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        await connection.execute(statements)
        await connection.close()

    asyncio.run(run())
