"""Tests that are coroutines run in an event loop of their own, with all stores among their fixtures open."""

import asyncio
import inspect

import pytest

from referee.storage.postgres.database import PostgresDatabase
from tests.storage.account_stores import ACCOUNT_STORES, AccountStores
from tests.storage.stores import STORES, Store, empty_store, opened


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine function; leave all other tests to pytest."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None

    async def run() -> None:
        async with opened(*pyfuncitem.funcargs.values()):
            await pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})

    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(run())
    return True


@pytest.fixture(params=STORES)
def log(request: pytest.FixtureRequest) -> Store:
    """An empty log of each kind in turn."""
    return empty_store(request.param, request)


@pytest.fixture(params=ACCOUNT_STORES)
def stores(request: pytest.FixtureRequest) -> AccountStores:
    """Empty account stores of each kind in turn."""
    return ACCOUNT_STORES[request.param](request)


@pytest.fixture
def database(postgres_url: str) -> PostgresDatabase:
    """An empty database of PostgreSQL."""
    return PostgresDatabase(postgres_url)
