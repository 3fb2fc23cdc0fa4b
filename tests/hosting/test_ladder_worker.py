"""Ladders: which bots are paired, what is rated, what the standings show, and errors of requests."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace
from referee_values import DuplicatePlay, IllegalMovePolicy, Policies

from referee.accounts.account_errors import BadField, BadSeats, BotPaused, NameTaken
from referee.accounts.bots import BotPause, PauseCause, paused, resumed
from referee.contests.contest_entrant import EntrantJoined
from referee.contests.contest_errors import NotAMember
from referee.contests.ladder.events import MatchRated, PairingPlanned
from referee.contests.pairing import ContestMatchStarted, ContestMatchVoided
from referee.contests.strength.rating import FinishOrder, compute_rating_updates
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
from referee.match.state import Match
from tests.hosting.harness import (
    MANY_MATCHES,
    HostingHarness,
    SimulatedCrash,
    Store,
    choose_by_match,
    kill_process,
    open_process,
    reopen,
)
from tests.hosting.ladder_harness import (
    CONTEST,
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


async def play_labelled(harness: HostingHarness, *bots: str, ladder: str = "main") -> Match:
    """Create a match with the label of a ladder, and return it when it is over."""
    players = tuple(map(Player, bots))
    created = await harness.referee.create(MatchRequest(NIM_TERMS, players, labels={LADDER: ladder}))
    await settle()
    match = (await harness.referee.status(created.status.match.setup.match_id)).match
    assert match.result
    return match


async def test_a_match_created_by_the_organiser_is_rated_without_a_pairing() -> None:
    harness = await open_with_ladder(ladder_terms(), "a")
    await harness.store.register("b")
    harness.connect("a", "b")
    match = await play_labelled(harness, "a", "b")
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
        assert (await play_labelled(harness, "a", other)).ratings == ()
    assert [type(event) for event in await events(store)] == [EntrantJoined] * 3
    harness.connect("c", hello=ONE)
    await until(harness, rated(6))
    rated_pairs = {frozenset(event.finish.players) for event in await events(store) if isinstance(event, MatchRated)}
    assert all(Player("c", "1") in pair for pair in rated_pairs)


async def test_a_match_of_an_unknown_ladder_or_of_one_bot_against_itself_ends_unrated() -> None:
    harness = await open_with_ladder(ladder_terms(), "a", online=MANY_MATCHES)
    for ladder in ("main", "other"):
        assert (await play_labelled(harness, "a", "a", ladder=ladder)).ratings == ()


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


BOT_COUNT = 40
NEW = [f"new-{number}" for number in range(BOT_COUNT)]
KNOWN = [f"known-{number}" for number in range(BOT_COUNT)]
TWO = Hello(max_matches=2)


async def large_ladder() -> Store:
    """Create a ladder with many entrants, half of them provisional and all offline."""
    harness = await open_with_ladder(ladder_terms(provisional_matches=1), *NEW, *KNOWN)
    await harness.close()
    written = len(await events(harness.store)) + 1
    await harness.store.matches.contests.append(CONTEST, written, [rated_match(*pair) for pair in pairs(KNOWN)])
    return harness.store


def pairs(names: list[str]) -> list[tuple[str, str]]:
    return list(zip(names[::2], names[1::2], strict=True))


def rated_match(winner: str, loser: str) -> MatchRated:
    finish = FinishOrder(((Player(winner, "1"),), (Player(loser, "1"),)), (1, 2))
    return MatchRated(f"{winner}-{loser}", finish, (), compute_rating_updates({}, finish))


async def paired(store: Store) -> list[str]:
    """Return all entrants that were paired, in the order of pairing."""
    return [
        name for event in await events(store) if isinstance(event, PairingPlanned) for name in event.pairing.entrants
    ]


async def test_every_entrant_gets_one_opponent_before_any_gets_a_second_one() -> None:
    store = await large_ladder()
    harness = HostingHarness(store)
    harness.choose = lambda *_: ""
    await harness.open()
    harness.connect(*NEW, *KNOWN, hello=TWO)
    await until(harness, lambda state: state.ladder.planned_count > BOT_COUNT)
    first = (await paired(store))[: 2 * BOT_COUNT]
    assert sorted(first) == sorted([*NEW, *KNOWN])


async def test_waiting_entrants_are_paired_in_batches() -> None:
    store = await large_ladder()
    harness = HostingHarness(store, SimulatedCrash(1))
    await harness.open()
    harness.connect(*NEW, *KNOWN, hello=TWO)
    await harness.crash.happened.wait()
    assert 0 < len(await paired(store)) <= BOT_COUNT / 2
    await kill_process()
