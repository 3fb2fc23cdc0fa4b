"""Fixtures: a server for each module of tests, and a new organiser on it for each test.

The server has the flags that a module names in `SERVER_FLAGS`; otherwise it is ephemeral.
"""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.e2e.organiser import Organiser, new_organiser
from tests.e2e.server import ServerProcess, run_server

NUMBERS = count(1)


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    flags = getattr(request.module, "SERVER_FLAGS", ("--ephemeral",))
    with run_server(tmp_path_factory.mktemp("server"), *flags) as running:
        yield running


@pytest.fixture
def organiser(server: ServerProcess) -> Iterator[Organiser]:
    with server.channel() as channel, new_organiser(server, channel, f"organiser-{next(NUMBERS)}") as organiser:
        yield organiser
