"""What the matches of a set would tell stays sealed until all of them are over, and not a moment longer."""

from collections.abc import Sequence

from referee.app.contests.log import LADDER, TOURNAMENT
from referee.app.contests.sealed import Sealed
from referee.app.contests.terms import DuplicatePlay
from referee.app.ports import Entry
from referee.contest.duplicate import Duplicate
from referee.contest.formats import RoundRobin
from referee.core.events import PlayEnded
from referee.core.match import Match
from tests.app.contests.ladder_stage import ladder_terms, new_ladder, rated, until
from tests.app.contests.stage import Stage, Store, terms, wish
from tests.app.scene import in_loop


class Hearing:
    """A `floor.Follower`: is what a match would tell sealed, when its end is announced?"""

    def __init__(self, stage: Stage) -> None:
        self.sealed = Sealed({LADDER: stage.ladders, TOURNAMENT: stage.tournaments})
        self.at_ends: list[bool] = []
        stage.referee.follow(self)

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        if isinstance(entries[-1].event, PlayEnded):
            self.at_ends.append(self.sealed(match))

    def broke(self, match_id: str, fault: Exception) -> None:
        raise AssertionError(match_id) from fault

    def presence_changed(self, bot: str) -> None:
        """Nobody asks."""


async def set_stage() -> Stage:
    store = Store()
    await store.register("a", "b")
    stage = Stage(store)
    await stage.open()
    return stage


@in_loop
async def test_the_last_match_of_a_tournaments_set_is_open_as_soon_as_it_is_over() -> None:
    stage = await set_stage()
    hearing = Hearing(stage)
    stage.voided = frozenset({"1.1/2.1"})
    stage.come("a", "b")
    twice = terms(RoundRobin(), duplicate=Duplicate(2), matches_at_once=1)
    await stage.tournaments.create(wish(twice, "a", "b"))
    await stage.tournaments.start("cup")
    await stage.over("cup")
    assert hearing.at_ends == [True, True, False]  # The second became void, and was played again.
    await stage.close()


@in_loop
async def test_so_is_that_of_a_ladders_set() -> None:
    stage = await set_stage()
    hearing = Hearing(stage)
    await new_ladder(stage, ladder_terms(duplicate=DuplicatePlay(), matches_at_once=1), "a", "b")
    stage.come("a", "b")
    await until(stage, rated(2))
    assert hearing.at_ends[:2] == [True, False]
    await stage.close()
