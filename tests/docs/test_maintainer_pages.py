"""What docs/architecture.md and docs/contributing.md name exists, and their lists match the code."""

import ast
import re
import tomllib
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from bench.suite import BY_NAME, SUITE
from tests.docs import contract
from tests.docs.test_links import FENCED, ROOT

ARCHITECTURE, CONTRIBUTING = (
    (ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("architecture.md", "contributing.md")
)
BLOCKS = re.findall(r"^```\n(.*?)^```$", ARCHITECTURE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^```console\n(.*?)^```$", CONTRIBUTING, re.DOTALL | re.MULTILINE)
SPANS = re.findall(r"`([^`]+)`", FENCED.sub("", CONTRIBUTING))
QUOTED = set(re.findall(r"`([^`\s]+)`", FENCED.sub("", ARCHITECTURE)))
WORDS = set(chain.from_iterable(code.split() for code in (*SPANS, *COMMANDS)))

MADE = (".venv/", "../.venv/", "build/", "bench/report/", "referee-data/")
"""Paths that commands create, and that a fresh checkout therefore does not have."""
FILE = re.compile(r"\.?[\w*-][\w.*-]*\.(?:py|md|toml|ya?ml|txt|in|game|proto)")
PATHS = {
    *(text for text in QUOTED if "/" in text.lstrip("/") and ".py:" not in text),
    *(word for word in WORDS if ("/" in word or FILE.fullmatch(word)) and not word.startswith(MADE)),
}
DEFINED = {
    *(tuple(text.split(":")) for text in QUOTED if ".py:" in text),
    *(
        (path, name)
        for name, path in re.findall(r"`(\w+)`(?:\s+in\s+|\s+of\s+|\s+\()`([^`\s]+\.py)`", FENCED.sub("", CONTRIBUTING))
    ),
}


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


@pytest.mark.parametrize(("path", "name"), sorted(DEFINED))
def test_every_name_on_the_pages_is_defined_in_its_file(path: str, name: str) -> None:
    assert name in names_of(ROOT / path)


@pytest.mark.parametrize("word", sorted(PATHS))
def test_every_path_on_the_pages_exists(word: str) -> None:
    """A placeholder such as `<name>` matches anything, and a bare file name matches a file in any folder."""
    path, _, test = word.partition("::")
    pattern = re.sub(r"<\w+>", "*", path.removeprefix("./").rstrip("/"))
    found = next(ROOT.glob(pattern), None)
    if found is None and "/" not in path:
        folders = (ROOT / top for top in ("engines", "proto", "referee", "tests"))
        found = next(chain.from_iterable(folder.rglob(pattern) for folder in folders), None)
    assert found
    assert not test or test in names_of(found)


def test_every_event_command_and_method_of_the_architecture_exists() -> None:
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


def test_every_make_target_and_no_other_is_named() -> None:
    named = {target for code in (*SPANS, *COMMANDS) for target in re.findall(r"\bmake\s+([a-z]+)", code)}
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert named == targets


def test_every_benchmark_that_is_named_can_be_run() -> None:
    named = {name for names in re.findall(r"-m bench ([\w ]+)`", CONTRIBUTING) for name in names.split()}
    assert named
    assert named <= {measurement.name for measurement in (*SUITE, *BY_NAME)}


def test_the_files_with_the_version_of_a_release_have_one_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    (step,) = re.findall(r"^2\. One version in all places:(.*?)^3\. ", CONTRIBUTING, re.DOTALL | re.MULTILINE)
    files = re.findall(r"`([^`]+)`", step)
    assert len(files) > 10
    assert [file for file in files if version not in (ROOT / file).read_text(encoding="utf-8")] == []
