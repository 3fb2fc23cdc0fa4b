"""All names in docs/architecture.md exist, and its lists of packages and layers match the code."""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.docs import contract
from tests.docs.test_links import FENCED, ROOT

TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
PROSE = FENCED.sub("", TEXT)
QUOTED = sorted(set(re.findall(r"`([^`\s]+)`", PROSE)))

NAMES = [text for text in QUOTED if ".py:" in text]
PATHS = [text for text in QUOTED if "/" in text.lstrip("/") and ".py:" not in text]


@cache
def names_of(file: Path) -> frozenset[str]:
    """Return the classes, functions, methods and constants of a module; members of a class as `Class.name`."""
    return frozenset(_names(ast.parse(file.read_text(encoding="utf-8")).body))


def _names(body: list[ast.stmt], prefix: str = "") -> list[str]:
    names: list[str] = []
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            names.append(prefix + statement.name)
        elif isinstance(statement, ast.ClassDef):
            names += [prefix + statement.name, *_names(statement.body, f"{prefix}{statement.name}.")]
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names += [prefix + target.id for target in targets if isinstance(target, ast.Name)]
    return names


@pytest.mark.parametrize("name", NAMES)
def test_every_name_on_the_page_is_defined_in_its_file(name: str) -> None:
    path, _, defined = name.partition(":")
    assert defined in names_of(ROOT / path)


@pytest.mark.parametrize("path", PATHS)
def test_every_path_on_the_page_exists(path: str) -> None:
    assert (ROOT / path).exists()


def test_every_event_command_and_method_on_the_page_exists() -> None:
    named = {text for text in QUOTED if re.fullmatch(r"(?:[A-Z][a-z]+)+", text)}
    sources = [file.read_text(encoding="utf-8") for file in (ROOT / "referee").rglob("*.py")]
    classes = {name for source in sources for name in re.findall(r"^class (\w+)", source, re.MULTILINE)}
    methods = {method.partition("/")[2] for method in contract.methods()}
    assert sorted(named - classes - methods) == []
    assert named


def test_the_tree_lists_every_package_of_the_referee() -> None:
    tree = BLOCKS[0].partition("\nreferee/\n")[2]
    listed = re.findall(r"^  (\w+)/ ", tree, re.MULTILINE)
    assert sorted(listed) == sorted(file.parent.name for file in (ROOT / "referee").glob("*/__init__.py"))


def test_the_layers_are_those_that_import_linter_enforces() -> None:
    configured = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = configured["tool"]["importlinter"]["contracts"]
    (layers,) = [contract["layers"] for contract in contracts if contract.get("containers") == ["referee"]]
    assert BLOCKS[1].splitlines() == layers
