"""Calls without a valid token: the limit of an address, the total limit, and resets far beyond them."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from referee.accounts.tokens import Quota, Role, Token
from referee.transport.contract_options import CALL_RULES
from referee.transport.guards.admission import Admission
from referee.transport.guards.authentication import Authenticator
from referee.transport.guards.caller_address import PEER_HEADER, address_of, caller_address
from referee.transport.guards.open_calls import OpenCalls
from referee.transport.guards.unauthenticated_calls import CallMustBeReset, UnauthenticatedCalls
from referee.transport.wire.wire_errors import BadToken, TooManyCallsInFlight
from tests.live.fake_time import FakeTime, settle
from tests.storage.memory import MemoryTokens
from tests.transport.rate_limiters import create_rate_limiter


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


@dataclass(frozen=True)
class Call:
    """The context of a call that names an address of its caller."""

    name: str

    def peer(self) -> str:
        return self.name

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", "Bearer a"), (PEER_HEADER, "2001:db8::1"))


@pytest.mark.parametrize(
    ("peer", "address"), [("unix:", "2001:db8::/64"), ("ipv4:10.0.0.1:4711", "10.0.0.1"), ("unknown", "unknown")]
)
def test_only_the_front_door_can_name_the_address_of_a_caller(peer: str, address: str) -> None:
    assert caller_address(Call(peer)) == address


JWT = "header.claims.signature"


class WaitingProvider:
    """An identity provider whose answer about a token waits until the test gives it."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[Token | None] = asyncio.get_running_loop().create_future()

    def knows(self, secret: str) -> bool:
        return False

    async def find_token(self, secret: str) -> Token | None:
        return await self.answer


class FakeCall:
    """A call of one address, that ends when the test says so."""

    def __init__(self) -> None:
        self.end: Any = None

    def peer(self) -> str:
        return "ipv4:10.0.0.1:4711"

    def at_end(self, callback: Any) -> None:
        self.end = callback


@pytest.mark.parametrize("valid", [True, False])
async def test_a_call_counts_as_unauthenticated_while_its_signature_is_verified(valid: bool) -> None:
    time, provider, unauthenticated = FakeTime(), WaitingProvider(), UnauthenticatedCalls(100, 1)
    authenticator = Authenticator(MemoryTokens(), time, provider)
    limiter = create_rate_limiter(time, Quota(10, 10, 10))
    admission: Any = Admission(authenticator, limiter, OpenCalls(1), unauthenticated, 1_000, None, asyncio.Event())
    call = FakeCall()
    first = asyncio.create_task(admission._authenticate(call, f"Bearer {JWT}", CALL_RULES["GameService/ListGames"]))
    await settle()
    refused = FakeCall()
    with pytest.raises(TooManyCallsInFlight):
        await admission._authenticate(refused, f"Bearer {JWT}", CALL_RULES["GameService/ListGames"])
    refused.end()
    provider.answer.set_result(Token(bytes(32), Role.SPECTATOR, "oidc:ada", 0) if valid else None)
    if valid:
        assert (await first).holder == "oidc:ada"
    else:
        with pytest.raises(BadToken):
            await first
        with pytest.raises(TooManyCallsInFlight):
            unauthenticated.begin_call("10.0.0.1")
        unauthenticated.end_call("10.0.0.1")
        call.end()
    unauthenticated.begin_call("10.0.0.1")
    unauthenticated.end_call("10.0.0.1")
    call.end()
    unauthenticated.begin_call("10.0.0.1")
