"""Tournaments that a ladder rates and seeds, and those whose entrants are the best of the stage before."""

import pytest
from msgspec.structs import replace
from referee_values import Elimination, Qualification, RoundRobin, Swiss

from referee.accounts.account_errors import BadField
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.ladder.state import Ladder, evolve
from referee.contests.ladder.state import LadderPlayTerms as LadderPlay
from referee.contests.strength.rating import RatingRecord, SkillRating
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.hosting_errors import NoSuchLadder, NoSuchTournament
from referee.hosting.ladder_host import LadderRequest
from referee.hosting.ladder_ratings import seed_rating, team_seed_rating
from referee.hosting.tournament_host import TournamentRequest
from referee.match.setup import Player
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    cup_terms,
    entrant,
    open_process,
    reopen,
    start_tournament,
    tournament_request,
)
from tests.hosting.ladder_harness import ladder_terms
from tests.live.fake_time import settle


async def test_every_scored_match_is_rated_once_and_the_ratings_seed_the_next_tournament() -> None:
    harness = await open_process("ada", "bob", "cyd", online=MANY_MATCHES)
    harness.voided = frozenset({"1.1/1.1"})
    rated_terms = cup_terms(RoundRobin(cycles=2), ladder="main")
    with pytest.raises(NoSuchLadder):
        await harness.tournaments.create(tournament_request(rated_terms, "ada", "bob", "cyd"))
    await harness.ladders.create(
        LadderRequest("main", "org", "r1", replace(ladder_terms(), match_terms=rated_terms.match_terms))
    )
    await start_tournament(harness, rated_terms, "ada", "bob", "cyd")
    await harness.until_over("cup")
    ratings = (await harness.ladders.get("main")).ladder.current_season.ratings
    assert {player: record.matches for player, record in ratings.items()} == {
        Player(name, "1"): 4 for name in ("ada", "bob", "cyd")
    }
    seeded_terms = cup_terms(RoundRobin(), seeding="rating", ladder="main")
    await harness.tournaments.create(
        tournament_request(seeded_terms, "ada", "bob", "cyd", name="next", request_id="r2")
    )
    state = await harness.tournaments.start("next")
    by_rating = sorted(ratings, key=lambda player: -ratings[player].rating.value)
    assert list(state.tournament.entrants) == [player.bot for player in by_rating]
    assert state.tournament.entrants["ada"].rating == ratings[Player("ada", "1")].rating.value
    await harness.until_over("next")


def test_partners_are_seeded_by_their_shared_rating() -> None:
    joined = EntrantJoined(ContestEntrant("reds", (Player("ada"), Player("bob"))))
    ladder = evolve(Ladder(LadderPlay("main", bytes(32), bots_per_entrant=2)), joined)
    shared_rating = RatingRecord(SkillRating(1600, 50), 9)
    ladder = replace(ladder, current_season=replace(ladder.current_season, ratings={Player("reds"): shared_rating}))
    assert seed_rating(ladder, (Player("ada"), Player("bob"))) == 1600
    assert seed_rating(ladder, (Player("bob"), Player("ada"))) is None
    assert seed_rating(ladder, (Player("ada"), Player("cyd"))) is None


async def test_teams_are_seeded_by_the_average_rating_of_their_bots() -> None:
    bots = ("ada", "bob", "cyd", "dan")
    harness = await open_process(*bots, online=MANY_MATCHES)
    await harness.store.register("eve", "fay")
    rated_terms = cup_terms(RoundRobin(), ladder="main")
    await harness.ladders.create(
        LadderRequest("main", "org", "r1", replace(ladder_terms(), match_terms=rated_terms.match_terms))
    )
    await start_tournament(harness, rated_terms, *bots)
    await harness.until_over("cup")
    ladder = (await harness.ladders.get("main")).ladder
    ratings = {player.bot: record.rating.value for player, record in ladder.current_season.ratings.items()}
    best, *_, worst = sorted(ratings, key=lambda bot: -ratings[bot])
    team_terms = cup_terms(Swiss(rounds=1), seeding="rating", boards=2, ladder="main")
    teams = (entrant("eve", "fay", name="new"), entrant(best, worst, name="mixed"))
    request = replace(tournament_request(team_terms, name="teams", request_id="r2"), entrants=teams)
    await harness.tournaments.create(request)
    state = await harness.tournaments.start("teams")
    assert list(state.tournament.entrants) == ["mixed", "new"]
    assert state.tournament.entrants["mixed"].rating == (ratings[best] + ratings[worst]) / 2
    assert team_seed_rating(ladder, (Player("eve"), Player(best))) == ratings[best]


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
