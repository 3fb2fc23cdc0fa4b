"""Ladders that are played: who is paired, what is rated, and what the table says of it."""

from dataclasses import replace

import pytest

from referee.app.accounts import Pause, PauseCause, paused, resumed
from referee.app.contests.ladder_wish import LadderFilter, LadderWish
from referee.app.contests.refusals import UnknownLadder
from referee.app.contests.terms import DuplicatePlay
from referee.app.refusals import BadField, BotPaused, NameTaken
from referee.app.sessions import Hello
from referee.app.wish import LADDER, MatchWish
from referee.contest.ladder import Phase
from referee.contest.ladder_events import Closed, Joined, Left, Paired, Rated
from referee.contest.match_events import Began
from referee.contest.refusals import LadderClosed, NotAMember
from referee.core.clock import SECOND, SuddenDeath
from referee.core.errors import RequestIdReused
from referee.core.policy import Illegal, Policies
from referee.core.setup import Player
from tests.app.contests.ladder_stage import (
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
from tests.app.contests.stage import Stage, Store, by_the_match
from tests.app.scene import in_loop
from tests.app.stopped_time import settled

ONE = Hello(matches_at_most=1)


@in_loop
async def test_bots_that_are_there_play_on_and_on_and_are_ranked() -> None:
    stage = await opened(ladder_terms(provisional_matches=5), *"abcdef")
    stage.come(*"abcdef", hello=ONE)
    await until(stage, rated(60))
    rows = await stage.ladders.standings("main")
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row.rated.rating.value for row in rows] == sorted((it.rated.rating.value for it in rows), reverse=True)
    assert {row.player for row in rows} == {Player(name, "1") for name in "abcdef"}
    assert not any(row.idle or row.provisional for row in rows)
    assert min(row.rated.matches for row in rows) >= 10
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_no_more_matches_are_in_play_than_asked_for() -> None:
    stage = await opened(ladder_terms(matches_at_once=2), *"abcdefgh")
    stage.come(*"abcdefgh")
    held, watching = await stage.ladders.watch("main", 0)
    while not rated(20)(held):
        steps = await anext(watching)
        assert all(len(step.state.ladder.playing) <= 2 for step in steps)
        held = steps[-1].state
    await stage.close()


@in_loop
async def test_nothing_is_planned_that_cannot_begin() -> None:
    stage = await opened(ladder_terms(), *"abcd")
    await settled()
    assert (await stage.ladders.ladder("main")).ladder.planned == 0
    stage.choose = lambda *_: ""
    stage.come("a", "b", hello=ONE)
    await settled()
    ladder = (await stage.ladders.ladder("main")).ladder
    assert (ladder.planned, len(ladder.playing), ladder.due) == (1, 1, [])
    await stage.close()


@in_loop
async def test_who_joins_in_the_middle_is_paired_and_who_leaves_is_not() -> None:
    stage = await opened(ladder_terms(), *"abc")
    await stage.store.register("d")
    stage.come(*"abcd", hello=ONE)
    await until(stage, rated(5))
    await stage.ladders.leave("main", "a")
    await stage.ladders.join("main", climber("d"))
    await until(stage, rated(25))
    await stage.close()
    happened = await events(stage.store)
    since = happened[next(at for at, event in enumerate(happened) if isinstance(event, Left)) :]
    seated = {name for event in since if isinstance(event, Paired) for name in event.pairing.entrants}
    assert seated == {"b", "c", "d"}
    await check_the_logs(stage.store)


