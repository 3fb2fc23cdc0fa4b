"""The pace of calls of each address."""

import pytest

from referee.match.clock import SECOND
from referee.transport.guards import pace
from referee.transport.guards.pace import AddressPace
from referee.transport.wire.wire_errors import TooManyCalls
from tests.live.fake_time import FakeTime


def test_each_address_has_a_pace_of_its_own() -> None:
    time = FakeTime()
    addresses = AddressPace(20, time)
    for _ in range(2):
        addresses.count_call("10.0.0.1")
    with pytest.raises(TooManyCalls) as raised:
        addresses.count_call("10.0.0.1")
    assert raised.value.details == {"limit": "20", "retry_after_ms": "3000"}
    addresses.count_call("10.0.0.2")
    time.us += 3 * SECOND
    addresses.count_call("10.0.0.1")


def test_the_address_that_has_been_silent_longest_is_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "MAX_ADDRESSES", 2)
    addresses = AddressPace(1, FakeTime())
    for address in ("a", "b"):
        addresses.count_call(address)
    with pytest.raises(TooManyCalls):
        addresses.count_call("a")
    for address in ("c", "b"):  # The first call forgets `b`.
        addresses.count_call(address)
    with pytest.raises(TooManyCalls):
        addresses.count_call("c")
