"""The commands of docs/lab.md, run with the files that the page shows."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli import main

PAGE = (Path(__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^\$ referee (.*)$", PAGE, re.MULTILINE)


@pytest.mark.slow
def test_every_command_of_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES:
        Path(name).write_text(text)
    assert [name for name, _ in FILES] == ["v1.py", "v2.py", "plan.toml"]
    assert len(COMMANDS) == 5
    for command in COMMANDS:
        done = CliRunner().invoke(main, shlex.split(command))
        assert done.exit_code == 0, (command, done.output)
        if command.startswith("lab"):
            assert "passed: +" in done.stdout
            assert "v1, seat 0, no_men" in done.stdout
