"""The contract as JSON: every call that reads, with its request in the address, and an OpenAPI document.

Nothing is written by hand for a call: requests, responses and their descriptions come from the contract.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from referee.spectator.upstream import METHODS, Upstream, UpstreamError, response_class

BASE = "/api/v1"
PACKAGE = "referee_api.v1"


@dataclass(frozen=True, slots=True)
class Call:
    """A method that can be called by an address."""

    path: str
    """Path below `BASE`; names in braces are fields of the request."""
    request: str
    """Name of the request in the contract."""


CALLS = (
    Call("/matches", "ListMatchesRequest"),
    Call("/matches/{match_id}", "GetMatchRequest"),
    Call("/bots", "ListBotsRequest"),
    Call("/bots/{name}", "GetBotRequest"),
    Call("/bots/{bot}/versions", "ListVersionsRequest"),
    Call("/ladders", "ListLaddersRequest"),
    Call("/ladders/{name}", "GetLadderRequest"),
    Call("/ladders/{ladder}/standings", "ListLadderStandingsRequest"),
    Call("/ladders/{ladder}/ratings/{bot}", "ListRatingHistoryRequest"),
    Call("/tournaments", "ListTournamentsRequest"),
    Call("/tournaments/{name}", "GetTournamentRequest"),
    Call("/tournaments/{tournament}/pairings", "ListPairingsRequest"),
    Call("/tournaments/{tournament}/standings", "GetTournamentStandingsRequest"),
    Call("/tournaments/{tournament}/cross-table", "GetCrossTableRequest"),
    Call("/games", "ListGamesRequest"),
    Call("/games/{name}", "GetGameRequest"),
)


class JsonApi:
    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    def routes(self) -> list[Route]:
        return [
            Route(f"{BASE}/", self._index),
            Route(f"{BASE}/openapi.json", self._openapi),
            *(Route(f"{BASE}{call.path}", self._handler(call)) for call in CALLS),
        ]

    async def _index(self, _: Request) -> Response:
        return JSONResponse({"openapi": f"{BASE}/openapi.json", "paths": [f"{BASE}{call.path}" for call in CALLS]})

    async def _openapi(self, _: Request) -> Response:
        return JSONResponse(openapi_document())

    def _handler(self, call: Call) -> Callable[[Request], Awaitable[Response]]:
        method = METHODS[f"{PACKAGE}.{call.request}"]
        request_class, answer_class = GetMessageClass(method.input_type), response_class(method)

        async def handle(request: Request) -> Response:
            message = read_request(request_class(), request)
            answer = await self._upstream_of(request).call(message, answer_class)
            return JSONResponse(to_json(answer))

        return handle

    def _upstream_of(self, request: Request) -> Upstream:
        """Return the referee as the caller sees it: with its token if it sent one, otherwise as a spectator."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return self._upstream.with_token(token.strip()) if scheme.lower() == "bearer" else self._upstream


def read_request(message: Message, request: Request) -> Message:
    """Fill a message from the path and the query. Raises UpstreamError with the reason BAD_FIELD."""
    query = dict(request.query_params)
    fields: dict[str, Any] = {}
    for name, text in {**query, **request.path_params}.items():
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise _bad_field(f"there is no field {name[:100]!r}; the OpenAPI document lists all")
        fields[name] = (
            {"true": True, "false": False}.get(text, text) if field.type == FieldDescriptor.TYPE_BOOL else text
        )
    try:
        return ParseDict(fields, message)
    except (ParseError, ValueError, TypeError, OverflowError) as why:
        raise _bad_field(str(why)[:300]) from None


def _bad_field(sentence: str) -> UpstreamError:
    return UpstreamError(HTTPStatus.BAD_REQUEST, "BAD_FIELD", sentence)


def to_json(message: Message) -> dict[str, Any]:
    """Convert to JSON with the field names of the contract, and all fields that have a value or a default."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of all calls."""
    schemas: dict[str, Any] = {
        "Error": {
            "type": "object",
            "required": ["reason", "message"],
            "properties": {"reason": {"type": "string"}, "message": {"type": "string"}},
        }
    }
    paths = {f"{BASE}{call.path}": {"get": _operation(call, schemas)} for call in CALLS}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Referee", "version": "1", "description": "Matches, bots, ladders and tournaments as JSON."},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operation(call: Call, schemas: dict[str, Any]) -> dict[str, Any]:
    method = METHODS[f"{PACKAGE}.{call.request}"]
    parameters = [
        {
            "name": field.name,
            "in": "path" if f"{{{field.name}}}" in call.path else "query",
            "required": f"{{{field.name}}}" in call.path,
            "schema": _field_schema(field, schemas),
        }
        for field in method.input_type.fields
        if not field.is_repeated and (field.message_type is None or field.message_type.name == "Timestamp")
    ]
    error = {
        "description": "An error.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
    answer = {"application/json": {"schema": _message_schema(method.output_type, schemas)}}
    return {
        "operationId": method.name,
        "parameters": parameters,
        "responses": {"200": {"description": method.output_type.name, "content": answer}, "default": error},
    }


def _message_schema(message: Descriptor, schemas: dict[str, Any]) -> dict[str, Any]:
    if message.full_name == "google.protobuf.Timestamp":
        return {"type": "string", "format": "date-time"}
    if message.name not in schemas:
        schemas[message.name] = {}  # Before its fields: messages can contain themselves.
        schemas[message.name] = {
            "type": "object",
            "properties": {field.name: _field_schema(field, schemas) for field in message.fields},
        }
    return {"$ref": f"#/components/schemas/{message.name}"}


def _field_schema(field: FieldDescriptor, schemas: dict[str, Any]) -> dict[str, Any]:
    if field.message_type and field.message_type.GetOptions().map_entry:
        return {
            "type": "object",
            "additionalProperties": _single_schema(field.message_type.fields_by_name["value"], schemas),
        }
    single = _single_schema(field, schemas)
    return {"type": "array", "items": single} if field.is_repeated else single


def _single_schema(field: FieldDescriptor, schemas: dict[str, Any]) -> dict[str, Any]:
    if field.message_type:
        return _message_schema(field.message_type, schemas)
    if field.enum_type:
        return {"type": "string", "enum": [value.name for value in field.enum_type.values]}
    return dict(SCALARS[field.cpp_type])


SCALARS: dict[int, dict[str, Any]] = {
    FieldDescriptor.CPPTYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.CPPTYPE_STRING: {"type": "string"},
    FieldDescriptor.CPPTYPE_DOUBLE: {"type": "number"},
    FieldDescriptor.CPPTYPE_FLOAT: {"type": "number"},
    FieldDescriptor.CPPTYPE_INT32: {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    FieldDescriptor.CPPTYPE_UINT32: {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
    # Numbers of 64 bits are strings in the JSON of protobuf, since JavaScript would round them.
    FieldDescriptor.CPPTYPE_INT64: {"type": "string", "pattern": "^-?[0-9]{1,19}$"},
    FieldDescriptor.CPPTYPE_UINT64: {"type": "string", "pattern": "^[0-9]{1,20}$"},
}
"""Schemas of values by their type in the contract."""
