"""Tests that are coroutines run in an event loop of their own, which closes their server process."""

import inspect

import pytest

from tests.live.referee_harness import RefereeHarness
from tests.live.runner_harness import RunnerHarness, in_loop


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine function as `in_loop` does; leave all other tests to pytest."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    in_loop(pyfuncitem.obj)(**{name: pyfuncitem.funcargs[name] for name in names})
    return True


@pytest.fixture
def harness() -> RefereeHarness:
    return RefereeHarness()


@pytest.fixture
def process() -> RunnerHarness:
    return RunnerHarness()
