"""Rules of calls and limits of fields, as the options of the contract say (`options.proto`).

The rules are read from the descriptors when this module is imported, which fails if a method has no callers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from referee_api import v1
from referee_api.v1 import options_pb2

from referee.accounts.tokens import Role
from referee.transport.forwarding.routes import Route

T = TypeVar("T")

PACKAGE = "referee_api.v1."
"""Prefix of the services and messages of the contract."""

PUBLIC = frozenset(Role)
OWNERS = frozenset({Role.AUTHOR, Role.ORGANISER, Role.ADMIN})
CALLERS: Mapping[int, frozenset[Role]] = {
    options_pb2.CALLERS_ANYONE: PUBLIC,
    options_pb2.CALLERS_PUBLIC: PUBLIC,
    options_pb2.CALLERS_ALL: PUBLIC - {Role.PUBLIC},
    options_pb2.CALLERS_OWNERS: OWNERS,
    options_pb2.CALLERS_OWN_BOTS: OWNERS | {Role.BOT},
    options_pb2.CALLERS_BOTS: frozenset({Role.BOT}),
    options_pb2.CALLERS_ORGANISERS: OWNERS - {Role.AUTHOR},
    options_pb2.CALLERS_ADMINS: frozenset({Role.ADMIN}),
}

DEFAULT_LIMIT = 128
"""Limit of a text, a list or a map without an option."""


@dataclass(frozen=True, slots=True)
class CallRule:
    """The options of a method."""

    method: str
    callers: frozenset[Role]
    needs_token: bool = True
    route: Route = Route.LOCAL
    is_stream: bool = False
    """Whether it counts as an open stream and not as a call in flight."""
    is_move: bool = False
    """Whether it does not count as a call."""


def read_rules(methods: Iterable[MethodDescriptor]) -> dict[str, CallRule]:
    """Return the rules by service and method, such as `MatchService/SubmitMove`. Raises ValueError."""
    return {f"{method.containing_service.name}/{method.name}": _read_rule(method) for method in methods}


def _read_rule(method: MethodDescriptor) -> CallRule:
    options = method.GetOptions().Extensions
    callers, metering = options[options_pb2.callers], options[options_pb2.metering]
    if callers not in CALLERS:
        raise ValueError(f"{method.full_name} has no callers")
    return CallRule(
        method.name,
        CALLERS[callers],
        needs_token=callers != options_pb2.CALLERS_ANYONE,
        route=Route(options[options_pb2.route]),
        is_stream=metering == options_pb2.METERING_STREAM,
        is_move=metering == options_pb2.METERING_MOVE,
    )


def _services() -> list[Any]:
    names = [module.name for module in iter_modules(v1.__path__) if module.name.endswith("_service_pb2")]
    files = [import_module(f"{v1.__name__}.{name}").DESCRIPTOR for name in names]
    return [service for file in files for service in file.services_by_name.values()]


SERVICES = tuple(service.full_name for service in _services())
CALL_RULES = read_rules(method for service in _services() for method in service.methods)
FOREIGN_RULE = CallRule("", frozenset(), needs_token=False)
"""Rule of methods that are defined elsewhere: health and reflection."""


def rule_of(path: str) -> CallRule:
    """Return the rule of a method by its path, such as `/referee_api.v1.MatchService/SubmitMove`."""
    prefix = f"/{PACKAGE}"
    return CALL_RULES[path.removeprefix(prefix)] if path.startswith(prefix) else FOREIGN_RULE


@cache
def max_chars(field: FieldDescriptor) -> int:
    """Return the limit of a text, of each element of a list, or of each value of a map."""
    return _option(field, options_pb2.max_chars, DEFAULT_LIMIT)


@cache
def max_count(field: FieldDescriptor) -> int:
    """Return the limit of the elements of a list or a map."""
    return _option(field, options_pb2.max_count, DEFAULT_LIMIT)


@cache
def max_bytes(message: Descriptor) -> int | None:
    """Return the limit of the encoded size of a message; None: only its fields are limited."""
    return _option(message, options_pb2.max_bytes, None)


def _option(described: Any, option: Any, default: T) -> T:
    options = described.GetOptions()
    value: T = options.Extensions[option] if options.HasExtension(option) else default
    return value
