"""Databases of a private PostgreSQL server, one server for each test process, started when the first test needs it."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import asyncpg
import pytest

from referee.local.postgres_server import FAST, PostgresMissing, PrivatePostgres, create_folder
from referee.storage.postgres.database import PostgresDatabase

TEMPLATE = "migrated"


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
        """Create the database that the others are copies of."""
        asyncio.run(_migrate(self.create_empty(TEMPLATE)))

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
        connection = await asyncpg.connect(self.server.url())
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


@contextmanager
def run_postgres() -> Iterator[PrivatePostgres]:
    """Run a server with an empty folder. The test is skipped if PostgreSQL is missing, but fails in CI."""
    folder = create_folder()
    try:
        try:
            server = PrivatePostgres(folder, FAST)
        except PostgresMissing as why:
            if os.environ.get("CI"):
                pytest.fail(str(why))
            pytest.skip(str(why))
        with server:
            yield server
    finally:
        shutil.rmtree(folder)


async def _migrate(url: str) -> None:
    database = PostgresDatabase(url)
    await database.open()
    await database.close()