@in_loop
async def test_the_matches_of_a_bot_that_crashes_are_lost_and_rated_and_the_others_play_on() -> None:
    stage = await opened(ladder_terms(), *"abc")
    (gone, *_) = stage.come(*"abc", hello=ONE)
    await until(stage, rated(3))
    stage.choose = lambda match, seat, moves: "" if match.players[seat].bot == "a" else by_the_match(match, seat, moves)
    await until(stage, lambda held: any("a" in due.seats for due in held.ladder.playing))
    leaves(stage, gone)
    await stage.time.passes(300 * SECOND)
    held = await stage.ladders.ladder("main")
    assert held.ladder.standing.balance(Player("a", "1")).forfeits == 1
    rows = {row.entrant.name: row for row in await stage.ladders.standings("main")}
    assert rows["a"].idle
    assert all("a" not in due.seats for due in held.ladder.playing)
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_a_rating_belongs_to_the_version_that_played() -> None:
    stage = await opened(ladder_terms(), "a", "b", versions=("1", "2"))
    (first, _) = stage.come("a", "b", hello=ONE)
    await until(stage, rated(3))
    stage.come("a", version="2", hello=ONE)
    leaves(stage, first)
    await until(stage, lambda held: held.ladder.standing.rating(Player("a", "2")).matches >= 2)
    rows = await stage.ladders.standings("main", all_versions=True)
    assert {row.player for row in rows} == {Player("a", "1"), Player("a", "2"), Player("b", "1")}
    points = await stage.ladders.history("main", "a", "1")
    assert [point.rated.matches for point in points] == [*range(1, len(points) + 1)]
    assert points[-1].rated == (await stage.ladders.ladder("main")).ladder.standing.rating(Player("a", "1"))
    assert {point.version for point in await stage.ladders.history("main", "a")} == {"1", "2"}
    assert await stage.ladders.history("main", "a", "1", after=points[0].number, at_most=1) == points[1:2]
    await stage.close()


@pytest.mark.slow
@in_loop
async def test_fixed_partners_sit_together_and_share_a_rating() -> None:
    stage = await opened(ladder_partners())
    bots = ["n", "s", "e", "w"]
    await stage.store.register(*bots)
    await stage.ladders.join("main", climber("n", "s", name="ns"))
    await stage.ladders.join("main", climber("e", "w", name="ew"))
    stage.come(*bots, hello=ONE)
    await until(stage, rated(2))
    rows = await stage.ladders.standings("main")
    assert {row.player for row in rows} == {Player("ns"), Player("ew")}
    (event, *_) = [event for event in await events(stage.store) if isinstance(event, Rated)]
    match = (await stage.referee.standing(event.match_id)).match
    sitting = [player.bot for player in match.players]
    assert {frozenset(sitting[::2]), frozenset(sitting[1::2])} == {frozenset("ns"), frozenset("ew")}
    assert [change.bot for change in match.ratings] == sitting
    assert match.ratings[0].after == match.ratings[2].after
    assert len(await stage.ladders.history("main", "n")) == 2
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_a_challenge_is_played_first_and_found_again() -> None:
    stage = await opened(ladder_terms(matches_at_once=1), *"abcd")
    course = await stage.ladders.challenge("main", "org/1", ("c", "d"))
    stage.come(*"abcd", hello=ONE)
    await until(stage, rated(1))
    assert {player.bot for player in (await stage.ladders.ladder("main")).ladder.standing.ratings} == {"c", "d"}
    again = await stage.ladders.challenge("main", "org/1", ("c", "d"))
    assert (again.pairing, again.done) == (course.pairing, True)
    with pytest.raises(RequestIdReused):
        await stage.ladders.challenge("main", "org/1", ("a", "d"))
    with pytest.raises(NotAMember):
        await stage.ladders.challenge("main", "org/2", ("a", "x"))
    await stage.close()


