"""Watching: every entry once, in order, from any number, live or resumed, redacted for the viewer; what is cached."""

import asyncio

import pytest
from referee_values import Visibility

from engines.api import SPECTATOR
from referee.live import log_history
from referee.live.log_history import MAX_NOTICE_INTERVAL_S, NOTICE_ENTRIES, NOTICE_INTERVAL_S, SpectatorNotices, replay
from referee.live.match_history import MAX_CACHED_STEPS, MatchFold, MatchHistory, WatchedEntry
from referee.live.match_request import LiveLimits
from referee.live.ports import EngineFault
from referee.live.queued_command import MatchMoving
from referee.live.referee import RefereeDraining
from referee.live.stored_matches import REPLAY_CHUNK, replay_log
from referee.live.watch import READ_BATCH, CooperativeYield, MatchWatch, NumberAhead, SlowConsumer
from referee.match.clock import Untimed
from referee.match.events import MovePlayed, MoveRejected, PlayEnded
from referee.match.match_errors import MatchOver
from referee.match.result import EndCause
from referee.match.state import MatchPhase
from tests.live.fake_time import settle
from tests.live.referee_harness import GAMES, RefereeHarness
from tests.match.games import ONE_OR_TWO

DELAYED = Visibility(kind="delayed", delay_plies=2)
AFTER_END = Visibility(kind="after_end")


async def read_to_end(watch: MatchWatch) -> list[WatchedEntry]:
    return [received async for batch in watch for received in batch]


def numbers(received: list[WatchedEntry]) -> list[int]:
    return [entry.number for entry in received]


async def play_on(harness: RefereeHarness, match_id: str, plies: int | None = None) -> None:
    """Play one stone per turn until the match is over, or for this number of plies."""
    while plies != 0 and (match := await harness.match(match_id)).phase is MatchPhase.PLAYING:
        await harness.submit_move(match_id, match.owing[0].seat, "1")
        plies = plies and plies - 1


async def test_live_and_resumed_watches_return_the_same_from_every_number(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 7})
    live = [(after, (await harness.referee.watch(match_id, after, SPECTATOR))[1]) for after in (0, 1, 2)]
    watchers = [(after, asyncio.create_task(read_to_end(watch))) for after, watch in live]
    await settle()
    await play_on(harness, match_id)
    last = (await harness.match(match_id)).number
    watchers += [
        (after, asyncio.create_task(read_to_end((await harness.referee.watch(match_id, after, SPECTATOR))[1])))
        for after in range(last + 1)
    ]
    for after, watcher in watchers:
        assert numbers(await watcher) == list(range(after + 1, last + 1))
    with pytest.raises(NumberAhead):
        await harness.referee.watch(match_id, last + 1, SPECTATOR)


async def test_a_watch_reads_the_log_if_the_cached_steps_do_not_suffice(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 3 * MAX_CACHED_STEPS}, controls=(Untimed(),))
    await play_on(harness, match_id, 2 * MAX_CACHED_STEPS)
    for after in (0, 1, MAX_CACHED_STEPS, 2 * MAX_CACHED_STEPS):
        snapshot, watch = await harness.referee.watch(match_id, after, SPECTATOR)
        assert snapshot.number == after
        assert (snapshot.state.number if snapshot.state else 0) == after
        assert numbers(await anext(watch))[0] == after + 1


async def test_spectators_get_what_happens_within_a_short_time_together_and_seats_get_it_at_once(
    harness: RefereeHarness,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_history, "NOTICE_INTERVAL_S", 3600)
    match_id, _ = await harness.start_match(chosen={"heap": 7})
    _, spectator = await harness.referee.watch(match_id, None, SPECTATOR)
    _, seat = await harness.referee.watch(match_id, None, 0)
    await harness.submit_move(match_id, 0, "1")
    assert [numbers(await anext(watch)) for watch in (spectator, seat)] == [[3], [3]]
    next_batch = asyncio.create_task(anext(spectator))
    await harness.submit_move(match_id, 1, "1")
    assert [numbers(await next_batch), numbers(await anext(seat))] == [[4], [4]], "the first entry is sent at once"
    later = asyncio.create_task(anext(spectator))
    for ply in (0, 1):
        await harness.submit_move(match_id, ply, "1")
        await settle()
        assert not later.done()
        assert len(await anext(seat)) == 1
    await play_on(harness, match_id)
    last = (await harness.match(match_id)).number
    assert numbers(await later) == list(range(5, last + 1)), "the end is sent at once"


