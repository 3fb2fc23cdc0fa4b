"""The worker pool runs long computations in other processes, with a CPU limit; child processes start safely."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvloop

from engines.game_errors import IllegalMove
from referee.live.worker_pool import TooExpensive, TooManyWaiting, WorkerDied, WorkerPool
from tests.live.worker_functions import (
    add,
    kill_itself,
    loop_forever,
    print_and_return,
    process_id,
    raise_bug,
    raise_game_error,
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


async def test_a_function_runs_in_another_process_which_is_reused() -> None:
    async with pool_of(1) as pool:
        assert await pool.run(add, 2, 3) == 5
        first, second = await pool.run(process_id), await pool.run(process_id)
    assert first == second != os.getpid()


async def test_a_call_that_exceeds_its_cpu_limit_is_killed_and_its_worker_replaced() -> None:
    async with pool_of(1) as pool:
        before = await pool.run(process_id)
        with pytest.raises(TooExpensive) as error:
            await pool.run(loop_forever, max_cpu_s=0.05)
        assert error.value.details == {"limit_ms": "50"}
        assert await pool.run(process_id) != before


async def test_a_call_does_not_block_the_event_loop() -> None:
    async with pool_of(1) as pool:
        start_s = time.thread_time()
        with pytest.raises(TooExpensive):
            await pool.run(loop_forever, max_cpu_s=0.5)
        assert time.thread_time() - start_s < 0.25


async def test_an_exception_is_raised_again_in_the_caller() -> None:
    async with pool_of(1) as pool:
        with pytest.raises(IllegalMove) as error:
            await pool.run(raise_game_error)
        expected = IllegalMove("a1-a2", "AQ-1", "there is no line")
        assert (str(error.value), error.value.details) == (str(expected), expected.details)
        with pytest.raises(LookupError, match="a bug") as failed:
            await pool.run(raise_bug)
        assert "in raise_bug" in "".join(failed.value.__notes__)


async def test_a_worker_that_dies_fails_one_call_with_its_exit_status_and_is_replaced() -> None:
    async with pool_of(1) as pool:
        with pytest.raises(WorkerDied, match="status -9"):
            await pool.run(kill_itself)
        assert await pool.run(add, 1, 1) == 2


async def test_a_call_is_retried_when_its_worker_was_killed() -> None:
    async with pool_of(1) as pool:
        os.kill(await pool.run(process_id), signal.SIGKILL)
        assert await pool.run(add, 1, 1) == 2


def test_a_call_is_retried_when_the_loop_has_already_noticed_the_end_of_the_worker() -> None:
    """uvloop, which runs the server, reports a closed pipe by another exception than asyncio's own loop."""

    async def run() -> None:
        async with pool_of(1) as pool:
            worker = await pool.run(process_id)
            os.kill(worker, signal.SIGKILL)
            [idle] = pool._idle
            await idle._process.wait()
            assert await pool.run(add, 1, 1) == 2

    uvloop.run(run())


async def test_a_worker_that_cannot_be_started_fails_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async with pool_of(1) as pool:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/no/such/program")
            with pytest.raises(WorkerDied, match="cannot be started"):
                await pool.run(add, 1, 1)
        assert await pool.run(add, 1, 1) == 2


async def test_printed_output_of_a_function_is_not_its_reply() -> None:
    async with pool_of(1) as pool:
        assert await pool.run(print_and_return) == "a reply"


async def test_a_holder_has_a_limited_number_of_pending_calls(tmp_path: Path) -> None:
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


async def test_closing_the_pool_kills_running_calls() -> None:
    pool = WorkerPool(1)
    running = asyncio.create_task(pool.run(loop_forever, max_cpu_s=1000))
    await asyncio.sleep(0)
    await pool.close()
    with pytest.raises(asyncio.CancelledError):
        await running


PROGRAM = """
import asyncio, os, subprocess, sys
import uvloop
from referee.live.child_process import ChildProcess

os.register_at_fork(after_in_child=lambda: os._exit(9))

async def run():
    child = ChildProcess([sys.executable, "-c", "raise SystemExit(5)"], subprocess.DEVNULL, subprocess.DEVNULL)
    return await child.wait()

sys.exit(uvloop.run(run()))
"""


def test_no_python_code_runs_in_the_child_before_its_program() -> None:
    """Such code sometimes ended the child beside the threads of gRPC; here it always does."""
    assert subprocess.run([sys.executable, "-c", PROGRAM], check=False).returncode == 5
