"""What the real server reveals of a match to its seats, spectators and operators."""

import hashlib
from typing import Any

import pytest
from referee_api.v1 import play_pb2

from tests.e2e.organiser import Organiser, call_method
from tests.e2e.server_metrics import metrics

pytestmark = pytest.mark.slow

GROUPS = ("referee_append_group_count", "referee_append_group_sum")
SERVER_FLAGS = ()
"""Appends are written in groups to a database only."""


def watch_match(organiser: Organiser, secret: str, match_id: str, after: int, limit: int) -> list[Any]:
    """Watch a match. Return the snapshot and this many entries after the number `after`."""
    call = call_method(organiser.channel, "MatchService/WatchMatch", secret, match_id=match_id, after_number=after)
    found: list[Any] = []
    while len(found) <= limit:
        found += [getattr(item, item.WhichOneof("item")) for item in next(call).items]
    call.cancel()
    return found[: limit + 1]


def kinds(entries: list[Any]) -> list[str]:
    """Return the kinds of events; an empty string for an entry whose event is hidden."""
    return [entry.WhichOneof("event") or "" for entry in entries]


def test_watchers_see_that_a_nonce_was_added_and_its_value_when_play_starts(organiser: Organiser) -> None:
    match_id = organiser.create_match(nonce_timeout_ms=600_000)
    bots = [organiser.connection(seat) for seat in (0, 1)]
    for seat, bot in enumerate(bots):
        assert bot.receive("nonce_request").seat == seat
    bots[1].send(nonce=play_pb2.Nonce(match_id=match_id, seat=1, nonce=b"from bert"))
    bots[1].receive("verdict")
    (_, *entries) = watch_match(organiser, organiser.secrets[0], match_id, 0, 2)
    assert kinds(entries) == ["match_created", "nonce_added"]
    assert entries[1].nonce_added.seat == 1
    assert b"from bert" not in b"".join(entry.SerializeToString() for entry in entries)
    bots[0].send(nonce=play_pb2.Nonce(match_id=match_id, seat=0, nonce=b"from anna"))
    bots[0].receive("match_started")
    (_, *entries) = watch_match(organiser, organiser.token, match_id, 2, 4)
    assert kinds(entries) == ["nonce_added", "seat_taken", "seat_taken", "play_started"]
    nonces = [nonce.nonce for nonce in entries[-1].play_started.seed_commitment.nonces]
    assert nonces == [b"from anna", b"from bert"]


def test_the_clock_of_the_seat_to_move_is_current(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    organiser.next_turn(0)
    first = organiser.call("MatchService/GetMatch", match_id=match_id).state.clocks
    watched = watch_match(organiser, organiser.token, match_id, 4, 0)[0].state.clocks
    last = organiser.call("MatchService/GetMatch", match_id=match_id).state.clocks
    times_us = [clocks[0].main_us for clocks in (first, watched, last)]
    assert times_us == sorted({*times_us}, reverse=True)
    assert times_us[0] < 3_600_000_000
    assert all(clocks[0].running and clocks[0].time_left_us > 0 for clocks in (first, watched, last))
    assert {clocks[1].main_us for clocks in (first, last)} == {3_600_000_000}


def test_a_finished_match_shows_size_and_hash_of_its_record(organiser: Organiser) -> None:
    match_id = organiser.start_match()
    assert not organiser.call("MatchService/GetMatch", match_id=match_id).match.HasField("record")
    organiser.call_as_bot(0, "MatchService/Resign", request_id="enough", match_id=match_id)
    record = organiser.call("MatchService/GetMatch", match_id=match_id).match.record
    chunks = organiser.call("MatchService/GetRecord", match_id=match_id)
    file = "".join(f"{line}\n" for chunk in chunks for line in chunk.lines).encode()
    assert (record.sha256, record.size_bytes) == (hashlib.sha256(file).digest(), len(file))
    assert watch_match(organiser, organiser.token, match_id, 0, 0)[0].match.record == record


def test_rejections_in_a_stream_and_appends_are_counted(organiser: Organiser) -> None:
    names = [f'referee_refusals_total{{reason="{reason}"}}' for reason in ("ILLEGAL_MOVE", "STALE_TURN")]
    before = metrics(organiser.server)
    match_id = organiser.start_match()
    turn, connection = organiser.next_turn(0), organiser.connection(0)
    connection.send_move(turn, "a1-a2")
    assert connection.receive("verdict").HasField("rejected")
    connection.send(move=play_pb2.Move(match_id=match_id, turn_token="0.99.1", move="a1-a2"))
    assert connection.receive("verdict").HasField("stale")
    after = metrics(organiser.server)
    assert [after[name] - before.get(name, 0) for name in names] == [1, 1]
    groups, appends = (after[name] - before[name] for name in GROUPS)
    assert 1 <= groups <= appends
