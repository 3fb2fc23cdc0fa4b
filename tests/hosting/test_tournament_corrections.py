"""Corrections of hosted tournaments: the match of an id, and the order of its ranks."""

import pytest
from msgspec.structs import replace
from referee_values import RoundRobin

from referee.accounts.account_errors import BadField
from referee.contests.contest_errors import BadRanks, MatchNotCounted, TournamentNotStarted
from referee.contests.pairing import DuplicateSets
from tests.contests.correction_examples import correct, restore, strike
from tests.hosting.harness import (
    HostingHarness,
    cup_terms,
    open_with_tournament,
    tournament_request,
)


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


async def test_restored_results_leave_the_tournament_as_it_was_played() -> None:
    harness = await played_set()
    before = (await harness.tournaments.get("cup")).tournament
    for match_id in before.pairings["1.1"].match_ids.values():
        await harness.tournaments.correct("cup", strike(match_id))
        await harness.tournaments.correct("cup", restore(match_id))
    after = (await harness.tournaments.get("cup")).tournament
    assert dict(after.pairings) == dict(before.pairings)
    assert after.standings() == before.standings()


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
