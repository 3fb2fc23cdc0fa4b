"""Requests other than moves: a repeated request gets its first answer, whenever it comes."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from referee.live.outbox import RequestAccepted
from referee.live.ports import LogUnavailable, UnknownMatch
from referee.live.referee import Referee
from referee.match.match_errors import MatchOver, NoDraw, RequestIdReused
from referee.match.result import EndCause
from referee.match.setup import DropoutPolicy, Policies
from tests.live.fake_time import settled
from tests.live.referee_harness import Hall
from tests.live.runner_harness import in_loop

Ask = Callable[[Referee, str], Awaitable[RequestAccepted]]

ENDS: dict[str, Ask] = {
    "resign": lambda referee, match_id: referee.resign(match_id, 1, "r"),
    "accept": lambda referee, match_id: referee.accept_draw(match_id, 1, "r"),
    "abort": lambda referee, match_id: referee.abort(match_id, by="ada", request_id="r"),
    "abort with a message": lambda referee, match_id: referee.abort(match_id, "rain", "ada", "r"),
    "void": lambda referee, match_id: referee.void(match_id, EndCause.DECLARED, "a storm", "ada", "r"),
    "adjudicate": lambda referee, match_id: referee.adjudicate(match_id, (1, 2), "I saw it", "ada", "r"),
}


@in_loop
@pytest.mark.parametrize("way", ENDS)
async def test_who_ended_a_match_hears_how_it_ended_as_often_as_it_asks(way: str) -> None:
    hall = Hall()
    match_id, _ = await hall.begun()
    await hall.referee.offer_draw(match_id, 0)
    first = await ENDS[way](hall.referee, match_id)
    assert first.result
    again = [await ENDS[way](hall.referee, match_id)]
    hall = await hall.crashed()
    await hall.referee.recover()
    again.append(await ENDS[way](hall.referee, match_id))
    assert again == [first, first]
    with pytest.raises(MatchOver):
        await hall.referee.resign(match_id, 0, "r")
    await hall.referee.close()


@in_loop
async def test_a_claim_that_ended_a_match_is_known_again() -> None:
    hall = Hall()
    match_id, _ = await hall.begun("stones")
    while not (await hall.match(match_id)).require_position().claimable:
        (turn, *_) = (await hall.match(match_id)).owing
        await hall.played(match_id, turn.seat, "1")
    seat = (await hall.match(match_id)).owing[0].seat
    first = await hall.referee.claim_draw(match_id, seat, "r")
    hall = await hall.crashed()
    assert await hall.referee.claim_draw(match_id, seat, "r") == first
    assert first.result
    assert first.result.cause is EndCause.DRAW_CLAIMED
    await hall.referee.close()


@in_loop
async def test_an_offer_and_its_refusal_are_known_again_when_both_have_passed() -> None:
    hall = Hall()
    match_id, _ = await hall.begun(chosen={"heap": 9})
    offered = await hall.referee.offer_draw(match_id, 1, "o")
    declined = await hall.referee.decline_draw(match_id, 0, "d")
    await hall.played(match_id, 0, "1")
    hall = await hall.crashed()
    await hall.referee.recover()
    assert await hall.referee.offer_draw(match_id, 1, "o") == offered == RequestAccepted(3, None)
    assert await hall.referee.decline_draw(match_id, 0, "d") == declined == RequestAccepted(4, None)
    assert (await hall.match(match_id)).offers == frozenset()
    await hall.referee.close()


@in_loop
async def test_who_resigned_where_the_others_play_on_hears_what_came_of_it() -> None:
    hall = Hall()
    goes_on = Policies(dropout=DropoutPolicy.DEFAULT_MOVES)
    match_id, _ = await hall.begun("stones", policies=goes_on)
    first = await hall.referee.resign(match_id, 0, "r")
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatResigned", "MovePlayed"]
    assert first == RequestAccepted(4, None)
    await hall.played(match_id, 1, "1")
    assert await hall.referee.resign(match_id, 0, "r") == first
    hall = await hall.crashed()
    await hall.referee.recover()
    assert await hall.referee.resign(match_id, 0, "r") == first
    await hall.referee.close()


@in_loop
async def test_nothing_can_be_asked_of_a_match_that_nobody_opened() -> None:
    hall = Hall()
    with pytest.raises(UnknownMatch):
        await hall.referee.resign("m", 0, "r")
    await hall.referee.close()


@in_loop
async def test_a_request_id_stands_for_one_request() -> None:
    referee = (hall := Hall()).referee
    match_id, _ = await hall.begun(chosen={"heap": 9})
    await hall.played(match_id, 0, "1", request_id="move")
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
async def test_many_who_ask_the_same_at_once_have_asked_once() -> None:
    referee = (hall := Hall()).referee
    match_id, _ = await hall.begun()
    answers = await asyncio.gather(*(referee.resign(match_id, 0, "r") for _ in range(5)))
    assert answers == [answers[0]] * 5
    assert await hall.kinds(match_id) == ["MatchCreated", "PlayStarted", "SeatResigned", "PlayEnded"]
    await referee.close()


@in_loop
async def test_an_offer_that_comes_twice_in_the_air_does_not_outlive_its_answer() -> None:
    referee = (hall := Hall()).referee
    match_id, _ = await hall.begun(chosen={"heap": 9})
    hall.log.before.clear()
    asking = []
    for said in (
        referee.offer_draw(match_id, 1, "o"),
        referee.submit(match_id, 0, "0.0.1", "1"),  # A move declines the offer.
        referee.offer_draw(match_id, 1, "o"),
    ):
        asking.append(asyncio.create_task(said))
        await settled()
    hall.log.before.set()
    first, _, again = await asyncio.gather(*asking)
    assert first == again
    assert (await hall.match(match_id)).offers == frozenset()
    await referee.close()


@in_loop
async def test_who_hangs_up_has_asked_and_finds_the_answer_later() -> None:
    referee = (hall := Hall()).referee
    match_id, _ = await hall.begun()
    hall.log.before.clear()
    asking = asyncio.create_task(referee.resign(match_id, 0, "r"))
    await settled()
    asking.cancel()
    later = asyncio.create_task(referee.resign(match_id, 0, "r"))
    await settled()
    hall.log.before.set()
    done = await later
    assert done.result
    assert (await hall.match(match_id)).number == done.number
    await referee.close()


@in_loop
async def test_a_refusal_is_not_remembered() -> None:
    referee = (hall := Hall()).referee
    match_id, _ = await hall.begun()
    with pytest.raises(NoDraw):
        await referee.accept_draw(match_id, 1, "r")
    hall.log.goes_away()
    with pytest.raises(LogUnavailable):
        await referee.resign(match_id, 1, "r")
    hall.log.comes_back()
    await referee.offer_draw(match_id, 0)
    done = await referee.accept_draw(match_id, 1, "r")
    assert done.result
    assert done.result.cause is EndCause.DRAW_AGREED
    await referee.close()
