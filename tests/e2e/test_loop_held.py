"""No call of any role holds the event loop for more than 50 ms, with the largest permitted data."""

from pathlib import Path

import pytest

from bench.loop_held import measure
from bench.loop_meter import Step

pytestmark = pytest.mark.slow


def test_no_call_holds_the_event_loop_for_more_than_50_ms(tmp_path: Path) -> None:
    """In CPU time of the loop's thread, so that a busy machine makes no difference.

    A slow machine does: there a fixed piece of work is measured between the calls, and as many times as it takes longer
    than on the machine for which the 50 ms are meant, the limit is higher. What is over it is measured again, because a
    step may be slow for a reason of the machine's.
    """
    slow = measured(tmp_path / "first")
    again = measured(tmp_path / "again") if slow else {}
    assert not {call: (slow[call], again[call]) for call in slow.keys() & again.keys()}


def measured(folder: Path) -> dict[str, Step]:
    folder.mkdir()
    return measure(folder).over_the_aim()
