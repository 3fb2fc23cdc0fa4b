"""Ids of the matches of contests; and the match queue: matches that wait to be played, for how long, and for what."""

from collections import Counter

from msgspec.structs import replace
from referee_values import RoundRobin

from referee.accounts.bots import BotPause, PauseCause, paused
from referee.hosting.match_factory import MatchQueue, QueuedMatch, WaitReason, match_id_for
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from tests.hosting.harness import MANY_MATCHES, HostingHarness, cup_terms, open_with_tournament, reopen
from tests.hosting.ladder_harness import ladder_terms, open_with_ladder, until
from tests.live.fake_time import settle

ONE = Hello(max_matches=1)
LATER_MS = 7_000


def ladder_queue(harness: HostingHarness) -> MatchQueue:
    return harness.ladders.queue(harness.time.wall_ms())


def tournament_wait_reasons(harness: HostingHarness) -> Counter[WaitReason]:
    return Counter(item.waits_for for item in harness.tournaments.queue(harness.time.wall_ms()).waiting)


async def silent_tournament(*bots: str, at_once: int = 0) -> HostingHarness:
    """Start a tournament. Its bots are offline, and would not answer."""
    return await open_with_tournament(cup_terms(RoundRobin(), max_concurrent_matches=at_once), *bots, silent=True)


async def test_contests_of_the_same_name_on_two_servers_have_other_match_ids() -> None:
    harness = await silent_tournament("a", "b")
    here = await harness.tournaments.get("cup")
    (due,) = here.waiting
    terms = replace(here.tournament.terms, seed=bytes(31) + b"1")
    there = replace(here, tournament=replace(here.tournament, terms=terms))
    assert match_id_for(here, due) == match_id_for(here, due) != match_id_for(there, due)


async def test_a_ladder_without_bots_has_no_queue() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abcd")
    assert ladder_queue(harness) == MatchQueue(1, ())


async def test_a_challenge_waits_for_its_bots_until_they_are_online() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b")
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    await harness.time.advance(LATER_MS * SECOND // 1_000)
    assert ladder_queue(harness) == MatchQueue(1, (QueuedMatch(WaitReason.BOTS, LATER_MS),))
    harness.choose = lambda *_: ""
    harness.connect("a", "b")
    await until(harness, lambda state: bool(state.ladder.matches_in_play))
    assert ladder_queue(harness) == MatchQueue(1, ())


async def test_the_waiting_time_of_a_challenge_survives_a_restart() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b")
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    restarted = await reopen(harness, LATER_MS * SECOND // 1_000)
    assert ladder_queue(restarted) == MatchQueue(1, (QueuedMatch(WaitReason.BOTS, LATER_MS),))


async def test_room_is_reserved_for_the_first_match_in_the_queue() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abcd", silent=True)
    harness.connect("b", "d", hello=ONE)
    await settle()
    for opponent in "bc":
        await harness.ladders.challenge("main", f"org/{opponent}", ("a", opponent))
    harness.connect("a", "c", hello=ONE)
    await settle()
    assert [item.waits_for for item in ladder_queue(harness).waiting] == [WaitReason.BOTS] * 2


async def test_a_pairing_of_online_bots_has_no_wait_reason_even_if_one_is_paused() -> None:
    harness = await silent_tournament(*"abc")
    await harness.store.accounts.change_bot("a", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "rest", 1)))
    assert tournament_wait_reasons(harness) == {WaitReason.BOTS: 3}
    harness.connect(*"abc")
    await settle()
    assert tournament_wait_reasons(harness) == {WaitReason.NOTHING: 2}


async def test_matches_of_a_tournament_wait_while_its_limit_of_concurrent_matches_is_reached() -> None:
    harness = await silent_tournament(*"abcd", at_once=1)
    harness.connect(*"abcd")
    await settle()
    assert tournament_wait_reasons(harness) == {WaitReason.PLACE: 5}


async def test_matches_of_a_ladder_wait_while_its_limit_of_concurrent_matches_is_reached() -> None:
    harness = await open_with_ladder(ladder_terms(max_concurrent_matches=1), *"abc", silent=True, online=MANY_MATCHES)
    await settle()
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    assert [item.waits_for for item in ladder_queue(harness).waiting] == [WaitReason.PLACE]


async def test_a_closed_ladder_has_no_queue() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b")
    await harness.ladders.challenge("main", "org/1", ("a", "b"))
    await harness.ladders.close("main")
    await settle()
    assert ladder_queue(harness) == MatchQueue(0, ())
