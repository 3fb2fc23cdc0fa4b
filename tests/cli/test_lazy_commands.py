"""A command imports only the modules that it needs."""

import subprocess
import sys

import click
import pytest

from referee.cli import MODULES, SECTIONS, main
from tests.cli.runner import refusal_of, run


@pytest.mark.parametrize("name", MODULES)
def test_every_command_is_found_under_its_name(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command
    assert command.name == name


def test_an_unknown_command_is_not_found() -> None:
    assert main.get_command(click.Context(main), "as_typed") is None


def test_the_version_is_shown_without_the_server() -> None:
    program = "import sys, referee.cli; sys.exit(any(name.startswith('referee.server') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_help_lists_all_commands_in_five_sections_of_whole_sentences() -> None:
    lines = run("--help", terminal_width=200).stdout.splitlines()
    sections = [line.rstrip(":") for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert sections == ["Options", *SECTIONS]
    assert len(SECTIONS) == 5
    rows = dict(line.split(maxsplit=1) for line in lines if line.split(maxsplit=1)[:1] and line.split()[0] in MODULES)
    assert rows.keys() == MODULES.keys()
    assert [row for row in rows.values() if row.endswith("...")] == []


def test_no_command_is_in_two_groups() -> None:
    groups = [
        group for name in MODULES if isinstance(group := main.get_command(click.Context(main), name), click.Group)
    ]
    commands = [command for group in groups for command in group.commands.values()]
    assert len(commands) == len({*map(id, commands)})


@pytest.mark.parametrize(("words", "meant"), [(["tournamnet"], "tournament"), (["data", "migrat"], "migrate")])
def test_an_unknown_command_is_refused_with_the_name_that_was_meant(words: list[str], meant: str) -> None:
    assert f"did you mean {meant}?" in refusal_of(*words)
