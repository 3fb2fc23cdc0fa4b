"""No-shows, automatic starts, the close of entries and breaks between rounds of hosted tournaments."""

import pytest
from referee_values import RoundRobin, Swiss

from referee.accounts.bots import BotPause, PauseCause, paused
from referee.contests.tournament.state import Tournament
from referee.hosting.hosting_errors import EntriesClosed
from referee.match.clock import MS, SECOND
from referee.match.setup import Player
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    cup_terms,
    entrant,
    open_process,
    open_with_tournament,
    reopen,
    start_tournament,
    tournament_request,
)
from tests.live.fake_time import START_WALL_MS, settle

FOUR = ("ada", "bob", "cyd", "dan")


async def tournament_of(harness: HostingHarness) -> Tournament:
    return (await harness.tournaments.get("cup")).tournament


async def absent_entrants(harness: HostingHarness) -> list[set[str]]:
    """Return who lost each pairing by absence, without pairings that nobody lost so."""
    pairings = (await tournament_of(harness)).pairings.values()
    return [{*progress.absent} for progress in pairings if progress.absent]


async def test_a_bot_that_does_not_come_loses_its_pairing_and_holds_up_nobody() -> None:
    harness = await open_process(*FOUR)
    harness.connect("bob", "cyd", "dan")
    await start_tournament(harness, cup_terms(Swiss(rounds=3), no_show_ms=60_000), *FOUR)
    await settle()
    [(_, lost_ms)] = harness.tournaments.no_show_times_ms("cup").items()
    await harness.time.advance(59 * SECOND)
    assert (await tournament_of(harness)).round == 1
    assert [*harness.tournaments.no_show_times_ms("cup").values()] == [lost_ms]
    assert lost_ms == harness.time.wall_ms() + 1_000
    await harness.time.advance(SECOND)
    tournament = await tournament_of(harness)
    assert (tournament.round, await absent_entrants(harness)) == (2, [{"ada"}])
    await harness.time.advance(60 * SECOND)
    over = (await harness.until_over("cup")).tournament
    assert over.withdrawn == ("ada",)
    assert over.phase == "finished"
    assert (await harness.store.accounts.bot("ada")).faults == 0


async def test_a_bot_that_comes_in_time_plays() -> None:
    harness = await open_process(*FOUR)
    harness.connect("bob", "cyd", "dan")
    await start_tournament(harness, cup_terms(Swiss(rounds=3), no_show_ms=60_000), *FOUR)
    await harness.time.advance(59 * SECOND)
    harness.connect("ada")
    await harness.until_over("cup")
    assert harness.tournaments.no_show_times_ms("cup") == {}
    assert await absent_entrants(harness) == []


async def test_a_bot_that_comes_and_goes_does_not_hold_up_the_round() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin(), no_show_ms=60_000), "ada", "bob")
    for _ in range(2):
        session = harness.referee.sessions.open(Player("bob", "1"), MANY_MATCHES)
        await harness.time.advance(30 * SECOND)
        harness.referee.sessions.close(session)
        await harness.time.advance(SECOND)
    await harness.until_over("cup")
    assert await absent_entrants(harness) == [{"ada"}]


async def test_only_the_first_waiting_pairing_of_an_absent_entrant_is_lost_at_a_time() -> None:
    harness = await open_process(*FOUR)
    harness.connect("bob", "cyd", "dan")
    terms = cup_terms(RoundRobin(), no_show_ms=60_000, max_no_shows=3)
    await start_tournament(harness, terms, *FOUR)
    for lost in (1, 2):
        await harness.time.advance(60 * SECOND)
        assert await absent_entrants(harness) == [{"ada"}] * lost
    await harness.time.advance(60 * SECOND)
    assert (await harness.until_over("cup")).tournament.withdrawn == ("ada",)


async def test_a_paused_bot_counts_as_absent() -> None:
    harness = await open_process("ada", "bob", online=MANY_MATCHES)
    terms = cup_terms(RoundRobin(), no_show_ms=60_000)
    await harness.tournaments.create(tournament_request(terms, "ada", "bob"))
    await harness.store.accounts.change_bot("ada", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "rest", 1)))
    await harness.tournaments.start("cup")
    await harness.time.advance(61 * SECOND)
    state = await harness.until_over("cup")
    assert await absent_entrants(harness) == [{"ada"}]
    assert state.tournament.pairings["1.1"].round_result("bob").points == 1.0


