"""What the tests of clients in other languages share."""

import os

import pytest

from tests.clients.workshop import Workshop


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    ours = tmp_path_factory.getbasetemp()
    shared = ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    (shared / "built").mkdir(exist_ok=True)
    return Workshop(shared / "built")
