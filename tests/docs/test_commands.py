"""Every command that a page, a message or a deployment file names exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from referee.cli import main
from tests.docs.test_links import PAGES, ROOT

FILES = [
    file
    for folder in ("referee", "deploy", "clients", "engines", "bench")
    for file in sorted((ROOT / folder).rglob("*"))
    if file.suffix in {".py", ".md", ".yaml", ".sql", ".service", ".toml"} and "node_modules" not in file.parts
]
COMMAND = re.compile(r"[`$#/=:] ?referee ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")
"""A command as pages and messages write it: in backquotes, or after a prompt, a path, a variable or a colon."""


def find_unknown(text: str) -> list[str]:
    """Return the commands in a text that do not exist."""
    return [" ".join(filter(None, found)) for found in COMMAND.findall(text) if not exists(*found)]


def exists(name: str, subcommand: str) -> bool:
    context = click.Context(main)
    command = main.get_command(context, name)
    if isinstance(command, click.Group) and subcommand:
        return command.get_command(context, subcommand) is not None
    return command is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_commands_that_exist(page: Path) -> None:
    if page.name != "CHANGELOG.md":
        assert find_unknown(page.read_text(encoding="utf-8")) == []


def test_files_name_commands_that_exist() -> None:
    assert {file: unknown for file in FILES if (unknown := find_unknown(file.read_text(encoding="utf-8")))} == {}


def test_unknown_commands_are_found() -> None:
    assert find_unknown("`referee perft alquerque`, `referee game perft alquerque`\n$ referee bot join main") == [
        "perft alquerque",
        "bot join",
    ]


def test_what_installed_programs_print_names_no_file_of_the_repository() -> None:
    """An installation has no folder `docs`."""
    installed = [ROOT / "referee", ROOT / "engines", ROOT / "clients" / "python" / "referee_client"]
    texts = [text for folder in installed for file in sorted(folder.rglob("*.py")) for text in printed_texts(file)]
    assert [text for text in texts if "docs/" in text] == []
    assert [command.name for command in commands(main) if "docs/" in command.get_help(click.Context(command))] == []


def printed_texts(file: Path) -> Iterator[str]:
    """Yield the texts of a module but its docstrings, of which programs print only those of commands."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docs = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def commands(command: click.Command) -> Iterator[click.Command]:
    """Yield a command and all below it."""
    yield command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below
            yield from commands(below)