async def test_spectators_get_all_that_happened_at_the_end_of_the_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    notices = SpectatorNotices(1)
    notices.advance(2, at_once=False)
    changed = notices.changed
    notices.advance(3, at_once=False)
    notices.advance(4, at_once=False)
    assert (notices.previous, notices.number) == (1, 2)
    monkeypatch.setattr(log_history, "NOTICE_INTERVAL_S", 3600)
    await changed.wait()
    assert (notices.previous, notices.number) == (2, 4)
    notices.advance(5, at_once=False)
    assert notices.number == 4, "the next interval has begun"
    notices.advance(6, at_once=True)
    assert (notices.previous, notices.number) == (4, 6)
    for number in range(7, 6 + NOTICE_ENTRIES):
        notices.advance(number, at_once=False)
        assert notices.number == 6
    notices.advance(6 + NOTICE_ENTRIES, at_once=False)
    assert notices.number == 6 + NOTICE_ENTRIES, "there are many"


@pytest.mark.parametrize(
    ("spectators", "interval_s"),
    [(0, NOTICE_INTERVAL_S), (125, NOTICE_INTERVAL_S), (500, 1.0), (3_000, MAX_NOTICE_INTERVAL_S)],
)
async def test_spectators_are_woken_more_rarely_if_they_are_many(
    monkeypatch: pytest.MonkeyPatch, spectators: int, interval_s: float
) -> None:
    timers: list[float] = []
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: 100.0)
    monkeypatch.setattr(asyncio.get_running_loop(), "call_at", lambda when, _: timers.append(when))
    notices = SpectatorNotices(1)
    waiting = [asyncio.create_task(notices.changed.wait()) for _ in range(spectators)]
    await settle()
    notices.advance(2, at_once=False)
    assert notices.number == 2
    await asyncio.gather(*waiting)
    notices.advance(3, at_once=False)
    assert timers == [100 + interval_s]


