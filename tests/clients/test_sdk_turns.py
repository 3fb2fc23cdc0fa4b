"""What a seat of the Python SDK sends in reply to turns, tested without a connection."""

import asyncio
import functools
import queue
import threading
from collections.abc import Callable, Coroutine, Iterator
from itertools import count
from typing import Any

import pytest
from referee_api.v1 import error_pb2, game_pb2, match_pb2, play_pb2, result_pb2
from referee_client import CLAIM_DRAW, RESIGN, Answer, Choice, Match, MatchEnded, Result, Turn
from referee_client.answers import MAX_MOVE_CHARS
from referee_client.bot import Bot, Players
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


def rejection(token: str, reason: "error_pb2.ErrorReason.ValueType", **metadata: str) -> play_pb2.Verdict:
    refusal = error_pb2.ErrorDetail(reason=reason, message="no", metadata=metadata)
    return play_pb2.Verdict(match_id="m", turn_token=token, rejected=play_pb2.Rejection(error=refusal))


def first_move(turn: Turn) -> str:
    return turn.legal_moves[0]


class SlowBot:
    """Bot that waits in `choose` until the test lets it answer."""

    def __init__(self) -> None:
        self.asked = 0
        self.thinking = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def choose(self, turn: Turn) -> str:
        self.asked += 1
        self.thinking.set()
        await self.may_answer.wait()
        return f"{turn.legal_moves[0]} {self.asked}"


@async_test
async def test_an_answer_has_the_token_of_its_turn() -> None:
    harness = SeatHarness(first_move)
    harness.seats.on_turn(turn("t7", seat=1), listed=True)
    move = (await harness.next_item()).move
    assert (move.match_id, move.turn_token, move.move, move.offer_draw) == ("m", "t7", "a1-b2", False)


@async_test
async def test_a_turn_repeated_while_the_bot_thinks_is_answered_once() -> None:
    bot = SlowBot()
    harness = SeatHarness(bot)
    harness.seats.on_turn(turn("t1"), listed=True)
    await bot.thinking.wait()
    harness.seats.on_turn(turn("t1", repeated=True), listed=True)
    bot.may_answer.set()
    assert (await harness.next_item()).move.turn_token == "t1"
    await harness.assert_nothing_sent_before(turn("t2"))
    assert bot.asked == 2


@async_test
async def test_a_turn_repeated_after_its_answer_gets_the_same_answer() -> None:
    asked = iter(["one", "another"])
    harness = SeatHarness(lambda _: next(asked))
    harness.seats.on_turn(turn(), listed=True)
    answer = await harness.next_item()
    harness.seats.on_turn(turn(repeated=True), listed=True)
    assert await harness.next_item() == answer


@async_test
async def test_an_answer_computed_while_disconnected_is_sent_when_the_turn_is_repeated() -> None:
    bot = SlowBot()
    harness = SeatHarness(bot)
    harness.seats.on_turn(turn(), listed=True)
    await bot.thinking.wait()
    harness.seats.disconnect()
    bot.may_answer.set()
    harness.seats.connect(harness.recorded.put_nowait)
    harness.seats.on_turn(turn(repeated=True), listed=True)
    assert (await harness.next_item()).move.move == "a1-b2 1"


@async_test
async def test_the_next_turn_after_a_rejection_shows_its_reason() -> None:
    seen = []

    def stubborn(turn: Turn) -> str:
        seen.append(turn.rejection and turn.rejection.reason)
        return "c1-c2" if turn.rejection else "nonsense"

    harness = SeatHarness(stubborn)
    harness.seats.on_turn(turn("t1"), listed=True)
    assert (await harness.next_item()).move.move == "nonsense"
    harness.seats.on_verdict(rejection("t1", error_pb2.ERROR_REASON_MALFORMED_MOVE))
    harness.seats.on_turn(turn("t2"), listed=True)
    assert (await harness.next_item()).move.move == "c1-c2"
    harness.seats.on_verdict(play_pb2.Verdict(match_id="m", turn_token="t2", accepted=play_pb2.Acceptance()))
    harness.seats.on_turn(turn("t3"), listed=True)
    await harness.next_item()
    assert seen == [None, "MALFORMED_MOVE", None]


@async_test
async def test_a_rejection_concerns_one_match_although_another_one_has_the_same_token() -> None:
    seen: list[tuple[str, str]] = []

    def stubborn(turn: Turn) -> str:
        seen.append((turn.match_id, turn.rejection.reason if turn.rejection else ""))
        return "nonsense"

    harness = SeatHarness(stubborn)
    for match_id in ("m", "n"):
        harness.seats.on_turn(turn("t1", match_id), listed=True)
        await harness.next_item()
    harness.seats.on_verdict(rejection("t1", error_pb2.ERROR_REASON_MALFORMED_MOVE))
    for match_id in ("n", "m"):
        harness.seats.on_turn(turn("t2", match_id), listed=True)
        await harness.next_item()
    assert seen[2:] == [("n", ""), ("m", "MALFORMED_MOVE")]


