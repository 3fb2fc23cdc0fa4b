"""Watching: every entry once, in order, from any number, live or resumed, redacted for the viewer."""

import asyncio

import pytest

from engines.api import REFEREE, SPECTATOR
from referee.live.match_history import MAX_CACHED_STEPS, WatchedEntry
from referee.live.match_request import LiveLimits
from referee.live.ports import EngineFault
from referee.live.referee import RefereeDraining
from referee.live.runner import NotRunHere
from referee.live.stored_matches import REPLAY_CHUNK
from referee.live.watch import READ_BATCH, CooperativeYield, MatchWatch, NumberAhead, SlowConsumer
from referee.match.clock import Untimed
from referee.match.events import MatchCreated, MovePlayed, MoveRefused, PlayEnded
from referee.match.result import EndCause
from referee.match.setup import Visibility, VisibilityMode
from referee.match.state import MatchPhase
from tests.live.fake_time import settled
from tests.live.referee_harness import Hall
from tests.live.runner_harness import in_loop
from tests.match.games import ONE_OR_TWO

LATE = Visibility(VisibilityMode.DELAYED, 2)
AFTER_END = Visibility(VisibilityMode.AFTER_END)


async def to_the_end(watching: MatchWatch) -> list[WatchedEntry]:
    return [heard async for batch in watching for heard in batch]


def numbers(heard: list[WatchedEntry]) -> list[int]:
    return [one.number for one in heard]


async def played_out(hall: Hall, match_id: str, plies: int | None = None) -> None:
    """Play one stone per turn until the match is over, or for this number of plies."""
    while plies != 0 and (match := await hall.match(match_id)).phase is MatchPhase.PLAYING:
        await hall.played(match_id, match.owing[0].seat, "1")
        plies = plies and plies - 1


@in_loop
async def test_live_and_resumed_are_the_same_from_every_number() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 7})
    live = [(after, (await hall.referee.watch(match_id, after, SPECTATOR))[1]) for after in (0, 1, 2)]
    watchers = [(after, asyncio.create_task(to_the_end(watching))) for after, watching in live]
    await settled()
    await played_out(hall, match_id)
    last = (await hall.match(match_id)).number
    watchers += [
        (after, asyncio.create_task(to_the_end((await hall.referee.watch(match_id, after, SPECTATOR))[1])))
        for after in range(last + 1)
    ]
    for after, watcher in watchers:
        assert numbers(await watcher) == list(range(after + 1, last + 1))
    with pytest.raises(NumberAhead):
        await hall.referee.watch(match_id, last + 1, SPECTATOR)
    await hall.referee.close()


@in_loop
async def test_a_long_log_is_read_where_the_last_steps_are_not_enough() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 3 * MAX_CACHED_STEPS}, controls=(Untimed(),))
    await played_out(hall, match_id, 2 * MAX_CACHED_STEPS)
    for after in (0, 1, MAX_CACHED_STEPS, 2 * MAX_CACHED_STEPS):
        whole, watching = await hall.referee.watch(match_id, after, SPECTATOR)
        assert whole.number == after
        assert (whole.state.number if whole.state else 0) == after
        assert numbers(await anext(watching))[0] == after + 1
    await hall.referee.close()


@in_loop
async def test_from_now_on_is_from_the_state_as_it_is() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    whole, watching = await hall.referee.watch(match_id, None, SPECTATOR)
    assert (whole.number, whole.state) == (2, await hall.match(match_id))
    assert whole.status.number == 2
    await hall.played(match_id, 0, "1")
    (heard,) = await anext(watching)
    assert heard.number == 3
    assert heard.match.require_position().text(SPECTATOR) == "20 1"
    await hall.referee.close()


@in_loop
async def test_each_hears_what_the_rules_show_it_and_nobody_the_seed() -> None:
    hall = Hall()
    match_id, _ = await hall.begun("fingers")
    await hall.played(match_id, 0, "3")
    heard = {}
    for viewer in (0, 1, SPECTATOR, REFEREE):
        _, watching = await hall.referee.watch(match_id, 0, viewer)
        opened, _, move = await anext(watching)
        assert isinstance(opened.event, MatchCreated)
        assert isinstance(move.event, MovePlayed)
        heard[viewer] = (move.event.move, len(opened.event.setup.seed))
    assert heard == {0: ("3", 0), 1: ("?", 0), SPECTATOR: ("?", 0), REFEREE: ("3", 32)}
    await hall.referee.close()


