"""The OpenAPI document of the JSON API, made from the contract.

At run time the contract has no comments. They are in `contract_comments.json`, which a test compares with the contract.
"""

import json
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from referee_api.v1 import entry_pb2

from referee.site.json_calls import (
    BASE,
    CALLS,
    DEFAULT_ENTRIES,
    ENTRIES,
    INTEGERS,
    LIMIT,
    MAX_ENTRIES,
    PACKAGE,
    RECORD,
    JsonCall,
)
from referee.transport.contract_options import max_chars

COMMENTS_FILE = files("referee.site").joinpath("contract_comments.json")
DESCRIPTION = """\
Matches, bots, ladders and tournaments of a referee. Names and meanings are those of its contract: numbers of 64 bits
are strings, values of enumerations are names. Without a token the caller sees what a spectator sees."""

ERRORS = {
    HTTPStatus.BAD_REQUEST: "A parameter is unknown, malformed or too long.",
    HTTPStatus.UNAUTHORIZED: "The token is invalid, expired or revoked.",
    HTTPStatus.FORBIDDEN: "The caller may not read this.",
    HTTPStatus.NOT_FOUND: "There is no such object.",
    HTTPStatus.CONFLICT: "It cannot be read in its present state, such as the record of a match that is not over.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The record is too large for this API.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests, or too many at a time.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "An error of the site or the referee.",
    HTTPStatus.SERVICE_UNAVAILABLE: "The referee cannot be reached, or the site is busy; retry later.",
    HTTPStatus.GATEWAY_TIMEOUT: "The referee did not respond in time.",
}
LIMIT_PARAMETER = {
    "name": LIMIT,
    "in": "query",
    "description": "Maximum number of entries. A response can have fewer.",
    "schema": {"type": "integer", "minimum": 1, "maximum": MAX_ENTRIES, "default": DEFAULT_ENTRIES},
}
EXAMPLES = {"bot": "greedy", "game": "alquerque", "ladder": "spring", "tournament": "cup"}
ERROR_SCHEMA = {
    "type": "object",
    "required": ["reason", "message"],
    "properties": {
        "reason": {"type": "string", "description": "Name for programs, such as `NO_SUCH_MATCH`; can be empty."},
        "message": {"type": "string", "description": "One sentence for people."},
    },
    "examples": [{"reason": "NO_SUCH_MATCH", "message": "there is no match 'm1'"}],
}


