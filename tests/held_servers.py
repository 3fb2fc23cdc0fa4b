"""Two tests that never end, each with the servers of its worker, for test_interrupted_session.py.

Each writes the process ids of its servers as one line to the file that SERVERS_TO names.
"""

import os
import signal
from pathlib import Path

from deploy.cluster_demo.nats_server import PrivateNats
from tests.storage.postgres_databases import PostgresDatabases

SERVERS_TO = "REFEREE_TEST_SERVERS_TO"


def test_one_that_never_ends(postgres_databases: PostgresDatabases, nats: PrivateNats) -> None:
    hold(postgres_databases, nats)


def test_one_that_does_not_notice_an_interrupt(postgres_databases: PostgresDatabases, nats: PrivateNats) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hold(postgres_databases, nats)


def hold(postgres_databases: PostgresDatabases, nats: PrivateNats) -> None:
    with Path(os.environ[SERVERS_TO]).open("a") as out:
        out.write(f"{postgres_databases.server.running_pid} {nats.running_pid}\n")
    while True:
        signal.pause()
