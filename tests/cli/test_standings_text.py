"""Local contests print commands that can be copied into the same shell."""

import sys
from pathlib import Path

import pytest

from referee.cli._shared.standings_text import as_typed


def test_the_program_is_printed_so_that_it_can_be_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "referee"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program), "match"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert as_typed() == "referee"
    monkeypatch.setenv("PATH", "/nowhere")
    assert as_typed() == str(program)
    monkeypatch.setattr(sys, "argv", ["/somewhere/referee/__main__.py", "match"])
    assert as_typed() == f"{sys.executable} -m referee"
