"""Measurement of the steps of an event loop, and the benchmark that calls every method with it."""

import asyncio
import time

import grpc
import pytest

from bench.loop_held import AIM_MS, USUAL_CALIBRATION_MS, Held, Walk
from bench.loop_meter import LoopMeter, Step, calibration_ms
from tests.e2e.organiser import METHODS

LONG_MS = 60


def compute() -> None:
    deadline_s = time.thread_time() + LONG_MS / 1000
    while time.thread_time() < deadline_s:
        calibration_ms()


async def run_long_step(meter: LoopMeter) -> None:
    meter.measure(asyncio.get_running_loop())
    await asyncio.sleep(0)

    async def slow() -> None:
        compute()

    await asyncio.create_task(slow())


def test_a_long_step_of_the_loop_is_measured_and_named() -> None:
    with LoopMeter().metering() as meter:
        asyncio.run(run_long_step(meter))
        worst = meter.worst()
    assert worst.cpu_ms >= LONG_MS
    assert worst.of.endswith("slow")
    assert meter.worst().cpu_ms == 0


def test_other_loops_are_not_measured() -> None:
    with LoopMeter().metering() as meter:
        asyncio.run(run_long_step(LoopMeter()))
        assert meter.worst().cpu_ms == 0


def test_a_measurement_that_skips_a_method_is_an_error() -> None:
    with grpc.insecure_channel("localhost:1") as channel:
        walk = Walk(channel, LoopMeter(), {})
        for method in METHODS.keys() - {"PlayService/Play"}:
            with walk.measuring(method):
                pass
        with pytest.raises(LookupError, match="PlayService/Play"):
            walk.held()
        with walk.measuring("PlayService/Play"):
            pass
        assert not walk.held().over_the_aim()


def test_the_limit_is_scaled_for_slow_machines_only() -> None:
    worst = {"GetBot #1": Step(AIM_MS + 1, "slow")}
    assert Held(worst, USUAL_CALIBRATION_MS / 2).over_the_aim() == worst
    assert not Held(worst, USUAL_CALIBRATION_MS * 2).over_the_aim()
