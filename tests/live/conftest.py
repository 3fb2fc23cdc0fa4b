"""A server process for each test, which `in_loop` closes."""

import pytest

from tests.live.referee_harness import RefereeHarness
from tests.live.runner_harness import RunnerHarness


@pytest.fixture
def harness() -> RefereeHarness:
    return RefereeHarness()


@pytest.fixture
def process() -> RunnerHarness:
    return RunnerHarness()
