"""What a seat of the Python SDK sends in reply to turns, tested without a connection."""

import asyncio
import queue
import threading
from collections.abc import Callable, Coroutine, Iterator
from itertools import count
from typing import Any

import pytest
from referee_api.v1 import error_pb2, game_pb2, match_pb2, play_pb2, result_pb2
from referee_client import CLAIM_DRAW, RESIGN, Answer, Choice, End, Match, Result, Turn
from referee_client.answers import MOVE_CHARS
from referee_client.bot import Bot, Cast
from referee_client.seats import Seats
from referee_client.thinking import InThreads, OnLoop
from referee_client.turn import turn_in

TIMEOUT_S = 60


class Table:
    """Seats played by one bot, and the items that they send."""

    def __init__(self, bot: Bot) -> None:
        cast = Cast(bot)
        self.seats = Seats(OnLoop(cast) if cast.is_async else InThreads(cast))
        self.heard: asyncio.Queue[play_pb2.BotItem] = asyncio.Queue()
        self.seats.speak_by(self.heard.put_nowait)

    async def says(self) -> play_pb2.BotItem:
        return await asyncio.wait_for(self.heard.get(), TIMEOUT_S)

    async def says_nothing_before(self, other: play_pb2.Turn) -> None:
        """Assert that nothing is sent before the answer to `other`."""
        self.seats.asked(other, listed=True)
        assert (await self.says()).move.turn_token == other.turn_token


