"""Tournaments whose matches are rated on a ladder, and whose entrants are seeded by it."""

from dataclasses import replace

import pytest

from referee.app.contests.ladder_wish import LadderWish
from referee.app.contests.refusals import UnknownLadder
from referee.app.contests.seeds import rating_on
from referee.app.contests.terms import LadderTerms
from referee.contest.formats import RoundRobin
from referee.contest.ladder import Ladder, evolve
from referee.contest.ladder_events import Entrant as ClimbingEntrant
from referee.contest.ladder_events import Joined
from referee.contest.ladder_terms import Terms as LadderPlay
from referee.contest.rated import Rated
from referee.contest.rating import Rating
from referee.contest.terms import Seeding
from referee.core.setup import Player
from tests.app.contests.stage import Stage, Store, terms, wish
from tests.app.scene import in_loop


@in_loop
async def test_every_match_that_counts_is_rated_once_and_the_next_tournament_is_seeded_by_it() -> None:
    store = Store()
    await store.register("ada", "bob", "cyd")
    stage = Stage(store)
    await stage.open()
    stage.come("ada", "bob", "cyd")
    stage.voided = frozenset({"1.1/1.1"})
    rated = replace(terms(RoundRobin(2)), ladder="main")
    with pytest.raises(UnknownLadder):
        await stage.tournaments.create(wish(rated, "ada", "bob", "cyd"))
    await stage.ladders.create(LadderWish("main", "org", "r1", LadderTerms(rated.match_terms)))
    await stage.tournaments.create(wish(rated, "ada", "bob", "cyd"))
    await stage.tournaments.start("cup")
    await stage.over("cup")
    ratings = (await stage.ladders.ladder("main")).ladder.standing.ratings
    assert {player: known.matches for player, known in ratings.items()} == {
        Player(name, "1"): 4 for name in ("ada", "bob", "cyd")
    }
    seeded = replace(terms(RoundRobin(), seeding=Seeding.RATING), ladder="main")
    await stage.tournaments.create(wish(seeded, "ada", "bob", "cyd", name="next", request_id="r2"))
    held = await stage.tournaments.start("next")
    best_first = sorted(ratings, key=lambda player: -ratings[player].rating.value)
    assert list(held.tournament.entrants) == [player.bot for player in best_first]
    assert held.tournament.entrants["ada"].rating == ratings[Player("ada", "1")].rating.value
    await stage.over("next")
    await stage.close()


def test_partners_are_seeded_by_the_rating_that_they_have_together() -> None:
    reds = Joined(ClimbingEntrant("reds", (Player("ada"), Player("bob"))))
    ladder = evolve(Ladder(LadderPlay("main", bytes(32), bots=2)), reds)
    together = Rated(Rating(1600, 50), 9)
    ladder = replace(ladder, standing=replace(ladder.standing, ratings={Player("reds"): together}))
    assert rating_on(ladder, (Player("ada"), Player("bob"))) == 1600
    assert rating_on(ladder, (Player("bob"), Player("ada"))) is None
    assert rating_on(ladder, (Player("ada"), Player("cyd"))) is None
