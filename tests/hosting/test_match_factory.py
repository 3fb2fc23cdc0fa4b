"""The match queue: matches that wait to be played, for how long, and for what."""

from collections import Counter

from referee.accounts.bots import BotPause, PauseCause, paused
from referee.contests.tournament.tournament_terms import RoundRobin
from referee.hosting.match_factory import MatchQueue, QueuedMatch, WaitReason
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from tests.hosting.harness import HostingHarness, Store, terms, wish
from tests.hosting.ladder_harness import ladder_terms, opened, until
from tests.live.fake_time import settled
from tests.live.runner_harness import in_loop

ONE = Hello(max_matches=1)
LATER_MS = 7_000


def ladders(harness: HostingHarness) -> MatchQueue:
    return harness.ladders.queue(harness.time.wall_ms())


def tournaments(harness: HostingHarness) -> Counter[WaitReason]:
    return Counter(it.waits_for for it in harness.tournaments.queue(harness.time.wall_ms()).waiting)


async def cup(*bots: str, at_once: int | None = None) -> HostingHarness:
    """Start a tournament. Its bots are offline, and would not answer."""
    store = Store()
    await store.register(*bots)
    harness = HostingHarness(store)
    harness.choose = lambda *_: ""
    await harness.open()
    await harness.tournaments.create(wish(terms(RoundRobin(), matches_at_once=at_once), *bots))
    await harness.tournaments.start("cup")
    await settled()
    return harness


@in_loop
async def test_a_ladder_without_bots_has_no_queue() -> None:
    harness = await opened(ladder_terms(), *"abcd")
    assert ladders(harness) == MatchQueue(1, ())
    await harness.close()


@in_loop
async def test_a_challenge_waits_for_its_bots_as_long_as_they_are_away() -> None:
    harness = await opened(ladder_terms(), "a", "b")
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    await harness.time.passes(LATER_MS * SECOND // 1_000)
    assert ladders(harness) == MatchQueue(1, (QueuedMatch(WaitReason.BOTS, LATER_MS),))
    harness.choose = lambda *_: ""
    harness.come("a", "b")
    await until(harness, lambda state: bool(state.ladder.matches_in_play))
    assert ladders(harness) == MatchQueue(1, ())
    await harness.close()


@in_loop
async def test_how_long_it_waits_is_known_after_a_restart() -> None:
    harness = await opened(ladder_terms(), "a", "b")
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    await harness.close()
    again = HostingHarness(harness.store)
    again.time.us = harness.time.us + LATER_MS * SECOND // 1_000
    await again.open()
    assert ladders(again) == MatchQueue(1, (QueuedMatch(WaitReason.BOTS, LATER_MS),))
    await again.close()


@in_loop
async def test_room_is_kept_for_the_match_that_comes_first() -> None:
    harness = await opened(ladder_terms(), *"abcd")
    harness.choose = lambda *_: ""
    harness.come("b", "d", hello=ONE)
    await settled()
    for rival in "bc":
        await harness.ladders.challenge("main", f"org/{rival}", ("a", rival))
    harness.come("a", "c", hello=ONE)
    await settled()
    assert [it.waits_for for it in ladders(harness).waiting] == [WaitReason.BOTS] * 2
    await harness.close()


@in_loop
async def test_a_pairing_whose_bots_are_there_waits_for_nothing_though_one_of_them_is_paused() -> None:
    harness = await cup(*"abc")
    await harness.store.accounts.change_bot("a", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "rest", 1)))
    assert tournaments(harness) == {WaitReason.BOTS: 3}
    harness.come(*"abc")
    await settled()
    assert tournaments(harness) == {WaitReason.NOTHING: 2}
    await harness.close()


@in_loop
async def test_matches_wait_for_their_place_where_only_so_many_are_played_at_once() -> None:
    harness = await cup(*"abcd", at_once=1)
    harness.come(*"abcd")
    await settled()
    assert tournaments(harness) == {WaitReason.PLACE: 5}
    await harness.close()


@in_loop
async def test_a_ladder_has_places_too() -> None:
    harness = await opened(ladder_terms(matches_at_once=1), *"abc")
    harness.choose = lambda *_: ""
    harness.come(*"abc")
    await settled()
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    assert [it.waits_for for it in ladders(harness).waiting] == [WaitReason.PLACE]
    await harness.close()


@in_loop
async def test_what_is_over_is_in_no_queue() -> None:
    harness = await opened(ladder_terms(), "a", "b")
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    await harness.ladders.close("main")
    await settled()
    assert ladders(harness) == MatchQueue(0, ())
    await harness.close()
