"""A command imports only the modules that it needs."""

import subprocess
import sys

import click
import pytest

from referee.cli import MODULES, main


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
