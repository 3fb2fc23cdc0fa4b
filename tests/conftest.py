"""What all tests share: how hard hypothesis tries, and the word that renews golden files."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("quick", derandomize=True, deadline=None, max_examples=50)
settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-golden", action="store_true", help="write the golden files anew from what is true now")


@pytest.fixture
def renewing(request: pytest.FixtureRequest) -> bool:
    """Are golden files to be written rather than compared?"""
    return bool(request.config.getoption("--renew-golden"))
