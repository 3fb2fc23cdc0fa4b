"""Corrections of hosted ladders: ratings, histories and standings afterwards, with crashes and after the end."""

import asyncio
from collections.abc import Sequence
from functools import partial

import pytest

from referee.accounts.account_errors import BadField
from referee.contests.contest_errors import BadRanks, MatchNotCounted
from referee.contests.corrections import Correction
from referee.contests.ladder.commands import RateMatch
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import LadderClosureFinished, LadderEvent, MatchCorrected
from referee.contests.strength.rating import FinishOrder, RatingRecord
from referee.hosting import ladder_corrections
from referee.hosting.contest_host import ContestFilter
from referee.hosting.ladder_corrections import CorrectedRatings
from referee.hosting.ladder_state import LadderFold, LadderState
from referee.live.log_history import replay
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player
from tests.contests.correction_examples import correct, restore, strike
from tests.hosting.harness import HostingHarness, reopen
from tests.hosting.ladder_harness import CONTEST, events, ladder_terms, open_with_ladder, until
from tests.live.referee_harness import GAMES

NAMES = "abc"
DAY_MS = 86_400_000
A, B, C = (Player(name, "1") for name in NAMES)


async def add_matches(harness: HostingHarness, *results: tuple[str, Player, Player]) -> None:
    """Write rated matches to the log of the ladder, as if they had been played; the first player has won."""
    store = await harness.registry.get(CONTEST)
    for match_id, winner, loser in results:
        finish = FinishOrder(((winner,), (loser,)), (1, 2))
        await store.execute(partial(rate, match_id, finish))


def rate(match_id: str, finish: FinishOrder[Player], state: LadderState) -> list[LadderEvent]:
    """Rate a match on a day of its own."""
    return decide(state.ladder, RateMatch(match_id, finish, at_ms=DAY_MS * (10 + int(match_id[1:]))))


async def rated_ladder() -> HostingHarness:
    """Open a ladder with two matches in each of two seasons."""
    harness = await open_with_ladder(ladder_terms(), *NAMES)
    await add_matches(harness, ("m1", A, B), ("m2", B, C))
    await harness.ladders.start_season("main", "s2")
    await add_matches(harness, ("m3", A, C), ("m4", C, B))
    return harness


async def corrected(harness: HostingHarness, *corrections: Correction) -> LadderState:
    for correction in corrections:
        await harness.ladders.correct("main", correction)
    return await harness.ladders.get("main")


def values(state: LadderState) -> list[dict[Player, RatingRecord]]:
    past = [dict(season.ratings) for season, _ in state.ladder.past_seasons]
    return [*past, dict(state.ladder.current_season.ratings)]


async def expected(*results: tuple[str, Player, Player] | None) -> list[dict[Player, RatingRecord]]:
    """Return the ratings of each season of a ladder with these matches alone. None: a new season."""
    harness = await open_with_ladder(ladder_terms(), *NAMES)
    for number, result in enumerate(results):
        if result is None:
            await harness.ladders.start_season("main", f"s{number}")
        else:
            await add_matches(harness, result)
    found = values(await harness.ladders.get("main"))
    await harness.close()
    return found


async def history(harness: HostingHarness, bot: str) -> list[tuple[str, RatingRecord]]:
    return [(point.match_id, point.rated) for point in await harness.ladders.history("main", bot)]


async def test_ratings_histories_and_past_standings_follow_from_the_results_that_count() -> None:
    harness = await rated_ladder()
    before = values(await harness.ladders.get("main"))
    state = await corrected(harness, strike("m1"), correct("m3", 2, 1))
    wanted = await expected(("m2", B, C), None, ("m3", C, A), ("m4", C, B))
    assert values(state) == wanted
    rows = await harness.ladders.standings("main", season=1)
    assert (rows[0].player, rows[0].record.wins, rows[-1].player) == (B, 1, C)
    points = await history(harness, "b")
    assert [match_id for match_id, _ in points] == ["m2", "m4"]
    assert points[-1][1] == wanted[1][B]
    await add_matches(harness, ("m5", A, B))
    assert [match_id for match_id, _ in await history(harness, "b")] == ["m2", "m4", "m5"]
    state = await corrected(harness, restore("m1"), restore("m3"), strike("m5"))
    assert values(state) == before
    assert [match_id for match_id, _ in await history(harness, "b")] == ["m1", "m2", "m4"]


async def test_another_process_finds_the_same_ladder_and_the_same_histories() -> None:
    harness = await rated_ladder()
    state = await corrected(harness, strike("m2"))
    seen = [await history(harness, name) for name in NAMES]
    again = await reopen(harness)
    assert (await again.ladders.get("main")).ladder == state.ladder
    assert [await history(again, name) for name in NAMES] == seen


