"""The worker of a tournament when bots are offline, busy, paused, disconnected or new, and when something fails."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from referee_api.v1 import play_pb2
from referee_values import Opening, RoundRobin, SeatMove, SeatOdds, Swiss, TimeControl

from engines.api import REFEREE
from referee.accounts.bots import BotPause, PauseCause, Version, paused, resumed
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.pairing import ContestMatchStarted
from referee.contests.strength.sprt_evaluation import SprtParameters
from referee.contests.tournament.events import TournamentEnded
from referee.contests.tournament.tournament_terms import Pools, SprtTrial
from referee.hosting.contest_log import ContestEntry, ContestEvent, TournamentCreated
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.live.match_request import SET
from referee.live.ports import StoreUnavailable
from referee.live.referee import RefereeDraining
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from referee.match.result import EndCause, EndKind
from referee.match.setup import Player
from referee.match.state import Match
from referee.transport.wire.accounts import bot_log_entry_of
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    choose_by_match,
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


def best_nim_move(match: Match, moves: Sequence[str]) -> str:
    """Leave a multiple of four in a game of Nim."""
    position = match.require_position()
    seat = position.owing[0]
    return next((move for move in moves if int(position.play(seat, move).text(REFEREE).split()[0]) % 4 == 0), moves[0])


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


async def test_no_more_matches_are_in_play_than_the_limit_of_the_tournament() -> None:
    terms = cup_terms(RoundRobin(cycles=2), max_concurrent_matches=5)
    harness = await open_with_tournament(terms, *FOUR, silent=True, online=MANY_MATCHES)
    assert len(harness.referee.live_matches) == 5


async def test_all_tournaments_together_respect_the_room_of_a_bot() -> None:
    harness = await open_process(*FOUR, silent=True, online=Hello(max_matches=2))
    for name in ("one", "two", "three"):
        await start_tournament(harness, cup_terms(RoundRobin()), *FOUR, name=name)
    for name in FOUR:
        assert sum(Player(name, "1") in match.players for match in harness.referee.live_matches) == 2


async def test_several_concurrent_tournaments_all_end() -> None:
    harness = await open_process("ada", "bob", "cyd", online=Hello(max_matches=2))
    for name in ("one", "two", "three"):
        await start_tournament(harness, cup_terms(RoundRobin(cycles=2)), "ada", "bob", "cyd", name=name)
    for name in ("one", "two", "three"):
        assert (await harness.until_over(name)).tournament.phase == "finished"


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
    assert [result.kind for result in results if result] == [
        EndKind.VOID,
        EndKind.VOID,
        EndKind.PLAYED,
    ]


async def test_a_withdrawn_entrant_finishes_its_matches_and_they_count() -> None:
    harness = await open_process("ada", "bob", "cyd")
    harness.connect("bob", "cyd")
    silent_session = harness.referee.sessions.open(Player("ada", "1"), Hello(max_matches=1))
    await start_tournament(harness, cup_terms(RoundRobin()), "ada", "bob", "cyd")
    state = await harness.until("cup", lambda state: len(state.tournament.open_pairings) == 2)
    (due,) = state.tournament.matches_in_play
    await harness.tournaments.withdraw("cup", "ada", "I am tired")
    await settle()
    assert len(harness.referee.live_matches) == 1
    harness.referee.sessions.close(silent_session)
    harness.connect("ada")
    state = await harness.until_over("cup")
    assert state.tournament.pairings[due.pairing.id].scores
    assert (
        sum(
            "ada" in progress.pairing.entrants and bool(progress.scores)
            for progress in state.tournament.pairings.values()
        )
        == 1
    )


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


async def test_an_sprt_trial_of_two_versions_stops_at_its_verdict() -> None:
    harness = await open_process("ada", versions=("1", "2"))
    harness.connect("ada", version="1")
    harness.connect("ada", version="2")
    harness.choose = lambda match, seat, moves: (
        choose_by_match(match, seat, moves) if match.players[seat].version == "1" else best_nim_move(match, moves)
    )
    old_version, new_version = (ContestEntrant(f"ada-{version}", bots=(Player("ada", version),)) for version in "12")
    tournament_terms = cup_terms(SprtTrial(SprtParameters(200)), options={"heap": 40}, max_concurrent_matches=6)
    await start_tournament(harness, tournament_terms, *(new_version, old_version))
    state = await harness.until_over("cup")
    assert state.tournament.trial_state
    assert state.tournament.trial_state.verdict == "passed"
    await settle()
    assert harness.referee.live_matches == []


async def test_a_trial_of_bots_without_randomness_counts_each_game_once_and_ends_undecided() -> None:
    harness = await open_process("ada", "bob", online=MANY_MATCHES)
    harness.choose = lambda match, seat, moves: (
        best_nim_move(match, moves) if match.players[seat].bot == "ada" else moves[0]
    )
    await start_tournament(harness, cup_terms(SprtTrial(SprtParameters(20)), max_concurrent_matches=2), "ada", "bob")
    state = await harness.until_over("cup")
    trial = state.tournament.trial_state
    assert trial
    assert (trial.verdict, trial.matches, trial.repeated) == ("undecided", 2, 20)
    assert trial.estimate.low < 0


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


async def test_changing_partners_share_the_rank_of_their_side() -> None:
    harness = await open_process(*FOUR, online=MANY_MATCHES)
    teams = {"seats": 4, "teams": True}
    await start_tournament(harness, cup_terms(Pools(3, 4, ((0, 2), (1, 3))), "stones", teams), *FOUR)
    state = await harness.until_over("cup")
    partners = set()
    for progress in state.tournament.pairings.values():
        sides = [frozenset(progress.pairing.entrants[position] for position in side) for side in progress.pairing.sides]
        partners.add(frozenset(sides))
        result = (await harness.referee.status(progress.match_ids[1, 1])).match.result
        assert result
        assert progress.scores[1].ranks == result.ranks
        assert (result.ranks[0], result.ranks[1]) == (result.ranks[2], result.ranks[3])
    assert len(partners) == 3


async def test_a_late_entrant_is_paired_from_the_next_round_on() -> None:
    harness = await open_process(*FOUR, "eve")
    harness.connect("ada", "bob", "cyd", "eve")
    await start_tournament(harness, cup_terms(Swiss(rounds=3), last_entry_round=1), *FOUR)
    await harness.until("cup", lambda state: len(state.tournament.open_pairings) == 1)
    await harness.tournaments.enter("cup", entrant("eve"))
    harness.connect("dan")
    state = await harness.until_over("cup")
    rounds = {
        progress.pairing.round for progress in state.tournament.pairings.values() if "eve" in progress.pairing.entrants
    }
    assert rounds == {2, 3}


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
