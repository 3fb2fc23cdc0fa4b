"""A bot or a watcher that does not read uses little memory, delays nobody, and can go on when it reads again."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from referee_api.v1 import game_pb2

from referee.conformance.clauses.turn_clauses import FREE_TILES
from tests.e2e.bot_connection import BotConnection, connect_bot
from tests.e2e.call_errors import assert_refused, reason_of
from tests.e2e.honest_bots import entries, run_honest_bots
from tests.e2e.organiser import (
    Organiser,
    call_method,
    entries_of,
    new_organiser,
    server_with_organiser,
    small_window_channel,
)
from tests.e2e.server import TIMEOUT_S
from tests.e2e.server_metrics import FAULTS, MEMORY, error_log_lines, metrics

pytestmark = pytest.mark.slow

TROX = game_pb2.Rules(game="trox", options={"tileset": "free"})
LARGE = game_pb2.Opening(position=FREE_TILES)
"""A position with more than a thousand moves, so that a turn that lists them exceeds twenty thousand bytes."""
SLOW = 1
"""Seat that owes a move in this position."""
MATCHES = 5
ATTEMPTS = 200
"""Rejected answers in each match."""
ENOUGH_TO_FILL_BUFFERS = 3
"""Rejected answers in each match that suffice to fill all buffers."""
MAX_BUFFERED_TURNS = 50
"""Turns that were already in buffers cannot be withdrawn; none of the other thousand may arrive."""
MAX_GROWTH_BYTES = 12_000_000
"""Half of what a thousand of these turns would take."""


@contextmanager
def slow_bot(folder: Path, *flags: str, timeout_s: float = TIMEOUT_S) -> Iterator[tuple[Organiser, BotConnection]]:
    """Create an organiser with a bot that reads only on request and owes a move in several large matches."""
    with (
        server_with_organiser(folder, *flags) as organiser,
        small_window_channel(organiser.server) as channel,
        connect_bot(channel, organiser.secrets[SLOW], timeout_s=timeout_s) as slow,
    ):
        start_large_matches(organiser)
        yield organiser, slow


def test_a_bot_that_does_not_read_uses_little_memory_and_then_gets_only_its_current_turns(tmp_path: Path) -> None:
    flags = ("--durability", "normal", "--ping-interval-ms", "20", "--heartbeat-timeout-ms", "600000")
    with (
        slow_bot(tmp_path, *flags) as (organiser, slow),
        new_organiser(organiser.server, organiser.channel, "quick") as others,
    ):
        before = metrics(organiser.server)[MEMORY]
        with run_honest_bots(organiser.server, tmp_path, others.secrets) as honest:
            match_id = others.create_match()
            submit_malformed_moves(organiser, ATTEMPTS)
            assert entries(organiser.channel, others.token, match_id)[-1].play_ended.result.HasField("played")
            assert not honest.failure()
        assert metrics(organiser.server)[MEMORY] - before < MAX_GROWTH_BYTES

        newest = {(turn.match_id, turn.turn_token) for turn in owed_turns(organiser)}
        received: list[tuple[str, str]] = []
        while not newest <= set(received):
            turn = slow.receive("turn")
            received.append((turn.match_id, turn.turn_token))
        assert "turn" not in slow.receive_until_ping(3)
        assert len(received) < MAX_BUFFERED_TURNS
        assert set(received[-MATCHES:]) == newest
        assert max(Counter(received).values()) == 1


def test_a_bot_that_does_not_read_loses_its_session(tmp_path: Path) -> None:
    with slow_bot(tmp_path, "--ping-interval-ms", "100", "--heartbeat-timeout-ms", "8000") as (organiser, slow):
        match_id = owed_turns(organiser)[0].match_id
        submit_malformed_moves(organiser, ENOUGH_TO_FILL_BUFFERS)
        for response in organiser.call("MatchService/WatchMatch", match_id=match_id, after_number=0):
            if any(
                entry.HasField("seat_disconnected") and entry.seat_disconnected.seat == SLOW
                for entry in entries_of(response)
            ):
                break
        assert reason_of(slow.read_to_end) == "HEARTBEAT_LOST"


@pytest.mark.parametrize("timeout_s", [TIMEOUT_S, 10], ids=["it cancels", "its deadline passes"])
def test_a_bot_that_disconnects_during_a_write_is_not_logged_as_a_fault(tmp_path: Path, timeout_s: float) -> None:
    flags = ("--ping-interval-ms", "20", "--heartbeat-timeout-ms", "600000")
    with slow_bot(tmp_path, *flags, timeout_s=timeout_s) as (organiser, slow):
        submit_malformed_moves(organiser, ENOUGH_TO_FILL_BUFFERS)
        if timeout_s == TIMEOUT_S:
            slow.cancel()
        wait_until_disconnected(organiser)
        assert metrics(organiser.server).get(FAULTS, 0) == 0
        assert not list(error_log_lines(organiser.server))


def wait_until_disconnected(organiser: Organiser) -> None:
    """Poll until the slow bot has no session. The number of calls limits the wait, since each takes time."""
    for _ in range(100_000):
        if not organiser.call("BotService/GetBot", name=organiser.bots[SLOW]).bot.presence.sessions:
            return
    raise AssertionError("the bot still has a session")


def submit_malformed_moves(organiser: Organiser, times: int) -> None:
    """Submit this number of malformed moves in every match; each one causes a new turn."""
    for _ in range(times):
        for turn in owed_turns(organiser):
            assert reason_of(organiser.submit_move, turn, "nonsense") == "MALFORMED_MOVE"


def start_large_matches(organiser: Organiser) -> None:
    opponent = organiser.connection(1 - SLOW)
    for _ in range(MATCHES):
        request = organiser.match_request(rules=TROX, policies={"illegal_move": {"max_attempts": 1000}})
        organiser.call("MatchService/CreateMatch", opening=LARGE, **request)
        opponent.receive("match_started")


def owed_turns(organiser: Organiser) -> list[Any]:
    """Return the turns that the slow bot owes, one for each match."""
    turns = list(organiser.call_as_bot(SLOW, "MatchService/ListTurns").turns)
    assert len(turns) == MATCHES
    return turns


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
