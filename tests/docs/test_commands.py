"""Every command that a page, a message or a deployment file names exists."""

import re
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
