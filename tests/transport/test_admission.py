"""Calls without a valid token: the limit of an address, the total limit, and resets far beyond them."""

import pytest

from referee.transport.guards.admission import CallMustBeReset, UnauthenticatedCalls, address_of
from referee.wire.wire_errors import TooManyCallsInFlight


def test_beyond_the_limit_of_an_address_calls_are_rejected_and_then_reset() -> None:
    unauthenticated = UnauthenticatedCalls(100, 2)
    for _ in range(2):
        unauthenticated.begin_call("10.0.0.1")
    for _ in range(2):
        with pytest.raises(TooManyCallsInFlight) as error:
            unauthenticated.begin_call("10.0.0.1")
        assert error.value.details == {"limit": "2"}
    with pytest.raises(CallMustBeReset):
        unauthenticated.begin_call("10.0.0.1")
    unauthenticated.begin_call("10.0.0.2")
    for _ in range(5):
        unauthenticated.end_call("10.0.0.1")
    unauthenticated.begin_call("10.0.0.1")


def test_all_addresses_together_have_a_limit() -> None:
    unauthenticated = UnauthenticatedCalls(3, 2)
    for number in range(3):
        unauthenticated.begin_call(f"10.0.0.{number}")
    with pytest.raises(TooManyCallsInFlight):
        unauthenticated.begin_call("10.0.0.9")
    for address in ("10.0.0.9", "10.0.0.0"):
        unauthenticated.end_call(address)
    unauthenticated.begin_call("10.0.0.9")


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
def test_the_address_is_parsed_from_the_peer_name_of_grpc(peer: str, address: str) -> None:
    assert address_of(peer) == address
