"""What a seat of the Python SDK sends in reply to turns, tested without a connection."""

import asyncio
import functools
import queue
import threading
from collections.abc import Callable, Coroutine, Iterator
from itertools import count
from typing import Any

import pytest
from referee_api.v1 import game_pb2, match_pb2, play_pb2, result_pb2
from referee_client import RESIGN, Answer, Choice, Match, MatchEnded, Result, Turn
from referee_client.answers import checked
from referee_client.bot import Bot, Players
from referee_client.nonces import NONCE_BYTES, Nonces
from referee_client.results import outcome, reason, seat_result
from referee_client.runners import SeatRunner
from referee_client.seats import Seats
from referee_client.turn import turn_in
from referee_values import SeatResult, VoidResult

TIMEOUT_S = 60


class SeatHarness:
    """Seats played by one bot, and the items that they send."""

    def __init__(self, bot: Bot) -> None:
        self.seats = Seats(SeatRunner(Players(bot)))
        self.recorded: asyncio.Queue[play_pb2.BotItem] = asyncio.Queue()
        self.seats.connect(self.recorded.put_nowait)

    async def next_item(self) -> play_pb2.BotItem:
        return await asyncio.wait_for(self.recorded.get(), TIMEOUT_S)

    async def assert_nothing_sent_before(self, other: play_pb2.Turn) -> None:
        """Assert that nothing is sent before the answer to `other`."""
        self.seats.on_turn(other, listed=True)
        assert (await self.next_item()).move.turn_token == other.turn_token