async def test_a_watch_without_a_number_starts_at_the_current_state(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    snapshot, watch = await harness.referee.watch(match_id, None, SPECTATOR)
    assert (snapshot.number, snapshot.state) == (2, await harness.match(match_id))
    assert snapshot.status.number == 2
    await harness.submit_move(match_id, 0, "1")
    (received,) = await anext(watch)
    assert received.number == 3
    assert received.match.require_position().text(SPECTATOR) == "20 1"


async def test_choices_stay_sealed_until_the_last_one_reveals_them_in_order_of_seats(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match("fingers")
    for seat, move in ((2, "3"), (0, "1"), (1, "2"), (1, "1")):
        await harness.submit_move(match_id, seat, move)
    for viewer, moves in ((1, ["?", "?", "2", "1"]), (SPECTATOR, ["?", "?", "2", "?"])):
        _, watch = await harness.referee.watch(match_id, 2, viewer)
        choices = await anext(watch)
        assert [entry.event.move for entry in choices if isinstance(entry.event, MovePlayed)] == moves
        assert [entry.sealed for entry in choices] == [True, True, False, True]
        assert [entry.revealed for entry in choices] == [(), (), ((0, "1"), (2, "3")), ()]


async def test_a_hidden_entry_is_sent_with_its_number_only(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    with pytest.raises(ValueError, match="not legal"):
        await harness.submit_move(match_id, 0, "9")
    events = [(await anext((await harness.referee.watch(match_id, 2, viewer))[1]))[0].event for viewer in (0, 1)]
    assert isinstance(events[0], MoveRejected)
    assert events[1] is None


async def test_a_rejected_attempt_is_shown_to_all_when_the_match_is_over(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    with pytest.raises(ValueError, match="not legal"):
        await harness.submit_move(match_id, 0, "9")
    await harness.referee.resign(match_id, 0)
    _, watch = await harness.referee.watch(match_id, 2, SPECTATOR)
    attempt = (await anext(watch))[0].event
    assert isinstance(attempt, MoveRejected)
    assert attempt.move == "9"


async def test_a_delayed_watch_returns_every_entry_late_and_once(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 6}, visibility=DELAYED)
    snapshot, watch = await harness.referee.watch(match_id, 0, SPECTATOR)
    assert snapshot.state is None
    assert numbers(await anext(watch)) == [1]
    next_batch = asyncio.create_task(anext(watch))
    await play_on(harness, match_id, 1)
    assert not next_batch.done()
    await play_on(harness, match_id, 1)
    assert numbers(await next_batch) == [2]
    await play_on(harness, match_id, 2)
    seen = await harness.referee.match_as_seen(match_id, SPECTATOR)
    assert seen
    assert (seen.ply, seen.number) == (2, 4)
    assert (await harness.referee.match_as_seen(match_id, 0)) == await harness.match(match_id)
    with pytest.raises(NumberAhead):
        await harness.referee.watch(match_id, 5, SPECTATOR)
    later, _ = await harness.referee.watch(match_id, 1, SPECTATOR)
    assert later.number == 1
    assert numbers(await anext(watch)) == [3, 4]
    await play_on(harness, match_id)
    assert numbers(await read_to_end(watch)) == [5, 6, 7, 8, 9]


async def test_a_match_that_is_visible_after_its_end_shows_nothing_before(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 1}, visibility=AFTER_END)
    assert await harness.referee.match_as_seen(match_id, SPECTATOR) is None
    _, watch = await harness.referee.watch(match_id, None, SPECTATOR)
    next_batch = asyncio.create_task(read_to_end(watch))
    await settle()
    assert not next_batch.done()
    await play_on(harness, match_id)
    assert numbers(await next_batch) == [1, 2, 3, 4]


async def test_a_watcher_that_falls_too_far_behind_gets_the_number_to_resume_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_history, "MAX_NOTICE_INTERVAL_S", 0)
    harness = RefereeHarness(limits=LiveLimits(max_watcher_lag=3))
    match_id, _ = await harness.start_match()
    await play_on(harness, match_id, 4)
    _, watch = await harness.referee.watch(match_id, 0, SPECTATOR)
    assert numbers(await anext(watch)) == [1, 2, 3, 4, 5, 6]
    next_batch = asyncio.create_task(anext(watch))
    await settle()
    await play_on(harness, match_id, 1)
    assert numbers(await next_batch) == [7]
    await play_on(harness, match_id, 5)
    with pytest.raises(SlowConsumer) as slow:
        await anext(watch)
    assert slow.value.details == {"resume_after": "7"}
    _, resumed = await harness.referee.watch(match_id, 7, SPECTATOR)
    assert numbers(await anext(resumed)) == [8, 9, 10, 11, 12]


async def test_a_watch_ends_when_the_referee_stops_or_the_match_fails(harness: RefereeHarness) -> None:
    failing, _ = await harness.start_match()
    waiting = await harness.create()
    watchers = [(await harness.referee.watch(match_id, None, SPECTATOR))[1] for match_id in (failing, waiting)]
    next_batch = [asyncio.create_task(anext(watch)) for watch in watchers]
    await settle()
    await harness.stored.append(failing, 2, [MovePlayed(0, 1, "1.1.1", "9")])  # It cannot be applied.
    with pytest.raises(MatchMoving):
        await harness.referee.resign(failing, 0)
    with pytest.raises(MatchMoving):
        await next_batch[0]
    await harness.referee.close()
    with pytest.raises(RefereeDraining):
        await next_batch[1]


async def test_a_watch_shows_what_another_process_has_stored(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    _, watching = await harness.referee.watch(match_id, None, SPECTATOR)
    other = RefereeHarness(after=harness)
    await other.referee.recover()
    await other.referee.resign(match_id, 0)
    with pytest.raises(MatchOver):
        await harness.referee.resign(match_id, 1)
    shown = [entry.number async for batch in watching for entry in batch]
    assert shown == list(range(3, shown[-1] + 1))


@pytest.mark.parametrize("more", [0, MAX_CACHED_STEPS, READ_BATCH])
async def test_entries_that_the_rules_cannot_replay_are_sent_as_numbers_followed_by_the_end(
    harness: RefereeHarness, more: int
) -> None:
    """The result is the same whether the latest steps are cached or the log is read, once or several times."""
    match_id, _ = await harness.start_match(chosen={"heap": 1000}, controls=(Untimed(),))
    for seat, move in ((0, "1"), (1, "3")):
        await harness.submit_move(match_id, seat, move)
    await play_on(harness, match_id, 1 + more)
    last = (await harness.match(match_id)).number + 1
    later = await harness.restart(games={"nim": ONE_OR_TWO})
    assert await later.referee.recover() == 0
    for after in (0, 3, 4, last - 1):
        snapshot, watch = await later.referee.watch(match_id, after, SPECTATOR)
        assert (snapshot.number, snapshot.status.number) == (after, last)
        received = await read_to_end(watch)
        assert numbers(received) == list(range(after + 1, last + 1))
        replayed = ["MatchCreated", "PlayStarted", "MovePlayed"][after:]
        assert [type(entry.event).__name__ for entry in received if entry.event] == [*replayed, "PlayEnded"]
        ended = received[-1].event
        assert isinstance(ended, PlayEnded)
        assert ended.result.cause is EndCause.ENGINE_FAULT


async def test_watching_a_finished_match_that_cannot_be_replayed_fails_and_is_reported_once(
    harness: RefereeHarness,
) -> None:
    match_id, _ = await harness.start_match()
    await harness.submit_move(match_id, 0, "3")
    await harness.referee.resign(match_id, 1)
    later = await harness.restart(games={"nim": ONE_OR_TWO})
    for _ in range(2):
        with pytest.raises(EngineFault):
            await later.referee.watch(match_id, 0, SPECTATOR)
    (listed,) = (await later.referee.list_matches()).matches
    assert listed.match.result
    assert listed.match.result.cause is EndCause.RESIGNATION  # As in the original match.
    assert [where for where, _ in later.recorder.faults] == [match_id]


async def test_replaying_a_long_log_yields_to_other_tasks() -> None:
    harness, turns = RefereeHarness(), 0
    match_id, _ = await harness.start_match(chosen={"heap": 3 * REPLAY_CHUNK})
    await play_on(harness, match_id)

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    (_, watch), others = await harness.referee.watch(match_id, 0, SPECTATOR), asyncio.create_task(count_turns())
    await asyncio.sleep(0)
    before = turns
    received = await anext(watch)
    assert turns - before >= len(received) / REPLAY_CHUNK > 2
    others.cancel()
    await settle()


MANY = 5
PAUSES = 4


async def test_no_two_long_tasks_continue_in_the_same_iteration_of_the_loop() -> None:
    turns = CooperativeYield()
    turn = 0
    turns_of_work: list[int] = []

    async def pause_repeatedly() -> None:
        for _ in range(PAUSES):
            await turns.pause()
            turns_of_work.append(turn)

    working = asyncio.gather(*(pause_repeatedly() for _ in range(MANY)))
    while not working.done():
        await asyncio.sleep(0)
        turn += 1
    assert len(turns_of_work) == MANY * PAUSES
    assert len(set(turns_of_work)) == len(turns_of_work)


async def history_of(plies: int) -> MatchHistory:
    """Return the history of a match of Nim with this number of plies, folded from its log."""
    harness = RefereeHarness()
    match_id, _ = await harness.start_match(chosen={"heap": plies + 1}, controls=(Untimed(),))
    for ply in range(plies):
        await harness.submit_move(match_id, ply % 2, "1")
    history = await replay_log(await harness.stored.read(match_id), GAMES.__getitem__)
    await harness.referee.close()
    return history


async def test_no_step_of_an_unwatched_match_is_cached() -> None:
    history = await history_of(plies=5)
    last = history.match.number
    assert history.steps_after(last) is None
    history.cache_steps()
    assert history.steps_after(last) == []
    assert history.steps_after(last - 1) is None


async def test_whoever_looks_at_a_match_once_leaves_no_step_of_it_in_memory(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    assert await harness.referee.match_as_seen(match_id, SPECTATOR)
    await harness.submit_move(match_id, 0, "1")
    (live_match,) = harness.live.index.all()
    assert live_match.history.steps_after(live_match.match.number - 1) is None


async def test_a_watched_match_caches_a_limited_number_of_steps(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match(chosen={"heap": 2 * MAX_CACHED_STEPS}, controls=(Untimed(),))
    for ply in range(MAX_CACHED_STEPS + 2):
        await harness.submit_move(match_id, ply % 2, "1")
    first, *steps = replay(MatchFold(GAMES.__getitem__), await harness.stored.read(match_id))
    history = MatchHistory(first)
    history.cache_steps()
    for step in steps:
        history.extend([step])
    last = history.match.number
    assert len(history.steps_after(last - MAX_CACHED_STEPS) or ()) == MAX_CACHED_STEPS
    assert history.steps_after(last - MAX_CACHED_STEPS - 1) is None


async def test_watchers_with_the_same_view_share_one_entry_object(harness: RefereeHarness) -> None:
    match_id, _ = await harness.start_match()
    await harness.submit_move(match_id, 0, "1")
    received = []
    for viewer in (SPECTATOR, SPECTATOR, 0):
        _, watch = await harness.referee.watch(match_id, 2, viewer)
        received += await anext(watch)
    assert received[0] is received[1]
    assert received[2] is not received[1]
