"""Tournaments whose entrants are the best of the stage before."""

import pytest
from msgspec.structs import replace
from referee_values import Elimination, Qualification, RoundRobin

from referee.accounts.account_errors import BadField
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.hosting_errors import NoSuchTournament
from referee.hosting.tournament_host import TournamentRequest
from tests.hosting.harness import (
    HostingHarness,
    cup_terms,
    entrant,
    open_process,
    reopen,
    start_tournament,
    tournament_request,
)
from tests.live.fake_time import settle

FOUR = ("ada", "bob", "cyd", "dan")


def final_terms(best: int = 2, form: TournamentFormat | None = None) -> HostedTournamentTerms:
    return cup_terms(form or Elimination(), qualification=Qualification(tournament="cup", best=best))


def final(terms: HostedTournamentTerms, *bots: str) -> TournamentRequest:
    return tournament_request(terms, *bots, name="final", request_id="final")


async def create_both(harness: HostingHarness, terms: HostedTournamentTerms) -> None:
    await harness.tournaments.create(tournament_request(cup_terms(RoundRobin()), *FOUR))
    await harness.tournaments.create(final(terms))


async def best_of_cup(harness: HostingHarness, best: int) -> list[str]:
    state = await harness.tournaments.get("cup")
    return [row.standing.entrant for row in await harness.tournaments.tables.rows(state)][:best]


async def test_the_best_of_a_stage_play_the_next_one_in_the_order_of_the_standings() -> None:
    harness = await open_process(*FOUR)
    await create_both(harness, final_terms(3))
    harness.connect(*FOUR)
    await harness.tournaments.start("cup")
    await harness.until_over("cup")
    state = await harness.until_over("final")
    assert list(state.tournament.entrants) == await best_of_cup(harness, 3)
    assert state.tournament.phase == "finished"


async def test_the_next_stage_starts_after_a_restart_between_the_two() -> None:
    first = await open_process(*FOUR)
    await create_both(first, final_terms())
    await first.tournaments.workers.close()  # As if the process was killed before the next stage began.
    await first.tournaments.start("cup")
    for name in FOUR[:3]:
        await first.tournaments.withdraw("cup", name)
    assert (await first.tournaments.get("final")).tournament.phase == "entry"
    second = await reopen(first)
    await settle()
    state = await second.tournaments.get("final")
    assert state.tournament.phase == "cancelled", "only one entrant is left"


async def test_an_entrant_that_has_withdrawn_does_not_qualify() -> None:
    harness = await open_process(*FOUR)
    await create_both(harness, final_terms(3))
    await harness.tournaments.start("cup")
    await harness.tournaments.withdraw("cup", "ada")
    harness.connect("bob", "cyd", "dan")
    state = await harness.until_over("final")
    assert {*state.tournament.entrants} == {"bob", "cyd", "dan"}


async def test_a_stage_is_cancelled_with_the_one_before() -> None:
    harness = await open_process(*FOUR)
    await create_both(harness, final_terms())
    await harness.tournaments.cancel("cup", "rain")
    state = await harness.until_over("final")
    assert state.tournament.phase == "cancelled"


async def test_a_stage_takes_no_other_entrants() -> None:
    harness = await open_process(*FOUR, "eve")
    await create_both(harness, final_terms())
    with pytest.raises(BadField, match="the entrants of final come from cup"):
        await harness.tournaments.enter("final", entrant("eve"))
    with pytest.raises(BadField, match="they come from cup"):
        await harness.tournaments.create(replace(final(final_terms(), "eve"), name="other", request_id="other"))


async def test_a_stage_must_follow_a_tournament_of_the_same_organiser_and_match_terms() -> None:
    harness = await open_process(*FOUR)
    with pytest.raises(NoSuchTournament):
        await harness.tournaments.create(final(final_terms()))
    await start_tournament(harness, cup_terms(RoundRobin()), *FOUR)
    with pytest.raises(BadField, match="same organiser"):
        await harness.tournaments.create(replace(final(final_terms()), organiser="another"))
    with pytest.raises(BadField, match="same match terms"):
        await harness.tournaments.create(
            final(cup_terms(Elimination(), options={"heap": 7}, qualification=Qualification(tournament="cup", best=2)))
        )
    for best in (1, 1_001):
        with pytest.raises(BadField, match="from 2 to 1000"):
            await harness.tournaments.create(final(final_terms(best)))
    few = cup_terms(Elimination(), qualification=Qualification(tournament="cup", best=3), max_entrants=2)
    with pytest.raises(BadField, match="from 2 to 2, the entrants that this tournament takes"):
        await harness.tournaments.create(final(few))
    created = await harness.tournaments.create(final(final_terms()))
    assert (await harness.tournaments.create(final(final_terms()))).name == created.name