def async_test(scenario: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Turn a coroutine function into a test that runs on an event loop."""

    def test() -> None:
        asyncio.run(asyncio.wait_for(scenario(), TIMEOUT_S))

    test.__name__ = scenario.__name__
    return test


def turn(token: str = "t1", match_id: str = "m", **more: Any) -> play_pb2.Turn:
    rules = game_pb2.Rules(game="alquerque")
    return play_pb2.Turn(match_id=match_id, turn_token=token, rules=rules, legal_moves=["a1-b2", "c1-c2"], **more)


def first_move(turn: Turn) -> str:
    return turn.legal_moves[0]


@async_test
async def test_moves_of_different_matches_are_chosen_concurrently() -> None:
    both = threading.Barrier(2, timeout=TIMEOUT_S)

    def wait_for_other(turn: Turn) -> str:
        both.wait()
        return first_move(turn)

    harness = SeatHarness(wait_for_other)
    harness.seats.on_turn(turn("t1", "m1"), listed=True)
    harness.seats.on_turn(turn("t2", "m2"), listed=True)
    assert {(await harness.next_item()).move.turn_token, (await harness.next_item()).move.turn_token} == {"t1", "t2"}


@pytest.mark.parametrize(
    "failure",
    [
        lambda _: 1 / 0,
        lambda _: None,
        lambda _: next(iter([])),
        lambda _: Choice(5),  # type: ignore[arg-type]  # The wrong type is the case under test.
        lambda _: Choice("a1-b2", score=0.5),  # type: ignore[arg-type]  # As above.
        lambda _: Choice("a1-b2", score=True),
    ],
)
def test_a_bot_that_raises_resigns_only_that_seat(
    failure: Callable[[Turn], Answer], caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(_assert_resigns_only_in_m(lambda turn: failure(turn) if turn.match_id == "m" else first_move(turn)))
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("failure", [ValueError, SystemExit, asyncio.CancelledError])
def test_an_asynchronous_bot_that_raises_resigns_only_that_seat(failure: type[BaseException]) -> None:
    async def choose(turn: Turn) -> str:
        if turn.match_id == "m":
            raise failure
        return first_move(turn)

    asyncio.run(_assert_resigns_only_in_m(choose))


async def first_move_later(turn: Turn) -> str:
    await asyncio.sleep(0)
    return first_move(turn)


class LaterFunction:
    async def __call__(self, turn: Turn) -> str:
        return await first_move_later(turn)


class LaterObject:
    def choose(self, turn: Turn) -> Any:
        return first_move_later(turn)


@functools.wraps(first_move_later)
def decorated(turn: Turn) -> Any:
    return first_move_later(turn)


@pytest.mark.parametrize(
    "bot",
    [
        lambda turn: first_move_later(turn),  # noqa: PLW0108  # A lambda is the case under test.
        functools.partial(first_move_later),
        decorated,
        LaterFunction(),
        LaterFunction,
        LaterObject(),
        LaterObject,
    ],
)
def test_a_bot_that_returns_an_awaitable_is_awaited(bot: Bot) -> None:
    @async_test
    async def scenario() -> None:
        harness = SeatHarness(bot)
        harness.seats.on_turn(turn("t1"), listed=True)
        assert (await harness.next_item()).move.move == "a1-b2"

    scenario()


def test_an_awaitable_that_fails_resigns_only_that_seat() -> None:
    async def fail(turn: Turn) -> str:
        if turn.match_id == "m":
            raise ValueError
        return first_move(turn)

    asyncio.run(_assert_resigns_only_in_m(lambda turn: fail(turn)))  # noqa: PLW0108  # As above.


@async_test
async def test_the_end_of_a_match_waits_for_the_awaitable_of_its_seat() -> None:
    order, may_answer = [], asyncio.Event()

    async def answer(turn: Turn) -> str:
        try:
            await may_answer.wait()
        finally:
            order.append("answered")
        return first_move(turn)

    class Later:
        def choose(self, turn: Turn) -> Any:
            return answer(turn)

        def ended(self, end: MatchEnded) -> None:
            order.append("ended")

    runner, key = SeatRunner(Players(Later())), ("m", 0)
    choice = asyncio.create_task(runner.choose(key, turn_in(turn(), listed=True)))
    await asyncio.sleep(0)
    end = asyncio.create_task(
        runner.ended(key, MatchEnded(match_id="m", result=Result(voided=VoidResult(cause="aborted"))))
    )
    may_answer.set()
    await asyncio.gather(choice, end)
    assert order == ["answered", "ended"]


async def _assert_resigns_only_in_m(choose: Callable[[Turn], Any]) -> None:
    harness = SeatHarness(choose)
    async with asyncio.timeout(TIMEOUT_S):
        harness.seats.on_turn(turn("t1", seat=1), listed=True)
        item = await harness.next_item()
        assert (item.resignation.match_id, item.resignation.seat) == ("m", 1)
        harness.seats.on_turn(turn("t2", "elsewhere"), listed=True)
        assert (await harness.next_item()).move.turn_token == "t2"


class RecordingBot:
    """Bot class of which one instance is created for each match and seat."""

    recorded: queue.Queue[tuple[int, str, object]]
    numbers: Iterator[int]

    def __init__(self) -> None:
        self.number = next(self.numbers)

    def started(self, match: Match, seat: int) -> None:
        self.recorded.put((self.number, "started", (match.id, tuple(seat.bot for seat in match.seats), seat)))

    def choose(self, turn: Turn) -> str:
        self.recorded.put((self.number, "choose", turn.token))
        return first_move(turn)

    def ended(self, end: MatchEnded) -> None:
        self.recorded.put(
            (self.number, "ended", (end.match_id, outcome(end.result), reason(end.result), seat_result(end)))
        )


@async_test
async def test_a_bot_class_gets_an_instance_per_seat_and_start_and_end_once() -> None:
    RecordingBot.recorded, RecordingBot.numbers = queue.Queue(), count()
    harness = SeatHarness(RecordingBot)
    begins = play_pb2.MatchStarted(match=match_pb2.Match(id="m", seats=[match_pb2.Seat(bot="anna")]), seat=0)
    result = result_pb2.Result(
        forfeited=result_pb2.ForfeitedResult(forfeits=[result_pb2.Forfeit(cause=result_pb2.FORFEIT_CAUSE_TIME)]),
        seats=[result_pb2.SeatResult(rank=2)],
    )
    ends = play_pb2.MatchEnded(match_id="m", result=result)
    harness.seats.on_match_started(begins)
    harness.seats.on_match_started(begins)
    harness.seats.on_turn(turn("t1"), listed=True)
    await harness.next_item()
    harness.seats.on_match_ended(ends)
    harness.seats.on_match_ended(ends)
    await harness.assert_nothing_sent_before(turn("t2", "other"))
    recorded = [await asyncio.to_thread(RecordingBot.recorded.get, timeout=TIMEOUT_S) for _ in range(4)]
    assert sorted(recorded, key=lambda it: it[0]) == [
        (0, "started", ("m", ("anna",), 0)),
        (0, "choose", "t1"),
        (0, "ended", ("m", "forfeited", "time", SeatResult(rank=2))),
        (1, "choose", "t2"),
    ]


@async_test
async def test_an_instance_is_discarded_with_its_match() -> None:
    RecordingBot.recorded, RecordingBot.numbers = queue.Queue(), count()
    runner, key = SeatRunner(Players(RecordingBot)), ("m", 0)
    await runner.choose(key, turn_in(turn(), listed=True))
    await runner.ended(key, MatchEnded(match_id="m", result=Result(voided=VoidResult(cause="aborted"))))
    await runner.choose(key, turn_in(turn(), listed=True))
    assert [RecordingBot.recorded.get(timeout=TIMEOUT_S)[0] for _ in range(3)] == [0, 0, 1]


@pytest.mark.parametrize("answer", ["a1-b2", RESIGN, Choice("a1-b2", offer_draw=True, score=-35)])
def test_a_valid_answer_is_returned(answer: Any) -> None:
    assert checked(answer) is answer


@pytest.mark.parametrize("score", [float("nan"), 0.5, "x", True])
def test_the_error_of_a_wrong_score_names_the_score(score: Any) -> None:
    with pytest.raises(TypeError, match=rf"^the score of a Choice must be a whole number .*, not {score!r}$"):
        checked(Choice("a1-b2", score=score))


@pytest.mark.parametrize("answer", [None, 3, Choice(b"a1-b2")])  # type: ignore[arg-type]  # As untyped bots do.
def test_the_error_of_another_answer_names_what_can_be_returned(answer: Any) -> None:
    with pytest.raises(TypeError, match=r"^a bot must return a move, a Choice, RESIGN"):
        checked(answer)


@pytest.mark.parametrize("invalid", ["text", None])
def test_a_random_nonce_replaces_one_of_another_type(caplog: pytest.LogCaptureFixture, invalid: Any) -> None:
    nonces = Nonces(lambda _match_id, _seat: invalid)
    assert len(nonces.on_request(play_pb2.NonceRequest(match_id="m")).nonce.nonce) == NONCE_BYTES
    assert "a random one is sent" in caplog.text
