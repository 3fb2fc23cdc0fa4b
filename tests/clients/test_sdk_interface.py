"""The public interface of the Python SDK consists of values, and these have all fields of their messages."""

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import referee_client
import referee_client.organiser
from google.protobuf.message import Message
from referee_api.v1 import play_pb2
from referee_client import Organiser, Turn, results
from referee_client.organiser import responses
from referee_client.organiser.administration import AsyncAdministration
from referee_client.organiser.bot_accounts import AsyncBotAccounts
from referee_client.organiser.calls import Calls
from referee_client.organiser.invitations import AsyncInvitations
from referee_client.organiser.ladders import AsyncLadders
from referee_client.organiser.tournaments import AsyncTournaments
from referee_client.organiser.unary_play import AsyncUnaryPlay
from referee_values import MatchSnapshot

from tests.clients.languages import CLIENTS
from tests.docs import contract

RESPONSES = {
    "AdminService/CreateToken": responses.NewToken,
    "AdminService/Drain": responses.DrainState,
    "BotService/CreateBotToken": responses.NewToken,
    "GameService/ReadPosition": responses.PositionReading,
    "InvitationService/CreateInvitation": responses.NewInvitation,
    "MatchService/GetMatch": MatchSnapshot,
    "MatchService/SubmitMove": responses.SubmittedMove,
    "TournamentService/GetTournamentStandings": responses.TournamentTable,
}
"""Methods whose whole response is a value."""
TURN_FIELDS = {
    "match_id": "match_id",
    "seat": "seat",
    "turn_token": "token",
    "rules": "options",
    "ply": "ply",
    "position": "position",
    "view_json": "view",
    "move_history": "history",
    "clocks": "clocks",
    "time_left_ms": "time_left",
    "legal_moves": "listed_moves",
    "legal_move_count": "listed_moves_count",
    "attempts_left": "attempts_left",
    "draw_offer_seats": "draw_offers",
    "simultaneous": "simultaneous",
    "repeated": "repeated",
}
"""Attributes of a turn by the fields of its message."""
UNUSED_TURN_FIELDS = {
    "rules_hash": "clients use it to find rules that a turn omits; the turn of a bot has its rules",
    "legal_moves_truncated": "it follows from the number of legal moves and their count",
}
PACKAGES = (referee_client, referee_client.organiser)
ASYNCHRONOUS = (AsyncAdministration, AsyncBotAccounts, AsyncInvitations, AsyncLadders, AsyncTournaments, AsyncUnaryPlay)


@pytest.mark.parametrize("method", RESPONSES)
def test_a_response_has_every_field_of_its_message(method: str) -> None:
    fields = contract.methods()[method].output_type.fields
    assert {field.name for field in fields} == set(RESPONSES[method].__struct_fields__)


def test_a_turn_has_every_field_of_its_message() -> None:
    names = {field.name for field in play_pb2.Turn.DESCRIPTOR.fields}
    assert names == TURN_FIELDS.keys() | UNUSED_TURN_FIELDS.keys()
    assert all(hasattr(Turn, name) or name in Turn.__annotations__ for name in TURN_FIELDS.values())


def public_types(hint: Any) -> Iterator[Any]:
    """Return the classes in a type hint."""
    if inspect.isclass(hint) and not get_args(hint):
        yield hint
    for part in get_args(hint):
        for one in part if isinstance(part, list) else [part]:  # Parameters of a callable are a list.
            yield from public_types(one)


def signatures(kind: type) -> Iterator[tuple[str, Any]]:
    """Return the type hints of a class and of its public methods and properties, with their names."""
    yield from ((f"{kind.__name__}.{name}", hint) for name, hint in get_type_hints(kind).items() if name[0] != "_")
    for name, attribute in inspect.getmembers(kind):
        member = getattr(attribute, "fget", None) or getattr(attribute, "func", attribute)  # Of a property.
        if inspect.isfunction(member) and (not name.startswith("_") or name == "__init__"):
            for parameter, hint in get_type_hints(member).items():
                yield f"{kind.__name__}.{name}({parameter})", hint


