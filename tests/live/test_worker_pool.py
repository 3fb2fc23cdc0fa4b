"""Computations of unknown length run outside the process, with a limit."""

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvloop

from engines.refusals import IllegalMove
from referee.live.worker_pool import TooExpensive, TooManyWaiting, WorkerDied, WorkerPool
from tests.live.runner_harness import in_loop
from tests.live.worker_functions import (
    add,
    die,
    fail,
    print_and_return,
    process_id,
    refuse,
    think_for_ever,
    wait_for,
)

HOLDER = "holder"


@asynccontextmanager
async def pool_of(workers: int, calls_per_holder: int = 100) -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(workers, calls_per_holder)
    try:
        yield pool
    finally:
        await pool.close()


@in_loop
async def test_a_function_runs_in_another_process_which_is_used_again() -> None:
    async with pool_of(1) as pool:
        assert await pool.run(add, 2, 3) == 5
        first, second = await pool.run(process_id), await pool.run(process_id)
    assert first == second != os.getpid()


@in_loop
async def test_what_needs_too_much_cpu_is_ended_and_its_worker_replaced() -> None:
    async with pool_of(1) as pool:
        before = await pool.run(process_id)
        with pytest.raises(TooExpensive) as refused:
            await pool.run(think_for_ever, max_cpu_s=0.05)
        assert refused.value.details == {"limit_ms": "50"}
        assert await pool.run(process_id) != before


@in_loop
async def test_the_loop_goes_on_meanwhile() -> None:
    async with pool_of(1) as pool:
        began_s = time.thread_time()
        with pytest.raises(TooExpensive):
            await pool.run(think_for_ever, max_cpu_s=0.5)
        assert time.thread_time() - began_s < 0.25


@in_loop
async def test_a_refusal_comes_back_as_it_was_raised() -> None:
    async with pool_of(1) as pool:
        with pytest.raises(IllegalMove) as refused:
            await pool.run(refuse)
        expected = IllegalMove("a1-a2", "AQ-1", "there is no line")
        assert (str(refused.value), refused.value.details) == (str(expected), expected.details)
        with pytest.raises(LookupError, match="a bug") as failed:
            await pool.run(fail)
        assert "in fail" in "".join(failed.value.__notes__)


@in_loop
async def test_a_worker_that_dies_fails_one_call_and_is_replaced() -> None:
    async with pool_of(1) as pool:
        with pytest.raises(WorkerDied):
            await pool.run(die)
        assert await pool.run(add, 1, 1) == 2


@in_loop
async def test_the_exit_status_of_a_worker_that_died_is_its_own() -> None:
    def kill(process: Process) -> None:
        raise AssertionError(f"process {process.pid} is about to end: polling it here could lose its status")

    async with pool_of(1) as pool:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Process, "kill", kill)
            with pytest.raises(WorkerDied, match="status -9"):
                await pool.run(die)
            with pytest.raises(TooExpensive):
                await pool.run(think_for_ever, max_cpu_s=0.1)


@in_loop
async def test_a_call_is_tried_again_when_its_worker_was_killed() -> None:
    async with pool_of(1) as pool:
        os.kill(await pool.run(process_id), signal.SIGKILL)
        assert await pool.run(add, 1, 1) == 2


def test_a_call_is_tried_again_when_the_loop_knows_already_that_the_worker_is_gone() -> None:
    """uvloop, which runs the server, reports a closed pipe by another exception than asyncio's own loop."""

    async def run() -> None:
        async with pool_of(1) as pool:
            worker = await pool.run(process_id)
            os.kill(worker, signal.SIGKILL)
            [idle] = pool._idle
            await idle._process.wait()
            assert await pool.run(add, 1, 1) == 2

    uvloop.run(run())


@in_loop
async def test_a_worker_that_cannot_be_started_fails_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async with pool_of(1) as pool:
        with monkeypatch.context() as broken:
            broken.setattr(sys, "executable", "/no/such/program")
            with pytest.raises(WorkerDied, match="cannot be started"):
                await pool.run(add, 1, 1)
        assert await pool.run(add, 1, 1) == 2


@in_loop
async def test_what_a_function_prints_is_no_reply() -> None:
    async with pool_of(1) as pool:
        assert await pool.run(print_and_return) == "a reply"


@in_loop
async def test_a_holder_waits_for_so_many_results_at_the_most(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    async with pool_of(1, calls_per_holder=2) as pool:
        waiting = [asyncio.create_task(pool.run(wait_for, gate, holder=HOLDER)) for _ in range(2)]
        await asyncio.sleep(0)
        waiting[0].cancel()  # Cancelling does not free a place.
        await asyncio.sleep(0)
        with pytest.raises(TooManyWaiting):
            await pool.run(add, 1, 1, holder=HOLDER)
        others = [asyncio.create_task(pool.run(add, 1, 1, holder=other)) for other in ("another", "")]
        gate.touch()
        assert await asyncio.gather(*others) == [2, 2]
        await asyncio.wait(waiting)
        assert await pool.run(add, 1, 1, holder=HOLDER) == 2


@in_loop
async def test_closing_ends_what_runs() -> None:
    pool = WorkerPool(1)
    running = asyncio.create_task(pool.run(think_for_ever, max_cpu_s=1000))
    await asyncio.sleep(0)
    await pool.close()
    with pytest.raises(asyncio.CancelledError):
        await running
