"""Tournaments of every format, played to the end."""

import pytest
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from referee.contests.tournament.tournament_terms import Pools, TournamentFormat
from referee.hosting.tournament_tables import cross_table, rows
from tests.hosting.harness import Store, cup_terms, open_process, start_tournament

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
    store, bots = Store(), BOTS[:count]
    await store.register(*bots)
    harness = await open_process(store=store)
    harness.connect(*bots)
    await start_tournament(harness, cup_terms(form_terms, game), *bots)
    state = await harness.until_over("cup")
    assert state.tournament.phase == "finished"
    table = rows(state)
    assert {row.standing.entrant for row in table} == {*bots}
    assert table[0].standing.rank == 1
    matches = [match_id for progress in state.tournament.pairings.values() for match_id in progress.match_ids.values()]
    assert len(matches) == len(set(matches)) >= at_least
    assert await store.matches.unfinished() == []
    assert {match_id for _, cells in cross_table(state) for cell in cells for match_id in cell.match_ids} == {*matches}


@pytest.mark.slow
async def test_changing_partners_share_the_points_of_their_side() -> None:
    store, bots = Store(), BOTS[:5]
    await store.register(*bots)
    harness = await open_process(store=store)
    harness.connect(*bots)
    await start_tournament(harness, cup_terms(Pools(3, 4, ((0, 2), (1, 3))), "toc"), *bots)
    state = await harness.until_over("cup")
    all_partners = set[frozenset[str]]()
    matches_played = [progress for progress in state.tournament.pairings.values() if not progress.pairing.is_bye]
    for progress in matches_played:
        (match_id,) = progress.match_ids.values()
        match = (await harness.referee.status(match_id)).match
        assert match.result
        for side in ((0, 2), (1, 3)):
            names = [match.players[seat].bot for seat in side]
            assert {progress.points_of(name) for name in names} == {2 - match.result.ranks[side[0]]}
            all_partners.add(frozenset(names))
    assert len(matches_played) == 3
    assert len(all_partners) == 6
