"""Files that are reserved for other purposes than connections."""

import pytest

from referee.observability.http_server import MAX_CONNECTIONS
from referee.server.open_files import MAX_RESERVED, max_connections

FILES_AT_START = 33
"""Measured: standard streams, event loops, listening sockets, the database."""


@pytest.mark.parametrize("open_files", [1_024, 4_096, 65_536, 2**63 - 1])
def test_files_are_left_for_health_checks_and_the_store(open_files: int) -> None:
    assert open_files - max_connections(open_files) > MAX_CONNECTIONS + FILES_AT_START


def test_nearly_all_of_many_files_are_for_connections() -> None:
    assert max_connections(65_536) == 65_536 - MAX_RESERVED
    assert max_connections(256) == 205
