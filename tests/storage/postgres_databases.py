"""Databases of a private PostgreSQL server, one server for each test process, started when the first test needs it.

They are set up as docs/cluster.md says: one role owns the tables, and another one has what a running server may do.
"""

import asyncio
import atexit
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from deploy.cluster_demo.postgres_server import FAST, PostgresMissing, PrivatePostgres, create_folder
from referee.storage.postgres.database import PostgresDatabase

TEMPLATE = "migrated"
SQL = Path(__file__).parents[2] / "deploy" / "postgres"
OWNER, NODE = "referee_owner", "referee_node"
PASSWORD = "secret-of-tests"


class PostgresDatabases:
    """Creates databases on one server. Each is a copy of an empty one with all migrations."""

    def __init__(self, server: PrivatePostgres) -> None:
        self.server = server
        self._numbers = count(1)

    def create_empty(self, name: str) -> str:
        """Create a database without tables, and return its URL."""
        asyncio.run(self._execute(f"CREATE DATABASE {name}"))
        return self.server.url(name)

    def prepare(self) -> None:
        """Create the roles, and the database that the others are copies of."""
        for role in (OWNER, NODE):
            asyncio.run(self._execute(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'"))
        url = self.create_for_roles(TEMPLATE)
        asyncio.run(_migrate(as_role(OWNER, url)))
        execute_file("privileges.sql", as_role(OWNER, url))

    def create_for_roles(self, name: str) -> str:
        """Create a database without tables for the roles, and return its URL."""
        url = self.create_empty(name)
        execute_file("database.sql", url)
        return url

    @contextmanager
    def lend(self, template: str = TEMPLATE) -> Iterator[str]:
        """Create a copy of a database, return its URL, and remove it at the end."""
        name = f"test_{next(self._numbers)}"
        asyncio.run(self._execute(f"CREATE DATABASE {name} TEMPLATE {template}"))
        try:
            yield self.server.url(name)
        finally:
            asyncio.run(self._execute(f"DROP DATABASE {name} WITH (FORCE)"))

    async def _execute(self, statement: str) -> None:
        await execute(self.server.url(), statement)


def as_role(role: str, url: str) -> str:
    """Return the URL of a database for another role."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}:{PASSWORD}@{parts.netloc.rpartition('@')[2]}"))


def execute_file(name: str, url: str) -> None:
    """Execute a file of deploy/postgres."""
    asyncio.run(execute(url, (SQL / name).read_text(encoding="utf-8")))


async def execute(url: str, statements: str) -> None:
    """Execute statements as an administrator may."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statements)
    finally:
        await connection.close()


@contextmanager
def run_postgres(
    disk: Callable[[Path], AbstractContextManager[object]] = nullcontext, options: Mapping[str, str] = FAST
) -> Iterator[PrivatePostgres]:
    """Run a server with an empty folder. The test is skipped if PostgreSQL is missing, but fails in CI.

    `disk` can put a file system of its own in place of the folder.
    """
    folder = create_folder()
    try:
        with disk(folder):
            try:
                subprocess.run(["cp", "-a", f"{_new_server()}/.", folder], check=True)
                server = PrivatePostgres(folder, options)
            except PostgresMissing as why:
                if os.environ.get("CI"):
                    pytest.fail(str(why))
                pytest.skip(str(why))
            with server:
                yield server
    finally:
        shutil.rmtree(folder)


@cache
def _new_server() -> Path:
    """Return a folder with the data of a server that was never started: a copy of it takes a fifth of the time."""
    folder = create_folder()
    atexit.register(shutil.rmtree, folder)
    PrivatePostgres(folder)
    return folder


async def _migrate(url: str) -> None:
    database = PostgresDatabase(url)
    await database.open()
    await database.close()
