"""Limits of callers without a token: calls of each address, and streams of each and of all."""

import pytest
from referee_api.v1 import token_pb2

from referee.transport.contract_options import CALL_RULES
from referee.transport.guards.public_reading import PUBLIC_HOLDER, PUBLIC_TOKEN, PublicLimits, PublicReading
from referee.transport.services.bots import RESERVED_HOLDERS
from referee.transport.wire.wire_errors import TooManyStreams
from tests.live.fake_time import FakeTime


def test_the_public_only_gets_lists_watches_and_exports() -> None:
    public = {rule.method for rule in CALL_RULES.values() if PUBLIC_TOKEN.role in rule.callers and rule.needs_token}
    assert {method for method in public if not method.startswith(("Get", "List", "Watch", "Export"))} == set()
    for private in ("ListTurns", "ListBotLogEntries", "ListBotTokens", "ListTokens", "GetQuota", "GetBot", "ListBots"):
        assert private not in public


def test_no_token_can_have_the_role_or_the_holder_of_the_public() -> None:
    assert f"ROLE_{PUBLIC_TOKEN.role.name}" not in set(token_pb2.Role.keys())
    assert PUBLIC_HOLDER in RESERVED_HOLDERS


def test_streams_are_limited_for_an_address_and_in_total_until_they_end() -> None:
    public = PublicReading(PublicLimits(10, 2, 3), FakeTime())
    for address in ("a", "a", "b"):
        public.begin_stream(address)
    for address, limit in (("a", "2"), ("b", "3"), ("c", "3")):
        with pytest.raises(TooManyStreams) as error:
            public.begin_stream(address)
        assert error.value.details["limit"] == limit
    public.end_stream("a")
    public.begin_stream("c")