@in_loop
async def test_choices_stay_sealed_until_the_last_one_opens_them_in_order_of_seats() -> None:
    hall = Hall()
    match_id, _ = await hall.begun("fingers")
    for seat, move in ((2, "3"), (0, "1"), (1, "2"), (1, "1")):
        await hall.played(match_id, seat, move)
    for viewer, moves in ((1, ["?", "?", "2", "1"]), (SPECTATOR, ["?", "?", "2", "?"])):
        _, watching = await hall.referee.watch(match_id, 2, viewer)
        choices = await anext(watching)
        assert [one.event.move for one in choices if isinstance(one.event, MovePlayed)] == moves
        assert [one.sealed for one in choices] == [True, True, False, True]
        assert [one.revealed for one in choices] == [(), (), ((0, "1"), (2, "3")), ()]
    await hall.referee.close()


@in_loop
async def test_a_gift_in_toc_is_opened_to_its_receiver_when_all_are_in_and_to_no_other() -> None:
    hall = Hall()
    match_id, _ = await hall.begun("toc")
    gifts = [hall.due(match_id, seat).legal_moves(1).listed[0] for seat in range(4)]
    for seat, gift in enumerate(gifts):
        await hall.played(match_id, seat, gift)
    opened = {}
    for viewer in (0, 1, SPECTATOR):
        _, watching = await hall.referee.watch(match_id, 5, viewer)
        (last,) = await anext(watching)
        opened[viewer] = [move for _, move in last.revealed]
    assert opened == {0: [gifts[0], "=?", gifts[2]], 1: ["=?", gifts[1], "=?"], SPECTATOR: ["=?"] * 3}
    await hall.referee.close()


@in_loop
async def test_an_entry_of_which_a_viewer_may_know_nothing_comes_with_its_number() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    with pytest.raises(ValueError, match="not legal"):
        await hall.played(match_id, 0, "9")
    events = [(await anext((await hall.referee.watch(match_id, 2, viewer))[1]))[0].event for viewer in (0, 1)]
    assert isinstance(events[0], MoveRefused)
    assert events[1] is None
    await hall.referee.close()


@in_loop
async def test_a_refused_attempt_is_told_to_all_when_the_match_is_over() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    with pytest.raises(ValueError, match="not legal"):
        await hall.played(match_id, 0, "9")
    await hall.referee.resign(match_id, 0)
    _, watching = await hall.referee.watch(match_id, 2, SPECTATOR)
    attempt = (await anext(watching))[0].event
    assert isinstance(attempt, MoveRefused)
    assert attempt.move == "9"
    await hall.referee.close()


@in_loop
async def test_who_sees_a_match_late_gets_all_of_it_late_and_nothing_twice() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 6}, visibility=LATE)
    whole, watching = await hall.referee.watch(match_id, 0, SPECTATOR)
    assert whole.state is None
    assert numbers(await anext(watching)) == [1]
    listening = asyncio.create_task(anext(watching))
    await played_out(hall, match_id, 1)
    assert not listening.done()
    await played_out(hall, match_id, 1)
    assert numbers(await listening) == [2]
    await played_out(hall, match_id, 2)
    seen = await hall.referee.match_as_seen(match_id, SPECTATOR)
    assert seen
    assert (seen.ply, seen.number) == (2, 4)
    assert (await hall.referee.match_as_seen(match_id, 0)) == await hall.match(match_id)
    with pytest.raises(NumberAhead):
        await hall.referee.watch(match_id, 5, SPECTATOR)
    later, _ = await hall.referee.watch(match_id, 1, SPECTATOR)
    assert later.number == 1
    assert numbers(await anext(watching)) == [3, 4]
    await played_out(hall, match_id)
    assert numbers(await to_the_end(watching)) == [5, 6, 7, 8, 9]
    await hall.referee.close()


@in_loop
async def test_a_match_that_is_shown_after_its_end_shows_nothing_before() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 1}, visibility=AFTER_END)
    assert await hall.referee.match_as_seen(match_id, SPECTATOR) is None
    _, watching = await hall.referee.watch(match_id, None, SPECTATOR)
    listening = asyncio.create_task(to_the_end(watching))
    await settled()
    assert not listening.done()
    await played_out(hall, match_id)
    assert numbers(await listening) == [1, 2, 3, 4]
    await hall.referee.close()