def public_interface() -> Iterator[tuple[str, Any]]:
    """Return every type hint that a program can meet, beginning with what the packages export.

    `Calls` is left out: only this library makes its services of it.
    """
    exported = [getattr(package, name) for package in PACKAGES for name in package.__all__]
    exported += [function for _, function in inspect.getmembers(results, inspect.isfunction)]
    seen: set[Any] = set()
    waiting: list[Any] = [*exported, *map(type, vars(Organiser("127.0.0.1:1", "rf_any")).values()), *ASYNCHRONOUS]
    while waiting:
        item = waiting.pop()
        if inspect.isfunction(item):
            hints = [(f"{item.__name__}({name})", hint) for name, hint in get_type_hints(item).items()]
        elif inspect.isclass(item) and item.__module__.startswith("referee_client"):
            hints = list(signatures(item))
        else:
            hints = [(str(item), item)]
        yield from hints
        found = {kind for _, hint in hints for kind in public_types(hint)} - seen
        seen |= found
        waiting += [kind for kind in found if kind.__module__.startswith("referee_client") and kind is not Calls]


def test_no_public_signature_names_a_message() -> None:
    hints = list(public_interface())
    assert len(hints) > 300
    assert {where for where, hint in hints for kind in public_types(hint) if issubclass(kind, Message)} == set()


SDK = Path(referee_client.__file__).parent
STUB = "Stub"


def methods_called_in(module: ast.Module) -> Iterator[str]:
    """Yield each method that the module can call, as `MatchService/GetMatch`, by the stubs that it imports."""
    nodes = list(ast.walk(module))
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    services = {name.removesuffix(STUB) for name in imported if name.endswith(STUB)}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    for name, method in contract.methods().items():
        if method.containing_service.name in services and method.name in attributes:
            yield name


def test_every_rpc_of_the_contract_is_reached_by_the_sdk() -> None:
    modules = [ast.parse(file.read_text(encoding="utf-8")) for file in SDK.rglob("*.py")]
    reached = {name for module in modules for name in methods_called_in(module)}
    assert sorted(contract.methods().keys() - reached) == []


TURNS = {
    "go": ("turn.go", r"^type Turn struct \{\n(.*?)^\}", r"^\t(\w+(?:, \w+)*) +\S"),
    "rust": ("src/turn.rs", r"^pub struct Turn \{\n(.*?)^\}", r"^    pub (\w+):"),
    "typescript": ("src/turn.ts", r"^export interface Turn \{\n(.*?)^\}", r"^  readonly (\w+):"),
    "java": (
        "client/src/main/java/referee/client/Turn.java",
        r"^    public static final class Builder (.*)",
        r"^        private [^(]*? (\w+)(?: = .*)?;",
    ),
    "cpp": (
        "include/referee/turn.h",
        r"^struct Turn \{\n(.*?)^\};",
        r"^    [\w:<>, ]+ (\w+(?: = \w+)?(?:, \w+ = \w+)*);",
    ),
}
"""The file of each client, and patterns of the type and of its fields."""
NOT_IN_PYTHON = {"is_cancelled", "timed"}
"""A call of a bot in Python is cancelled by asyncio, and a turn without a clock has the time None."""


def names_of(language: str) -> set[str]:
    """Return the names in the form of Python, without a unit."""
    file, type_pattern, field_pattern = TURNS[language]
    text = (CLIENTS / language / file).read_text(encoding="utf-8")
    [body] = re.findall(type_pattern, text, re.MULTILINE | re.DOTALL)
    fields = re.findall(field_pattern, body, re.MULTILINE)
    names = {re.sub(r" = \w+", "", name) for field in fields for name in field.split(", ")}
    return {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().removesuffix("_ms") for name in names}


@pytest.mark.parametrize("language", TURNS)
def test_a_turn_in_python_has_the_names_of_the_other_languages(language: str) -> None:
    names = names_of(language)
    assert {"match_id", "position", "legal_moves", "time_left"} <= names
    python = {field.name for field in dataclasses.fields(Turn)} | set(vars(Turn))
    assert names - NOT_IN_PYTHON - python == set()
