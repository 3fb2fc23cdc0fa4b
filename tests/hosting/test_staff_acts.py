"""Acts of staff on hosted tournaments."""

import pytest
from referee_values import RoundRobin, Swiss

from referee.accounts.account_errors import BadField
from referee.contests.contest_errors import TournamentNotStarted, TournamentOver
from referee.contests.tournament.commands import PairRound, PostponePairing, ReopenPairing
from referee.match.clock import SECOND
from referee.match.result import EndKind
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    cup_terms,
    kill_process,
    open_process,
    open_with_tournament,
    reopen,
    tournament_request,
)
from tests.live.fake_time import settle

FOUR = ("ada", "bob", "cyd", "dan")


async def test_pairings_by_hand_are_played_in_place_of_the_others_even_after_a_restart() -> None:
    first = await open_with_tournament(cup_terms(Swiss(rounds=1)), *FOUR)
    by_hand = (("dan", "ada"), ("cyd", "bob"))
    await first.tournaments.act("cup", PairRound(1, by_hand, "a mistake", "org"))
    second = await reopen(first)
    second.connect(*FOUR)
    state = await second.until_over("cup")
    assert {played.pairing.entrants for played in state.tournament.pairings.values() if played.scores} == {*by_hand}
    assert len(await first.store.match_ids()) == 2


async def test_a_match_that_was_created_for_a_pairing_that_staff_replaced_becomes_void() -> None:
    harness = await open_with_tournament(cup_terms(Swiss(rounds=1)), *FOUR)
    harness.connect(*FOUR)
    by_hand = (("dan", "ada"), ("cyd", "bob"))
    await harness.tournaments.act("cup", PairRound(1, by_hand, "a mistake", "org"))
    state = await harness.until_over("cup")
    assert {played.pairing.entrants for played in state.tournament.pairings.values() if played.scores} == {*by_hand}
    assert harness.referee.live_matches == []


async def test_a_postponed_pairing_starts_at_its_time() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin(), no_show_ms=1_000), "ada", "bob")
    until_ms = harness.time.wall_ms() + 60_000
    await harness.tournaments.act("cup", PostponePairing("1.1", until_ms, "fire", "org"))
    await harness.time.advance(59 * SECOND)
    harness.connect("ada", "bob")
    await settle()
    state = await harness.tournaments.get("cup")
    assert (state.tournament.matches_in_play, state.tournament.phase) == ([], "playing")
    await harness.time.advance(SECOND)
    await harness.until_over("cup")


async def test_a_reopened_pairing_is_played_again_and_its_first_match_is_kept() -> None:
    harness = await open_with_tournament(cup_terms(Swiss(rounds=2), round_break_ms=60_000), *FOUR, online=MANY_MATCHES)
    await harness.until("cup", lambda state: state.tournament.round == 2)
    state = await harness.tournaments.act("cup", ReopenPairing("1.1", "wrong rules", "org"))
    assert state.tournament.round == 1
    await harness.until("cup", lambda state: state.tournament.round == 2)
    tournament = (await harness.tournaments.get("cup")).tournament
    assert len(tournament.pairings["1.1"].match_ids) == 2
    await harness.time.advance(60 * SECOND)
    await harness.until_over("cup")


async def test_an_act_needs_a_reason_and_a_tournament_in_play() -> None:
    harness = await open_process("ada", "bob")
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), "ada", "bob"))
    with pytest.raises(BadField, match="message"):
        await harness.tournaments.act("cup", ReopenPairing("1.1", "", "org"))
    with pytest.raises(TournamentNotStarted):
        await harness.tournaments.act("cup", ReopenPairing("1.1", "why", "org"))
    await harness.tournaments.cancel("cup")
    with pytest.raises(TournamentOver):
        await harness.tournaments.act("cup", ReopenPairing("1.1", "why", "org"))


async def test_a_match_that_was_created_before_a_crash_for_a_pairing_that_staff_replaced_becomes_void() -> None:
    first = await open_with_tournament(cup_terms(Swiss(rounds=1)), *FOUR)
    first.crash.trigger_after(1)  # The match is stored, but not that the tournament has started it.
    first.connect(*FOUR)
    await first.crash.happened.wait()
    await kill_process()
    (stray,) = await first.store.match_ids()
    second = HostingHarness(first.store)
    await second.tournaments.load()
    by_hand = (("dan", "ada"), ("cyd", "bob"))
    await second.tournaments.act("cup", PairRound(1, by_hand, "a mistake", "org"))
    await second.referee.recover()
    await second.tournaments.start_workers()
    await settle()
    result = (await second.referee.status(stray)).match.result
    assert result is not None
    assert result.kind is EndKind.VOID
    second.connect(*FOUR)
    state = await second.until_over("cup")
    assert {played.pairing.entrants for played in state.tournament.pairings.values() if played.scores} == {*by_hand}
