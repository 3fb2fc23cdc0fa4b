"""Tournaments whose matches are rated on a ladder, and whose entrants are seeded by its ratings."""

import pytest
from msgspec.structs import replace
from referee_values import RoundRobin, Swiss

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.ladder.state import Ladder, evolve
from referee.contests.ladder.state import LadderPlayTerms as LadderPlay
from referee.contests.strength.rating import RatingRecord, SkillRating
from referee.hosting.hosting_errors import NoSuchLadder
from referee.hosting.ladder_host import LadderRequest
from referee.hosting.ladder_ratings import seed_rating, team_seed_rating
from referee.match.setup import Player
from tests.hosting.harness import MANY_MATCHES, cup_terms, entrant, open_process, start_tournament, tournament_request
from tests.hosting.ladder_harness import ladder_terms


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
