"""The worker of a tournament when bots are offline, busy, paused or disconnected, and when something fails."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from referee_api.v1 import play_pb2
from referee_values import Elimination, Gauntlet, Opening, RoundRobin, SeatMove, SeatOdds, Swiss, TimeControl

from referee.accounts.bots import BotPause, PauseCause, Version, paused, resumed
from referee.contests.contest_entrant import EntrantJoined
from referee.contests.pairing import ContestMatchStarted
from referee.contests.tournament.events import TournamentEnded
from referee.contests.tournament.tournament_terms import Pools, TournamentFormat
from referee.hosting.contest_log import ContestEntry, ContestEvent, TournamentCreated
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.tournament_tables import cross_table, rows
from referee.live.match_request import SET
from referee.live.ports import StoreUnavailable
from referee.live.referee import RefereeDraining
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from referee.match.result import EndCause, EndKind
from referee.match.setup import Player
from referee.transport.wire.accounts import bot_log_entry_of
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    cup_terms,
    entrant,
    kill_process,
    open_process,
    open_with_tournament,
    start_tournament,
)
from tests.live.fake_time import settle
from tests.live.referee_harness import GAMES

FOUR = ("ada", "bob", "cyd", "dan")


async def pairs_with_results(harness: HostingHarness, name: str = "cup") -> list[set[str]]:
    """Return the entrants of each pairing with a result, in the order of pairings."""
    state = await harness.tournaments.get(name)
    return [{*progress.pairing.entrants} for progress in state.tournament.pairings.values() if progress.scores]


async def test_a_pairing_with_an_offline_bot_blocks_no_other_even_under_a_limit() -> None:
    harness = await open_process(*FOUR)
    harness.connect("bob", "cyd", "dan")
    await start_tournament(harness, cup_terms(RoundRobin(), max_concurrent_matches=1), *FOUR)
    state = await harness.until(
        "cup", lambda state: not state.tournament.matches_in_play and len(state.tournament.open_pairings) == 3
    )
    assert all("ada" in progress.pairing.entrants for progress in state.tournament.open_pairings)
    harness.connect("ada")
    assert (await harness.until_over("cup")).tournament.phase == "finished"


async def test_all_tournaments_together_respect_the_room_of_a_bot() -> None:
    harness = await open_process(*FOUR, silent=True, online=Hello(max_matches=2))
    for name in ("one", "two", "three"):
        await start_tournament(harness, cup_terms(RoundRobin()), *FOUR, name=name)
    for name in FOUR:
        assert sum(Player(name, "1") in match.players for match in harness.referee.live_matches) == 2


async def test_a_pairing_of_a_paused_bot_waits_until_it_is_resumed() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin()), "ada", "bob", "cyd")
    await harness.store.accounts.change_bot("ada", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "rest", 1)))
    harness.connect("ada", "bob", "cyd")
    await settle()
    assert await pairs_with_results(harness) == [{"bob", "cyd"}]
    await harness.store.accounts.change_bot("ada", resumed)
    await harness.time.advance(SECOND)
    await harness.until_over("cup")


async def test_a_match_with_a_referee_fault_is_retried_with_exponential_backoff() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin()), "ada", "bob", silent=True, online=MANY_MATCHES)
    for backoff_s in (1, 2, 4):
        (match,) = harness.referee.live_matches
        await harness.referee.void(match.setup.match_id, EndCause.REFEREE_FAULT, "it broke")
        await harness.time.advance(backoff_s * SECOND - 1)
        assert harness.referee.live_matches == []
        await harness.time.advance(1)
        assert len(harness.referee.live_matches) == 1
    state = await harness.tournaments.get("cup")
    assert [progress.void_counts for progress in state.tournament.pairings.values()] == [{1: 3}]
    await kill_process()


async def test_a_void_match_is_played_again_at_once_and_is_never_scored() -> None:
    harness = await open_process("ada", "bob")
    harness.voided = frozenset({"1.1/1.1", "1.1/1.2"})
    harness.connect("ada", "bob")
    await start_tournament(harness, cup_terms(RoundRobin()), "ada", "bob")
    state = await harness.until_over("cup")
    (progress,) = state.tournament.pairings.values()
    assert (progress.void_counts, len(progress.scores), len(progress.match_ids)) == ({1: 2}, 1, 3)
    results = [(await harness.referee.status(match_id)).match.result for match_id in progress.match_ids.values()]
    assert [result.kind for result in results if result] == [EndKind.VOID, EndKind.VOID, EndKind.PLAYED]


async def test_cancelling_a_tournament_voids_its_matches_in_play_even_after_a_crash() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin()), *FOUR[:3], silent=True, online=MANY_MATCHES)
    await start_tournament(harness, cup_terms(RoundRobin()), *FOUR[:3], name="other")
    assert len(harness.referee.live_matches) == 6
    await harness.tournaments.cancel("cup", "rain")
    await harness.tournaments.cancel("cup")
    await settle()
    assert len(harness.referee.live_matches) == 3
    await harness.contests.append(
        "tournament/other", (await harness.tournaments.get("other")).number, [TournamentEnded(cancelled=True)]
    )
    await kill_process()
    after = await open_process(store=harness.store)
    await settle()
    assert after.referee.live_matches == []
    assert (await after.tournaments.get("other")).tournament.phase == "cancelled"


async def test_a_draining_referee_creates_no_matches_and_still_records_results() -> None:
    harness = await open_process("ada", "bob", "cyd")
    harness.connect("ada", "bob", hello=Hello(max_matches=1))
    await start_tournament(harness, cup_terms(RoundRobin(cycles=3)), "ada", "bob", "cyd")
    await harness.until("cup", lambda state: len(state.tournament.open_pairings) < 9)
    await harness.referee.drain(0, 1)
    harness.connect("cyd")
    await settle()
    assert {frozenset(pair) for pair in await pairs_with_results(harness)} == {frozenset(("ada", "bob"))}
    with pytest.raises(RefereeDraining):
        await start_tournament(harness, cup_terms(RoundRobin()), "ada", "bob", name="other")


async def test_partners_get_the_seats_of_their_side_and_sides_alternate() -> None:
    harness = await open_process(*FOUR, online=MANY_MATCHES)
    tournament_terms = cup_terms(RoundRobin(cycles=2), "stones", {"seats": 4, "teams": True}, partners="fixed")
    pairs = (entrant("ada", "bob", name="reds"), entrant("cyd", "dan", name="blues"))
    await start_tournament(harness, tournament_terms, *pairs)
    state = await harness.until_over("cup")
    seatings = set()
    for progress in state.tournament.pairings.values():
        match = (await harness.referee.status(progress.match_ids[1, 1])).match
        seatings.add("".join(player.bot[0] for player in match.players))
        assert match.result
        first = "reds" if match.players[0].bot == "ada" else "blues"
        side = progress.pairing.entrants.index(first)
        assert progress.scores[1].ranks[side] == match.result.side_ranks[0]
    assert seatings == {"acbd", "cadb"}


async def test_matches_of_a_set_share_seed_and_opening_with_exchanged_seats() -> None:
    harness = await open_process("ada", "bob", online=MANY_MATCHES)
    openings = (Opening(moves=(SeatMove(seat=0, move="1"),)), Opening(moves=(SeatMove(seat=0, move="2"),)))
    tournament_terms = cup_terms(RoundRobin(cycles=2), openings=openings)
    await start_tournament(harness, tournament_terms, "ada", "bob")
    state = await harness.until_over("cup")
    sets = []
    for progress in state.tournament.pairings.values():
        setups = [(await harness.referee.status(match_id)).match.setup for match_id in progress.match_ids.values()]
        assert len({(setup.seed, setup.opening, dict(setup.labels)[SET]) for setup in setups}) == 1
        assert [setup.players for setup in setups] == [setups[0].players, setups[0].players[::-1]]
        sets.append((setups[0].seed, setups[0].opening))
    assert len({seed for seed, _ in sets}) == len({opening for _, opening in sets}) == 2


@pytest.mark.parametrize("turns", range(0, 24, 3))
async def test_a_tournament_cancelled_while_it_creates_a_match_leaves_no_match_in_play(turns: int) -> None:
    terms = cup_terms(RoundRobin(cycles=2))
    harness = await open_with_tournament(terms, *FOUR[:3], silent=True, online=MANY_MATCHES)
    for _ in range(turns):
        await asyncio.sleep(0)
    await harness.tournaments.cancel("cup")
    await settle()
    assert harness.referee.live_matches == []


async def test_no_match_is_created_while_the_log_is_unavailable_and_play_continues_afterwards() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin()), "ada", "bob")
    harness.crash.store_unavailable = True
    harness.connect("ada", "bob")
    await settle()
    assert harness.referee.live_matches == []
    harness.crash.store_unavailable = False
    await harness.time.advance(SECOND)
    await harness.until_over("cup")


async def test_a_match_whose_start_could_not_be_recorded_is_recorded_a_second_later() -> None:
    harness = await open_process("ada", "bob", silent=True)
    append = harness.contests.append

    async def append_except_starts(contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        if isinstance(events[0], ContestMatchStarted):
            raise StoreUnavailable("the disk is full")
        return await append(contest, after, events)

    harness.contests.append = append_except_starts  # type: ignore[method-assign]
    harness.connect("ada", "bob", hello=Hello(max_matches=1))
    await start_tournament(harness, cup_terms(RoundRobin()), "ada", "bob")
    (match,) = harness.referee.live_matches
    state = await harness.tournaments.get("cup")
    assert not state.playing
    harness.contests.append = append  # type: ignore[method-assign]
    await harness.time.advance(SECOND)
    await settle()
    state = await harness.tournaments.get("cup")
    assert [state.match_id(due) for due in state.playing] == [match.setup.match_id]


async def test_a_tournament_whose_game_was_removed_is_reported_and_blocks_no_other() -> None:
    harness = await open_with_tournament(cup_terms(RoundRobin()), "ada", "bob")
    await start_tournament(harness, cup_terms(RoundRobin(), "fingers", {"seats": 2}), "ada", "bob", name="gone")
    await kill_process()
    after = HostingHarness(harness.store, games={name: game for name, game in GAMES.items() if name != "fingers"})
    await after.open()
    after.connect("ada", "bob")
    await after.until_over("cup")
    assert [contest for contest, _ in after.faults] == ["tournament/gone"]
    after.faults.clear()


async def test_a_fault_in_a_tournament_is_reported_and_retried_after_a_minute() -> None:
    harness = await open_process("ada", "bob", online=MANY_MATCHES)
    valid_terms = cup_terms(RoundRobin())
    stranger = TimeControl(odds=(SeatOdds(seat=9),))
    invalid_terms = replace(valid_terms, match_terms=(replace(valid_terms.match_terms[0], time_control=stranger),))
    created = TournamentCreated("cup", "cup", "org", "r1", invalid_terms)
    players = [EntrantJoined(entrant(name)) for name in ("ada", "bob")]
    await harness.contests.append("tournament/cup", 0, [created, *players])
    await kill_process()
    after = await open_process(store=harness.store)
    after.connect("ada", "bob")
    await after.tournaments.start("cup")
    await settle()
    await after.time.advance(60 * SECOND)
    assert [contest for contest, _ in after.faults] == ["tournament/cup"] * 2
    after.faults.clear()


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


def frozen_terms(**more: object) -> HostedTournamentTerms:
    return cup_terms(RoundRobin(), freeze_versions=True, **more)  # type: ignore[arg-type]


async def bots_of(harness: HostingHarness) -> dict[str, tuple[Player, ...]]:
    return (await harness.tournaments.get("cup")).bots()


async def versions_played(harness: HostingHarness) -> set[Player]:
    matches = [(await harness.referee.status(match_id)).match for match_id in await harness.store.match_ids()]
    return {player for match in matches for player in match.players}


async def notices(harness: HostingHarness, bot: str) -> list[tuple[int, str]]:
    """Return the kinds and messages of the notices in the log of a bot, as its owner reads them."""
    entries = map(bot_log_entry_of, await harness.bot_log.read(bot))
    return [(entry.notice.kind, entry.notice.message) for entry in entries if entry.HasField("notice")]


async def test_the_version_that_is_online_at_the_start_is_frozen_else_the_latest_one() -> None:
    harness = await open_process("ada", "bob", versions=("1", "2"))
    harness.connect("ada", version="1")
    await start_tournament(harness, frozen_terms(), "ada", "bob")
    assert await bots_of(harness) == {"ada": (Player("ada", "1"),), "bob": (Player("bob", "2"),)}
    harness.connect("bob", version="2")
    await harness.until_over("cup")
    assert await versions_played(harness) == {Player("ada", "1"), Player("bob", "2")}


async def test_a_bot_that_comes_with_another_version_waits_for_the_frozen_one() -> None:
    harness = await open_process("ada", "bob", versions=("1", "2"))
    harness.connect("bob", version="1")
    await start_tournament(harness, frozen_terms(), "ada", "bob")
    harness.connect("ada", version="1")
    await settle()
    await settle()
    state = await harness.tournaments.get("cup")
    assert state.tournament.phase == "playing"
    assert not any(progress.match_ids for progress in state.tournament.open_pairings)
    wanted = "ada plays in cup with version 2, which is frozen; 1 gets no match there"
    assert await notices(harness, "ada") == [(play_pb2.NOTICE_KIND_VERSION_FROZEN, wanted)]
    harness.connect("ada", version="2")
    await harness.until_over("cup")
    assert await notices(harness, "ada") == [(play_pb2.NOTICE_KIND_VERSION_FROZEN, wanted)]


async def test_without_a_freeze_any_version_plays() -> None:
    harness = await open_process("ada", "bob", versions=("1", "2"))
    harness.connect("ada", "bob", version="1")
    await start_tournament(harness, cup_terms(RoundRobin()), "ada", "bob")
    await harness.until_over("cup")
    assert await bots_of(harness) == {"ada": (Player("ada"),), "bob": (Player("bob"),)}


async def test_late_entrants_and_bots_that_were_never_connected_are_frozen_when_they_come() -> None:
    harness = await open_process("ada", "bob", "cyd")
    await harness.store.register("dan", versions=())
    terms = cup_terms(Swiss(rounds=2), last_entry_round=1, freeze_versions=True)
    await start_tournament(harness, terms, "ada", "bob", "dan")
    await harness.tournaments.enter("cup", entrant("cyd"))
    await settle()
    bots = await bots_of(harness)
    assert (bots["cyd"], bots["dan"]) == ((Player("cyd", "1"),), (Player("dan"),))
    await harness.store.accounts.add_version(Version("dan", "7", 1), 100)
    harness.connect("dan", version="7")
    await settle()
    assert (await bots_of(harness))["dan"] == (Player("dan", "7"),)
    await harness.tournaments.cancel("cup")
