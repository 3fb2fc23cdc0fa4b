"""Tournaments of every format, played to the end."""

import pytest

from referee.contests.tournament.state import TournamentPhase
from referee.contests.tournament.tournament_terms import (
    Elimination,
    Gauntlet,
    Pools,
    RoundRobin,
    Swiss,
    TournamentFormat,
)
from referee.hosting.tournament_tables import cross_table, rows
from tests.hosting.harness import HostingHarness, Store, terms, wish
from tests.live.runner_harness import in_loop

BOTS = ("ada", "bob", "cyd", "dan", "eve")

FORMATS: dict[str, tuple[TournamentFormat, int, str, int]] = {
    "everybody twice": (RoundRobin(2), 4, "nim", 12),
    "a swiss": (Swiss(3), 5, "nim", 6),
    "a knock-out": (Elimination(third_place=True), 4, "nim", 4),
    "a double knock-out": (Elimination(twice=True), 4, "nim", 6),
    "a gauntlet": (Gauntlet(("ada",), 2), 4, "nim", 6),
    "pools": (Pools(2, 3), 5, "stones", 2),
}
"""Each format with its number of entrants, the game, and the least number of matches."""


@pytest.mark.parametrize("form", FORMATS)
def test_it_is_played_to_the_end_and_every_match_counts_once(form: str) -> None:
    @in_loop
    async def played() -> None:
        asked, many, game, at_least = FORMATS[form]
        store, bots = Store(), BOTS[:many]
        await store.register(*bots)
        harness = HostingHarness(store)
        await harness.open()
        harness.come(*bots)
        await harness.tournaments.create(wish(terms(asked, game), *bots))
        await harness.tournaments.start("cup")
        state = await harness.over("cup")
        assert state.tournament.phase is TournamentPhase.FINISHED
        table = rows(state)
        assert {row.standing.entrant for row in table} == {*bots}
        assert table[0].standing.rank == 1
        matches = [match_id for course in state.tournament.pairings.values() for match_id in course.match_ids.values()]
        assert len(matches) == len(set(matches)) >= at_least
        assert await store.matches.unfinished() == []
        assert {match_id for _, cells in cross_table(state) for cell in cells for match_id in cell.match_ids} == {
            *matches
        }
        await harness.close()

    played()


@pytest.mark.slow
@in_loop
async def test_partners_who_change_share_the_points_of_their_side() -> None:
    store, bots = Store(), BOTS[:5]
    await store.register(*bots)
    harness = HostingHarness(store)
    await harness.open()
    harness.come(*bots)
    await harness.tournaments.create(wish(terms(Pools(3, 4, ((0, 2), (1, 3))), "toc"), *bots))
    await harness.tournaments.start("cup")
    state = await harness.over("cup")
    partners = set[frozenset[str]]()
    tables = [course for course in state.tournament.pairings.values() if not course.pairing.is_bye]
    for course in tables:
        (match_id,) = course.match_ids.values()
        match = (await harness.referee.status(match_id)).match
        assert match.result
        for side in ((0, 2), (1, 3)):
            names = [match.players[seat].bot for seat in side]
            assert {course.points_of(name) for name in names} == {2 - match.result.ranks[side[0]]}
            partners.add(frozenset(names))
    assert len(tables) == 3
    assert len(partners) == 6
    await harness.close()
