"""Each node of a cluster serves the web site, with the matches of all nodes."""

import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest
from referee_client import Organiser

from tests.clients.sdk import long_match
from tests.cluster.cluster import THINK_MS, run_nodes
from tests.cluster.final_state import register
from tests.cluster.recorders import run_bots
from tests.cluster.shared_services import run_shared_services
from tests.e2e.server import TIMEOUT_S

pytestmark = pytest.mark.slow

BOTS = ("anna", "bert")


def test_each_node_shows_a_match_that_bots_play_on_another_node(tmp_path: Path) -> None:
    with ExitStack() as stack:
        services = stack.enter_context(run_shared_services(tmp_path, 2))
        flags = [(*services.flags(number), "--site-listen", "127.0.0.1:0") for number in range(2)]
        first, second = (node.server for node in stack.enter_context(run_nodes(tmp_path, *flags)))
        with first.channel() as channel:
            token, _ = register(channel, first.admin_token, ())
        organiser = stack.enter_context(Organiser(first.address, token, patience_s=TIMEOUT_S))
        bots = stack.enter_context(
            run_bots(tmp_path / "bots", {name: organiser.register_bot(name) for name in BOTS}, THINK_MS)
        )
        bots.connect_to([second.address])
        match = organiser.create_match(long_match("alquerque"), BOTS)
        assert organiser.result(match.id).played
        for server in (first, second):
            with urllib.request.urlopen(f"http://{server.site}/matches/{match.id}", timeout=TIMEOUT_S) as response:
                page = response.read().decode()
            assert "The match ended" in page
            assert '<strong class="valid">Verified</strong>' in page
