"""Ladders: which bots are paired, what is rated, what the standings show, and errors of requests."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from referee.accounts.account_errors import BadField, BotPaused, NameTaken
from referee.accounts.bots import BotPause, PauseCause, paused, resumed
from referee.contests.contest_errors import LadderClosed, NotAMember
from referee.contests.ladder.events import LadderClosureFinished, LadderJoined, LadderLeft, LadderPaired, MatchRated
from referee.contests.ladder.state import LadderPhase
from referee.contests.pairing import ContestMatchStarted, ContestMatchVoided
from referee.hosting.contest_log import ContestEntry, ContestEvent
from referee.hosting.contest_terms import DuplicatePlay
from referee.hosting.hosting_errors import UnknownLadder
from referee.hosting.ladder_host import LadderFilter, LadderRequest
from referee.live.match_request import LADDER, MatchRequest
from referee.live.sessions import Hello
from referee.match.clock import SECOND, SuddenDeath
from referee.match.match_errors import RequestIdReused
from referee.match.result import EndCause
from referee.match.setup import IllegalMovePolicy, Player, Policies
from tests.hosting.harness import HostingHarness, Store, by_the_match
from tests.hosting.ladder_harness import (
    CONTEST,
    check_the_logs,
    climber,
    events,
    ladder_partners,
    ladder_terms,
    leaves,
    new_ladder,
    opened,
    rated,
    until,
)
from tests.live.fake_time import settled
from tests.live.runner_harness import in_loop

ONE = Hello(max_matches=1)


@in_loop
async def test_bots_that_are_there_play_on_and_on_and_are_ranked() -> None:
    harness = await opened(ladder_terms(provisional_matches=5), *"abcdef")
    harness.come(*"abcdef", hello=ONE)
    await until(harness, rated(60))
    rows = await harness.ladders.standings("main")
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row.rating.rating.value for row in rows] == sorted((it.rating.rating.value for it in rows), reverse=True)
    assert {row.player for row in rows} == {Player(name, "1") for name in "abcdef"}
    assert not any(row.idle or row.provisional for row in rows)
    assert min(row.rating.matches for row in rows) >= 10
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_no_more_matches_are_in_play_than_asked_for() -> None:
    harness = await opened(ladder_terms(matches_at_once=2), *"abcdefgh")
    harness.come(*"abcdefgh")
    state, watching = await harness.ladders.watch("main", 0)
    while not rated(20)(state):
        steps = await anext(watching)
        assert all(len(step.state.ladder.matches_in_play) <= 2 for step in steps)
        state = steps[-1].state
    await harness.close()


@in_loop
async def test_nothing_is_planned_that_cannot_begin() -> None:
    harness = await opened(ladder_terms(), *"abcd")
    await settled()
    assert (await harness.ladders.get("main")).ladder.planned_count == 0
    harness.choose = lambda *_: ""
    harness.come("a", "b", hello=ONE)
    await settled()
    ladder = (await harness.ladders.get("main")).ladder
    assert (ladder.planned_count, len(ladder.matches_in_play), ladder.due_matches) == (1, 1, [])
    await harness.close()


@in_loop
async def test_who_joins_in_the_middle_is_paired_and_who_leaves_is_not() -> None:
    harness = await opened(ladder_terms(), *"abc")
    await harness.store.register("d")
    harness.come(*"abcd", hello=ONE)
    await until(harness, rated(5))
    await harness.ladders.leave("main", "a")
    await harness.ladders.join("main", climber("d"))
    await until(harness, rated(25))
    await harness.close()
    happened = await events(harness.store)
    since = happened[next(at for at, event in enumerate(happened) if isinstance(event, LadderLeft)) :]
    seated = {name for event in since if isinstance(event, LadderPaired) for name in event.pairing.entrants}
    assert seated == {"b", "c", "d"}
    await check_the_logs(harness.store)


@in_loop
async def test_the_matches_of_a_bot_that_crashes_are_lost_and_rated_and_the_others_play_on() -> None:
    harness = await opened(ladder_terms(), *"abc")
    (gone, *_) = harness.come(*"abc", hello=ONE)
    await until(harness, rated(3))
    harness.choose = lambda match, seat, moves: (
        "" if match.players[seat].bot == "a" else by_the_match(match, seat, moves)
    )
    await until(harness, lambda state: any("a" in due.seats for due in state.ladder.matches_in_play))
    leaves(harness, gone)
    await harness.time.passes(300 * SECOND)
    state = await harness.ladders.get("main")
    assert state.ladder.current_season.record(Player("a", "1")).forfeits == 1
    rows = {row.entrant.name: row for row in await harness.ladders.standings("main")}
    assert rows["a"].idle
    assert all("a" not in due.seats for due in state.ladder.matches_in_play)
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_a_rating_belongs_to_the_version_that_played() -> None:
    harness = await opened(ladder_terms(), "a", "b", versions=("1", "2"))
    (first, _) = harness.come("a", "b", hello=ONE)
    await until(harness, rated(3))
    harness.come("a", version="2", hello=ONE)
    leaves(harness, first)
    await until(harness, lambda state: state.ladder.current_season.rating(Player("a", "2")).matches >= 2)
    rows = await harness.ladders.standings("main", all_versions=True)
    assert {row.player for row in rows} == {Player("a", "1"), Player("a", "2"), Player("b", "1")}
    points = await harness.ladders.history("main", "a", "1")
    assert [point.rated.matches for point in points] == [*range(1, len(points) + 1)]
    assert points[-1].rated == (await harness.ladders.get("main")).ladder.current_season.rating(Player("a", "1"))
    assert {point.version for point in await harness.ladders.history("main", "a")} == {"1", "2"}
    assert await harness.ladders.history("main", "a", "1", after=points[0].number, limit=1) == points[1:2]
    await harness.close()


@pytest.mark.slow
@in_loop
async def test_fixed_partners_sit_together_and_share_a_rating() -> None:
    harness = await opened(ladder_partners())
    bots = ["n", "s", "e", "w"]
    await harness.store.register(*bots)
    await harness.ladders.join("main", climber("n", "s", name="ns"))
    await harness.ladders.join("main", climber("e", "w", name="ew"))
    harness.come(*bots, hello=ONE)
    await until(harness, rated(2))
    rows = await harness.ladders.standings("main")
    assert {row.player for row in rows} == {Player("ns"), Player("ew")}
    (event, *_) = [event for event in await events(harness.store) if isinstance(event, MatchRated)]
    match = (await harness.referee.status(event.match_id)).match
    sitting = [player.bot for player in match.players]
    assert {frozenset(sitting[::2]), frozenset(sitting[1::2])} == {frozenset("ns"), frozenset("ew")}
    assert [change.bot for change in match.ratings] == sitting
    assert match.ratings[0].after == match.ratings[2].after
    assert len(await harness.ladders.history("main", "n")) == 2
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_a_challenge_is_played_first_and_found_again() -> None:
    harness = await opened(ladder_terms(matches_at_once=1), *"abcd")
    course = await harness.ladders.challenge("main", "org/1", ("c", "d"))
    harness.come(*"abcd", hello=ONE)
    await until(harness, rated(1))
    assert {player.bot for player in (await harness.ladders.get("main")).ladder.current_season.ratings} == {"c", "d"}
    again = await harness.ladders.challenge("main", "org/1", ("c", "d"))
    assert (again.pairing, again.is_done) == (course.pairing, True)
    with pytest.raises(RequestIdReused):
        await harness.ladders.challenge("main", "org/1", ("a", "d"))
    with pytest.raises(NotAMember):
        await harness.ladders.challenge("main", "org/2", ("a", "x"))
    await harness.close()


@in_loop
async def test_a_new_season_keeps_values_and_history_and_the_old_table() -> None:
    harness = await opened(ladder_terms(), "a", "b")
    harness.come("a", "b", hello=ONE)
    await until(harness, rated(3))
    state = await harness.ladders.start_season("main", "s2")
    assert (state.ladder.season, state.season_started_ms) == (2, state.seasons[-1][1])
    assert await harness.ladders.start_season("main", "s2") == await harness.ladders.get("main")
    await until(harness, rated(2))
    old = await harness.ladders.standings("main", season=1)
    assert {row.rating.matches for row in old} >= {3} or min(row.rating.matches for row in old) >= 3
    assert {point.season for point in await harness.ladders.history("main", "a")} == {1, 2}
    with pytest.raises(BadField):
        await harness.ladders.standings("main", season=3)
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_a_ladder_that_is_closed_ends_when_its_last_match_is_over_and_rated() -> None:
    harness = await opened(ladder_terms(), *"abcd")
    harness.choose = lambda *_: ""
    harness.come(*"abcd", hello=ONE)
    await until(harness, lambda state: len(state.ladder.matches_in_play) == 2)
    _, watching = await harness.ladders.watch("main", None)
    state = await harness.ladders.close("main", "thank you")
    assert state.ladder.phase is LadderPhase.CLOSING
    playing = {state.match_id(due) or "" for due in state.ladder.matches_in_play}
    assert len(playing) == 2
    for match_id in playing:
        await harness.referee.resign(match_id, 0)
    heard = [step.entry.event async for steps in watching for step in steps]
    assert heard[-1] == LadderClosureFinished()
    assert playing == {event.match_id for event in heard if isinstance(event, MatchRated)}
    with pytest.raises(LadderClosed):
        await harness.ladders.join("main", climber("a"))
    assert await harness.ladders.find(LadderFilter()) == []
    assert [it.created.name for it in await harness.ladders.find(LadderFilter(with_closed=True))] == ["main"]
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_a_match_that_the_organiser_makes_is_rated_and_counts_for_no_pairing() -> None:
    harness = await opened(ladder_terms(), "a")
    await harness.store.register("b")
    harness.come("a", "b")
    players, labels = (Player("a"), Player("b")), {LADDER: "main"}
    wish = MatchRequest("nim", {"heap": 6}, players=players, controls=(SuddenDeath(SECOND),), labels=labels)
    made = await harness.referee.create(wish)
    await until(harness, rated(1))
    match = (await harness.referee.status(made.status.match.setup.match_id)).match
    assert [change.bot for change in match.ratings] == ["a", "b"]
    assert (await harness.ladders.get("main")).ladder.planned_count == 0
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_a_match_of_a_ladder_that_is_not_there_or_against_oneself_ends_unrated() -> None:
    harness = await opened(ladder_terms(), "a")
    harness.come("a")
    for ladder in ("main", "other"):
        wish = MatchRequest(
            "nim", {"heap": 6}, players=(Player("a"),) * 2, controls=(SuddenDeath(SECOND),), labels={LADDER: ladder}
        )
        made = await harness.referee.create(wish)
        await settled()
        match = (await harness.referee.status(made.status.match.setup.match_id)).match
        assert match.result
        assert match.ratings == ()
    await harness.close()


@in_loop
async def test_a_result_is_rated_at_once_though_the_log_of_its_ladder_has_moved_on_unseen() -> None:
    harness = await opened(ladder_terms(), "a", "b")
    harness.choose = lambda *_: ""
    harness.come("a", "b", hello=ONE)
    state = await until(harness, lambda state: bool(state.ladder.matches_in_play))
    log = harness.store.matches.contests
    await log.append(CONTEST, state.number, [LadderJoined(climber("c", name="c"))])  # As another process would.
    (due,) = state.ladder.matches_in_play
    await harness.referee.resign(state.match_id(due) or "", 0)
    state = await harness.ladders.get("main")
    assert {player.bot: rated.matches for player, rated in state.ladder.current_season.ratings.items()} == {
        "a": 1,
        "b": 1,
    }
    assert "c" in state.ladder.entrants
    await harness.close()
    await check_the_logs(harness.store)


@pytest.mark.slow
@in_loop
async def test_partners_who_change_are_rated_each_for_itself() -> None:
    harness = await opened(ladder_terms("toc"), *"nesw")
    harness.come(*"nesw", hello=ONE)
    await until(harness, lambda state: sum(it.matches for it in state.ladder.current_season.ratings.values()) >= 12)
    sides = set[frozenset[frozenset[str]]]()
    for event in await rated_events(harness):
        match = (await harness.referee.status(event.match_id)).match
        assert match.result
        sitting = [player.bot for player in match.players]
        assert [change.bot for change in match.ratings] == sitting
        gained = [change.after.value > change.before.value for change in match.ratings]
        assert (
            (gained[0], gained[1]) == (gained[2], gained[3]) == (match.result.ranks[0] == 1, match.result.ranks[1] == 1)
        )
        sides.add(frozenset({frozenset(sitting[::2]), frozenset(sitting[1::2])}))
    assert len(sides) == 3
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_a_void_match_is_played_again_and_never_rated() -> None:
    harness = await opened(ladder_terms(matches_at_once=1), "a", "b")
    harness.voided = frozenset({"1/1.1"})
    harness.come("a", "b")
    state = await until(harness, rated(1))
    first = state.ladder.pairings["1"]
    assert (first.void_counts, [*first.match_ids]) == ({1: 1}, [(1, 1), (1, 2)])
    await harness.close()
    await check_the_logs(harness.store)


@in_loop
async def test_a_match_that_becomes_void_while_another_result_is_recorded_is_recorded_as_well() -> None:
    harness = await opened(ladder_terms(), *"abcd")
    harness.choose = lambda *_: ""
    harness.come(*"abcd", hello=ONE)
    state = await until(harness, lambda state: len(state.playing) == 2)
    first, second = (state.match_id(due) or "" for due in state.playing)
    append = harness.contests.append

    async def append_slowly(contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        harness.contests.append = append  # type: ignore[method-assign]
        await harness.referee.void(first, EndCause.DECLARED, "")
        return await append(contest, after, events)

    harness.contests.append = append_slowly  # type: ignore[method-assign]
    await harness.referee.void(second, EndCause.DECLARED, "")
    await settled()
    voided = [event for event in await events(harness.store) if isinstance(event, ContestMatchVoided)]
    assert len(voided) == 2
    await harness.close()


@in_loop
async def test_both_matches_of_a_set_begin_alike_with_the_seats_exchanged_and_stay_sealed_until_both_are_over() -> None:
    harness = await opened(ladder_terms(duplicate=DuplicatePlay(), matches_at_once=1), "a", "b")
    harness.come("a", "b")
    await until(harness, rated(1))
    assert harness.ladders.workers.is_set_open("ladder/main", "1/1", "")
    state = await until(harness, rated(2))
    assert not harness.ladders.workers.is_set_open("ladder/main", "1/1", "")
    ids = [
        it for course in state.ladder.pairings.values() if course.pairing.id == "1" for it in course.match_ids.values()
    ]
    one, other = [(await harness.referee.status(it)).match.setup for it in ids]
    assert one.seed == other.seed
    assert one.players == other.players[::-1]
    await harness.close()


@in_loop
async def test_a_bot_with_as_many_faults_in_a_row_as_the_ladder_allows_is_paused_and_paired_no_more() -> None:
    terms = ladder_terms(pause_after_faults=2)
    strict = replace(terms.match_terms[0], policies=Policies(illegal=IllegalMovePolicy.FORFEIT))
    harness = await opened(replace(terms, match_terms=(strict,)), *"abc")
    harness.choose = lambda match, seat, moves: (
        "?" if match.players[seat].bot == "a" else by_the_match(match, seat, moves)
    )
    harness.come(*"abc", hello=ONE)
    await until(harness, rated(12))
    balance = (await harness.ladders.get("main")).ladder.current_season.record(Player("a", "1"))
    assert balance.forfeits == 2
    assert (await harness.store.accounts.bot("a")).pause
    assert next(row for row in await harness.ladders.standings("main") if row.entrant.name == "a").idle
    with pytest.raises(BotPaused):
        await harness.ladders.challenge("main", "r", ("b", "a"))
    harness.choose = by_the_match
    await harness.store.accounts.change_bot("a", resumed)
    await harness.time.passes(SECOND)
    await until(harness, lambda state: state.ladder.current_season.record(Player("a", "1")) != balance)
    await harness.close()


@in_loop
async def test_two_who_have_just_met_wait_for_others_but_not_for_ever() -> None:
    harness = await opened(ladder_terms(), *"abcd")
    slow: set[str] = set()
    harness.choose = lambda match, seat, moves: (
        "" if slow & {it.bot for it in match.players} else by_the_match(match, seat, moves)
    )
    state = await harness.ladders.get("main")
    await harness.ladders.challenge("main", "r", ("c", "d"))
    slow |= {"c", "d"}
    harness.come(*"abcd", hello=ONE)
    await until(harness, rated(1))
    await settled()
    assert (await harness.ladders.get("main")).ladder.planned_count == 2
    await harness.time.passes(11 * SECOND)
    assert (await harness.ladders.get("main")).ladder.planned_count > 2
    assert state.ladder.planned_count == 0
    await harness.close()


@in_loop
async def test_matches_begin_no_more_often_than_the_rate_says() -> None:
    harness = await opened(ladder_terms(matches_per_hour=12), *"abcd")
    harness.come(*"abcd")

    async def begun() -> int:
        await settled()
        return sum(isinstance(event, ContestMatchStarted) for event in await events(harness.store))

    assert await begun() == 1
    await harness.ladders.challenge("main", "r", ("a", "b"))
    await harness.time.passes(299 * SECOND)
    assert await begun() == 1
    await harness.time.passes(SECOND)
    assert await begun() == 2
    await harness.close()
    harness = HostingHarness(harness.store)
    await harness.open()
    harness.come(*"abcd")
    await harness.time.passes(299 * SECOND)
    assert await begun() == 2
    await harness.time.passes(SECOND)
    assert await begun() == 3
    await harness.close()


@in_loop
async def test_a_paused_ladder_begins_no_match_until_it_is_resumed() -> None:
    harness = await opened(ladder_terms(), "a", "b")
    assert (await harness.ladders.pause("main", "back soon")).ladder.paused
    harness.come("a", "b")
    await harness.ladders.challenge("main", "r", ("a", "b"))
    await settled()
    state = await harness.ladders.get("main")
    assert (state.ladder.matches_in_play, state.waiting) == ([], [])
    assert harness.ladders.queue(0).waiting == ()
    await harness.ladders.resume("main")
    await until(harness, rated(1))
    await harness.close()


@in_loop
async def test_while_the_referee_is_about_to_go_nobody_is_paired() -> None:
    harness = await opened(ladder_terms(), "a", "b")
    await harness.referee.drain(0, 1000)
    harness.come("a", "b")
    await settled()
    assert (await harness.ladders.get("main")).ladder.planned_count == 0
    await harness.close()


@in_loop
async def test_several_games_are_taken_in_turn_by_bots_that_take_all_of_them() -> None:
    harness = await opened(ladder_terms("nim", "stones"), *"abc")
    harness.come("a", "b", hello=ONE)
    harness.come("c", hello=replace(ONE, games=frozenset({"nim"})))
    await until(harness, rated(4))
    games = [(await harness.referee.status(it.match_id)).match.setup.game for it in await rated_events(harness)]
    assert games[:4] == ["nim", "stones", "nim", "stones"]
    assert Player("c", "1") not in (await harness.ladders.get("main")).ladder.current_season.ratings
    await harness.close()


async def rated_events(harness: HostingHarness) -> list[MatchRated]:
    return [event for event in await events(harness.store) if isinstance(event, MatchRated)]


# Creating and finding ladders


@in_loop
async def test_a_ladder_is_made_once_and_found_by_name_game_and_bot() -> None:
    harness = await opened(ladder_terms(), "a")
    wish = LadderRequest("main", "org", "r1", ladder_terms())
    assert (await harness.ladders.create(wish)).created == (await harness.ladders.get("main")).created
    with pytest.raises(RequestIdReused):
        await harness.ladders.create(replace(wish, name="more"))
    with pytest.raises(NameTaken):
        await harness.ladders.create(replace(wish, request_id="r2"))
    with pytest.raises(UnknownLadder):
        await harness.ladders.get("more")
    other = await harness.ladders.create(LadderRequest("all", "org", "r3", ladder_terms("toc")))
    assert [it.created.name for it in await harness.ladders.find()] == ["all", "main"]
    assert [it.created.name for it in await harness.ladders.find(after="all")] == ["main"]
    assert await harness.ladders.find(LadderFilter(game="toc")) == [other]
    assert [it.created.name for it in await harness.ladders.find(LadderFilter(bot="a"))] == ["main"]
    await harness.close()


@in_loop
async def test_terms_that_do_not_go_together_are_refused() -> None:
    harness = await opened(ladder_terms())
    by_lot = replace(ladder_terms().match_terms[0], by_lot=True)
    nonces = replace(ladder_terms().match_terms[0], nonce_within_us=SECOND)
    for terms in (
        ladder_terms("nim", "toc"),
        replace(ladder_terms(), match_terms=()),
        replace(ladder_terms(), match_terms=(by_lot,)),
        replace(ladder_terms(duplicate=DuplicatePlay()), match_terms=(nonces,)),
        ladder_terms("toc", duplicate=DuplicatePlay()),
    ):
        with pytest.raises(BadField):
            await harness.ladders.create(LadderRequest("bad", "org", "r9", terms))
    await harness.close()


@in_loop
async def test_a_paused_bot_may_not_join() -> None:
    store = Store()
    await store.register("a")
    await store.accounts.change_bot("a", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "no", 1)))
    harness = HostingHarness(store)
    await harness.open()
    await new_ladder(harness, ladder_terms())
    with pytest.raises(BotPaused):
        await harness.ladders.join("main", climber("a"))
    assert (await store.matches.contests.read(CONTEST))[-1].number == 1
    await harness.close()
