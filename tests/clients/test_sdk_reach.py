"""Every rpc of the contract can be called by the Python SDK, on which the command line is built."""

import ast
from collections.abc import Iterator
from pathlib import Path

import referee_client

from tests.docs import contract

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
