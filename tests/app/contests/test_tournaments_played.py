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
