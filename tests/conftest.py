"""Options, hypothesis profiles and fixtures that all tests share.

`make test` runs every test with few, fixed random cases. `make soak` (tests/soak.py) passes `--soak-seed`: then
hypothesis tries many more cases, and all random cases follow from that seed.
"""

import gc
from collections.abc import Generator
from inspect import iscoroutinefunction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from deploy.cluster_demo.nats_server import PrivateNats
from tests.cluster.bus.nats import create_nats
from tests.live.runner_harness import in_loop
from tests.storage.postgres_databases import NODE, PostgresDatabases, as_role, run_postgres

TESTS = Path(__file__).parent
COVERED = ("contests", "match", "engines")
"""Folders here whose quick tests must cover all branches of the packages that they test."""

# How long data takes to be drawn is that of the machine.
settings.register_profile(
    "test", derandomize=True, deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "soak", database=None, deadline=None, max_examples=300, suppress_health_check=list(HealthCheck)
)
settings.load_profile("test")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-golden", action="store_true", help="write the golden files anew from what is true now")
    parser.addoption("--soak-seed", type=int, help="try many random cases, which follow from this seed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--soak-seed") is not None:
        settings.load_profile("soak")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without garbage collection: nearly all objects live until the end, and each worker creates them all."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark soak tests as slow, mark quick tests of covered packages as pure, and keep users of a fixture together.

    With `--dist loadgroup` one worker runs all tests that share what a module sets up, such as a server, once.
    """
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker("slow")
        if item.path.relative_to(TESTS).parts[0] in COVERED and not item.get_closest_marker("slow"):
            item.add_marker("pure")
        if isinstance(item, pytest.Function) and _shares_a_fixture(item):
            item.add_marker(pytest.mark.xdist_group(item.module.__name__))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine."""
    test = pyfuncitem.obj
    if not iscoroutinefunction(test):
        return None
    in_loop(test)(**{name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames})
    return True


def pytest_collection_finish(session: pytest.Session) -> None:
    """Fail if pytest-xdist was told to group tests and has not: it would set up everything in every worker."""
    if session.config.getoption("loadgroup", False):
        for item in session.items:
            if item.get_closest_marker("xdist_group") and "@" not in item.nodeid:
                raise pytest.UsageError("this pytest-xdist cannot group tests with this pytest")


def _shares_a_fixture(item: pytest.Function) -> bool:
    definitions: Any = item._fixtureinfo.name2fixturedefs  # pytest has no public name for it.
    return any(of_name[-1].scope == "module" for of_name in definitions.values())


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Random:
    """Random numbers that depend on the test's name and on the seed of `make soak`, and on nothing else."""
    return Random(f"{request.node.name} {request.config.getoption('--soak-seed')}")


@pytest.fixture
def renewing(request: pytest.FixtureRequest) -> bool:
    """Return whether golden files are to be written rather than compared."""
    return bool(request.config.getoption("--renew-golden"))


@pytest.fixture(scope="session")
def postgres_databases() -> Generator[PostgresDatabases, None, None]:
    """Databases of a PostgreSQL server of this test process, which is started by the first test that needs it."""
    with run_postgres() as server:
        databases = PostgresDatabases(server)
        databases.prepare()
        yield databases


@pytest.fixture
def postgres_url(postgres_databases: PostgresDatabases) -> Generator[str, None, None]:
    """The URL of a PostgreSQL database with all migrations and no rows."""
    with postgres_databases.lend() as url:
        yield url


@pytest.fixture
def postgres_node_url(postgres_url: str) -> str:
    """The URL of the same database for the role of a running server, which has no other privileges than it needs."""
    return as_role(NODE, postgres_url)


@pytest.fixture(scope="session")
def nats(tmp_path_factory: pytest.TempPathFactory) -> Generator[PrivateNats, None, None]:
    """A NATS server of this test process, which is started by the first test that needs it, and left running by all."""
    with create_nats(tmp_path_factory.mktemp("nats")) as server:
        yield server
