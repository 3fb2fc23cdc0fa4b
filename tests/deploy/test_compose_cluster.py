"""Two nodes with the settings of deploy/compose-cluster.yaml, with TLS everywhere but to PostgreSQL, play a match."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner

from referee.cli import main
from tests.deploy.compose_cluster import Services, run_services
from tests.e2e.organiser import call_method
from tests.e2e.server import ANY_MATCH, TIMEOUT_S, create_organiser_token, register_bots, run_server
from tests.e2e.server_metrics import error_log_lines, metrics

pytestmark = pytest.mark.slow

TERMS = """
game = "alquerque"
clock = "1h"
start_timeout_ms = 600000
"""


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    with run_services(tmp_path) as running:
        yield running


@contextmanager
def sample_bot(services: Services, address: str, token: str) -> Iterator[None]:
    own = {"BOT_REFEREE": address, "BOT_TOKEN": token, "BOT_CA": str(services.ca)}
    process = subprocess.Popen([sys.executable, "-m", "referee_client", "random"], env={**os.environ, **own})
    try:
        yield
    finally:
        process.kill()
        process.wait(TIMEOUT_S)


def test_bots_on_two_nodes_play_a_match(services: Services, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("node-1", "node-2")]
    for folder in folders:
        folder.mkdir()
    flags = [("--config", str(services.config(folder.name))) for folder in folders]
    credentials = grpc.ssl_channel_credentials(services.ca.read_bytes())
    with run_server(folders[0], *flags[0]) as first, run_server(folders[1], *flags[1]) as second:
        assert not second.admin_token
        with grpc.secure_channel(second.address, credentials) as channel:
            token = create_organiser_token(channel, first.admin_token)
            anna, bert = register_bots(channel, token, "anna", "bert", consent=ANY_MATCH)
            (tmp_path / "match.toml").write_text(TERMS, encoding="utf-8")
            with sample_bot(services, first.address, anna), sample_bot(services, second.address, bert):
                environment = {"BOT_REFEREE": second.address, "BOT_TOKEN": token, "BOT_CA": str(services.ca)}
                command = ["matches", "create", str(tmp_path / "match.toml"), "anna", "bert"]
                created = CliRunner().invoke(main, command, env=environment)
                assert created.exit_code == 0, created.output
                match_id = created.stdout.strip()
                watched = call_method(channel, "MatchService/WatchMatch", token, match_id=match_id)
                entries = [item.entry for answer in watched for item in answer.items if item.HasField("entry")]
            ends = [entry for entry in entries if entry.HasField("play_ended")]
            assert len(ends) == 1, ends
        received = [metrics(server)["referee_bus_received_total"] for server in (first, second)]
        assert all(received), "the nodes have not met in NATS"
        assert [list(error_log_lines(server)) for server in (first, second)] == [[], []]
