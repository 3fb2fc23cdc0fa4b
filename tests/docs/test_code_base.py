"""Names of the code base stand for one thing each, so that they stay searchable; and no constructor needs too much."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.docs.test_links import ROOT

REFEREE = ROOT / "referee"
MIRRORS = (
    frozenset({"transport/services", "transport/wire", "accounts", "storage/sqlite", "storage/postgres"}),
    frozenset({"match", "contests/ladder", "contests/tournament"}),
)
"""Groups of folders that mirror each other: the same module name in two of them means the same concept."""
MAX_PARAMETERS = 8


@cache
def modules() -> dict[Path, ast.Module]:
    """Return every module but the `__init__.py` of packages."""
    files = [file for file in sorted(REFEREE.rglob("*.py")) if file.name != "__init__.py"]
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}


def folder_of(module: Path) -> str:
    return module.parent.relative_to(REFEREE).as_posix()


def repeated(named: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """Return the names that occur more than once, except in folders that mirror each other."""
    places = defaultdict(list)
    for name, file in named:
        places[name].append(file)
    return {
        name: [file.relative_to(REFEREE).as_posix() for file in files]
        for name, files in sorted(places.items())
        if len(files) > 1 and not mirror_each_other(files)
    }


def mirror_each_other(files: list[Path]) -> bool:
    folders = {folder_of(file) for file in files}
    return len(folders) == len(files) and any(folders <= group for group in MIRRORS)


def listed_modules(package: Path) -> set[str]:
    """Return the names in the docstring of an `__init__.py`. Empty: it has no list."""
    docstring = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    return set(re.findall(r"`(\w+)/?`", docstring)) if "\n- `" in docstring else set()


def modules_of(package: Path) -> set[str]:
    """Return the names of the modules and packages beside an `__init__.py`."""
    folder = package.parent
    return {file.stem for file in folder.glob("[!_]*.py")} | {file.parent.name for file in folder.glob("*/__init__.py")}


def parameters(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Yield the classes that have an `__init__`, and its number of parameters besides `self`."""
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]:
        for made in node.body:
            if isinstance(made, ast.FunctionDef) and made.name == "__init__":
                yield node.name, len(made.args.posonlyargs + made.args.args + made.args.kwonlyargs) - 1


def test_a_module_name_stands_for_one_concept() -> None:
    """Modules of commands are named after commands, whatever else has that name."""
    assert repeated((file.stem, file) for file in modules() if folder_of(file) != "cli") == {}


def test_a_package_that_lists_its_modules_lists_all_of_them() -> None:
    listed = {package: listed_modules(package) for package in REFEREE.rglob("__init__.py")}
    missing = {str(package): modules_of(package) - names for package, names in listed.items() if names}
    assert {package: names for package, names in missing.items() if names} == {}
    assert len(missing) > 20


def test_a_public_class_name_stands_for_one_class() -> None:
    classes = [(node, file) for file, tree in modules().items() for node in tree.body if isinstance(node, ast.ClassDef)]
    assert repeated((node.name, file) for node, file in classes if not node.name.startswith("_")) == {}


def test_no_constructor_has_more_than_eight_parameters() -> None:
    counted = [(file, *found) for file, tree in modules().items() for found in parameters(tree)]
    assert [(str(file), name) for file, name, count in counted if count > MAX_PARAMETERS] == []
    assert max(count for *_, count in counted) == MAX_PARAMETERS