@cache
def openapi_document() -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of all calls."""
    schemas = _Schemas(json.loads(COMMENTS_FILE.read_text(encoding="utf-8")))
    paths = {f"{BASE}{call.path}": {"get": _operation(call, schemas)} for call in CALLS}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Referee", "version": "1", "description": DESCRIPTION},
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": {"Error": ERROR_SCHEMA, **schemas.by_name},
            "responses": {
                status.name: {"description": description, "content": error} for status, description in ERRORS.items()
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(call: JsonCall, schemas: "_Schemas") -> dict[str, Any]:
    method = call.method
    comment = schemas.comment(f"{method.containing_service.name}.{method.name}")
    parameters = [_parameter(field, call, schemas) for field in method.input_type.fields]
    if call.has_limit:
        parameters.append(LIMIT_PARAMETER)
    schema = _answer_schema(call, method.output_type, schemas)
    described = schemas.comment(method.output_type.name)
    response = {"description": described, "content": {call.media_type: {"schema": schema}}}
    errors = {str(status.value): {"$ref": f"#/components/responses/{status.name}"} for status in ERRORS}
    return {
        "operationId": method.name,
        "tags": [call.path.split("/")[1]],
        "summary": comment.partition(". ")[0],
        "description": comment,
        "parameters": parameters,
        "responses": {"200": response, **errors},
    }


def _parameter(field: FieldDescriptor, call: JsonCall, schemas: "_Schemas") -> dict[str, Any]:
    is_path = f"{{{field.name}}}" in call.path
    schema = schemas.of_single(field)
    if schema == {"type": "string"}:
        schema["maxLength"] = max_chars(field)
    parameter = {
        "name": field.name,
        "in": "path" if is_path else "query",
        "required": is_path,
        "description": schemas.comment(f"{call.request_name}.{field.name}"),
        "schema": schema,
    }
    if field.name in EXAMPLES:
        parameter["example"] = EXAMPLES[field.name]
    if is_path:
        schema["minLength"] = 1
    return parameter


def _answer_schema(call: JsonCall, output: Descriptor, schemas: "_Schemas") -> dict[str, Any]:
    if call is RECORD:
        return {"type": "string", "description": "Lines of JSON: the record, as `referee verify` reads it."}
    if call is not ENTRIES:
        return schemas.of_message(output)
    return {
        "type": "object",
        "required": ["entries", "last_number"],
        "properties": {
            "entries": {"type": "array", "items": schemas.of_message(entry_pb2.Entry.DESCRIPTOR)},
            "last_number": {
                **UINT64,
                "description": "Number of the last entry that the caller can see. There are more if it is larger than "
                "that of the last one here.",
            },
        },
    }


class _Schemas:
    """Schemas of messages by their names, made when they are referred to."""

    def __init__(self, comments: Mapping[str, str]) -> None:
        self._comments = comments
        self.by_name: dict[str, Any] = {}

    def comment(self, name: str) -> str:
        return self._comments.get(name, "")

    def of_message(self, message: Descriptor) -> dict[str, Any]:
        if message.full_name == "google.protobuf.Timestamp":
            return {"type": "string", "format": "date-time"}
        name = message.full_name.removeprefix(f"{PACKAGE}.")
        if name not in self.by_name:
            self.by_name[name] = {}  # Before its fields: messages can contain themselves.
            self.by_name[name] = {
                "type": "object",
                "description": self.comment(name),
                "required": [field.name for field in message.fields if not field.has_presence],
                "properties": {field.name: self._of_field(name, field) for field in message.fields},
            }
        return {"$ref": f"#/components/schemas/{name}"}

    def of_single(self, field: FieldDescriptor) -> dict[str, Any]:
        """Return the schema of one value of a field."""
        if field.message_type:
            return self.of_message(field.message_type)
        if field.enum_type:
            return {"type": "string", "enum": [value.name for value in field.enum_type.values]}
        return dict(SCALARS[field.cpp_type])

    def _of_field(self, name: str, field: FieldDescriptor) -> dict[str, Any]:
        if field.message_type and field.message_type.GetOptions().map_entry:
            values = self.of_single(field.message_type.fields_by_name["value"])
            schema: dict[str, Any] = {"type": "object", "additionalProperties": values}
        else:
            single = self.of_single(field)
            schema = {"type": "array", "items": single} if field.is_repeated else single
        return {**schema, "description": self.comment(f"{name}.{field.name}")}


def _bounded(cpp_type: int) -> dict[str, Any]:
    minimum, maximum = INTEGERS[cpp_type]
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


UINT64 = {"type": "string", "pattern": "^[0-9]{1,20}$"}
SCALARS: dict[int, dict[str, Any]] = {
    FieldDescriptor.CPPTYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.CPPTYPE_STRING: {"type": "string"},
    FieldDescriptor.CPPTYPE_DOUBLE: {"type": "number"},
    FieldDescriptor.CPPTYPE_FLOAT: {"type": "number"},
    FieldDescriptor.CPPTYPE_INT32: _bounded(FieldDescriptor.CPPTYPE_INT32),
    FieldDescriptor.CPPTYPE_UINT32: _bounded(FieldDescriptor.CPPTYPE_UINT32),
    # Numbers of 64 bits are strings in the JSON of protobuf, since JavaScript would round them.
    FieldDescriptor.CPPTYPE_INT64: {"type": "string", "pattern": "^-?[0-9]{1,19}$"},
    FieldDescriptor.CPPTYPE_UINT64: UINT64,
}
"""Schemas of values by their type in the contract."""
