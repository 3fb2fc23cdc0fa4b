"""Tournaments of every format, played to the end."""

import pytest
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from referee.contests.tournament.tournament_terms import Pools, TournamentFormat
from referee.hosting.tournament_tables import cross_table, rows
from tests.hosting.harness import MANY_MATCHES, cup_terms, open_with_tournament

BOTS = ("ada", "bob", "cyd", "dan", "eve")

FORMATS: dict[str, tuple[TournamentFormat, int, str, int]] = {
    "everybody twice": (RoundRobin(cycles=2), 4, "nim", 12),
    "a swiss": (Swiss(rounds=3), 5, "nim", 6),
    "a knock-out": (Elimination(third_place_match=True), 4, "nim", 4),
    "a double knock-out": (Elimination(double_elimination=True), 4, "nim", 6),
    "a gauntlet": (Gauntlet(challengers=("ada",), cycles=2), 4, "nim", 6),
    "pools": (Pools(2, 3), 5, "stones", 2),
}
"""Each format with its number of entrants, the game, and the least number of matches."""


@pytest.mark.parametrize("name", FORMATS)
async def test_a_tournament_of_every_format_ends_and_counts_every_match_once(name: str) -> None:
    form_terms, count, game, at_least = FORMATS[name]
    bots = BOTS[:count]
    harness = await open_with_tournament(cup_terms(form_terms, game), *bots, online=MANY_MATCHES)
    state = await harness.until_over("cup")
    assert state.tournament.phase == "finished"
    table = rows(state)
    assert {row.standing.entrant for row in table} == {*bots}
    assert table[0].standing.rank == 1
    matches = [match_id for progress in state.tournament.pairings.values() for match_id in progress.match_ids.values()]
    assert len(matches) == len(set(matches)) >= at_least
    assert await harness.store.matches.unfinished() == []
    assert {match_id for _, cells in cross_table(state) for cell in cells for match_id in cell.match_ids} == {*matches}
