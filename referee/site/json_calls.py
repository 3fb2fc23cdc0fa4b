"""The calls of the JSON API, how their requests are read from an address, and how they are answered."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from referee_api.v1 import match_service_pb2

from engines.game_errors import unknown
from referee.site.finished_match import read_record
from referee.site.upstream import METHODS, TIMEOUT_S, Upstream, UpstreamError, response_class

BASE = "/api/v1"
PACKAGE = "referee_api.v1"
MAX_CHARS = 512
"""Length of a value in an address."""
LIMIT = "limit"
"""The parameter that is no field of a request: the maximum number of entries in a response."""
DEFAULT_ENTRIES, MAX_ENTRIES = 100, 200
MAX_ENTRIES_BYTES = 256 * 1024
"""Size of entries, as messages, after which a response ends."""
LARGE_BYTES = 16 * 1024
"""Size of a message from which its conversion could delay others, and is left to a thread."""

INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
"""Ranges by type in the contract."""
BOOLS = {"true": True, "false": False}

Answer = Callable[[Upstream, Message, int], Awaitable[bytes]]
"""Answers a request, with at most so many entries. Raises UpstreamError."""


async def answer_message(upstream: Upstream, request: Message, _: int) -> bytes:
    """Make the call, and return its response."""
    answer = await upstream.call(request, response_class(METHODS[request.DESCRIPTOR.full_name]))
    return await to_json(answer)


async def answer_entries(upstream: Upstream, request: Message, limit: int) -> bytes:
    """Return the entries that are visible now, without waiting for others."""
    assert isinstance(request, match_service_pb2.WatchMatchRequest)
    query = match_service_pb2.GetMatchRequest(match_id=request.match_id)
    if request.HasField("seat"):
        query.seat = request.seat
    answer = await upstream.call(query, match_service_pb2.GetMatchResponse)
    last = answer.state.entry_number
    entries, size = match_service_pb2.WatchMatchResponse(), 0
    request.after_number = request.after_number  # Set, also to 0, which is not the default of the contract.
    if request.after_number < last:
        # A generator, whose call stays open until it is closed.
        stream: Any = upstream.stream(request, match_service_pb2.WatchMatchResponse)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                async for response in stream:
                    for item in response.items:
                        if item.HasField("entry") and len(entries.items) < limit:
                            entries.items.append(item)
                            size += item.ByteSize()
                    is_last = entries.items and entries.items[-1].entry.number >= last
                    if is_last or len(entries.items) == limit or size > MAX_ENTRIES_BYTES:
                        break
        except TimeoutError:
            raise UpstreamError(HTTPStatus.GATEWAY_TIMEOUT, "", "The referee sent no entries in time.") from None
        finally:
            await stream.aclose()
    items = to_dict(entries)["items"]
    return to_bytes({"entries": [item["entry"] for item in items], "last_number": str(last)})


async def answer_record(upstream: Upstream, request: Message, _: int) -> bytes:
    """Return the record, byte for byte."""
    assert isinstance(request, match_service_pb2.GetRecordRequest)
    return await read_record(upstream, request.match_id)


@dataclass(frozen=True, slots=True)
class JsonCall:
    """A method that can be called by an address."""

    path: str
    """Path below `BASE`; names in braces are fields of the request."""
    request_name: str
    """Name of the request in the contract."""
    answer: Answer = answer_message
    has_limit: bool = False
    media_type: str = "application/json"
    upstream_calls: int = 1
    is_small: bool = True
    """Whether its answers are small enough to be kept."""

    @property
    def method(self) -> MethodDescriptor:
        return METHODS[f"{PACKAGE}.{self.request_name}"]


ENTRIES = JsonCall("/matches/{match_id}/entries", "WatchMatchRequest", answer_entries, has_limit=True, upstream_calls=2)
RECORD = JsonCall(
    "/matches/{match_id}/record", "GetRecordRequest", answer_record, media_type="application/jsonl", is_small=False
)
CALLS = (
    JsonCall("/matches", "ListMatchesRequest"),
    JsonCall("/matches/{match_id}", "GetMatchRequest"),
    ENTRIES,
    RECORD,
    JsonCall("/bots", "ListBotsRequest"),
    JsonCall("/bots/{name}", "GetBotRequest"),
    JsonCall("/bots/{bot}/versions", "ListVersionsRequest"),
    JsonCall("/bots/{bot}/log", "ListBotLogEntriesRequest"),
    JsonCall("/ladders", "ListLaddersRequest"),
    JsonCall("/ladders/{name}", "GetLadderRequest"),
    JsonCall("/ladders/{ladder}/standings", "ListLadderStandingsRequest"),
    JsonCall("/ladders/{ladder}/ratings/{bot}", "ListRatingHistoryRequest"),
    JsonCall("/tournaments", "ListTournamentsRequest"),
    JsonCall("/tournaments/{name}", "GetTournamentRequest"),
    JsonCall("/tournaments/{tournament}/pairings", "ListPairingsRequest"),
    JsonCall("/tournaments/{tournament}/standings", "GetTournamentStandingsRequest"),
    JsonCall("/tournaments/{tournament}/cross-table", "GetCrossTableRequest"),
    JsonCall("/games", "ListGamesRequest"),
    JsonCall("/games/{name}", "GetGameRequest"),
)


def read_request(call: JsonCall, path: Mapping[str, str], query: Sequence[tuple[str, str]]) -> tuple[Message, int]:
    """Return the request of an address, and its limit. Raises UpstreamError with the reason BAD_FIELD."""
    texts: dict[str, str] = {}
    for name, text in [*path.items(), *query]:
        if len(text) > MAX_CHARS:
            raise _bad_field(f"{name[:64]!r} is longer than {MAX_CHARS} characters")
        if name in texts:
            raise _bad_field(f"{name!r} is given twice")
        texts[name] = text
    known = call.method.input_type.fields_by_name
    limit = texts.pop(LIMIT, str(DEFAULT_ENTRIES)) if call.has_limit else "1"
    for name in texts:
        if name not in known:
            raise _bad_field(unknown("parameter", name, [*known, LIMIT] if call.has_limit else known))
    values = {name: _value(known[name], text) for name, text in texts.items()}
    most = _integer(LIMIT, limit, 1, MAX_ENTRIES)
    try:
        return ParseDict(values, GetMessageClass(call.method.input_type)()), most
    except (ParseError, ValueError, TypeError, OverflowError):
        raise _bad_field("a time is written like 2026-01-31T12:00:00Z") from None


def _value(field: FieldDescriptor, text: str) -> object:
    if field.enum_type:
        names = field.enum_type.values_by_name
        if text not in names:
            raise _bad_field(f"{field.name!r} is one of {', '.join(names)}")
    elif field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        if text not in BOOLS:
            raise _bad_field(f"{field.name!r} is true or false")
        return BOOLS[text]
    elif field.cpp_type in INTEGERS:
        return _integer(field.name, text, *INTEGERS[field.cpp_type])
    return text


def _integer(name: str, text: str, minimum: int, maximum: int) -> int:
    digits = text.removeprefix("-")
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= 20
    if not is_number or not minimum <= int(text) <= maximum:
        raise _bad_field(f"{name!r} is a whole number from {minimum} to {maximum}")
    return int(text)


def _bad_field(sentence: str) -> UpstreamError:
    return UpstreamError(HTTPStatus.BAD_REQUEST, "BAD_FIELD", sentence)


async def to_json(message: Message) -> bytes:
    """Encode as JSON with the field names of the contract, and all fields that have a value or a default."""
    if message.ByteSize() < LARGE_BYTES:
        return to_bytes(to_dict(message))
    return await asyncio.to_thread(lambda: to_bytes(to_dict(message)))


def to_dict(message: Message) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def to_bytes(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