def told(story: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Turn a coroutine function into a test that runs on an event loop."""

    def test() -> None:
        asyncio.run(asyncio.wait_for(story(), TIMEOUT_S))

    test.__name__ = story.__name__
    return test


def turn(token: str = "t1", match_id: str = "m", **more: Any) -> play_pb2.Turn:
    rules = game_pb2.Rules(game="alquerque")
    return play_pb2.Turn(match_id=match_id, turn_token=token, rules=rules, legal_moves=["a1-b2", "c1-c2"], **more)


def refused(token: str, reason: "error_pb2.ErrorReason.ValueType", **metadata: str) -> play_pb2.Verdict:
    refusal = error_pb2.ErrorDetail(reason=reason, message="no", metadata=metadata)
    return play_pb2.Verdict(match_id="m", turn_token=token, rejected=play_pb2.Rejection(error=refusal))


def first(turn: Turn) -> str:
    return turn.legal_moves[0]


class Patient:
    """Bot that waits in `choose` until the test lets it answer."""

    def __init__(self) -> None:
        self.asked = 0
        self.thinks = asyncio.Event()
        self.may_answer = asyncio.Event()

    async def choose(self, turn: Turn) -> str:
        self.asked += 1
        self.thinks.set()
        await self.may_answer.wait()
        return f"{turn.legal_moves[0]} {self.asked}"


@told
async def test_a_turn_is_answered_by_its_own_token() -> None:
    table = Table(first)
    table.seats.asked(turn("t7", seat=1), listed=True)
    move = (await table.says()).move
    assert (move.match_id, move.turn_token, move.move, move.offer_draw) == ("m", "t7", "a1-b2", False)


@told
async def test_a_turn_that_is_asked_again_while_it_is_thought_about_is_answered_once() -> None:
    bot = Patient()
    table = Table(bot)
    table.seats.asked(turn("t1"), listed=True)
    await bot.thinks.wait()
    table.seats.asked(turn("t1", repeated=True), listed=True)
    bot.may_answer.set()
    assert (await table.says()).move.turn_token == "t1"
    await table.says_nothing_before(turn("t2"))
    assert bot.asked == 2


@told
async def test_a_turn_that_is_asked_again_after_its_answer_gets_the_very_same_answer() -> None:
    asked = iter(["one", "another"])
    table = Table(lambda _: next(asked))
    table.seats.asked(turn(), listed=True)
    answer = await table.says()
    table.seats.asked(turn(repeated=True), listed=True)
    assert await table.says() == answer


@told
async def test_an_answer_found_while_the_referee_was_away_is_said_when_it_asks_again() -> None:
    bot = Patient()
    table = Table(bot)
    table.seats.asked(turn(), listed=True)
    await bot.thinks.wait()
    table.seats.fall_silent()
    bot.may_answer.set()
    table.seats.speak_by(table.heard.put_nowait)
    table.seats.asked(turn(repeated=True), listed=True)
    assert (await table.says()).move.move == "a1-b2 1"


@told
async def test_after_a_refusal_the_bot_sees_why_and_is_asked_by_a_new_token() -> None:
    seen = []

    def stubborn(turn: Turn) -> str:
        seen.append(turn.refused and turn.refused.reason)
        return "c1-c2" if turn.refused else "nonsense"

    table = Table(stubborn)
    table.seats.asked(turn("t1"), listed=True)
    assert (await table.says()).move.move == "nonsense"
    table.seats.judged(refused("t1", error_pb2.ERROR_REASON_MALFORMED_MOVE))
    table.seats.asked(turn("t2"), listed=True)
    assert (await table.says()).move.move == "c1-c2"
    table.seats.judged(play_pb2.Verdict(match_id="m", turn_token="t2", accepted=play_pb2.Acceptance()))
    table.seats.asked(turn("t3"), listed=True)
    await table.says()
    assert seen == [None, "MALFORMED_MOVE", None]


@told
async def test_what_the_referee_could_not_take_now_is_said_again() -> None:
    table = Table(first)
    table.seats.asked(turn(), listed=True)
    answer = await table.says()
    table.seats.judged(refused("t1", error_pb2.ERROR_REASON_STORE_UNAVAILABLE, retry_after_ms="1"))
    assert await table.says() == answer


@told
async def test_a_stale_answer_is_not_said_again() -> None:
    table = Table(first)
    table.seats.asked(turn("t1"), listed=True)
    await table.says()
    table.seats.judged(
        play_pb2.Verdict(match_id="m", turn_token="t1", stale=play_pb2.StaleAnswer(current_turn_token="t2"))
    )
    await table.says_nothing_before(turn("t2"))


@told
async def test_a_turn_that_lapsed_is_not_answered() -> None:
    bot = Patient()
    table = Table(bot)
    table.seats.asked(turn("t1"), listed=True)
    await bot.thinks.wait()
    table.seats.lapsed(play_pb2.TurnExpired(match_id="m", turn_token="t1"))
    bot.may_answer.set()
    await table.says_nothing_before(turn("t2", "another"))


@told
async def test_matches_are_thought_about_side_by_side() -> None:
    both = threading.Barrier(2, timeout=TIMEOUT_S)

    def meets(turn: Turn) -> str:
        both.wait()
        return first(turn)

    table = Table(meets)
    table.seats.asked(turn("t1", "m1"), listed=True)
    table.seats.asked(turn("t2", "m2"), listed=True)
    assert {(await table.says()).move.turn_token, (await table.says()).move.turn_token} == {"t1", "t2"}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda _: 1 / 0,
        lambda _: None,
        lambda _: next(iter([])),
        lambda _: Choice(5),  # type: ignore[arg-type]  # The wrong type is the case under test.
    ],
)
def test_a_bot_that_breaks_resigns_this_seat_and_plays_on_elsewhere(
    wrong: Callable[[Turn], Answer], caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(_resigns_in_m_alone(lambda turn: wrong(turn) if turn.match_id == "m" else first(turn)))
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("wrong", [ValueError, SystemExit, asyncio.CancelledError])
def test_an_asynchronous_bot_that_breaks_resigns_this_seat_and_plays_on_elsewhere(wrong: type[BaseException]) -> None:
    async def choose(turn: Turn) -> str:
        if turn.match_id == "m":
            raise wrong
        return first(turn)

    asyncio.run(_resigns_in_m_alone(choose))


async def _resigns_in_m_alone(choose: Callable[[Turn], Any]) -> None:
    table = Table(choose)
    async with asyncio.timeout(TIMEOUT_S):
        table.seats.asked(turn("t1", seat=1), listed=True)
        said = await table.says()
        assert (said.resignation.match_id, said.resignation.seat) == ("m", 1)
        table.seats.asked(turn("t2", "elsewhere"), listed=True)
        assert (await table.says()).move.turn_token == "t2"


@told
async def test_a_bot_may_resign_and_offer_a_draw_with_its_move() -> None:
    table = Table(lambda turn: RESIGN if turn.ply else Choice("a1-b2", offer_draw=True))
    table.seats.asked(turn("t1"), listed=True)
    assert (await table.says()).move.offer_draw
    table.seats.asked(turn("t2", ply=1), listed=True)
    assert (await table.says()).WhichOneof("item") == "resignation"


@pytest.mark.parametrize("choice", [str, Choice])
def test_an_answer_longer_than_any_move_is_sent_too_long_to_be_a_move(
    choice: type[str] | type[Choice], caplog: pytest.LogCaptureFixture
) -> None:
    @told
    async def story() -> None:
        table = Table(lambda _: choice("I think " * 250_000))
        table.seats.asked(turn("t1"), listed=True)
        said = (await table.says()).move.move
        assert (len(said), set(said.split())) == (MOVE_CHARS + 1, {"I", "think"})

    story()
    assert "match m, seat 0: the answer has 2000000 characters, the limit is 1000" in caplog.text


@pytest.mark.parametrize("choice", [str, Choice])
def test_an_answer_that_cannot_be_encoded_is_sent_as_what_is_no_move(
    choice: type[str] | type[Choice], caplog: pytest.LogCaptureFixture
) -> None:
    @told
    async def story() -> None:
        table = Table(lambda _: choice("c2\udc80c3"))
        table.seats.asked(turn("t1"), listed=True)
        assert (await table.says()).move.move.replace("\ufffd", "") == "c2c3"

    story()
    assert "match m, seat 0: the answer is not valid UTF-8" in caplog.text


@told
async def test_after_a_claim_that_does_not_hold_the_turn_is_still_answered() -> None:
    table = Table(lambda turn: first(turn) if turn.refused else CLAIM_DRAW)
    table.seats.asked(turn("t1"), listed=True)
    claim = await table.says()
    assert claim.WhichOneof("item") == "draw_claim"
    verdict = refused("", error_pb2.ERROR_REASON_DRAW_NOT_CLAIMABLE)
    verdict.item_id = claim.item_id
    table.seats.judged(verdict)
    assert (await table.says()).move.turn_token == "t1"


class Own:
    """Bot class of which one instance is created for each match and seat."""

    heard: queue.Queue[tuple[int, str, object]]
    numbers: Iterator[int]

    def __init__(self) -> None:
        self.number = next(self.numbers)

    def started(self, match: Match, seat: int) -> None:
        self.heard.put((self.number, "started", (match.id, match.bots, seat)))

    def choose(self, turn: Turn) -> str:
        self.heard.put((self.number, "choose", turn.token))
        return first(turn)

    def ended(self, end: End) -> None:
        self.heard.put((self.number, "ended", (end.match_id, end.result.kind, end.result.reason, end.rank)))


@told
async def test_a_class_has_an_object_for_each_seat_and_hears_of_beginning_and_end_once() -> None:
    Own.heard, Own.numbers = queue.Queue(), count()
    table = Table(Own)
    begins = play_pb2.MatchStarted(match=match_pb2.Match(id="m", seats=[match_pb2.Seat(bot="anna")]), seat=0)
    result = result_pb2.Result(
        forfeited=result_pb2.ForfeitedResult(forfeits=[result_pb2.Forfeit(cause=result_pb2.FORFEIT_CAUSE_TIME)]),
        seats=[result_pb2.SeatResult(rank=2)],
    )
    ends = play_pb2.MatchEnded(match_id="m", result=result)
    table.seats.started(begins)
    table.seats.started(begins)
    table.seats.asked(turn("t1"), listed=True)
    await table.says()
    table.seats.ended(ends)
    table.seats.ended(ends)
    await table.says_nothing_before(turn("t2", "other"))
    heard = [await asyncio.to_thread(Own.heard.get, timeout=TIMEOUT_S) for _ in range(4)]
    assert sorted(heard, key=lambda it: it[0]) == [
        (0, "started", ("m", ("anna",), 0)),
        (0, "choose", "t1"),
        (0, "ended", ("m", "forfeited", "time", 2)),
        (1, "choose", "t2"),
    ]


@told
async def test_what_an_object_knew_of_a_match_is_forgotten_with_it() -> None:
    Own.heard, Own.numbers = queue.Queue(), count()
    thinker, key = InThreads(Cast(Own)), ("m", 0)
    await thinker.choose(key, turn_in(turn(), listed=True))
    await thinker.ended(key, End("m", 0, Result("void", "aborted")))
    await thinker.choose(key, turn_in(turn(), listed=True))
    assert [Own.heard.get(timeout=TIMEOUT_S)[0] for _ in range(3)] == [0, 0, 1]


@told
async def test_rules_that_a_turn_leaves_out_are_those_of_its_match() -> None:
    seen: list[tuple[str, str]] = []

    def note(turn: Turn) -> str:
        seen.append((turn.game, turn.options.get("own_board", "")))
        return turn.legal_moves[0]

    table = Table(note)
    rules = game_pb2.Rules(game="troke", options={"own_board": "{}"})
    match = match_pb2.Match(id="m", terms=match_pb2.MatchTerms(rules=rules))
    table.seats.started(play_pb2.MatchStarted(match=match, rules_hash="h"))
    bare = turn("t1", rules_hash="h")
    bare.ClearField("rules")
    table.seats.asked(bare, listed=True)
    await table.says()
    table.seats.asked(turn("t2"), listed=True)
    await table.says()
    assert seen == [("troke", "{}"), ("alquerque", "")]
