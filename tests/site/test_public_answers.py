"""Answers to callers without a token are shared, kept for a second, and limited by address and in total."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from http import HTTPStatus

import pytest

from referee.site.public_answers import (
    CALLS_PER_MINUTE,
    CALLS_PER_MINUTE_OF_ALL,
    MAX_CONCURRENT,
    MAX_WAITING,
    PublicAnswers,
)
from referee.site.upstream import UpstreamError
from tests.live.fake_time import FakeTime, settle

SECOND_US = 1_000_000
BURST = CALLS_PER_MINUTE // 10


class Referee:
    """Counts calls, and holds them back until `free` is set."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.open = 0
        self.most_open = 0
        self.free = asyncio.Event()
        self.free.set()
        self.error: UpstreamError | None = None

    def fetch(self, key: str) -> Callable[[], Awaitable[bytes]]:
        async def fetch() -> bytes:
            self.calls.append(key)
            self.open += 1
            self.most_open = max(self.most_open, self.open)
            await self.free.wait()
            self.open -= 1
            if self.error:
                raise self.error
            return f"{key} {len(self.calls)}".encode()

        return fetch


async def reason(answer: Awaitable[bytes]) -> str:
    with pytest.raises(UpstreamError) as error:
        await answer
    return f"{error.value.status.value} {error.value.reason}"


def test_equal_requests_of_a_second_share_one_answer() -> None:
    async def run() -> None:
        time, referee = FakeTime(), Referee()
        answers = PublicAnswers(time)
        referee.free.clear()
        waiting = [asyncio.ensure_future(answers.get("a", f"10.0.0.{n}", 1, referee.fetch("a"))) for n in range(50)]
        await settle()
        waiting[0].cancel()  # The one whose request began the call disconnects.
        referee.free.set()
        assert await asyncio.gather(*waiting[1:]) == [b"a 1"] * 49

        time.us += SECOND_US
        assert await answers.get("a", "10.0.0.1", 1, referee.fetch("a")) == b"a 1"
        time.us += 1
        assert await answers.get("a", "10.0.0.1", 1, referee.fetch("a")) == b"a 2"
        assert await answers.get("b", "10.0.0.1", 1, referee.fetch("b")) == b"b 3"

    asyncio.run(run())


def test_an_error_is_shared_for_a_second_too() -> None:
    async def run() -> None:
        time, referee = FakeTime(), Referee()
        answers = PublicAnswers(time)
        referee.error = UpstreamError(HTTPStatus.NOT_FOUND, "NO_SUCH_MATCH", "")
        for _ in range(100):
            assert await reason(answers.get("a", "x", 1, referee.fetch("a"))) == "404 NO_SUCH_MATCH"
        assert referee.calls == ["a"]
        referee.error, time.us = None, time.us + SECOND_US + 1
        assert await answers.get("a", "x", 1, referee.fetch("a")) == b"a 2"

    asyncio.run(run())


def test_a_large_answer_is_shared_but_not_kept() -> None:
    async def run() -> None:
        referee, answers = Referee(), PublicAnswers(FakeTime())
        both = (answers.get("a", "x", 1, referee.fetch("a"), is_small=False) for _ in range(2))
        assert await asyncio.gather(*both) == [b"a 1", b"a 1"]
        assert await answers.get("a", "x", 1, referee.fetch("a"), is_small=False) == b"a 2"

    asyncio.run(run())


def test_one_address_cannot_use_up_what_others_need() -> None:
    async def run() -> None:
        time, referee = FakeTime(), Referee()
        answers = PublicAnswers(time)
        for second in range(60):
            for n in range(20):
                with suppress(UpstreamError):
                    await answers.get(f"{second} {n}", "flooder", 1, referee.fetch("flood"))
            await answers.get(f"{second}", "somebody else", 1, referee.fetch("else"))
            time.us += SECOND_US
        assert referee.calls.count("else") == 60
        assert CALLS_PER_MINUTE <= referee.calls.count("flood") <= CALLS_PER_MINUTE + BURST

    asyncio.run(run())


def test_many_addresses_together_leave_calls_for_the_pages() -> None:
    async def run() -> None:
        referee, answers = Referee(), PublicAnswers(FakeTime())
        for n in range(CALLS_PER_MINUTE_OF_ALL // 10):
            await answers.get(f"{n}", f"10.0.0.{n}", 1, referee.fetch(""))
        assert await reason(answers.get("more", "10.0.1.0", 1, referee.fetch(""))) == "429 TOO_MANY_CALLS"

    asyncio.run(run())


def test_a_call_that_needs_two_counts_as_two() -> None:
    async def run() -> None:
        referee, answers = Referee(), PublicAnswers(FakeTime())
        for n in range(BURST // 2):
            await answers.get(f"{n}", "x", 2, referee.fetch(""))
        assert await reason(answers.get("more", "x", 1, referee.fetch(""))) == "429 TOO_MANY_CALLS"

    asyncio.run(run())


def test_few_calls_are_open_at_a_time_and_few_wait() -> None:
    async def run() -> None:
        time, referee = FakeTime(), Referee()
        answers = PublicAnswers(time)
        referee.free.clear()
        waiting = []
        for n in range(MAX_CONCURRENT + MAX_WAITING):
            waiting.append(asyncio.ensure_future(answers.get(f"{n}", f"{n}", 1, referee.fetch(""))))
            await settle()
            time.us += SECOND_US
        assert referee.open == MAX_CONCURRENT
        assert await reason(answers.get("more", "more", 1, referee.fetch(""))) == "503 SITE_BUSY"
        referee.free.set()
        await asyncio.gather(*waiting)
        assert referee.most_open == MAX_CONCURRENT
        assert await answers.get("more", "more", 1, referee.fetch("more"))

    asyncio.run(run())
