"""Fixtures shared by the tests of the clients in other languages."""

import pytest

from tests.clients.workshop import PROJECT, Workshop


@pytest.fixture(scope="session")
def workshop() -> Workshop:
    locks = PROJECT / "build" / "clients"
    locks.mkdir(parents=True, exist_ok=True)
    return Workshop(locks)
