"""Fixtures: an ephemeral server for each module of tests, and a new club on it for each test."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.e2e.club import Club, club
from tests.e2e.server import ServerProcess, run_server

CLUBS = count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server"), "--ephemeral") as running:
        yield running


@pytest.fixture
def here(server: ServerProcess) -> Iterator[Club]:
    with server.channel() as channel, club(server, channel, f"club-{next(CLUBS)}") as founded:
        yield founded
