"""Tournaments of every format, played to the end by a real referee in one process."""

import pytest

from referee.app.contests.tournament_tables import cross_table, rows
from referee.contest.formats import Elimination, Format, Gauntlet, Pools, RoundRobin, Swiss
from referee.contest.tournament import Phase
from tests.app.contests.stage import Stage, Store, terms, wish
from tests.app.scene import in_loop

BOTS = ("ada", "bob", "cyd", "dan", "eve")

FORMATS: dict[str, tuple[Format, int, str, int]] = {
    "everybody twice": (RoundRobin(2), 4, "nim", 12),
    "a swiss": (Swiss(3), 5, "nim", 6),
    "a knock-out": (Elimination(third_place=True), 4, "nim", 4),
    "a double knock-out": (Elimination(twice=True), 4, "nim", 6),
    "a gauntlet": (Gauntlet(("ada",), 2), 4, "nim", 6),
    "pools": (Pools(2, 3), 5, "stones", 2),
}
"""With how many entrants, which game, and at least how many matches."""


@pytest.mark.parametrize("form", FORMATS)
def test_it_is_played_to_the_end_and_every_match_counts_once(form: str) -> None:
    @in_loop
    async def played() -> None:
        asked, many, game, at_least = FORMATS[form]
        store, bots = Store(), BOTS[:many]
        await store.register(*bots)
        stage = Stage(store)
        await stage.open()
        stage.come(*bots)
        await stage.tournaments.create(wish(terms(asked, game), *bots))
        await stage.tournaments.start("cup")
        held = await stage.over("cup")
        assert held.tournament.phase is Phase.FINISHED
        table = rows(held)
        assert {row.standing.entrant for row in table} == {*bots}
        assert table[0].standing.rank == 1
        matches = [match_id for course in held.tournament.courses.values() for match_id in course.match_ids.values()]
        assert len(matches) == len(set(matches)) >= at_least
        assert await store.matches.unfinished() == []
        assert {match_id for _, cells in cross_table(held) for cell in cells for match_id in cell.match_ids} == {
            *matches
        }
        await stage.close()

    played()


@pytest.mark.slow
@in_loop
async def test_partners_who_change_share_the_points_of_their_side() -> None:
    store, bots = Store(), BOTS[:5]
    await store.register(*bots)
    stage = Stage(store)
    await stage.open()
    stage.come(*bots)
    await stage.tournaments.create(wish(terms(Pools(3, 4, ((0, 2), (1, 3))), "toc"), *bots))
    await stage.tournaments.start("cup")
    held = await stage.over("cup")
    partners = set[frozenset[str]]()
    tables = [course for course in held.tournament.courses.values() if not course.pairing.bye]
    for course in tables:
        (match_id,) = course.match_ids.values()
        match = (await stage.referee.standing(match_id)).match
        assert match.result
        for side in ((0, 2), (1, 3)):
            names = [match.players[seat].bot for seat in side]
            assert {course.points_of(name) for name in names} == {2 - match.result.ranks[side[0]]}
            partners.add(frozenset(names))
    assert len(tables) == 3
    assert len(partners) == 6
    await stage.close()
