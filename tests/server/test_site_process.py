"""The web site that a server runs."""

import json
import os
import signal
import urllib.request
from dataclasses import replace
from pathlib import Path
from select import select
from urllib.error import HTTPError

import pytest
from referee_client import Organiser, Terms

from referee.local.embedded_server import settings
from referee.server import site_process
from referee.server.maintenance.doctor.finding import ok
from referee.server.maintenance.doctor.port_checks import ports
from referee.server.node_processes import _node_settings
from referee.server.setting_types import LISTEN, Address
from referee.server.settings import Settings
from referee.server.site_process import MISSING_PACKAGES, SITE_HOLDER, SiteProcess, SiteUnavailable
from tests.clients.sdk import connect_organiser
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server

pytestmark = pytest.mark.slow

ANY_PORT = ("--site-listen", "127.0.0.1:0")


def read(server: ServerProcess, path: str) -> str:
    with urllib.request.urlopen(f"http://{server.site}{path}", timeout=TIMEOUT_S) as response:
        text: str = response.read().decode()
        return text


def site_pids(server: ServerProcess) -> list[int]:
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"site\0--child" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_a_server_shows_its_matches_on_its_site(tmp_path: Path) -> None:
    with run_server(tmp_path, *ANY_PORT) as server, connect_organiser(server) as organiser:
        organiser.register_bot("anna")
        match = organiser.create_match(Terms("alquerque"), ("anna", "anna"))
        assert "anna – anna" in read(server, f"/matches/{match.id}")
        assert f"BOT_REFEREE={server.address} " in read(server, "/join")
        assert json.loads(read(server, f"/api/v1/matches/{match.id}"))["match"]["id"] == match.id
        with pytest.raises(HTTPError, match="404"):
            read(server, "/matches/mnone")


def test_a_site_that_fails_is_started_again_on_its_port(tmp_path: Path) -> None:
    with run_server(tmp_path, *ANY_PORT) as server:
        assert "Bots at play" in read(server, "/")
        [first] = site_pids(server)
        os.kill(first, signal.SIGKILL)
        assert "Bots at play" in read(server, "/")
        [second] = site_pids(server)
        assert second != first
        assert server.stop() == 0
        assert not Path(f"/proc/{second}").exists()


def test_the_site_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    with run_server(tmp_path, *ANY_PORT) as server:
        assert "Bots at play" in read(server, "/")
        [site] = site_pids(server)
        descriptor = os.pidfd_open(site)
        try:
            server.kill()
            assert select([descriptor], [], [], TIMEOUT_S)[0]
        finally:
            os.close(descriptor)


def test_all_starts_of_a_server_use_one_token_of_a_spectator(tmp_path: Path) -> None:
    admin_token = ""
    for _ in range(2):
        with run_server(tmp_path, *ANY_PORT) as server:
            admin_token = server.admin_token or admin_token
            assert "Bots at play" in read(server, "/")
            with Organiser(server.address, admin_token) as organiser:
                found = [token.role for token in organiser.administration.tokens(SITE_HOLDER, include_inactive=True)]
            assert server.stop() == 0
        assert found == ["spectator"]


def test_a_site_whose_token_was_revoked_shows_nothing_more(tmp_path: Path) -> None:
    with run_server(tmp_path, *ANY_PORT) as server, Organiser(server.address, server.admin_token) as organiser:
        assert "Bots at play" in read(server, "/")
        [token] = organiser.administration.tokens(SITE_HOLDER)
        organiser.administration.revoke_token(token.id)
        with pytest.raises(HTTPError, match="401"):
            read(server, "/matches")


def test_the_doctor_recognises_the_site_of_a_running_server(tmp_path: Path) -> None:
    with run_server(tmp_path, *ANY_PORT) as server:
        assert "Bots at play" in read(server, "/")  # It may start slowly, and the doctor does not wait for long.
        any_port, site = Address("127.0.0.1", 0), LISTEN.read(server.site)
        found = [*ports(Settings(listen=any_port, http_listen=any_port, site_listen=site))]
    assert found[-1] == ok("ports", f"a referee is serving the site on {site}")


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_process, "PACKAGES", ("hypercorn", "no_such_package"))
    with pytest.raises(SiteUnavailable) as error:
        SiteProcess(Address("127.0.0.1", 0))
    assert str(error.value) == MISSING_PACKAGES


def test_only_the_first_process_of_several_has_the_site() -> None:
    own = Address("127.0.0.1", 7701)
    several = replace(settings(1, patient=True), site_listen=Address("127.0.0.1", 7790))
    first, second = (_node_settings(several, several.listen, own, number) for number in range(2))
    assert (first.site_listen, second.site_listen) == (several.site_listen, None)