@in_loop
async def test_a_new_season_keeps_values_and_history_and_the_old_table() -> None:
    stage = await opened(ladder_terms(), "a", "b")
    stage.come("a", "b", hello=ONE)
    await until(stage, rated(3))
    held = await stage.ladders.start_season("main", "s2")
    assert (held.ladder.season, held.season_began_ms) == (2, held.seasons[-1][1])
    assert await stage.ladders.start_season("main", "s2") == await stage.ladders.ladder("main")
    await until(stage, rated(2))
    old = await stage.ladders.standings("main", season=1)
    assert {row.rated.matches for row in old} >= {3} or min(row.rated.matches for row in old) >= 3
    assert {point.season for point in await stage.ladders.history("main", "a")} == {1, 2}
    with pytest.raises(BadField):
        await stage.ladders.standings("main", season=3)
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_a_ladder_that_is_closed_ends_when_its_last_match_is_over_and_rated() -> None:
    stage = await opened(ladder_terms(), *"abcd")
    stage.choose = lambda *_: ""
    stage.come(*"abcd", hello=ONE)
    await until(stage, lambda held: len(held.ladder.playing) == 2)
    _, watching = await stage.ladders.watch("main", None)
    held = await stage.ladders.close("main", "thank you")
    assert held.ladder.phase is Phase.CLOSING
    playing = {held.match_id(due) for due in held.ladder.playing}
    assert len(playing) == 2
    for match_id in playing:
        await stage.referee.resign(match_id, 0)
    heard = [step.entry.event async for steps in watching for step in steps]
    assert heard[-1] == Closed()
    assert playing == {event.match_id for event in heard if isinstance(event, Rated)}
    with pytest.raises(LadderClosed):
        await stage.ladders.join("main", climber("a"))
    assert await stage.ladders.ladders(LadderFilter()) == []
    assert [it.made.name for it in await stage.ladders.ladders(LadderFilter(with_closed=True))] == ["main"]
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_a_match_that_the_organiser_makes_is_rated_and_counts_for_no_pairing() -> None:
    stage = await opened(ladder_terms(), "a")
    await stage.store.register("b")
    stage.come("a", "b")
    players, labels = (Player("a"), Player("b")), {LADDER: "main"}
    wish = MatchWish("nim", {"heap": 6}, players=players, controls=(SuddenDeath(SECOND),), labels=labels)
    made = await stage.referee.create(wish)
    await until(stage, rated(1))
    match = (await stage.referee.standing(made.standing.match.setup.match_id)).match
    assert [change.bot for change in match.ratings] == ["a", "b"]
    assert (await stage.ladders.ladder("main")).ladder.planned == 0
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_a_match_of_a_ladder_that_is_not_there_or_against_oneself_ends_unrated() -> None:
    stage = await opened(ladder_terms(), "a")
    stage.come("a")
    for ladder in ("main", "other"):
        wish = MatchWish(
            "nim", {"heap": 6}, players=(Player("a"),) * 2, controls=(SuddenDeath(SECOND),), labels={LADDER: ladder}
        )
        made = await stage.referee.create(wish)
        await settled()
        match = (await stage.referee.standing(made.standing.match.setup.match_id)).match
        assert match.result
        assert match.ratings == ()
    await stage.close()


@in_loop
async def test_a_result_is_rated_at_once_though_the_log_of_its_ladder_has_moved_on_unseen() -> None:
    stage = await opened(ladder_terms(), "a", "b")
    stage.choose = lambda *_: ""
    stage.come("a", "b", hello=ONE)
    held = await until(stage, lambda held: bool(held.ladder.playing))
    log = stage.store.matches.contests
    await log.append(CONTEST, held.number, [Joined(climber("c", name="c"))])  # As another process would.
    (due,) = held.ladder.playing
    await stage.referee.resign(held.match_id(due), 0)
    held = await stage.ladders.ladder("main")
    assert {player.bot: rated.matches for player, rated in held.ladder.standing.ratings.items()} == {"a": 1, "b": 1}
    assert "c" in held.ladder.entrants
    await stage.close()
    await check_the_logs(stage.store)


