"""The worker of a tournament when bots are offline, busy, paused or gone, and when something fails."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engines.api import REFEREE
from referee.accounts.bots import BotPause, PauseCause, paused, resumed
from referee.contests.pairing import ContestMatchStarted, DuplicateSets
from referee.contests.strength.sprt_evaluation import SprtParameters, SprtVerdict
from referee.contests.tournament.events import EntrantEntered, TournamentEnded, TournamentEntrant
from referee.contests.tournament.state import TournamentPhase
from referee.contests.tournament.tournament_terms import Pools, RoundRobin, SprtTrial, Swiss
from referee.hosting.contest_log import TOURNAMENT, ContestEntry, ContestEvent, TournamentCreated
from referee.hosting.contest_terms import Partners
from referee.hosting.contest_workers import DuplicateSecrecy
from referee.live.match_request import SET, Opening
from referee.live.ports import Entry, LogUnavailable
from referee.live.referee import RefereeDraining
from referee.live.sessions import Hello
from referee.match.clock import SECOND
from referee.match.result import EndCause, EndKind
from referee.match.setup import Player
from referee.match.state import Match
from tests.hosting.harness import MANY, HostingHarness, Store, by_the_match, entrant, killed, terms, wish
from tests.live.fake_time import settled
from tests.live.referee_harness import GAMES
from tests.live.runner_harness import in_loop


class Noting:
    """Observer that keeps finished matches."""

    def __init__(self, ended: list[Match]) -> None:
        self._ended = ended

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        if match.result:
            self._ended.append(match)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        raise AssertionError(match_id) from fault

    def on_presence_changed(self, bot: str) -> None:
        pass


def best(match: Match, moves: Sequence[str]) -> str:
    """Leave a multiple of four in a game of Nim."""
    position = match.require_position()
    seat = position.owing[0]
    return next((move for move in moves if int(position.play(seat, move).text(REFEREE).split()[0]) % 4 == 0), moves[0])


async def begun(harness: HostingHarness, asked: object, *bots: str, name: str = "cup") -> None:
    await harness.tournaments.create(wish(asked, *bots, name=name, request_id=name))  # type: ignore[arg-type]
    await harness.tournaments.start(name)
    await settled()


async def opened(*bots: str, versions: tuple[str, ...] = ("1",)) -> HostingHarness:
    store = Store()
    await store.register(*bots, versions=versions)
    harness = HostingHarness(store)
    await harness.open()
    return harness


async def met(harness: HostingHarness, name: str = "cup") -> list[set[str]]:
    """Return the entrants of each pairing with a result, in the order of pairings."""
    state = await harness.tournaments.get(name)
    return [{*course.pairing.entrants} for course in state.tournament.pairings.values() if course.scores]


@in_loop
async def test_a_pair_of_which_one_is_away_holds_up_nobody_else_even_under_a_cap() -> None:
    harness = await opened("ada", "bob", "cyd", "dan")
    harness.come("bob", "cyd", "dan")
    await begun(harness, terms(RoundRobin(), matches_at_once=1), "ada", "bob", "cyd", "dan")
    state = await harness.until(
        "cup", lambda state: not state.tournament.matches_in_play and len(state.tournament.open_pairings) == 3
    )
    assert all("ada" in course.pairing.entrants for course in state.tournament.open_pairings)
    harness.come("ada")
    assert (await harness.over("cup")).tournament.phase is TournamentPhase.FINISHED
    await harness.close()


@in_loop
async def test_no_more_matches_are_in_play_than_the_cap_says() -> None:
    harness = await opened("ada", "bob", "cyd", "dan")
    for name in ("ada", "bob", "cyd", "dan"):
        harness.referee.sessions.open(Player(name, "1"), MANY)  # It never answers.
    await begun(harness, terms(RoundRobin(2), matches_at_once=5), "ada", "bob", "cyd", "dan")
    assert len(harness.referee.live_matches) == 5
    await killed()


@in_loop
async def test_a_bot_gets_no_more_matches_than_it_has_room_for_from_all_tournaments_together() -> None:
    harness = await opened("ada", "bob", "cyd", "dan")
    for name in ("ada", "bob", "cyd", "dan"):
        harness.referee.sessions.open(Player(name, "1"), Hello(max_matches=2))
    for name in ("one", "two", "three"):
        await begun(harness, terms(RoundRobin()), "ada", "bob", "cyd", "dan", name=name)
    for name in ("ada", "bob", "cyd", "dan"):
        assert sum(Player(name, "1") in match.players for match in harness.referee.live_matches) == 2
    await killed()


@in_loop
async def test_several_tournaments_are_played_at_once_and_all_end() -> None:
    harness = await opened("ada", "bob", "cyd")
    harness.come("ada", "bob", "cyd", hello=Hello(max_matches=2))
    for name in ("one", "two", "three"):
        await begun(harness, terms(RoundRobin(2)), "ada", "bob", "cyd", name=name)
    for name in ("one", "two", "three"):
        assert (await harness.over(name)).tournament.phase is TournamentPhase.FINISHED
    await harness.close()


@in_loop
async def test_the_pairing_of_a_paused_bot_waits_until_it_is_back() -> None:
    harness = await opened("ada", "bob", "cyd")
    await begun(harness, terms(RoundRobin()), "ada", "bob", "cyd")
    await harness.store.accounts.change_bot("ada", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "rest", 1)))
    harness.come("ada", "bob", "cyd")
    await settled()
    assert await met(harness) == [{"bob", "cyd"}]
    await harness.store.accounts.change_bot("ada", resumed)
    await harness.time.passes(SECOND)
    await harness.over("cup")
    await harness.close()


@in_loop
async def test_a_match_that_broke_down_is_tried_again_after_a_rest_that_doubles() -> None:
    harness = await opened("ada", "bob")
    for name in ("ada", "bob"):
        harness.referee.sessions.open(Player(name, "1"), MANY)
    await begun(harness, terms(RoundRobin()), "ada", "bob")
    for rest in (1, 2, 4):
        (match,) = harness.referee.live_matches
        await harness.referee.void(match.setup.match_id, EndCause.REFEREE_FAULT, "it broke")
        await harness.time.passes(rest * SECOND - 1)
        assert harness.referee.live_matches == []
        await harness.time.passes(1)
        assert len(harness.referee.live_matches) == 1
    state = await harness.tournaments.get("cup")
    assert [course.void_counts for course in state.tournament.pairings.values()] == [{1: 3}]
    await killed()


@in_loop
async def test_a_void_match_is_played_again_at_once_and_is_never_scored() -> None:
    harness = await opened("ada", "bob")
    harness.voided = frozenset({"1.1/1.1", "1.1/1.2"})
    harness.come("ada", "bob")
    await begun(harness, terms(RoundRobin()), "ada", "bob")
    state = await harness.over("cup")
    (course,) = state.tournament.pairings.values()
    assert (course.void_counts, len(course.scores), len(course.match_ids)) == ({1: 2}, 1, 3)
    results = [(await harness.referee.status(match_id)).match.result for match_id in course.match_ids.values()]
    assert [result.kind for result in results if result] == [
        EndKind.VOID,
        EndKind.VOID,
        EndKind.PLAYED,
    ]
    await harness.close()


@in_loop
async def test_who_withdraws_plays_its_matches_to_the_end_and_they_count() -> None:
    harness = await opened("ada", "bob", "cyd")
    harness.come("bob", "cyd")
    silent = harness.referee.sessions.open(Player("ada", "1"), Hello(max_matches=1))
    await begun(harness, terms(RoundRobin()), "ada", "bob", "cyd")
    state = await harness.until("cup", lambda state: len(state.tournament.open_pairings) == 2)
    (due,) = state.tournament.matches_in_play
    await harness.tournaments.withdraw("cup", "ada", "I am tired")
    await settled()
    assert len(harness.referee.live_matches) == 1
    harness.referee.sessions.close(silent)
    harness.come("ada")
    state = await harness.over("cup")
    assert state.tournament.pairings[due.pairing.id].scores
    assert (
        sum("ada" in course.pairing.entrants and bool(course.scores) for course in state.tournament.pairings.values())
        == 1
    )
    await harness.close()


@in_loop
async def test_calling_a_tournament_off_makes_its_matches_in_play_void_also_after_a_crash() -> None:
    harness = await opened("ada", "bob", "cyd")
    for name in ("ada", "bob", "cyd"):
        harness.referee.sessions.open(Player(name, "1"), MANY)
    await begun(harness, terms(RoundRobin()), "ada", "bob", "cyd")
    await begun(harness, terms(RoundRobin()), "ada", "bob", "cyd", name="other")
    assert len(harness.referee.live_matches) == 6
    await harness.tournaments.cancel("cup", "rain")
    await harness.tournaments.cancel("cup")
    await settled()
    assert len(harness.referee.live_matches) == 3
    await harness.contests.append(
        "tournament/other", (await harness.tournaments.get("other")).number, [TournamentEnded(cancelled=True)]
    )
    await killed()
    after = HostingHarness(harness.store)
    await after.open()
    await settled()
    assert after.referee.live_matches == []
    assert (await after.tournaments.get("other")).tournament.phase is TournamentPhase.CANCELLED
    await after.close()


@in_loop
async def test_while_draining_nothing_new_is_made_and_what_ends_still_counts() -> None:
    harness = await opened("ada", "bob", "cyd")
    harness.come("ada", "bob", hello=Hello(max_matches=1))
    await begun(harness, terms(RoundRobin(3)), "ada", "bob", "cyd")
    await harness.until("cup", lambda state: len(state.tournament.open_pairings) < 9)
    await harness.referee.drain(0, 1)
    harness.come("cyd")
    await settled()
    assert {frozenset(pair) for pair in await met(harness)} == {frozenset(("ada", "bob"))}
    with pytest.raises(RefereeDraining):
        await begun(harness, terms(RoundRobin()), "ada", "bob", name="other")
    await harness.close()


@in_loop
async def test_two_versions_of_one_bot_meet_in_a_test_that_stops_as_soon_as_it_knows() -> None:
    harness = await opened("ada", versions=("1", "2"))
    harness.come("ada", version="1")
    harness.come("ada", version="2")
    harness.choose = lambda match, seat, moves: moves[0] if match.players[seat].version == "1" else best(match, moves)
    old, new = (TournamentEntrant(f"ada-{version}", bots=(Player("ada", version),)) for version in "12")
    asked = terms(SprtTrial(SprtParameters(200)), matches_at_once=6)
    await harness.tournaments.create(replace(wish(asked), entrants=(new, old)))
    await harness.tournaments.start("cup")
    state = await harness.over("cup")
    assert state.tournament.trial_state
    assert state.tournament.trial_state.verdict is SprtVerdict.PASSED
    await settled()
    assert harness.referee.live_matches == []
    await harness.close()


@in_loop
async def test_partners_sit_where_their_side_sits_and_sides_change() -> None:
    harness = await opened("ada", "bob", "cyd", "dan")
    harness.come("ada", "bob", "cyd", "dan")
    asked = terms(RoundRobin(2), "stones", {"seats": 4, "teams": True}, partners=Partners.FIXED)
    pairs = (entrant("ada", "bob", name="reds"), entrant("cyd", "dan", name="blues"))
    await harness.tournaments.create(replace(wish(asked), entrants=pairs))
    await harness.tournaments.start("cup")
    state = await harness.over("cup")
    seen = set()
    for course in state.tournament.pairings.values():
        match = (await harness.referee.status(course.match_ids[1, 1])).match
        seen.add("".join(player.bot[0] for player in match.players))
        assert match.result
        first = "reds" if match.players[0].bot == "ada" else "blues"
        side = course.pairing.entrants.index(first)
        assert course.scores[1].ranks[side] == match.result.side_ranks[0]
    assert seen == {"acbd", "cadb"}
    await harness.close()


@in_loop
async def test_partners_that_change_share_the_rank_of_their_side() -> None:
    harness = await opened("ada", "bob", "cyd", "dan")
    harness.come("ada", "bob", "cyd", "dan")
    teams = {"seats": 4, "teams": True}
    await begun(harness, terms(Pools(3, 4, ((0, 2), (1, 3))), "stones", teams), "ada", "bob", "cyd", "dan")
    state = await harness.over("cup")
    partners = set()
    for course in state.tournament.pairings.values():
        sides = [frozenset(course.pairing.entrants[place] for place in side) for side in course.pairing.sides]
        partners.add(frozenset(sides))
        assert course.scores[1].ranks[0] == course.scores[1].ranks[2]
    assert len(partners) == 3
    await harness.close()


@in_loop
async def test_who_comes_late_is_paired_from_the_next_round_on() -> None:
    harness = await opened("ada", "bob", "cyd", "dan", "eve")
    harness.come("ada", "bob", "cyd", "eve")
    await begun(harness, terms(Swiss(3), late_entry_rounds=1), "ada", "bob", "cyd", "dan")
    await harness.until("cup", lambda state: len(state.tournament.open_pairings) == 1)
    await harness.tournaments.enter("cup", entrant("eve"))
    harness.come("dan")
    state = await harness.over("cup")
    rounds = {course.pairing.round for course in state.tournament.pairings.values() if "eve" in course.pairing.entrants}
    assert rounds == {2, 3}
    await harness.close()


@in_loop
async def test_the_matches_of_a_set_have_seed_and_opening_in_common_and_other_seats() -> None:
    harness = await opened("ada", "bob")
    harness.come("ada", "bob")
    openings = (Opening(moves=((0, "1"),)), Opening(moves=((0, "2"),)))
    asked = terms(RoundRobin(2), openings=openings, duplicate=DuplicateSets(2, 2))
    await begun(harness, asked, "ada", "bob")
    state = await harness.over("cup")
    sets = []
    for course in state.tournament.pairings.values():
        setups = [(await harness.referee.status(match_id)).match.setup for match_id in course.match_ids.values()]
        assert len({(setup.seed, setup.opening, dict(setup.labels)[SET]) for setup in setups}) == 1
        assert [setup.players for setup in setups] == [setups[0].players, setups[0].players[::-1]]
        sets.append((setups[0].seed, setups[0].opening))
    assert len({seed for seed, _ in sets}) == len({opening for _, opening in sets}) == 2
    await harness.close()


@in_loop
async def test_a_set_is_sealed_until_its_last_match_is_over_and_a_void_one_is_not() -> None:
    harness = await opened("ada", "bob")
    sealed = DuplicateSecrecy({TOURNAMENT: harness.tournaments.workers})
    harness.voided = frozenset({"1.1/2.1"})
    harness.come("ada", "bob", hello=Hello(max_matches=1))
    was_sealed: dict[str, list[bool]] = {}

    def noted(match: Match, seat: int, moves: Sequence[str]) -> str:
        for other in ended:
            was_sealed.setdefault(other.setup.match_id, []).append(sealed(other))
        return by_the_match(match, seat, moves)

    ended: list[Match] = []
    harness.referee.subscribe(Noting(ended))
    harness.choose = noted
    await begun(harness, terms(RoundRobin(2), duplicate=DuplicateSets(2), matches_at_once=1), "ada", "bob")
    state = await harness.over("cup")
    first, void, again, *_ = (match.setup.match_id for match in ended)
    assert state.tournament.pairings["1.1"].match_ids == {(1, 1): first, (2, 1): void, (2, 2): again}
    assert [was_sealed[first][0], was_sealed[first][-1]] == [True, False]
    assert [was_sealed[void][0], was_sealed[void][-1]] == [True, False]
    assert not any(map(sealed, ended))
    await harness.close()


@pytest.mark.parametrize("turns", range(0, 24, 3))
def test_called_off_while_a_match_is_being_made_none_goes_on(turns: int) -> None:
    @in_loop
    async def called_off() -> None:
        harness = await opened("ada", "bob", "cyd")
        for name in ("ada", "bob", "cyd"):
            harness.referee.sessions.open(Player(name, "1"), MANY)
        await harness.tournaments.create(wish(terms(RoundRobin(2)), "ada", "bob", "cyd"))
        await harness.tournaments.start("cup")
        for _ in range(turns):
            await asyncio.sleep(0)
        await harness.tournaments.cancel("cup")
        await settled()
        assert harness.referee.live_matches == []
        await harness.close()

    called_off()


@in_loop
async def test_while_the_log_is_away_nothing_is_made_and_a_second_after_it_is_back_all_goes_on() -> None:
    harness = await opened("ada", "bob")
    await begun(harness, terms(RoundRobin()), "ada", "bob")
    harness.fuse.away = True
    harness.come("ada", "bob")
    await settled()
    assert harness.referee.live_matches == []
    harness.fuse.away = False
    await harness.time.passes(SECOND)
    await harness.over("cup")
    await harness.close()


@in_loop
async def test_a_match_whose_start_could_not_be_recorded_is_found_again_after_a_second() -> None:
    harness = await opened("ada", "bob")
    harness.choose = lambda *_: ""
    append = harness.contests.append

    async def append_but_no_start(contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        if isinstance(events[0], ContestMatchStarted):
            raise LogUnavailable("the disk is full")
        return await append(contest, after, events)

    harness.contests.append = append_but_no_start  # type: ignore[method-assign]
    harness.come("ada", "bob", hello=Hello(max_matches=1))
    await begun(harness, terms(RoundRobin()), "ada", "bob")
    (match,) = harness.referee.live_matches
    state = await harness.tournaments.get("cup")
    assert not state.playing
    harness.contests.append = append  # type: ignore[method-assign]
    await harness.time.passes(SECOND)
    await settled()
    state = await harness.tournaments.get("cup")
    assert [state.match_id(due) for due in state.playing] == [match.setup.match_id]
    await harness.close()


@in_loop
async def test_a_tournament_whose_game_has_gone_is_complained_of_and_holds_up_nobody() -> None:
    harness = await opened("ada", "bob")
    await begun(harness, terms(RoundRobin()), "ada", "bob")
    await begun(harness, terms(RoundRobin(), "fingers", {"seats": 2}), "ada", "bob", name="gone")
    await killed()
    after = HostingHarness(harness.store, games={name: game for name, game in GAMES.items() if name != "fingers"})
    await after.open()
    after.come("ada", "bob")
    await after.over("cup")
    assert [contest for contest, _ in after.faults] == ["tournament/gone"]
    after.faults.clear()
    await after.close()


@in_loop
async def test_what_breaks_over_a_tournament_is_complained_of_and_tried_again_after_a_minute() -> None:
    harness = await opened("ada", "bob")
    harness.come("ada", "bob")
    broken = terms(RoundRobin())
    fallen = replace(broken, match_terms=(replace(broken.match_terms[0], controls=()),))
    made = TournamentCreated("cup", "cup", "org", "r1", fallen)
    players = [EntrantEntered(entrant(name)) for name in ("ada", "bob")]
    await harness.contests.append("tournament/cup", 0, [made, *players])
    await killed()
    after = HostingHarness(harness.store)
    await after.open()
    after.come("ada", "bob")
    await after.tournaments.start("cup")
    await settled()
    await after.time.passes(60 * SECOND)
    assert [contest for contest, _ in after.faults] == ["tournament/cup"] * 2
    after.faults.clear()
    await after.close()
