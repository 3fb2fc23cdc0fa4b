"""Requests other than moves: a repeated request gets its first answer, whenever it comes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from referee.live.outbox import RequestAccepted
from referee.live.ports import EngineFault, LogUnavailable, NoSuchMatch
from referee.live.referee import Referee
from referee.match.match_errors import MatchOver, NoDraw, RequestIdReused
from referee.match.match_terms import DropoutPolicy, Policies
from referee.match.result import EndCause
from referee.match.setup import Player
from tests.live.fake_time import settle
from tests.live.referee_harness import BOTS, GAMES, RefereeHarness
from tests.live.runner_harness import in_loop

SendRequest = Callable[[Referee, str], Awaitable[RequestAccepted]]

ENDS: dict[str, SendRequest] = {
    "resign": lambda referee, match_id: referee.resign(match_id, 1, "r"),
    "accept": lambda referee, match_id: referee.accept_draw(match_id, 1, "r"),
    "abort": lambda referee, match_id: referee.abort(match_id, by="ada", request_id="r"),
    "abort with a message": lambda referee, match_id: referee.abort(match_id, "rain", "ada", "r"),
    "void": lambda referee, match_id: referee.void(match_id, EndCause.DECLARED, "a storm", "ada", "r"),
    "adjudicate": lambda referee, match_id: referee.adjudicate(match_id, (1, 2), "I saw it", "ada", "r"),
}


@in_loop
@pytest.mark.parametrize("request_name", ENDS)
async def test_a_repeated_request_that_ended_the_match_returns_the_first_result(request_name: str) -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match()
    await harness.referee.offer_draw(match_id, 0)
    first = await ENDS[request_name](harness.referee, match_id)
    assert first.result
    again = [await ENDS[request_name](harness.referee, match_id)]
    harness = await harness.restart()
    await harness.referee.recover()
    again.append(await ENDS[request_name](harness.referee, match_id))
    assert again == [first, first]
    with pytest.raises(MatchOver):
        await harness.referee.resign(match_id, 0, "r")
    await harness.referee.close()


OTHER_REQUESTS: tuple[SendRequest, SendRequest] = (
    lambda referee, match_id: referee.abort(match_id, "snow", "ada", "r"),
    lambda referee, match_id: referee.offer_draw(match_id, 1, "r"),
)
"""A different request with the same id, of the organiser and of a seat."""
WITHOUT_NIM = {name: game for name, game in GAMES.items() if name != "nim"}


@in_loop
@pytest.mark.parametrize("request_name", ENDS)
async def test_a_repeated_request_gets_its_first_result_after_its_game_was_removed(request_name: str) -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match()
    await harness.referee.offer_draw(match_id, 0)
    first = await ENDS[request_name](harness.referee, match_id)
    assert first.result
    later = await harness.restart(WITHOUT_NIM)
    await later.referee.recover()
    assert [await ENDS[request_name](later.referee, match_id) for _ in range(2)] == [first, first]
    with pytest.raises(EngineFault):
        await later.referee.resign(match_id, 0, "other")
    with pytest.raises(RequestIdReused):
        await OTHER_REQUESTS[request_name in ("resign", "accept")](later.referee, match_id)
    await later.referee.close()


@in_loop
async def test_the_players_of_a_match_are_known_after_its_game_was_removed() -> None:
    harness = RefereeHarness()
    open_match = await harness.create(players=())
    await harness.referee.join(open_match, 1, BOTS[1])
    taken = (await harness.referee.setup(open_match)).players
    assert taken == (Player(), BOTS[1])
    played, _ = await harness.start_match()
    await harness.referee.resign(played, 1)
    later = await harness.restart(WITHOUT_NIM)
    await later.referee.recover()
    assert (await later.referee.setup(open_match)).players == taken
    assert (await later.referee.setup(played)).players == BOTS[:2]
    await later.referee.close()


@in_loop
async def test_a_repeated_draw_claim_returns_the_first_result_after_a_restart() -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match("stones")
    while not (await harness.match(match_id)).require_position().claimable:
        (turn, *_) = (await harness.match(match_id)).owing
        await harness.submit_move(match_id, turn.seat, "1")
    seat = (await harness.match(match_id)).owing[0].seat
    first = await harness.referee.claim_draw(match_id, seat, "r")
    harness = await harness.restart()
    assert await harness.referee.claim_draw(match_id, seat, "r") == first
    assert first.result
    assert first.result.cause is EndCause.DRAW_CLAIMED
    await harness.referee.close()


@in_loop
async def test_a_repeated_draw_offer_and_its_refusal_return_their_first_results() -> None:
    harness = RefereeHarness()
    match_id, _ = await harness.start_match(chosen={"heap": 9})
    offered = await harness.referee.offer_draw(match_id, 1, "o")
    declined = await harness.referee.decline_draw(match_id, 0, "d")
    await harness.submit_move(match_id, 0, "1")
    harness = await harness.restart()
    await harness.referee.recover()
    assert await harness.referee.offer_draw(match_id, 1, "o") == offered == RequestAccepted(3, None)
    assert await harness.referee.decline_draw(match_id, 0, "d") == declined == RequestAccepted(4, None)
    assert (await harness.match(match_id)).offers == frozenset()
    await harness.referee.close()


@in_loop
async def test_a_repeated_resignation_in_a_match_that_continues_returns_its_first_result() -> None:
    harness = RefereeHarness()
    continue_without = Policies(dropout=DropoutPolicy.DEFAULT_MOVES)
    match_id, _ = await harness.start_match("stones", policies=continue_without)
    first = await harness.referee.resign(match_id, 0, "r")
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatResigned", "MovePlayed"]
    assert first == RequestAccepted(4, None)
    await harness.submit_move(match_id, 1, "1")
    assert await harness.referee.resign(match_id, 0, "r") == first
    harness = await harness.restart()
    await harness.referee.recover()
    assert await harness.referee.resign(match_id, 0, "r") == first
    await harness.referee.close()


@in_loop
async def test_a_request_for_an_unknown_match_is_rejected() -> None:
    harness = RefereeHarness()
    with pytest.raises(NoSuchMatch):
        await harness.referee.resign("m", 0, "r")
    await harness.referee.close()


@in_loop
async def test_a_request_id_cannot_be_reused_for_another_request() -> None:
    referee = (harness := RefereeHarness()).referee
    match_id, _ = await harness.start_match(chosen={"heap": 9})
    await harness.submit_move(match_id, 0, "1", request_id="move")
    await referee.offer_draw(match_id, 0, "offer")
    for other in (
        referee.resign(match_id, 0, "move"),
        referee.resign(match_id, 0, "offer"),
        referee.accept_draw(match_id, 0, "offer"),
        referee.submit(match_id, 0, "0.0.1", "1", "offer"),
    ):
        with pytest.raises(RequestIdReused):
            await other
    # Each seat has request ids of its own.
    assert (await referee.decline_draw(match_id, 1, "offer")).result is None
    await referee.void(match_id, EndCause.DECLARED, "a storm", "ada", "v")
    for other in (
        referee.void(match_id, EndCause.DECLARED, "an earthquake", "ada", "v"),
        referee.adjudicate(match_id, (1, 2), "a storm", "ada", "v"),
    ):
        with pytest.raises(RequestIdReused):
            await other
    with pytest.raises(MatchOver):
        await referee.void(match_id, EndCause.DECLARED, "a storm", "bob", "v")
    await referee.close()


@in_loop
async def test_concurrent_identical_requests_are_executed_once() -> None:
    referee = (harness := RefereeHarness()).referee
    match_id, _ = await harness.start_match()
    answers = await asyncio.gather(*(referee.resign(match_id, 0, "r") for _ in range(5)))
    assert answers == [answers[0]] * 5
    assert await harness.event_kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatResigned", "PlayEnded"]
    await referee.close()


@in_loop
async def test_a_repeated_offer_that_is_still_queued_does_not_outlive_its_refusal() -> None:
    referee = (harness := RefereeHarness()).referee
    match_id, _ = await harness.start_match(chosen={"heap": 9})
    harness.log.before.clear()
    calls = []
    for call in (
        referee.offer_draw(match_id, 1, "o"),
        referee.submit(match_id, 0, "0.0.1", "1"),  # A move declines the offer.
        referee.offer_draw(match_id, 1, "o"),
    ):
        calls.append(asyncio.create_task(call))
        await settle()
    harness.log.before.set()
    first, _, again = await asyncio.gather(*calls)
    assert first == again
    assert (await harness.match(match_id)).offers == frozenset()
    await referee.close()


@in_loop
async def test_a_cancelled_request_is_executed_and_its_repetition_returns_the_result() -> None:
    referee = (harness := RefereeHarness()).referee
    match_id, _ = await harness.start_match()
    harness.log.before.clear()
    calls = asyncio.create_task(referee.resign(match_id, 0, "r"))
    await settle()
    calls.cancel()
    later = asyncio.create_task(referee.resign(match_id, 0, "r"))
    await settle()
    harness.log.before.set()
    done = await later
    assert done.result
    assert (await harness.match(match_id)).number == done.number
    await referee.close()


@in_loop
async def test_a_rejected_request_is_not_remembered() -> None:
    referee = (harness := RefereeHarness()).referee
    match_id, _ = await harness.start_match()
    with pytest.raises(NoDraw):
        await referee.accept_draw(match_id, 1, "r")
    harness.log.make_unavailable()
    with pytest.raises(LogUnavailable):
        await referee.resign(match_id, 1, "r")
    harness.log.make_available()
    await referee.offer_draw(match_id, 0)
    done = await referee.accept_draw(match_id, 1, "r")
    assert done.result
    assert done.result.cause is EndCause.DRAW_AGREED
    await referee.close()
