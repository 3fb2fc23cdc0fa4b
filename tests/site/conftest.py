"""Fixtures for each module of tests: a server with its site, bots that play on it, and a browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.e2e.server import ServerProcess, run_server
from tests.site.api_site import ApiSite, run_api_site
from tests.site.browser import run_browser
from tests.site.site_process import World, create_spectator_token, run_site, run_world


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with run_server(tmp_path_factory.mktemp("server"), "--ephemeral") as running:
        yield running


@pytest.fixture(scope="module")
def site(server: ServerProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the site of the server."""
    token = create_spectator_token(server)
    with run_site(server.address, token, tmp_path_factory.mktemp("site")) as running:
        yield running.url.removeprefix("http://")


@pytest.fixture(scope="module")
def api_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiSite]:
    with run_api_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with run_browser() as running:
        yield running


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with run_world(tmp_path_factory.mktemp("world"), "--ephemeral") as running:
        yield running
