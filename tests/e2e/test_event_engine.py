"""The setting `grpc_event_engine`: bots play with and without gRPC's event engine."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.honest_bots import create_match, entries, run_honest_bots
from tests.e2e.server import create_organiser_token, register_bots, run_server

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("flag", ["--grpc-event-engine", "--no-grpc-event-engine"])
def test_bots_play_with_and_without_the_event_engine(tmp_path: Path, flag: str) -> None:
    with run_server(tmp_path, flag) as server, server.channel() as channel:
        owner = create_organiser_token(channel, server.admin_token)
        secrets = register_bots(channel, owner, "anna", "bert")
        with run_honest_bots(server, tmp_path, secrets):
            match_id = create_match(channel, owner, "a match", "alquerque", ["anna", "bert"])
            assert entries(channel, owner, match_id)[-1].play_ended.result.HasField("played")


def test_grpc_is_not_imported_before_the_setting_is_known() -> None:
    code = "import sys, referee.cli.serve; sys.exit(int('grpc' in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
