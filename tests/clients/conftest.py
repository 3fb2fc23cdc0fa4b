"""Fixtures shared by the tests of the clients in other languages."""

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder


@pytest.fixture(scope="session")
def client_builder() -> ClientBuilder:
    locks = PROJECT / "build" / "clients"
    locks.mkdir(parents=True, exist_ok=True)
    return ClientBuilder(locks)
