"""No call of any role blocks the event loop for more than 50 ms, with the largest permitted data."""

from pathlib import Path

import pytest

from bench.loop_held import measure
from bench.loop_meter import Step

pytestmark = pytest.mark.slow


def test_no_call_blocks_the_event_loop_for_more_than_50_ms(tmp_path: Path) -> None:
    """Measured in CPU time of the loop's thread, so that a busy machine makes no difference.

    On a slow machine the limit is higher: a fixed piece of work is measured between the calls, and the limit is scaled
    by how much longer it takes than on the machine for which the 50 ms are meant. Steps above the limit are measured
    again, because a single step may be slow for reasons outside of the server.
    """
    slow = measured(tmp_path / "first")
    again = measured(tmp_path / "again") if slow else {}
    assert not {call: (slow[call], again[call]) for call in slow.keys() & again.keys()}


def measured(folder: Path) -> dict[str, Step]:
    folder.mkdir()
    return measure(folder).over_the_aim()
