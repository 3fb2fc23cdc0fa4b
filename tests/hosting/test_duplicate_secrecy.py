"""Matches of a set stay secret until all of them are over, and no longer."""

from collections.abc import Sequence

from referee.contests.pairing import DuplicateSets
from referee.contests.tournament.tournament_terms import RoundRobin
from referee.hosting.contest_log import LADDER, TOURNAMENT
from referee.hosting.contest_terms import DuplicatePlay
from referee.hosting.contest_workers import DuplicateSecrecy
from referee.live.ports import Entry
from referee.match.events import PlayEnded
from referee.match.state import Match
from tests.hosting.harness import HostingHarness, Store, terms, wish
from tests.hosting.ladder_harness import ladder_terms, new_ladder, rated, until
from tests.live.runner_harness import in_loop


class Hearing:
    """Observes whether a match is secret when its end is announced."""

    def __init__(self, harness: HostingHarness) -> None:
        self.sealed = DuplicateSecrecy({LADDER: harness.ladders.workers, TOURNAMENT: harness.tournaments.workers})
        self.at_ends: list[bool] = []
        harness.referee.subscribe(self)

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        if isinstance(entries[-1].event, PlayEnded):
            self.at_ends.append(self.sealed(match))

    def on_fault(self, match_id: str, fault: Exception) -> None:
        raise AssertionError(match_id) from fault

    def on_presence_changed(self, bot: str) -> None:
        """Ignored."""


async def new_harness() -> HostingHarness:
    store = Store()
    await store.register("a", "b")
    harness = HostingHarness(store)
    await harness.open()
    return harness


@in_loop
async def test_the_last_match_of_a_tournaments_set_is_open_as_soon_as_it_is_over() -> None:
    harness = await new_harness()
    hearing = Hearing(harness)
    harness.voided = frozenset({"1.1/2.1"})
    harness.come("a", "b")
    twice = terms(RoundRobin(), duplicate=DuplicateSets(2), matches_at_once=1)
    await harness.tournaments.create(wish(twice, "a", "b"))
    await harness.tournaments.start("cup")
    await harness.over("cup")
    assert hearing.at_ends == [True, True, False]  # The second became void and was played again.
    await harness.close()


@in_loop
async def test_so_is_that_of_a_ladders_set() -> None:
    harness = await new_harness()
    hearing = Hearing(harness)
    await new_ladder(harness, ladder_terms(duplicate=DuplicatePlay(), matches_at_once=1), "a", "b")
    harness.come("a", "b")
    await until(harness, rated(2))
    assert hearing.at_ends[:2] == [True, False]
    await harness.close()