async def test_a_ladder_that_is_over_can_be_corrected_and_stays_over() -> None:
    harness = await rated_ladder()
    await harness.ladders.close("main")
    state = await until_over(harness)
    again = await reopen(harness)
    state = await corrected(again, strike("m1"))
    assert state.over
    assert values(state) == await expected(("m2", B, C), None, ("m3", A, C), ("m4", C, B))
    assert again.registry.active == []
    third = await reopen(again)
    assert third.registry.active == []
    assert [ladder.created.name for ladder in await third.ladders.find(ContestFilter(with_closed=True))] == ["main"]
    _, watch = await third.ladders.watch("main", 0)
    received = [step.entry.event async for steps in watch for step in steps]
    assert isinstance(received[-2], LadderClosureFinished)
    assert isinstance(received[-1], MatchCorrected)
    _, watch = await third.ladders.watch("main", (await third.ladders.get("main")).number - 1)
    assert [step.entry.event async for steps in watch for step in steps] == received[-1:]


async def until_over(harness: HostingHarness) -> LadderState:
    return await until(harness, lambda state: state.over)


async def test_matches_that_end_while_a_correction_is_computed_are_rated_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = await rated_ladder()
    monkeypatch.setattr(ladder_corrections, "MATCHES_HERE", 0)
    read = harness.contests.read
    added = False

    async def read_and_play(contest: str, after: int = 0, limit: int | None = None) -> Sequence[object]:
        nonlocal added
        entries = await read(contest, after, limit)
        if not entries and not added:  # The log was read to its end, and is not locked yet.
            added = True
            await add_matches(harness, ("m5", B, A))
        return entries

    monkeypatch.setattr(harness.contests, "read", read_and_play)
    state = await corrected(harness, strike("m1"))
    wanted = await expected(("m2", B, C), None, ("m3", A, C), ("m4", C, B), ("m5", B, A))
    assert values(state) == wanted
    assert (await history(harness, "b"))[-1] == ("m5", wanted[1][B])


async def test_long_logs_are_rated_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_corrections, "MATCHES_PER_CALL", 3)
    monkeypatch.setattr(ladder_corrections, "READ_BATCH_SIZE", 2)
    monkeypatch.setattr(ladder_corrections, "MATCHES_HERE", 1)
    harness = await open_with_ladder(ladder_terms(), *NAMES)
    results = [(f"m{number}", *((A, B), (B, C), (C, A))[number % 3]) for number in range(20)]
    await add_matches(harness, *results)
    state = await corrected(harness, strike("m9"), strike("m2"))
    left = [result for result in results if result[0] not in {"m9", "m2"}]
    assert values(state) == await expected(*left)
    assert [match_id for match_id, _ in await history(harness, "a")] == [match for match, *sides in left if A in sides]


async def test_two_corrections_at_the_same_time_both_count() -> None:
    harness = await rated_ladder()
    await asyncio.gather(*(harness.ladders.correct("main", strike(match_id)) for match_id in ("m1", "m4")))
    assert values(await harness.ladders.get("main")) == await expected(("m2", B, C), None, ("m3", A, C))


async def test_invalid_corrections_are_errors_and_change_nothing() -> None:
    harness = await rated_ladder()
    before = (await harness.ladders.get("main")).number
    no_reason = strike("m1")
    no_reason = Correction(no_reason.request, "m1", no_reason.kind, (), "", "ann")
    for wrong, error in (
        (strike("m9"), MatchNotCounted),
        (correct("m1", 1, 3), BadRanks),
        (correct("m1", 1), BadRanks),
        (no_reason, BadField),
    ):
        with pytest.raises(error):
            await harness.ladders.correct("main", wrong)
    assert (await harness.ladders.get("main")).number == before
    await corrected(harness, strike("m1", request="ann/x"))
    with pytest.raises(RequestIdReused):
        await harness.ladders.correct("main", strike("m2", request="ann/x"))


async def test_only_the_ladders_that_were_read_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ladder_corrections, "HISTORIES_CACHE_SIZE", 1)
    harness = await rated_ladder()
    for match_id in ("m1", "m2", "m4"):
        await corrected(harness, strike(match_id))
        assert [match_id for match_id, _ in await history(harness, "a")] == ["m3"]


def test_ratings_are_found_by_entry() -> None:
    ratings, more = CorrectedRatings(), CorrectedRatings()
    ratings.add(3, [RatingRecord(matches=1), RatingRecord(matches=2)])
    more.add(7, [RatingRecord(matches=3)])
    ratings.extend(more)
    assert [ratings.after(3, place) for place in range(2)] == [RatingRecord(matches=1), RatingRecord(matches=2)]
    assert ratings.after(7, 0) == RatingRecord(matches=3)
    assert ratings.after(5, 0) is ratings.after(8, 0) is None


async def test_the_state_folded_from_the_log_is_the_one_in_memory() -> None:
    harness = await rated_ladder()
    state = await corrected(harness, strike("m3"), strike("m1"), restore("m3"))
    folded = list(replay(LadderFold(GAMES), await harness.store.matches.contests.read(CONTEST)))[-1].state
    assert folded == state
    assert (folded.corrected_from, folded.corrected_until) == (1, folded.number)


async def test_a_correction_is_written_even_if_its_caller_does_not_wait() -> None:
    harness = await rated_ladder()
    calling = asyncio.create_task(harness.ladders.correct("main", new := strike("m1")))
    await asyncio.sleep(0)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    state = await corrected(harness, new)
    assert list(state.ladder.rated_matches.corrections) == ["m1"]
    assert sum(isinstance(event, MatchCorrected) for event in await events(harness.store)) == 1
