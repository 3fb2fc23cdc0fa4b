"""Runs commands in the process of the test, as a person types them."""

from typing import Any

from click.testing import CliRunner, Result

from referee.cli import main


def run(*arguments: object, **options: Any) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)), **options)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def output_of(*arguments: object) -> str:
    """Run a command that succeeds."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refusal_of(*arguments: object, status: int = 2, **options: Any) -> str:
    """Run a command that is refused; return its errors as one line."""
    result = run(*arguments, **options)
    assert result.exit_code == status, result.output
    return " ".join(result.stderr.split())