@pytest.mark.slow
@in_loop
async def test_partners_who_change_are_rated_each_for_itself() -> None:
    stage = await opened(ladder_terms("toc"), *"nesw")
    stage.come(*"nesw", hello=ONE)
    await until(stage, lambda held: sum(it.matches for it in held.ladder.standing.ratings.values()) >= 12)
    sides = set[frozenset[frozenset[str]]]()
    for event in await rated_events(stage):
        match = (await stage.referee.standing(event.match_id)).match
        assert match.result
        sitting = [player.bot for player in match.players]
        assert [change.bot for change in match.ratings] == sitting
        gained = [change.after.value > change.before.value for change in match.ratings]
        assert (
            (gained[0], gained[1]) == (gained[2], gained[3]) == (match.result.ranks[0] == 1, match.result.ranks[1] == 1)
        )
        sides.add(frozenset({frozenset(sitting[::2]), frozenset(sitting[1::2])}))
    assert len(sides) == 3
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_a_void_match_is_played_again_and_never_rated() -> None:
    stage = await opened(ladder_terms(matches_at_once=1), "a", "b")
    stage.voided = frozenset({"1/1.1"})
    stage.come("a", "b")
    held = await until(stage, rated(1))
    first = held.ladder.courses["1"]
    assert (first.voided, [*first.match_ids]) == ({1: 1}, [(1, 1), (1, 2)])
    await stage.close()
    await check_the_logs(stage.store)


@in_loop
async def test_both_matches_of_a_set_begin_alike_with_the_seats_exchanged_and_stay_sealed_until_both_are_over() -> None:
    stage = await opened(ladder_terms(duplicate=DuplicatePlay(), matches_at_once=1), "a", "b")
    stage.come("a", "b")
    await until(stage, rated(1))
    assert stage.ladders.set_open("main", "1/1", "")
    held = await until(stage, rated(2))
    assert not stage.ladders.set_open("main", "1/1", "")
    ids = [
        it for course in held.ladder.courses.values() if course.pairing.id == "1" for it in course.match_ids.values()
    ]
    one, other = [(await stage.referee.standing(it)).match.setup for it in ids]
    assert one.seed == other.seed
    assert one.players == other.players[::-1]
    await stage.close()


@in_loop
async def test_a_bot_with_as_many_faults_in_a_row_as_the_ladder_allows_is_paused_and_paired_no_more() -> None:
    terms = ladder_terms(pause_after_faults=2)
    strict = replace(terms.match_terms[0], policies=Policies(illegal=Illegal.FORFEIT))
    stage = await opened(replace(terms, match_terms=(strict,)), *"abc")
    stage.choose = lambda match, seat, moves: (
        "?" if match.players[seat].bot == "a" else by_the_match(match, seat, moves)
    )
    stage.come(*"abc", hello=ONE)
    await until(stage, rated(12))
    balance = (await stage.ladders.ladder("main")).ladder.standing.balance(Player("a", "1"))
    assert balance.forfeits == 2
    assert (await stage.store.accounts.bot("a")).pause
    assert next(row for row in await stage.ladders.standings("main") if row.entrant.name == "a").idle
    with pytest.raises(BotPaused):
        await stage.ladders.challenge("main", "r", ("b", "a"))
    stage.choose = by_the_match
    await stage.store.accounts.change_bot("a", resumed)
    await stage.time.passes(SECOND)
    await until(stage, lambda held: held.ladder.standing.balance(Player("a", "1")) != balance)
    await stage.close()


@in_loop
async def test_two_who_have_just_met_wait_for_others_but_not_for_ever() -> None:
    stage = await opened(ladder_terms(), *"abcd")
    slow: set[str] = set()
    stage.choose = lambda match, seat, moves: (
        "" if slow & {it.bot for it in match.players} else by_the_match(match, seat, moves)
    )
    held = await stage.ladders.ladder("main")
    await stage.ladders.challenge("main", "r", ("c", "d"))
    slow |= {"c", "d"}
    stage.come(*"abcd", hello=ONE)
    await until(stage, rated(1))
    await settled()
    assert (await stage.ladders.ladder("main")).ladder.planned == 2
    await stage.time.passes(11 * SECOND)
    assert (await stage.ladders.ladder("main")).ladder.planned > 2
    assert held.ladder.planned == 0
    await stage.close()


