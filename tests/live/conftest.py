"""Server processes of tests, which are closed when the test ends."""

import pytest

from tests.live.referee_harness import RefereeHarness
from tests.live.runner_harness import RunnerHarness


@pytest.fixture
def harness() -> RefereeHarness:
    return RefereeHarness()


@pytest.fixture
def process() -> RunnerHarness:
    return RunnerHarness()