@async_test
async def test_an_answer_rejected_as_unavailable_is_sent_again() -> None:
    harness = SeatHarness(first_move)
    harness.seats.on_turn(turn(), listed=True)
    answer = await harness.next_item()
    harness.seats.on_verdict(rejection("t1", error_pb2.ERROR_REASON_STORE_UNAVAILABLE, retry_after_ms="1"))
    assert await harness.next_item() == answer


@async_test
async def test_a_stale_answer_is_not_sent_again() -> None:
    harness = SeatHarness(first_move)
    harness.seats.on_turn(turn("t1"), listed=True)
    await harness.next_item()
    harness.seats.on_verdict(
        play_pb2.Verdict(match_id="m", turn_token="t1", stale=play_pb2.StaleAnswer(current_turn_token="t2"))
    )
    await harness.assert_nothing_sent_before(turn("t2"))


@async_test
async def test_an_expired_turn_is_not_answered() -> None:
    bot = SlowBot()
    harness = SeatHarness(bot)
    harness.seats.on_turn(turn("t1"), listed=True)
    await bot.thinking.wait()
    harness.seats.on_turn_expired(play_pb2.TurnExpired(match_id="m", turn_token="t1"))
    bot.may_answer.set()
    await harness.assert_nothing_sent_before(turn("t2", "another"))


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


@async_test
async def test_a_bot_may_resign_and_offer_a_draw_with_its_move() -> None:
    harness = SeatHarness(lambda turn: RESIGN if turn.ply else Choice("a1-b2", offer_draw=True))
    harness.seats.on_turn(turn("t1"), listed=True)
    assert (await harness.next_item()).move.offer_draw
    harness.seats.on_turn(turn("t2", ply=1), listed=True)
    assert (await harness.next_item()).WhichOneof("item") == "resignation"


@pytest.mark.parametrize(
    ("score", "sent"), [(None, None), (0, 0), (-35, -35), (10**30, 1_000_000), (-(10**30), -1_000_000)]
)
def test_a_bot_may_send_a_score_with_its_move(score: int | None, sent: int | None) -> None:
    @async_test
    async def scenario() -> None:
        harness = SeatHarness(lambda _: Choice("a1-b2", score=score))
        harness.seats.on_turn(turn("t1"), listed=True)
        move = (await harness.next_item()).move
        assert (move.score if move.HasField("score") else None) == sent

    scenario()


@pytest.mark.parametrize("choice", [str, Choice])
def test_a_long_answer_is_truncated_to_one_character_above_the_limit(
    choice: type[str] | type[Choice], caplog: pytest.LogCaptureFixture
) -> None:
    @async_test
    async def scenario() -> None:
        harness = SeatHarness(lambda _: choice("I think " * 250_000))
        harness.seats.on_turn(turn("t1"), listed=True)
        item = (await harness.next_item()).move.move
        assert (len(item), set(item.split())) == (MAX_MOVE_CHARS + 1, {"I", "think"})

    scenario()
    assert "match m, seat 0: the answer has 2000000 characters, the limit is 1000" in caplog.text


@pytest.mark.parametrize("choice", [str, Choice])
def test_an_answer_that_cannot_be_encoded_is_sent_with_replacement_characters(
    choice: type[str] | type[Choice], caplog: pytest.LogCaptureFixture
) -> None:
    @async_test
    async def scenario() -> None:
        harness = SeatHarness(lambda _: choice("c2\udc80c3"))
        harness.seats.on_turn(turn("t1"), listed=True)
        assert (await harness.next_item()).move.move.replace("\ufffd", "") == "c2c3"

    scenario()
    assert "match m, seat 0: the answer is not valid UTF-8" in caplog.text


@async_test
async def test_the_turn_is_answered_after_a_rejected_draw_claim() -> None:
    harness = SeatHarness(lambda turn: first_move(turn) if turn.rejection else CLAIM_DRAW)
    harness.seats.on_turn(turn("t1"), listed=True)
    claim = await harness.next_item()
    assert claim.WhichOneof("item") == "draw_claim"
    verdict = rejection("", error_pb2.ERROR_REASON_DRAW_NOT_CLAIMABLE)
    verdict.item_id = claim.item_id
    harness.seats.on_verdict(verdict)
    assert (await harness.next_item()).move.turn_token == "t1"


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


@async_test
async def test_a_turn_without_rules_has_the_rules_of_its_match() -> None:
    seen: list[tuple[str, str]] = []

    def record_rules(turn: Turn) -> str:
        seen.append((turn.game, turn.options.get("own_board", "")))
        return turn.legal_moves[0]

    harness = SeatHarness(record_rules)
    rules = game_pb2.Rules(game="troke", options={"own_board": "{}"})
    match = match_pb2.Match(id="m", terms=match_pb2.MatchTerms(rules=rules))
    harness.seats.on_match_started(play_pb2.MatchStarted(match=match, rules_hash="h"))
    bare = turn("t1", rules_hash="h")
    bare.ClearField("rules")
    harness.seats.on_turn(bare, listed=True)
    await harness.next_item()
    harness.seats.on_turn(turn("t2"), listed=True)
    await harness.next_item()
    assert seen == [("troke", "{}"), ("alquerque", "")]
