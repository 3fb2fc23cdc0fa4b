"""A watch that is not read is ended with the entry number from which it can be resumed."""

from pathlib import Path

import pytest
from referee_api.v1 import game_pb2

from tests.e2e.call_errors import assert_refused
from tests.e2e.honest_bots import run_honest_bots
from tests.e2e.organiser import Organiser, call_method, entries_of, server_with_organiser, small_window_channel
from tests.e2e.server_metrics import FAULTS, error_log_lines, metrics

pytestmark = pytest.mark.slow


def test_a_slow_watcher_is_disconnected_and_can_resume_without_a_gap(tmp_path: Path) -> None:
    flags = ("--durability", "normal", "--max-queued-watch-entries", "16")
    with server_with_organiser(tmp_path, *flags) as organiser, small_window_channel(organiser.server) as channel:
        # A long game with large views: shorter ones may fit into the buffers on the way, of which a door has more.
        match_id = organiser.create_match(rules=game_pb2.Rules(game="go"))
        watch = {"match_id": match_id, "after_number": 0, "include_view": True}
        # A seat gets every entry at once, so the server cannot have handed all entries to a blocked write.
        slow = call_method(channel, "MatchService/WatchMatch", organiser.secrets[0], **watch)
        seen = entries_of(next(slow)) + entries_of(next(slow))
        assert [entry.WhichOneof("event") for entry in seen] == ["match_created"]

        with run_honest_bots(organiser.server, tmp_path, organiser.secrets):
            expected = [
                entry
                for response in organiser.call_as_bot(0, "MatchService/WatchMatch", **watch)
                for entry in entries_of(response)
            ]

        def read_on() -> None:
            for response in slow:
                seen.extend(entries_of(response))

        error = assert_refused("SLOW_CONSUMER", read_on)
        assert error.metadata["resume_after"] == str(seen[-1].number)
        assert len(seen) < len(expected)

        watch["after_number"] = seen[-1].number
        for response in organiser.call_as_bot(0, "MatchService/WatchMatch", **watch):
            seen += entries_of(response)
        assert seen == expected
        assert [entry.number for entry in seen] == list(range(1, len(expected) + 1))


def test_a_watcher_that_disconnects_during_a_write_is_not_logged_as_a_fault(tmp_path: Path) -> None:
    with (
        server_with_organiser(tmp_path, "--durability", "normal") as organiser,
        small_window_channel(organiser.server) as channel,
    ):
        watch = {"match_id": organiser.create_match(rules=game_pb2.Rules(game="troke")), "include_view": True}
        slow = call_method(channel, "MatchService/WatchMatch", organiser.token, **watch)
        next(slow)
        with run_honest_bots(organiser.server, tmp_path, organiser.secrets):
            list(organiser.call("MatchService/WatchMatch", **watch))
        slow.cancel()
        wait_until_no_streams(organiser)
        assert metrics(organiser.server).get(FAULTS, 0) == 0
        assert not list(error_log_lines(organiser.server))


def wait_until_no_streams(organiser: Organiser) -> None:
    """Poll until no streams are open. The number of calls limits the wait, since each takes time."""
    for _ in range(100_000):
        if not organiser.call_as_admin("AdminService/GetQuota", holder=organiser.name).usage.streams:
            return
    raise AssertionError("streams are still open")
