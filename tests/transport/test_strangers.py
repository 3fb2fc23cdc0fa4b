"""Calls without a good token: so many of an address, so many in all, and far too many."""

import pytest

from referee.transport.refused import TooManyCallsInFlight
from referee.transport.strangers import Crowd, Strangers, address_of


def test_an_address_has_its_limit_and_then_it_is_refused_and_then_reset() -> None:
    strangers = Strangers(100, 2)
    for _ in range(2):
        strangers.come("10.0.0.1")
    for _ in range(2):
        with pytest.raises(TooManyCallsInFlight) as refused:
            strangers.come("10.0.0.1")
        assert refused.value.details == {"limit": "2"}
    with pytest.raises(Crowd):
        strangers.come("10.0.0.1")
    strangers.come("10.0.0.2")
    for _ in range(5):
        strangers.leave("10.0.0.1")
    strangers.come("10.0.0.1")
    assert strangers.open == 2


def test_all_addresses_together_have_a_limit() -> None:
    strangers = Strangers(3, 2)
    for number in range(3):
        strangers.come(f"10.0.0.{number}")
    with pytest.raises(TooManyCallsInFlight):
        strangers.come("10.0.0.9")


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:10.0.0.1:4711", "10.0.0.1"),
        ("ipv6:[::1]:4711", "::/64"),
        ("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:4711", "2001:db8:1:2::/64"),
        ("ipv6:[fe80::1%25eth0]:4711", "fe80::/64"),
        ("unix:/run/referee.sock", "unix"),
        ("unknown", "unknown"),
    ],
)
def test_an_address_is_read_from_what_grpc_calls_a_caller(peer: str, address: str) -> None:
    assert address_of(peer) == address
