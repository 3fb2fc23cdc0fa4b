"""The queue of contests: what is planned and has not begun, for how long, and what it waits for."""

from collections import Counter

from referee.app.accounts import Pause, PauseCause, paused
from referee.app.contests.queue import Queue, Waiting, WaitsFor
from referee.app.sessions import Hello
from referee.contest.formats import RoundRobin
from referee.core.clock import SECOND
from tests.app.contests.ladder_stage import ladder_terms, opened, until
from tests.app.contests.stage import Stage, Store, terms, wish
from tests.app.scene import in_loop
from tests.app.stopped_time import settled

ONE = Hello(matches_at_most=1)
LATER_MS = 7_000


def ladders(stage: Stage) -> Queue:
    return stage.ladders.queue(stage.time.wall_ms())


def tournaments(stage: Stage) -> Counter[WaitsFor]:
    return Counter(it.waits_for for it in stage.tournaments.queue(stage.time.wall_ms()).waiting)


async def cup(*bots: str, at_once: int | None = None) -> Stage:
    """It has begun, and nobody is there, or answers a turn."""
    store = Store()
    await store.register(*bots)
    stage = Stage(store)
    stage.choose = lambda *_: ""
    await stage.open()
    await stage.tournaments.create(wish(terms(RoundRobin(), matches_at_once=at_once), *bots))
    await stage.tournaments.start("cup")
    await settled()
    return stage


@in_loop
async def test_a_ladder_without_bots_has_no_queue() -> None:
    stage = await opened(ladder_terms(), *"abcd")
    assert ladders(stage) == Queue(1, ())
    await stage.close()


@in_loop
async def test_a_challenge_waits_for_its_bots_as_long_as_they_are_away() -> None:
    stage = await opened(ladder_terms(), "a", "b")
    await stage.ladders.challenge("main", "org/1", ("a", "b"))
    await stage.time.passes(LATER_MS * SECOND // 1_000)
    assert ladders(stage) == Queue(1, (Waiting(WaitsFor.BOTS, LATER_MS),))
    stage.choose = lambda *_: ""
    stage.come("a", "b")
    await until(stage, lambda held: bool(held.ladder.playing))
    assert ladders(stage) == Queue(1, ())
    await stage.close()


@in_loop
async def test_how_long_it_waits_is_known_after_a_restart() -> None:
    stage = await opened(ladder_terms(), "a", "b")
    await stage.ladders.challenge("main", "org/1", ("a", "b"))
    await stage.close()
    again = Stage(stage.store)
    again.time.us = stage.time.us + LATER_MS * SECOND // 1_000
    await again.open()
    assert ladders(again) == Queue(1, (Waiting(WaitsFor.BOTS, LATER_MS),))
    await again.close()


@in_loop
async def test_room_is_kept_for_the_match_that_comes_first() -> None:
    stage = await opened(ladder_terms(), *"abcd")
    stage.choose = lambda *_: ""
    stage.come("b", "d", hello=ONE)
    await settled()
    for rival in "bc":
        await stage.ladders.challenge("main", f"org/{rival}", ("a", rival))
    stage.come("a", "c", hello=ONE)
    await settled()
    assert [it.waits_for for it in ladders(stage).waiting] == [WaitsFor.BOTS] * 2
    await stage.close()


@in_loop
async def test_a_pairing_whose_bots_are_there_waits_for_nothing_though_one_of_them_is_paused() -> None:
    stage = await cup(*"abc")
    await stage.store.accounts.change_bot("a", lambda bot: paused(bot, Pause(PauseCause.ADMIN, "rest", 1)))
    assert tournaments(stage) == {WaitsFor.BOTS: 3}
    stage.come(*"abc")
    await settled()
    assert tournaments(stage) == {WaitsFor.NOTHING: 2}
    await stage.close()


@in_loop
async def test_matches_wait_for_their_place_where_only_so_many_are_played_at_once() -> None:
    stage = await cup(*"abcd", at_once=1)
    stage.come(*"abcd")
    await settled()
    assert tournaments(stage) == {WaitsFor.PLACE: 5}
    await stage.close()


@in_loop
async def test_a_ladder_has_places_too() -> None:
    stage = await opened(ladder_terms(matches_at_once=1), *"abc")
    stage.choose = lambda *_: ""
    stage.come(*"abc")
    await settled()
    await stage.ladders.challenge("main", "org/1", ("a", "b"))
    assert [it.waits_for for it in ladders(stage).waiting] == [WaitsFor.PLACE]
    await stage.close()


@in_loop
async def test_what_is_over_is_in_no_queue() -> None:
    stage = await opened(ladder_terms(), "a", "b")
    await stage.ladders.challenge("main", "org/1", ("a", "b"))
    await stage.ladders.close("main")
    await settled()
    assert ladders(stage) == Queue(0, ())
    await stage.close()
