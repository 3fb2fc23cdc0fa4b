"""What the director of a tournament does when bots are away, full, paused or gone, and when things break."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from engines.api import REFEREE
from referee.app.accounts import Pause, PauseCause, paused, resumed
from referee.app.contests.events import TournamentMade
from referee.app.contests.log import TOURNAMENT
from referee.app.contests.sealed import Sealed
from referee.app.contests.terms import Partners
from referee.app.ports import Entry
from referee.app.referee import RefereeDraining
from referee.app.sessions import Hello
from referee.app.wish import SET, Opening
from referee.contest.duplicate import Duplicate
from referee.contest.formats import Pools, RoundRobin, Swiss, Trial
from referee.contest.sprt import Sprt, Verdict
from referee.contest.tournament import Phase
from referee.contest.tournament_events import Ended, Entered, Entrant
from referee.core.clock import SECOND
from referee.core.match import Match
from referee.core.result import Cause, Kind
from referee.core.setup import Player
from tests.app.contests.stage import MANY, Stage, Store, by_the_match, entrant, killed, terms, wish
from tests.app.hall import GAMES
from tests.app.scene import in_loop
from tests.app.stopped_time import settled


class Noting:
    """A follower that keeps the matches that are over."""

    def __init__(self, ended: list[Match]) -> None:
        self._ended = ended

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        if match.result:
            self._ended.append(match)

    def broke(self, match_id: str, fault: Exception) -> None:
        raise AssertionError(match_id) from fault

    def presence_changed(self, bot: str) -> None:
        pass


def best(match: Match, moves: Sequence[str]) -> str:
    """In a game of nim: leave a multiple of four."""
    position = match.at_play()
    seat = position.owing[0]
    return next((move for move in moves if int(position.play(seat, move).text(REFEREE).split()[0]) % 4 == 0), moves[0])


async def begun(stage: Stage, asked: object, *bots: str, name: str = "cup") -> None:
    await stage.tournaments.create(wish(asked, *bots, name=name, request_id=name))  # type: ignore[arg-type]
    await stage.tournaments.start(name)
    await settled()


async def opened(*bots: str, versions: tuple[str, ...] = ("1",)) -> Stage:
    store = Store()
    await store.register(*bots, versions=versions)
    stage = Stage(store)
    await stage.open()
    return stage


async def met(stage: Stage, name: str = "cup") -> list[set[str]]:
    """Who met in matches that count, in order of pairings."""
    held = await stage.tournaments.tournament(name)
    return [{*course.pairing.entrants} for course in held.tournament.courses.values() if course.scores]


@in_loop
async def test_a_pair_of_which_one_is_away_holds_up_nobody_else_even_under_a_cap() -> None:
    stage = await opened("ada", "bob", "cyd", "dan")
    stage.come("bob", "cyd", "dan")
    await begun(stage, terms(RoundRobin(), matches_at_once=1), "ada", "bob", "cyd", "dan")
    held = await stage.until("cup", lambda held: not held.tournament.playing and len(held.tournament.open) == 3)
    assert all("ada" in course.pairing.entrants for course in held.tournament.open)
    stage.come("ada")
    assert (await stage.over("cup")).tournament.phase is Phase.FINISHED
    await stage.close()


@in_loop
async def test_no_more_matches_are_in_play_than_the_cap_says() -> None:
    stage = await opened("ada", "bob", "cyd", "dan")
    for name in ("ada", "bob", "cyd", "dan"):
        stage.referee.sessions.open(Player(name, "1"), MANY)  # They never answer.
    await begun(stage, terms(RoundRobin(2), matches_at_once=5), "ada", "bob", "cyd", "dan")
    assert len(stage.referee.live) == 5
    await killed()


@in_loop
async def test_a_bot_gets_no_more_matches_than_it_has_room_for_from_all_tournaments_together() -> None:
    stage = await opened("ada", "bob", "cyd", "dan")
    for name in ("ada", "bob", "cyd", "dan"):
        stage.referee.sessions.open(Player(name, "1"), Hello(matches_at_most=2))
    for name in ("one", "two", "three"):
        await begun(stage, terms(RoundRobin()), "ada", "bob", "cyd", "dan", name=name)
    for name in ("ada", "bob", "cyd", "dan"):
        assert sum(Player(name, "1") in match.players for match in stage.referee.live) == 2
    await killed()


@in_loop
async def test_several_tournaments_are_played_at_once_and_all_end() -> None:
    stage = await opened("ada", "bob", "cyd")
    stage.come("ada", "bob", "cyd", hello=Hello(matches_at_most=2))
    for name in ("one", "two", "three"):
        await begun(stage, terms(RoundRobin(2)), "ada", "bob", "cyd", name=name)
    for name in ("one", "two", "three"):
        assert (await stage.over(name)).tournament.phase is Phase.FINISHED
    await stage.close()


@in_loop
async def test_the_pairing_of_a_paused_bot_waits_until_it_is_back() -> None:
    stage = await opened("ada", "bob", "cyd")
    await begun(stage, terms(RoundRobin()), "ada", "bob", "cyd")
    await stage.store.accounts.change_bot("ada", lambda bot: paused(bot, Pause(PauseCause.ADMIN, "rest", 1)))
    stage.come("ada", "bob", "cyd")
    await settled()
    assert await met(stage) == [{"bob", "cyd"}]
    await stage.store.accounts.change_bot("ada", resumed)
    await stage.time.passes(SECOND)
    await stage.over("cup")
    await stage.close()


@in_loop
async def test_a_match_that_broke_down_is_tried_again_after_a_rest_that_doubles() -> None:
    stage = await opened("ada", "bob")
    for name in ("ada", "bob"):
        stage.referee.sessions.open(Player(name, "1"), MANY)
    await begun(stage, terms(RoundRobin()), "ada", "bob")
    for rest in (1, 2, 4):
        (match,) = stage.referee.live
        await stage.referee.void(match.setup.match_id, Cause.REFEREE_FAULT, "it broke")
        await stage.time.passes(rest * SECOND - 1)
        assert stage.referee.live == []
        await stage.time.passes(1)
        assert len(stage.referee.live) == 1
    held = await stage.tournaments.tournament("cup")
    assert [course.voided for course in held.tournament.courses.values()] == [{1: 3}]
    await killed()


@in_loop
async def test_a_void_match_is_played_again_at_once_and_is_never_scored() -> None:
    stage = await opened("ada", "bob")
    stage.voided = frozenset({"1.1/1.1", "1.1/1.2"})
    stage.come("ada", "bob")
    await begun(stage, terms(RoundRobin()), "ada", "bob")
    held = await stage.over("cup")
    (course,) = held.tournament.courses.values()
    assert (course.voided, len(course.scores), len(course.match_ids)) == ({1: 2}, 1, 3)
    results = [(await stage.referee.standing(match_id)).match.result for match_id in course.match_ids.values()]
    assert [result.kind for result in results if result] == [Kind.VOID, Kind.VOID, Kind.PLAYED]
    await stage.close()


@in_loop
async def test_who_withdraws_plays_its_matches_to_the_end_and_they_count() -> None:
    stage = await opened("ada", "bob", "cyd")
    stage.come("bob", "cyd")
    silent = stage.referee.sessions.open(Player("ada", "1"), Hello(matches_at_most=1))
    await begun(stage, terms(RoundRobin()), "ada", "bob", "cyd")
    held = await stage.until("cup", lambda held: len(held.tournament.open) == 2)
    (due,) = held.tournament.playing
    await stage.tournaments.withdraw("cup", "ada", "I am tired")
    await settled()
    assert len(stage.referee.live) == 1
    stage.referee.sessions.close(silent)
    stage.come("ada")
    held = await stage.over("cup")
    assert held.tournament.courses[due.pairing.id].scores
    assert (
        sum("ada" in course.pairing.entrants and bool(course.scores) for course in held.tournament.courses.values())
        == 1
    )
    await stage.close()


@in_loop
async def test_calling_a_tournament_off_makes_its_matches_in_play_void_also_after_a_crash() -> None:
    stage = await opened("ada", "bob", "cyd")
    for name in ("ada", "bob", "cyd"):
        stage.referee.sessions.open(Player(name, "1"), MANY)
    await begun(stage, terms(RoundRobin()), "ada", "bob", "cyd")
    await begun(stage, terms(RoundRobin()), "ada", "bob", "cyd", name="other")
    assert len(stage.referee.live) == 6
    await stage.tournaments.cancel("cup", "rain")
    await stage.tournaments.cancel("cup")
    await settled()
    assert len(stage.referee.live) == 3
    await stage.contests.append(
        "tournament/other", (await stage.tournaments.tournament("other")).number, [Ended(cancelled=True)]
    )
    await killed()
    after = Stage(stage.store)
    await after.open()
    await settled()
    assert after.referee.live == []
    assert (await after.tournaments.tournament("other")).tournament.phase is Phase.CANCELLED
    await after.close()


@in_loop
async def test_while_draining_nothing_new_is_made_and_what_ends_still_counts() -> None:
    stage = await opened("ada", "bob", "cyd")
    stage.come("ada", "bob", hello=Hello(matches_at_most=1))
    await begun(stage, terms(RoundRobin(3)), "ada", "bob", "cyd")
    await stage.until("cup", lambda held: len(held.tournament.open) < 9)
    await stage.referee.drain(0, 1)
    stage.come("cyd")
    await settled()
    assert {frozenset(pair) for pair in await met(stage)} == {frozenset(("ada", "bob"))}
    with pytest.raises(RefereeDraining):
        await begun(stage, terms(RoundRobin()), "ada", "bob", name="other")
    await stage.close()


@in_loop
async def test_two_versions_of_one_bot_meet_in_a_test_that_stops_as_soon_as_it_knows() -> None:
    stage = await opened("ada", versions=("1", "2"))
    stage.come("ada", version="1")
    stage.come("ada", version="2")
    stage.choose = lambda match, seat, moves: moves[0] if match.players[seat].version == "1" else best(match, moves)
    old, new = (Entrant(f"ada-{version}", bots=(Player("ada", version),)) for version in "12")
    asked = terms(Trial(Sprt(200)), matches_at_once=6)
    await stage.tournaments.create(replace(wish(asked), entrants=(new, old)))
    await stage.tournaments.start("cup")
    held = await stage.over("cup")
    assert held.tournament.test
    assert held.tournament.test.verdict is Verdict.PASSED
    await settled()
    assert stage.referee.live == []
    await stage.close()


@in_loop
async def test_partners_sit_where_their_side_sits_and_sides_change() -> None:
    stage = await opened("ada", "bob", "cyd", "dan")
    stage.come("ada", "bob", "cyd", "dan")
    asked = terms(RoundRobin(2), "stones", {"seats": 4, "teams": True}, partners=Partners.FIXED)
    pairs = (entrant("ada", "bob", name="reds"), entrant("cyd", "dan", name="blues"))
    await stage.tournaments.create(replace(wish(asked), entrants=pairs))
    await stage.tournaments.start("cup")
    held = await stage.over("cup")
    seen = set()
    for course in held.tournament.courses.values():
        match = (await stage.referee.standing(course.match_ids[1, 1])).match
        seen.add("".join(player.bot[0] for player in match.players))
        assert match.result
        first = "reds" if match.players[0].bot == "ada" else "blues"
        side = course.pairing.entrants.index(first)
        assert course.scores[1].ranks[side] == match.result.side_ranks[0]
    assert seen == {"acbd", "cadb"}
    await stage.close()


@in_loop
async def test_partners_that_change_share_the_rank_of_their_side() -> None:
    stage = await opened("ada", "bob", "cyd", "dan")
    stage.come("ada", "bob", "cyd", "dan")
    teams = {"seats": 4, "teams": True}
    await begun(stage, terms(Pools(3, 4, ((0, 2), (1, 3))), "stones", teams), "ada", "bob", "cyd", "dan")
    held = await stage.over("cup")
    partners = set()
    for course in held.tournament.courses.values():
        sides = [frozenset(course.pairing.entrants[place] for place in side) for side in course.pairing.sides]
        partners.add(frozenset(sides))
        assert course.scores[1].ranks[0] == course.scores[1].ranks[2]
    assert len(partners) == 3
    await stage.close()


@in_loop
async def test_who_comes_late_is_paired_from_the_next_round_on() -> None:
    stage = await opened("ada", "bob", "cyd", "dan", "eve")
    stage.come("ada", "bob", "cyd", "eve")
    await begun(stage, terms(Swiss(3), late_entry_rounds=1), "ada", "bob", "cyd", "dan")
    await stage.until("cup", lambda held: len(held.tournament.open) == 1)
    await stage.tournaments.enter("cup", entrant("eve"))
    stage.come("dan")
    held = await stage.over("cup")
    rounds = {course.pairing.round for course in held.tournament.courses.values() if "eve" in course.pairing.entrants}
    assert rounds == {2, 3}
    await stage.close()


@in_loop
async def test_the_matches_of_a_set_have_seed_and_opening_in_common_and_other_seats() -> None:
    stage = await opened("ada", "bob")
    stage.come("ada", "bob")
    openings = (Opening(moves=((0, "1"),)), Opening(moves=((0, "2"),)))
    asked = terms(RoundRobin(2), openings=openings, duplicate=Duplicate(2, 2))
    await begun(stage, asked, "ada", "bob")
    held = await stage.over("cup")
    sets = []
    for course in held.tournament.courses.values():
        setups = [(await stage.referee.standing(match_id)).match.setup for match_id in course.match_ids.values()]
        assert len({(setup.seed, setup.opening, dict(setup.labels)[SET]) for setup in setups}) == 1
        assert [setup.players for setup in setups] == [setups[0].players, setups[0].players[::-1]]
        sets.append((setups[0].seed, setups[0].opening))
    assert len({seed for seed, _ in sets}) == len({opening for _, opening in sets}) == 2
    await stage.close()


@in_loop
async def test_a_set_is_sealed_until_its_last_match_is_over_and_a_void_one_is_not() -> None:
    stage = await opened("ada", "bob")
    sealed = Sealed({TOURNAMENT: stage.tournaments})
    stage.voided = frozenset({"1.1/2.1"})
    stage.come("ada", "bob", hello=Hello(matches_at_most=1))
    was_sealed: dict[str, list[bool]] = {}

    def noted(match: Match, seat: int, moves: Sequence[str]) -> str:
        for other in ended:
            was_sealed.setdefault(other.setup.match_id, []).append(sealed(other))
        return by_the_match(match, seat, moves)

    ended: list[Match] = []
    stage.referee.follow(Noting(ended))
    stage.choose = noted
    await begun(stage, terms(RoundRobin(2), duplicate=Duplicate(2), matches_at_once=1), "ada", "bob")
    held = await stage.over("cup")
    first, void, again, *_ = (match.setup.match_id for match in ended)
    assert held.tournament.courses["1.1"].match_ids == {(1, 1): first, (2, 1): void, (2, 2): again}
    assert [was_sealed[first][0], was_sealed[first][-1]] == [True, False]
    assert [was_sealed[void][0], was_sealed[void][-1]] == [True, False]
    assert not any(map(sealed, ended))
    await stage.close()


@pytest.mark.parametrize("turns", range(0, 24, 3))
def test_called_off_while_a_match_is_being_made_none_goes_on(turns: int) -> None:
    @in_loop
    async def called_off() -> None:
        stage = await opened("ada", "bob", "cyd")
        for name in ("ada", "bob", "cyd"):
            stage.referee.sessions.open(Player(name, "1"), MANY)
        await stage.tournaments.create(wish(terms(RoundRobin(2)), "ada", "bob", "cyd"))
        await stage.tournaments.start("cup")
        for _ in range(turns):
            await asyncio.sleep(0)
        await stage.tournaments.cancel("cup")
        await settled()
        assert stage.referee.live == []
        await stage.close()

    called_off()


@in_loop
async def test_while_the_log_is_away_nothing_is_made_and_a_second_after_it_is_back_all_goes_on() -> None:
    stage = await opened("ada", "bob")
    await begun(stage, terms(RoundRobin()), "ada", "bob")
    stage.fuse.away = True
    stage.come("ada", "bob")
    await settled()
    assert stage.referee.live == []
    stage.fuse.away = False
    await stage.time.passes(SECOND)
    await stage.over("cup")
    await stage.close()


@in_loop
async def test_a_tournament_whose_game_has_gone_is_complained_of_and_holds_up_nobody() -> None:
    stage = await opened("ada", "bob")
    await begun(stage, terms(RoundRobin()), "ada", "bob")
    await begun(stage, terms(RoundRobin(), "fingers", {"seats": 2}), "ada", "bob", name="gone")
    await killed()
    after = Stage(stage.store, games={name: game for name, game in GAMES.items() if name != "fingers"})
    await after.open()
    after.come("ada", "bob")
    await after.over("cup")
    assert [contest for contest, _ in after.faults] == ["tournament/gone"]
    after.faults.clear()
    await after.close()


@in_loop
async def test_what_breaks_over_a_tournament_is_complained_of_and_tried_again_after_a_minute() -> None:
    stage = await opened("ada", "bob")
    stage.come("ada", "bob")
    broken = terms(RoundRobin())
    fallen = replace(broken, match_terms=(replace(broken.match_terms[0], controls=()),))
    made = TournamentMade("cup", "cup", "org", "r1", fallen)
    players = [Entered(entrant(name)) for name in ("ada", "bob")]
    await stage.contests.append("tournament/cup", 0, [made, *players])
    await killed()
    after = Stage(stage.store)
    await after.open()
    after.come("ada", "bob")
    await after.tournaments.start("cup")
    await settled()
    await after.time.passes(60 * SECOND)
    assert [contest for contest, _ in after.faults] == ["tournament/cup"] * 2
    after.faults.clear()
    await after.close()
