"""Ladders: which bots are paired, what is rated, what the standings show, and errors of requests."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from referee_values import DuplicatePlay, IllegalMovePolicy, Policies

from referee.accounts.account_errors import BadField, BadSeats, BotPaused, NameTaken
from referee.accounts.bots import BotPause, PauseCause, paused, resumed
from referee.contests.contest_entrant import EntrantJoined, EntrantLeft
from referee.contests.contest_errors import LadderClosed, NotAMember
from referee.contests.ladder.events import LadderClosureFinished, MatchRated, PairingPlanned
from referee.contests.ladder.state import LadderPhase
from referee.contests.pairing import ContestMatchStarted, ContestMatchVoided
from referee.hosting.contest_host import ContestFilter
from referee.hosting.contest_log import ContestEntry, ContestEvent
from referee.hosting.hosting_errors import NoSuchLadder
from referee.hosting.ladder_host import LadderRequest
from referee.hosting.ladder_state import LadderFold
from referee.live.log_history import replay as log_replay
from referee.live.match_request import LADDER, MatchRequest
from referee.live.sessions import Hello
from referee.match.clock import SECOND, SuddenDeath
from referee.match.match_errors import RequestIdReused
from referee.match.match_terms import MatchTerms
from referee.match.result import EndCause
from referee.match.setup import Player
from tests.hosting.harness import MANY_MATCHES, HostingHarness, Store, choose_by_match, open_process, reopen
from tests.hosting.ladder_harness import (
    CONTEST,
    check_the_logs,
    close_and_check,
    disconnect,
    events,
    ladder_entrant,
    ladder_partners,
    ladder_terms,
    new_ladder,
    open_with_ladder,
    rated,
    until,
)
from tests.live.fake_time import settle
from tests.live.referee_harness import GAMES
from tests.match.setups import time_control
from tests.third_party_games.third_party_games import NIM

ONE = Hello(max_matches=1)
NIM_TERMS = MatchTerms("nim", NIM.settings({"heap": 6}), time_control((SuddenDeath(SECOND),)))


async def test_online_bots_play_continuously_and_are_ranked() -> None:
    harness = await open_with_ladder(ladder_terms(provisional_matches=5), *"abcdef", online=ONE)
    await until(harness, rated(60))
    rows = await harness.ladders.standings("main")
    assert [row.rank for row in rows] == [1, 2, 3, 4, 5, 6]
    bounds = [row.rating.rating.lower_bound for row in rows]
    assert bounds == sorted(bounds, reverse=True)
    assert {row.player for row in rows} == {Player(name, "1") for name in "abcdef"}
    assert not any(row.idle or row.provisional for row in rows)
    assert min(row.rating.matches for row in rows) >= 10
    await close_and_check(harness)


async def test_no_more_matches_are_in_play_than_the_limit_of_the_ladder() -> None:
    harness = await open_with_ladder(ladder_terms(max_concurrent_matches=2), *"abcdefgh", online=MANY_MATCHES)
    state, watch = await harness.ladders.watch("main", 0)
    while not rated(20)(state):
        steps = await anext(watch)
        assert all(len(step.state.ladder.matches_in_play) <= 2 for step in steps)
        state = steps[-1].state


async def test_only_matches_that_can_start_are_planned() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abcd")
    await settle()
    assert (await harness.ladders.get("main")).ladder.planned_count == 0
    harness.choose = lambda *_: ""
    harness.connect("a", "b", hello=ONE)
    await settle()
    ladder = (await harness.ladders.get("main")).ladder
    assert (ladder.planned_count, len(ladder.matches_in_play), ladder.due_matches) == (1, 1, [])


async def test_a_bot_that_joins_later_is_paired_and_one_that_leaves_is_not() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abc")
    await harness.store.register("d")
    harness.connect(*"abcd", hello=ONE)
    await until(harness, rated(5))
    await harness.ladders.leave("main", "a")
    await harness.ladders.join("main", ladder_entrant("d"))
    await until(harness, rated(25))
    await harness.close()
    recorded = await events(harness.store)
    since_leave = recorded[next(at for at, event in enumerate(recorded) if isinstance(event, EntrantLeft)) :]
    seated = {name for event in since_leave if isinstance(event, PairingPlanned) for name in event.pairing.entrants}
    assert seated == {"b", "c", "d"}
    await check_the_logs(harness.store)


async def test_a_bot_that_crashes_loses_its_matches_and_the_others_continue() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abc")
    (crashing_session, *_) = harness.connect(*"abc", hello=ONE)
    await until(harness, rated(3))
    harness.choose = lambda match, seat, moves: (
        "" if match.players[seat].bot == "a" else choose_by_match(match, seat, moves)
    )
    await until(harness, lambda state: any("a" in due.seats for due in state.ladder.matches_in_play))
    disconnect(harness, crashing_session)
    await harness.time.advance(300 * SECOND)
    state = await harness.ladders.get("main")
    assert state.ladder.current_season.record(Player("a", "1")).forfeits == 1
    rows = {row.entrant.name: row for row in await harness.ladders.standings("main")}
    assert rows["a"].idle
    assert all("a" not in due.seats for due in state.ladder.matches_in_play)
    await close_and_check(harness)


async def test_a_rating_belongs_to_the_version_that_played() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b", versions=("1", "2"))
    (first, _) = harness.connect("a", "b", hello=ONE)
    await until(harness, rated(3))
    harness.connect("a", version="2", hello=ONE)
    disconnect(harness, first)
    await until(harness, lambda state: state.ladder.current_season.rating(Player("a", "2")).matches >= 2)
    rows = await harness.ladders.standings("main", all_versions=True)
    assert {row.player for row in rows} == {Player("a", "1"), Player("a", "2"), Player("b", "1")}
    points = await harness.ladders.history("main", "a", "1")
    assert [point.rated.matches for point in points] == [*range(1, len(points) + 1)]
    assert points[-1].rated == (await harness.ladders.get("main")).ladder.current_season.rating(Player("a", "1"))
    assert {point.version for point in await harness.ladders.history("main", "a")} == {"1", "2"}
    assert await harness.ladders.history("main", "a", "1", after=points[0].number, limit=1) == points[1:2]


@pytest.mark.slow
async def test_fixed_partners_play_together_and_share_a_rating() -> None:
    harness = await open_with_ladder(ladder_partners())
    bots = ["n", "s", "e", "w"]
    await harness.store.register(*bots)
    await harness.ladders.join("main", ladder_entrant("n", "s", name="ns"))
    await harness.ladders.join("main", ladder_entrant("e", "w", name="ew"))
    harness.connect(*bots, hello=ONE)
    await until(harness, rated(2))
    rows = await harness.ladders.standings("main")
    assert {row.player for row in rows} == {Player("ns"), Player("ew")}
    (event, *_) = [event for event in await events(harness.store) if isinstance(event, MatchRated)]
    match = (await harness.referee.status(event.match_id)).match
    seated_bots = [player.bot for player in match.players]
    assert {frozenset(seated_bots[::2]), frozenset(seated_bots[1::2])} == {frozenset("ns"), frozenset("ew")}
    assert [change.bot for change in match.ratings] == seated_bots
    assert match.ratings[0].after == match.ratings[2].after
    assert len(await harness.ladders.history("main", "n")) == 2
    await close_and_check(harness)


async def test_a_challenge_is_played_first_and_its_repetition_returns_the_same_pairing() -> None:
    harness = await open_with_ladder(ladder_terms(max_concurrent_matches=1), *"abcd")
    progress = await harness.ladders.challenge("main", "org/1", ("c", "d"))
    harness.connect(*"abcd", hello=ONE)
    await until(harness, rated(1))
    assert {player.bot for player in (await harness.ladders.get("main")).ladder.current_season.ratings} == {"c", "d"}
    again = await harness.ladders.challenge("main", "org/1", ("c", "d"))
    assert (again.pairing, again.is_done) == (progress.pairing, True)
    with pytest.raises(RequestIdReused):
        await harness.ladders.challenge("main", "org/1", ("a", "d"))
    with pytest.raises(NotAMember):
        await harness.ladders.challenge("main", "org/2", ("a", "x"))


async def test_a_new_season_keeps_rating_values_history_and_the_old_standings() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b", online=ONE)
    await until(harness, rated(3))
    state = await harness.ladders.start_season("main", "s2")
    assert (state.ladder.season, state.season_started_ms) == (2, state.seasons[-1][1])
    assert await harness.ladders.start_season("main", "s2") == await harness.ladders.get("main")
    await until(harness, rated(2))
    old_rows = await harness.ladders.standings("main", season=1)
    assert {row.rating.matches for row in old_rows} >= {3} or min(row.rating.matches for row in old_rows) >= 3
    assert {point.season for point in await harness.ladders.history("main", "a")} == {1, 2}
    with pytest.raises(BadField):
        await harness.ladders.standings("main", season=3)
    await close_and_check(harness)


async def test_a_closed_ladder_ends_when_its_last_match_is_rated() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abcd", silent=True, online=ONE)
    await until(harness, lambda state: len(state.ladder.matches_in_play) == 2)
    _, watch = await harness.ladders.watch("main", None)
    state = await harness.ladders.close("main", "thank you")
    assert state.ladder.phase is LadderPhase.CLOSING
    playing = {state.match_id(due) or "" for due in state.ladder.matches_in_play}
    assert len(playing) == 2
    for match_id in playing:
        await harness.referee.resign(match_id, 0)
    received = [step.entry.event async for steps in watch for step in steps]
    assert received[-1] == LadderClosureFinished()
    assert playing == {event.match_id for event in received if isinstance(event, MatchRated)}
    with pytest.raises(LadderClosed):
        await harness.ladders.join("main", ladder_entrant("a"))
    assert await harness.ladders.find(ContestFilter()) == []
    assert [item.created.name for item in await harness.ladders.find(ContestFilter(with_closed=True))] == ["main"]
    await close_and_check(harness)


async def test_a_match_created_by_the_organiser_is_rated_without_a_pairing() -> None:
    harness = await open_with_ladder(ladder_terms(), "a")
    await harness.store.register("b")
    harness.connect("a", "b")
    players, labels = (Player("a"), Player("b")), {LADDER: "main"}
    request = MatchRequest(NIM_TERMS, players, labels=labels)
    created = await harness.referee.create(request)
    await until(harness, rated(1))
    match = (await harness.referee.status(created.status.match.setup.match_id)).match
    assert [change.bot for change in match.ratings] == ["a", "b"]
    assert (await harness.ladders.get("main")).ladder.planned_count == 0
    await close_and_check(harness)


async def test_a_log_of_an_older_version_keeps_its_ratings_and_has_the_times_of_its_entries() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b", online=ONE)
    state = await until(harness, rated(3))
    await harness.close()
    entries = await harness.store.matches.contests.read(CONTEST)
    older = [
        replace(entry, event=replace(entry.event, at_ms=0)) if isinstance(entry.event, MatchRated) else entry
        for entry in entries[: state.number]
    ]
    folded = [step.state.ladder for step in log_replay(LadderFold(GAMES), older)][-1]
    assert folded.current_season == state.ladder.current_season
    last = max(entry.at_ms for entry in older if isinstance(entry.event, MatchRated))
    assert folded.rating_history.last_ms == last > 0


async def test_no_match_between_bots_of_one_author_is_rated() -> None:
    store = Store()
    await store.add_author("ann")
    await store.register("a", "b", "x", owner="ann")
    await store.register("c", owner="staff")
    harness = await open_process(store=store)
    await new_ladder(harness, ladder_terms(), "a", "b", "c")
    state = await harness.ladders.get("main")
    assert {name: bot.owners for name, bot in state.ladder.entrants.items()} == {"a": ("ann",), "b": ("ann",), "c": ()}
    harness.connect("a", "b", "x")
    for other in ("b", "x"):  # x has not joined the ladder.
        players, labels = (Player("a"), Player(other)), {LADDER: "main"}
        created = await harness.referee.create(MatchRequest(NIM_TERMS, players, labels=labels))
        await settle()
        match = (await harness.referee.status(created.status.match.setup.match_id)).match
        assert match.result
        assert match.ratings == ()
    assert [type(event) for event in await events(store)] == [EntrantJoined] * 3
    harness.connect("c", hello=ONE)
    await until(harness, rated(6))
    rated_pairs = {frozenset(event.finish.players) for event in await events(store) if isinstance(event, MatchRated)}
    assert all(Player("c", "1") in pair for pair in rated_pairs)


async def test_a_match_of_an_unknown_ladder_or_of_one_bot_against_itself_ends_unrated() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", online=MANY_MATCHES)
    for ladder in ("main", "other"):
        request = MatchRequest(NIM_TERMS, (Player("a"),) * 2, labels={LADDER: ladder})
        created = await harness.referee.create(request)
        await settle()
        match = (await harness.referee.status(created.status.match.setup.match_id)).match
        assert match.result
        assert match.ratings == ()


async def test_a_result_is_rated_at_once_even_if_another_process_has_extended_the_ladders_log() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b", silent=True, online=ONE)
    state = await until(harness, lambda state: bool(state.ladder.matches_in_play))
    log = harness.store.matches.contests
    await log.append(CONTEST, state.number, [EntrantJoined(ladder_entrant("c", name="c"))])  # As another process would.
    (due,) = state.ladder.matches_in_play
    await harness.referee.resign(state.match_id(due) or "", 0)
    state = await harness.ladders.get("main")
    assert {player.bot: rated.matches for player, rated in state.ladder.current_season.ratings.items()} == {
        "a": 1,
        "b": 1,
    }
    assert "c" in state.ladder.entrants
    await close_and_check(harness)


@pytest.mark.slow
async def test_changing_partners_are_rated_individually() -> None:
    harness = await open_with_ladder(ladder_terms("toc"), *"nesw", online=ONE)
    await until(harness, lambda state: sum(item.matches for item in state.ladder.current_season.ratings.values()) >= 12)
    sides = set[frozenset[frozenset[str]]]()
    for event in await rated_events(harness):
        match = (await harness.referee.status(event.match_id)).match
        assert match.result
        seated_bots = [player.bot for player in match.players]
        assert [change.bot for change in match.ratings] == seated_bots
        gains = [change.after.value > change.before.value for change in match.ratings]
        assert (gains[0], gains[1]) == (gains[2], gains[3]) == (match.result.ranks[0] == 1, match.result.ranks[1] == 1)
        sides.add(frozenset({frozenset(seated_bots[::2]), frozenset(seated_bots[1::2])}))
    assert len(sides) == 3
    await close_and_check(harness)


async def test_a_void_match_is_played_again_and_never_rated() -> None:
    harness = await open_with_ladder(ladder_terms(max_concurrent_matches=1), "a", "b")
    harness.voided = frozenset({"1/1.1"})
    harness.connect("a", "b")
    state = await until(harness, rated(1))
    first = state.ladder.pairings["1"]
    assert (first.void_counts, [*first.match_ids]) == ({1: 1}, [(1, 1), (1, 2)])
    await close_and_check(harness)


async def test_a_match_that_becomes_void_while_another_result_is_recorded_is_recorded_too() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abcd", silent=True, online=ONE)
    state = await until(harness, lambda state: len(state.playing) == 2)
    first, second = (state.match_id(due) or "" for due in state.playing)
    append = harness.contests.append

    async def append_after_void(contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        harness.contests.append = append  # type: ignore[method-assign]
        await harness.referee.void(first, EndCause.DECLARED, "")
        return await append(contest, after, events)

    harness.contests.append = append_after_void  # type: ignore[method-assign]
    await harness.referee.void(second, EndCause.DECLARED, "")
    await settle()
    voided = [event for event in await events(harness.store) if isinstance(event, ContestMatchVoided)]
    assert len(voided) == 2


async def test_matches_of_a_set_start_equally_with_seats_exchanged_and_stay_secret_until_both_end() -> None:
    harness = await open_with_ladder(
        ladder_terms(duplicate_play=DuplicatePlay(), max_concurrent_matches=1), "a", "b", online=MANY_MATCHES
    )
    await until(harness, rated(1))
    assert harness.ladders.workers.is_set_open("ladder/main", "1/1", "")
    state = await until(harness, rated(2))
    assert not harness.ladders.workers.is_set_open("ladder/main", "1/1", "")
    ids = [
        item
        for progress in state.ladder.pairings.values()
        if progress.pairing.id == "1"
        for item in progress.match_ids.values()
    ]
    first, second = [(await harness.referee.status(item)).match.setup for item in ids]
    assert first.seed == second.seed
    assert first.players == second.players[::-1]


async def test_a_bot_that_reaches_the_fault_limit_of_the_ladder_is_paused_and_not_paired() -> None:
    terms = ladder_terms(pause_after_faults=2)
    strict = replace(terms.match_terms[0], policies=Policies(illegal_move=IllegalMovePolicy(action="forfeit")))
    harness = await open_with_ladder(replace(terms, match_terms=(strict,)), *"abc")
    harness.choose = lambda match, seat, moves: (
        "?" if match.players[seat].bot == "a" else choose_by_match(match, seat, moves)
    )
    harness.connect(*"abc", hello=ONE)
    await until(harness, rated(12))
    record = (await harness.ladders.get("main")).ladder.current_season.record(Player("a", "1"))
    assert record.forfeits == 2
    assert (await harness.store.accounts.bot("a")).pause
    assert next(row for row in await harness.ladders.standings("main") if row.entrant.name == "a").idle
    with pytest.raises(BotPaused):
        await harness.ladders.challenge("main", "r", ("b", "a"))
    harness.choose = choose_by_match
    await harness.store.accounts.change_bot("a", resumed)
    await harness.time.advance(SECOND)
    await until(harness, lambda state: state.ladder.current_season.record(Player("a", "1")) != record)


async def test_two_bots_that_have_just_met_wait_a_limited_time_for_other_opponents() -> None:
    harness = await open_with_ladder(ladder_terms(), *"abcd")
    slow_bots: set[str] = set()
    harness.choose = lambda match, seat, moves: (
        "" if slow_bots & {item.bot for item in match.players} else choose_by_match(match, seat, moves)
    )
    state = await harness.ladders.get("main")
    await harness.ladders.challenge("main", "r", ("c", "d"))
    slow_bots |= {"c", "d"}
    harness.connect(*"abcd", hello=ONE)
    await until(harness, rated(1))
    await settle()
    assert (await harness.ladders.get("main")).ladder.planned_count == 2
    await harness.time.advance(11 * SECOND)
    assert (await harness.ladders.get("main")).ladder.planned_count > 2
    assert state.ladder.planned_count == 0


async def test_matches_start_no_more_often_than_the_rate_of_the_ladder() -> None:
    harness = await open_with_ladder(ladder_terms(max_matches_per_hour=12), *"abcd", online=MANY_MATCHES)

    async def started_matches() -> int:
        await settle()
        return sum(isinstance(event, ContestMatchStarted) for event in await events(harness.store))

    assert await started_matches() == 1
    await harness.ladders.challenge("main", "r", ("a", "b"))
    await harness.time.advance(299 * SECOND)
    assert await started_matches() == 1
    await harness.time.advance(SECOND)
    assert await started_matches() == 2
    harness = await reopen(harness)
    harness.connect(*"abcd")
    await harness.time.advance(299 * SECOND)
    assert await started_matches() == 2
    await harness.time.advance(SECOND)
    assert await started_matches() == 3


async def test_a_paused_ladder_starts_no_match_until_it_is_resumed() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b")
    assert (await harness.ladders.pause("main", "back soon")).ladder.paused
    harness.connect("a", "b")
    await harness.ladders.challenge("main", "r", ("a", "b"))
    await settle()
    state = await harness.ladders.get("main")
    assert (state.ladder.matches_in_play, state.waiting) == ([], [])
    assert harness.ladders.queue(0).waiting == ()
    await harness.ladders.resume("main")
    await until(harness, rated(1))


async def test_a_draining_referee_pairs_no_bots() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", "b")
    await harness.referee.drain(0, 1000)
    harness.connect("a", "b")
    await settle()
    assert (await harness.ladders.get("main")).ladder.planned_count == 0


async def test_bots_that_accept_all_games_play_them_in_turn() -> None:
    harness = await open_with_ladder(ladder_terms("nim", "stones"), *"abc")
    harness.connect("a", "b", hello=ONE)
    harness.connect("c", hello=Hello(max_matches=1, games=frozenset({"nim"})))
    await until(harness, rated(4))
    games = [(await harness.referee.status(item.match_id)).match.terms.game for item in await rated_events(harness)]
    assert games[:4] == ["nim", "stones", "nim", "stones"]
    assert Player("c", "1") not in (await harness.ladders.get("main")).ladder.current_season.ratings


async def rated_events(harness: HostingHarness) -> list[MatchRated]:
    return [event for event in await events(harness.store) if isinstance(event, MatchRated)]


# Creating and finding ladders


async def test_a_ladder_is_created_once_and_found_by_name_game_and_bot() -> None:
    harness = await open_with_ladder(ladder_terms(), "a")
    request = LadderRequest("main", "org", "r1", ladder_terms())
    assert (await harness.ladders.create(request)).created == (await harness.ladders.get("main")).created
    with pytest.raises(RequestIdReused):
        await harness.ladders.create(replace(request, name="more"))
    with pytest.raises(NameTaken):
        await harness.ladders.create(replace(request, request_id="r2"))
    with pytest.raises(NoSuchLadder):
        await harness.ladders.get("more")
    second = await harness.ladders.create(LadderRequest("all", "org", "r3", ladder_terms("toc")))
    assert [item.created.name for item in await harness.ladders.find()] == ["all", "main"]
    assert [item.created.name for item in await harness.ladders.find(after="all")] == ["main"]
    assert await harness.ladders.find(ContestFilter(game="toc")) == [second]
    assert [item.created.name for item in await harness.ladders.find(ContestFilter(bot="a"))] == ["main"]


async def test_contradictory_ladder_terms_are_rejected() -> None:
    harness = await open_with_ladder(ladder_terms())
    random_seats = replace(ladder_terms().match_terms[0], random_seats=True)
    with_nonces = replace(ladder_terms().match_terms[0], nonce_timeout_us=SECOND)
    for terms in (
        replace(ladder_terms(), match_terms=()),
        replace(ladder_terms(), match_terms=(random_seats,)),
        replace(ladder_terms(duplicate_play=DuplicatePlay()), match_terms=(with_nonces,)),
        ladder_terms("toc", duplicate_play=DuplicatePlay()),
    ):
        with pytest.raises(BadField):
            await harness.ladders.create(LadderRequest("bad", "org", "r9", terms))
    with pytest.raises(BadSeats):
        await harness.ladders.create(LadderRequest("bad", "org", "r9", ladder_terms("nim", "toc")))


async def test_a_paused_bot_cannot_join() -> None:
    harness = await open_process("a")
    await harness.store.accounts.change_bot("a", lambda bot: paused(bot, BotPause(PauseCause.ADMIN, "no", 1)))
    await new_ladder(harness, ladder_terms())
    with pytest.raises(BotPaused):
        await harness.ladders.join("main", ladder_entrant("a"))
    assert len(await harness.store.matches.contests.read(CONTEST)) == 1
