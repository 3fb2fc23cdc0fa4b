"""Acts of staff on hosted tournaments."""

import pytest
from msgspec.structs import replace
from referee_values import RoundRobin, Swiss

from referee.accounts.account_errors import BadField
from referee.contests.contest_errors import BadRanks, MatchNotCounted, TournamentNotStarted, TournamentOver
from referee.contests.pairing import DuplicateSets
from referee.contests.tournament.commands import PairRound, PostponePairing, ReopenPairing
from referee.match.clock import SECOND
from referee.match.result import EndKind
from tests.contests.correction_examples import correct, strike
from tests.hosting.harness import (
    HostingHarness,
    cup_terms,
    kill_process,
    open_process,
    open_with_tournament,
    tournament_request,
)
from tests.live.fake_time import settle

FOUR = ("ada", "bob", "cyd", "dan")


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


async def played_set() -> HostingHarness:
    """Return a tournament of one pairing with two matches, in which the entrants have exchanged their seats."""
    harness = await open_with_tournament(cup_terms(RoundRobin(), duplicate=DuplicateSets()), "ada", "bob")
    harness.connect("ada", "bob")
    await harness.until_over("cup")
    return harness


async def test_ranks_are_those_of_the_seats_of_the_match() -> None:
    harness = await played_set()
    state = await harness.tournaments.get("cup")
    first, second = state.tournament.pairings["1.1"].match_ids.values()
    await harness.tournaments.correct("cup", correct(first, 1, 2))
    progress = await harness.tournaments.correct("cup", correct(second, 1, 2))
    assert [progress.scores[number].ranks for number in (1, 2)] == [(1, 2), (2, 1)]
    assert list(progress.points) == [1, 1]
    progress = await harness.tournaments.correct("cup", strike(first))
    assert list(progress.points) == [0, 1]
    again = await harness.tournaments.tables.rows(await harness.tournaments.get("cup"))
    assert [row.standing.points for row in again] == [1, 0]


async def test_invalid_corrections_are_errors_and_change_nothing() -> None:
    harness = await played_set()
    before = await harness.tournaments.get("cup")
    (match_id, _) = before.tournament.pairings["1.1"].match_ids.values()
    for wrong, error in (
        (strike("m9"), MatchNotCounted),
        (correct(match_id, 1, 2, 3), BadRanks),
        (replace(strike(match_id), message=""), BadField),
        (replace(strike(match_id), message="x" * 201), BadField),
    ):
        with pytest.raises(error):
            await harness.tournaments.correct("cup", wrong)
    assert await harness.tournaments.get("cup") is before
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), name="next", request_id="r2"))
    with pytest.raises(TournamentNotStarted):
        await harness.tournaments.correct("next", strike(match_id))