@in_loop
async def test_matches_begin_no_more_often_than_the_rate_says() -> None:
    stage = await opened(ladder_terms(matches_per_hour=12), *"abcd")
    stage.come(*"abcd")

    async def begun() -> int:
        await settled()
        return sum(isinstance(event, Began) for event in await events(stage.store))

    assert await begun() == 1
    await stage.ladders.challenge("main", "r", ("a", "b"))
    await stage.time.passes(299 * SECOND)
    assert await begun() == 1
    await stage.time.passes(SECOND)
    assert await begun() == 2
    await stage.close()
    stage = Stage(stage.store)
    await stage.open()
    stage.come(*"abcd")
    await stage.time.passes(299 * SECOND)
    assert await begun() == 2
    await stage.time.passes(SECOND)
    assert await begun() == 3
    await stage.close()


@in_loop
async def test_a_paused_ladder_begins_no_match_until_it_is_resumed() -> None:
    stage = await opened(ladder_terms(), "a", "b")
    assert (await stage.ladders.pause("main", "back soon")).ladder.paused
    stage.come("a", "b")
    await stage.ladders.challenge("main", "r", ("a", "b"))
    await settled()
    held = await stage.ladders.ladder("main")
    assert (held.ladder.playing, held.waiting) == ([], [])
    assert stage.ladders.queue(0).waiting == ()
    await stage.ladders.resume("main")
    await until(stage, rated(1))
    await stage.close()


@in_loop
async def test_while_the_referee_is_about_to_go_nobody_is_paired() -> None:
    stage = await opened(ladder_terms(), "a", "b")
    await stage.referee.drain(0, 1000)
    stage.come("a", "b")
    await settled()
    assert (await stage.ladders.ladder("main")).ladder.planned == 0
    await stage.close()


@in_loop
async def test_several_games_are_taken_in_turn_by_bots_that_take_all_of_them() -> None:
    stage = await opened(ladder_terms("nim", "stones"), *"abc")
    stage.come("a", "b", hello=ONE)
    stage.come("c", hello=replace(ONE, games=frozenset({"nim"})))
    await until(stage, rated(4))
    games = [(await stage.referee.standing(it.match_id)).match.setup.game for it in await rated_events(stage)]
    assert games[:4] == ["nim", "stones", "nim", "stones"]
    assert Player("c", "1") not in (await stage.ladders.ladder("main")).ladder.standing.ratings
    await stage.close()


async def rated_events(stage: Stage) -> list[Rated]:
    return [event for event in await events(stage.store) if isinstance(event, Rated)]


# Making and finding them


@in_loop
async def test_a_ladder_is_made_once_and_found_by_name_game_and_bot() -> None:
    stage = await opened(ladder_terms(), "a")
    wish = LadderWish("main", "org", "r1", ladder_terms())
    assert (await stage.ladders.create(wish)).made == (await stage.ladders.ladder("main")).made
    with pytest.raises(RequestIdReused):
        await stage.ladders.create(replace(wish, name="more"))
    with pytest.raises(NameTaken):
        await stage.ladders.create(replace(wish, request_id="r2"))
    with pytest.raises(UnknownLadder):
        await stage.ladders.ladder("more")
    other = await stage.ladders.create(LadderWish("all", "org", "r3", ladder_terms("toc")))
    assert [it.made.name for it in await stage.ladders.ladders()] == ["all", "main"]
    assert [it.made.name for it in await stage.ladders.ladders(after="all")] == ["main"]
    assert await stage.ladders.ladders(LadderFilter(game="toc")) == [other]
    assert [it.made.name for it in await stage.ladders.ladders(LadderFilter(bot="a"))] == ["main"]
    await stage.close()


@in_loop
async def test_terms_that_do_not_go_together_are_refused() -> None:
    stage = await opened(ladder_terms())
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
            await stage.ladders.create(LadderWish("bad", "org", "r9", terms))
    await stage.close()


@in_loop
async def test_a_paused_bot_may_not_join() -> None:
    store = Store()
    await store.register("a")
    await store.accounts.change_bot("a", lambda bot: paused(bot, Pause(PauseCause.ADMIN, "no", 1)))
    stage = Stage(store)
    await stage.open()
    await new_ladder(stage, ladder_terms())
    with pytest.raises(BotPaused):
        await stage.ladders.join("main", climber("a"))
    assert (await store.matches.contests.read(CONTEST))[-1].number == 1
    await stage.close()
