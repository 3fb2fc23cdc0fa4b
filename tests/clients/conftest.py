"""Fixtures shared by the tests of the clients in other languages."""

import re
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder

OTHER_CLIENT = re.compile(r"typescript|rust|java|kotlin|cpp|c\+\+|different_languages|three_languages")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of toolchains whose names have a language other than Python and Go."""
    for item in items:
        tests_client = item.path.is_relative_to(Path(__file__).parent) and item.get_closest_marker("toolchain")
        if tests_client and OTHER_CLIENT.search(f"{item.path.stem} {item.name}"):
            item.add_marker("other_client")


@pytest.fixture(scope="session")
def client_builder() -> ClientBuilder:
    locks = PROJECT / "build" / "clients"
    locks.mkdir(parents=True, exist_ok=True)
    return ClientBuilder(locks)
