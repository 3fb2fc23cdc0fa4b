"""Locks on stored data: one process uses a directory, and one server or one cluster uses a database."""

import asyncio
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from referee.storage.postgres.database import PostgresDatabase
from referee.storage.postgres.database_lock import DatabaseInUse, DatabaseLock
from referee.storage.postgres.key_store import add_key, read_key
from referee.storage.sqlite.database import ARCHIVE_LOCK, SERVER_LOCK, DataDirLock, DataDirLocked

HOLD_AND_WAIT = """
import sys
from pathlib import Path
from referee.storage.sqlite.database import DataDirLock
lock = DataDirLock(Path(sys.argv[1]))
print("locked", flush=True)
sys.stdin.read()
"""


def test_a_second_lock_is_rejected_and_the_error_names_the_process_that_holds_the_first(tmp_path: Path) -> None:
    with DataDirLock(tmp_path), pytest.raises(DataDirLocked, match=f"process {os.getpid()} already uses it"):
        DataDirLock(tmp_path)
    DataDirLock(tmp_path).release()


def test_locks_of_different_names_do_not_exclude_each_other(tmp_path: Path) -> None:
    with DataDirLock(tmp_path, SERVER_LOCK), DataDirLock(tmp_path, ARCHIVE_LOCK):
        assert {file.name for file in tmp_path.iterdir()} == {SERVER_LOCK, ARCHIVE_LOCK}


def test_releasing_a_lock_twice_does_not_release_another_lock(tmp_path: Path) -> None:
    first = DataDirLock(tmp_path)
    first.release()
    with DataDirLock(tmp_path):
        first.release()
        with pytest.raises(DataDirLocked):
            DataDirLock(tmp_path)


def test_a_lock_ends_when_its_process_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD_AND_WAIT, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(DataDirLocked, match=f"process {holder.pid} "):
            DataDirLock(tmp_path)
        holder.kill()
        holder.wait()
        DataDirLock(tmp_path).release()


def test_a_missing_directory_cannot_be_locked(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        DataDirLock(tmp_path / "missing")


def test_locking_fails_on_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with pytest.raises(OSError, match="Function not implemented"):
        DataDirLock(tmp_path)


async def test_one_server_excludes_another_and_the_nodes_of_a_cluster_share_the_lock(
    database: PostgresDatabase,
) -> None:
    async def release(lock: DatabaseLock) -> None:
        await lock.release()
        await lock.release()

    server = await DatabaseLock.acquire(database)
    for shared in (False, True):
        with pytest.raises(DatabaseInUse, match="a server already uses this database"):
            await DatabaseLock.acquire(database, shared=shared)
    await release(server)
    nodes = [await DatabaseLock.acquire(database, shared=True) for _ in range(2)]
    with pytest.raises(DatabaseInUse):
        await DatabaseLock.acquire(database)
    for node in nodes:
        await release(node)
    await release(await DatabaseLock.acquire(database))


async def test_the_first_key_that_a_node_adds_stays(database: PostgresDatabase) -> None:
    assert await database.read(read_key) is None
    added = await asyncio.gather(*(database.write(partial(add_key, pem=b"%d" % number)) for number in range(9)))
    assert len(set(added)) == 1
    assert await database.read(read_key) == added[0]
