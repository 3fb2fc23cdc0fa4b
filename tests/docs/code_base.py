"""Names of modules and classes of `referee/` that occur more than once, and what constructors need."""

import ast
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
REFEREE = ROOT / "referee"
MIRRORS = (
    frozenset({"transport/services", "transport/wire", "accounts", "storage/sqlite", "storage/postgres"}),
    frozenset({"match", "contests/ladder", "contests/tournament"}),
)
"""Groups of folders that mirror each other: the same module name in two of them means the same concept."""
COMMANDS = frozenset({"cli"})
"""Folders whose modules are named after commands, whatever else has that name."""


def modules() -> list[Path]:
    """Return every module but the `__init__.py` of packages."""
    return sorted(file for file in REFEREE.rglob("*.py") if file.name != "__init__.py")


def repeated_modules(files: Iterable[Path]) -> dict[str, list[str]]:
    """Return base names of modules that folders share which do not mirror each other."""
    return _repeated((file.stem, file) for file in files if _folder(file) not in COMMANDS)


def repeated_classes(files: Iterable[Path]) -> dict[str, list[str]]:
    """Return names of public classes that are defined more than once."""
    return _repeated((name, file) for file in files for name in _public_classes(file))


def constructors_with_more_parameters(most: int, files: Iterable[Path]) -> list[str]:
    """Return the classes whose `__init__` has more parameters, besides `self`."""
    return [
        f"{file.relative_to(REFEREE).as_posix()}: {node.name}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and any(_count_parameters(made) > most for made in node.body)
    ]


def _count_parameters(made: ast.stmt) -> int:
    if not isinstance(made, ast.FunctionDef) or made.name != "__init__":
        return 0
    return len(made.args.posonlyargs + made.args.args + made.args.kwonlyargs) - 1


def _public_classes(file: Path) -> list[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


def _repeated(named: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    places = defaultdict(list)
    for name, file in named:
        places[name].append(file)
    return {
        name: [file.relative_to(REFEREE).as_posix() for file in files]
        for name, files in sorted(places.items())
        if len(files) > 1 and not _mirror_each_other(files)
    }


def _folder(module: Path) -> str:
    return module.parent.relative_to(REFEREE).as_posix()


def _mirror_each_other(files: list[Path]) -> bool:
    folders = {_folder(file) for file in files}
    return len(folders) == len(files) and any(folders <= group for group in MIRRORS)
