"""NATS servers for tests, which are skipped where the program is missing, but fail in CI."""

import os
from itertools import count
from pathlib import Path

import pytest

from deploy.cluster_demo.nats_server import NatsMissing, PrivateNats
from referee.cluster.bus.nats_bus import NatsBus
from referee.cluster.bus.nats_servers import NatsServers, parse_servers

_clusters = count(1)


def create_nats(folder: Path, config: Path | None = None) -> PrivateNats:
    """Return a server, which is not started."""
    try:
        return PrivateNats(folder, config)
    except NatsMissing as missing:
        if "CI" in os.environ:
            raise
        pytest.skip(str(missing))


def new_cluster() -> str:
    """Return the name of a cluster that no other test uses in this process, which has a server of its own."""
    return f"test-{next(_clusters)}"


def nats_bus(nats: PrivateNats, cluster: str) -> NatsBus:
    return NatsBus(NatsServers(parse_servers(nats.url), nats.credentials_file), cluster)