async def test_nobody_is_absent_while_the_tournament_has_no_place_for_another_match() -> None:
    harness = await open_process(*FOUR, silent=True)
    harness.connect("bob", "cyd", "dan")
    terms = cup_terms(RoundRobin(), no_show_ms=3_000, max_concurrent_matches=1)
    await start_tournament(harness, terms, *FOUR)
    await harness.time.advance(6 * SECOND)
    assert await absent_entrants(harness) == []
    await harness.tournaments.cancel("cup")


async def test_a_restart_lets_the_wait_begin_anew() -> None:
    first = await open_with_tournament(cup_terms(RoundRobin(), no_show_ms=60_000), "ada", "bob")
    await first.time.advance(59 * SECOND)
    second = await reopen(first)
    await second.time.advance(59 * SECOND)
    assert await absent_entrants(second) == []
    await second.time.advance(2 * SECOND)
    assert await absent_entrants(second) == [{"ada", "bob"}]


async def test_a_drain_lets_the_wait_begin_anew() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin(), no_show_ms=60_000), "ada", "bob")
    await harness.time.advance(59 * SECOND)
    await harness.referee.drain(0, 1)
    await harness.time.advance(60 * SECOND)
    assert await absent_entrants(harness) == []


async def test_an_unavailable_log_lets_the_wait_begin_anew() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin(), no_show_ms=60_000), "ada", "bob")
    await harness.time.advance(30 * SECOND)
    harness.crash.store_unavailable = True
    await harness.time.advance(40 * SECOND)
    harness.crash.store_unavailable = False
    await harness.time.advance(50 * SECOND)
    assert await absent_entrants(harness) == []
    await harness.time.advance(20 * SECOND)
    assert await absent_entrants(harness) == [{"ada", "bob"}]


async def test_a_tournament_starts_at_its_time_even_after_a_restart() -> None:
    first = await open_process("ada", "bob")
    starts_at_ms = first.time.wall_ms() + 90_000
    terms = cup_terms(RoundRobin(), starts_at_ms=starts_at_ms)
    await first.tournaments.create(tournament_request(terms, "ada", "bob"))
    await first.time.advance(10 * SECOND)
    second = await reopen(first)
    await second.time.advance((starts_at_ms - second.time.wall_ms()) * MS - 1 * SECOND)
    assert (await tournament_of(second)).phase == "entry"
    await second.time.advance(1 * SECOND)
    state = await second.tournaments.get("cup")
    assert (state.tournament.phase, state.started_ms) == ("playing", starts_at_ms)


async def test_a_tournament_with_too_few_entrants_starts_when_there_are_enough() -> None:
    harness = await open_process("ada", "bob")
    terms = cup_terms(RoundRobin(), starts_at_ms=START_WALL_MS)
    await harness.tournaments.create(tournament_request(terms, "ada"))
    await harness.time.advance(5 * SECOND)
    assert (await tournament_of(harness)).phase == "entry"
    await harness.tournaments.enter("cup", entrant("bob"))
    await settle()
    assert (await tournament_of(harness)).phase == "playing"


async def test_entries_close_at_their_time() -> None:
    harness = await open_process("ada", "bob", "cyd")
    closes_at_ms = harness.time.wall_ms() + 1_000
    terms = cup_terms(RoundRobin(), entries_close_at_ms=closes_at_ms)
    await harness.tournaments.create(tournament_request(terms, "ada"))
    await harness.time.advance(SECOND - MS)
    await harness.tournaments.enter("cup", entrant("bob"))
    await harness.time.advance(MS)
    with pytest.raises(EntriesClosed) as refused:
        await harness.tournaments.enter("cup", entrant("cyd"))
    assert refused.value.details["closed_at"].endswith("+00:00")


async def test_the_matches_of_a_round_wait_for_the_end_of_the_break_even_after_a_restart() -> None:
    first = await open_process(*FOUR)
    first.connect(*FOUR)
    await start_tournament(first, cup_terms(Swiss(rounds=2), round_break_ms=120_000), *FOUR)
    await first.until("cup", lambda state: state.tournament.round == 2)
    await first.time.advance(100 * SECOND)
    assert first.tournaments.queue(first.time.wall_ms()).waiting == ()
    assert (await tournament_of(first)).matches_in_play == []
    second = await reopen(first, 0)
    second.connect(*FOUR)
    await second.time.advance(19 * SECOND)
    assert not any(progress.match_ids for progress in (await tournament_of(second)).open_pairings)
    await second.time.advance(1 * SECOND)
    assert (await second.until_over("cup")).tournament.phase == "finished"
