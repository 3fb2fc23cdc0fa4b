"""The contract as data: its definitions by name, and the comments of its error reasons."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from referee_api import v1

ERROR_PROTO = Path(__file__).parents[2] / "proto" / "referee_api" / "v1" / "error.proto"
REASON = re.compile(r"((?:^  //.*\n)+)^  ERROR_REASON_(\w+) = [1-9]\d*;", re.MULTILINE)
COMMENT = re.compile(
    r"""
    (?P<when>.+?)\.
    \ (?P<code>[A-Z]+(?:_[A-Z]+)*)
    (?:\ with\ [A-Za-z]+(?:\ and\ [A-Za-z]+)?)?
    ;\ (?P<metadata>[^.]+)\.
    (?P<more>.*)
    """,
    re.VERBOSE,
)


class Reason(NamedTuple):
    name: str
    code: str
    when: str
    metadata: str


def files() -> list[Any]:
    """Return the descriptors of all files of the contract but that of its options, of which no message consists."""
    names = [module.name for module in pkgutil.iter_modules(v1.__path__) if module.name.endswith("_pb2")]
    names.remove("options_pb2")
    return [importlib.import_module(f"{v1.__name__}.{name}").DESCRIPTOR for name in names]


def messages() -> dict[str, Any]:
    return {name: message for file in files() for name, message in file.message_types_by_name.items()}


def enums() -> dict[str, Any]:
    return {name: enum for file in files() for name, enum in file.enum_types_by_name.items()}


def methods() -> dict[str, Any]:
    """Return all methods by service and method, such as `MatchService/SubmitMove`."""
    services = [service for file in files() for service in file.services_by_name.values()]
    return {f"{service.name}/{method.name}": method for service in services for method in service.methods}


def fields() -> set[str]:
    return {field.name for message in messages().values() for field in message.fields}


def enum_values() -> set[str]:
    return {value for enum in enums().values() for value in enum.values_by_name}


def reasons() -> Iterator[Reason]:
    """Yield the error reasons in the order of the contract."""
    for comment, name in REASON.findall(ERROR_PROTO.read_text(encoding="utf-8")):
        text = " ".join(line.strip().removeprefix("//").strip() for line in comment.splitlines())
        found = COMMENT.fullmatch(text)
        assert found, f"the comment of {name} does not say code and metadata: {text}"
        when = f"{found['when']}.{found['more']}"
        yield Reason(name, found["code"], when, found["metadata"])