@in_loop
async def test_who_falls_too_far_behind_is_told_from_where_to_go_on() -> None:
    hall = Hall(limits=LiveLimits(max_watcher_lag=3))
    match_id, _ = await hall.begun()
    await played_out(hall, match_id, 4)
    _, watching = await hall.referee.watch(match_id, 0, SPECTATOR)
    assert numbers(await anext(watching)) == [1, 2, 3, 4, 5, 6]
    listening = asyncio.create_task(anext(watching))
    await settled()
    await played_out(hall, match_id, 1)
    assert numbers(await listening) == [7]
    await played_out(hall, match_id, 4)
    with pytest.raises(SlowConsumer) as slow:
        await anext(watching)
    assert slow.value.details == {"resume_after": "7"}
    _, resumed = await hall.referee.watch(match_id, 7, SPECTATOR)
    assert numbers(await anext(resumed)) == [8, 9, 10, 11]
    await hall.referee.close()


@in_loop
async def test_who_watches_is_told_when_the_referee_goes_or_the_match_leaves() -> None:
    hall = Hall()
    leaving, _ = await hall.begun()
    staying = await hall.create()
    watchers = [(await hall.referee.watch(match_id, None, SPECTATOR))[1] for match_id in (leaving, staying)]
    listening = [asyncio.create_task(anext(watching)) for watching in watchers]
    await settled()
    await hall.stored.append(leaving, 2, [])
    entries = await hall.stored.read(leaving)
    await hall.stored.append(leaving, 2, [entries[1].event])  # Another process writes to this log.
    with pytest.raises(NotRunHere):
        await hall.referee.resign(leaving, 0)
    with pytest.raises(NotRunHere):
        await listening[0]
    with pytest.raises(NotRunHere):
        await hall.referee.resign(leaving, 0)
    await hall.referee.close()
    with pytest.raises(RefereeDraining):
        await listening[1]


@pytest.mark.parametrize("more", [0, MAX_CACHED_STEPS, READ_BATCH])
@in_loop
async def test_what_its_rules_follow_no_more_is_told_by_its_numbers_and_then_the_end(more: int) -> None:
    """Holds whether the latest steps are in memory or the log is read, once or several times."""
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 1000}, controls=(Untimed(),))
    for seat, move in ((0, "1"), (1, "3")):
        await hall.played(match_id, seat, move)
    await played_out(hall, match_id, 1 + more)
    last = (await hall.match(match_id)).number + 1
    later = await hall.crashed(games={"nim": ONE_OR_TWO})
    assert await later.referee.recover() == 0
    for after in (0, 3, 4, last - 1):
        whole, watching = await later.referee.watch(match_id, after, SPECTATOR)
        assert (whole.number, whole.status.number) == (after, last)
        told = await to_the_end(watching)
        assert numbers(told) == list(range(after + 1, last + 1))
        followed = ["MatchCreated", "PlayStarted", "MovePlayed"][after:]
        assert [type(one.event).__name__ for one in told if one.event] == [*followed, "PlayEnded"]
        ended = told[-1].event
        assert isinstance(ended, PlayEnded)
        assert ended.result.cause is EndCause.ENGINE_FAULT
    await later.referee.close()


@in_loop
async def test_a_finished_match_that_its_rules_follow_no_more_is_refused_and_said_so_once() -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    await hall.played(match_id, 0, "3")
    await hall.referee.resign(match_id, 1)
    later = await hall.crashed(games={"nim": ONE_OR_TWO})
    for _ in range(2):
        with pytest.raises(EngineFault):
            await later.referee.watch(match_id, 0, SPECTATOR)
    (listed,) = (await later.referee.list_matches()).matches
    assert listed.match.result
    assert listed.match.result.cause is EndCause.RESIGNATION  # As in the original match.
    assert [where for where, _ in later.noted.faults] == [match_id]
    await later.referee.close()


@in_loop
async def test_who_is_told_a_long_story_lets_the_others_have_their_turn() -> None:
    hall, turns = Hall(), 0
    match_id, _ = await hall.begun(chosen={"heap": 3 * REPLAY_CHUNK})
    await played_out(hall, match_id)

    async def take_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    (_, watching), others = await hall.referee.watch(match_id, 0, SPECTATOR), asyncio.create_task(take_turns())
    await asyncio.sleep(0)
    before = turns
    heard = await anext(watching)
    assert turns - before >= len(heard) / REPLAY_CHUNK > 2
    others.cancel()
    await settled()


MANY = 5
PIECES = 4


@in_loop
async def test_of_many_with_long_work_no_two_go_on_in_one_turn_of_the_loop() -> None:
    turns = CooperativeYield()
    turn = 0
    went_on: list[int] = []

    async def work() -> None:
        for _ in range(PIECES):
            await turns.pause()
            went_on.append(turn)

    working = asyncio.gather(*(work() for _ in range(MANY)))
    while not working.done():
        await asyncio.sleep(0)
        turn += 1
    assert len(went_on) == MANY * PIECES
    assert len(set(went_on)) == len(went_on)
