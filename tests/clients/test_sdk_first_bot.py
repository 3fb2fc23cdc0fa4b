"""The tutorials for bots in Python work as written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "first-bot-python.md"
README = ROOT / "clients" / "python" / "README.md"


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", blocks(PAGE) + blocks(README))
def test_the_code_of_a_page_compiles(code: str) -> None:
    compile(code, "page", "exec")


def test_the_notation_example_of_the_readme_runs() -> None:
    [code] = [code for code in blocks(README) if "notation" in code]
    exec(code, {})


@pytest.mark.slow
def test_the_first_bot_plays_its_first_match(tmp_path: Path) -> None:
    my_bot, organise = blocks(PAGE)
    (tmp_path / "my_bot.py").write_text(my_bot)
    (tmp_path / "organise.py").write_text(organise)
    with run_server(tmp_path, "--ephemeral") as server:
        organise_program = start_program(tmp_path, server, server.admin_token, "organise.py")
        tokens = [read_line(organise_program).partition("BOT_TOKEN=")[2].strip() for _ in range(2)]
        bots = [
            start_program(tmp_path, server, tokens[0], "my_bot.py"),
            start_program(tmp_path, server, tokens[1], "-m", "referee_client", "greedy"),
        ]
        again: list[subprocess.Popen[str]] = []
        try:
            first_output, _ = organise_program.communicate(timeout=TIMEOUT_S)
            again.append(start_program(tmp_path, server, server.admin_token, "organise.py"))
            second_output, _ = again[0].communicate(timeout=TIMEOUT_S)
        finally:
            for process in (organise_program, *bots, *again):
                process.kill()
                process.communicate(timeout=TIMEOUT_S)
    assert first_output.splitlines()[-1].startswith("played ")
    assert second_output.startswith("my-bot is registered already")
    assert second_output.splitlines()[-1].startswith("played ")
    subprocess.run([sys.executable, "-m", "referee", "verify", "match.jsonl"], cwd=tmp_path, check=True)


def start_program(folder: Path, server: ServerProcess, token: str, *arguments: str) -> subprocess.Popen[str]:
    variables = {"BOT_REFEREE": server.address, "BOT_TOKEN": token}
    command = [sys.executable, *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables})


def read_line(process: subprocess.Popen[str]) -> str:
    """Return the next line of the process's standard output."""
    assert process.stdout
    return process.stdout.readline()
