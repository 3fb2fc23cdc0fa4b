"""The tutorial for a first bot in TypeScript works as written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.client_builds import ClientBuilder
from tests.clients.languages import CLIENTS, LANGUAGES

PAGE = CLIENTS.parent / "docs" / "first-bot-typescript.md"


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_first_bot_in_typescript_plays_its_first_match(client_builder: ClientBuilder, tmp_path: Path) -> None:
    [typescript] = [language for language in LANGUAGES if language.name == "typescript"]
    client_builder.build(typescript)
    [my_bot] = re.findall(r"^```typescript\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    [see_it_play] = re.findall(r"^## See it play\n\n```console\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)

    # Work in a copy that shares the installed packages, so that the tutorial's file does not stay in the checkout.
    folder = tmp_path / "clients" / "typescript"
    shutil.copytree(typescript.folder, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "stubs"))
    (folder / "node_modules").symlink_to(typescript.folder / "node_modules")
    (tmp_path / "proto").symlink_to(CLIENTS.parent / "proto")
    (folder / "src" / "my-bot.ts").write_text(my_bot)

    output = ""
    for command in see_it_play.splitlines():
        output = run_command(command.removeprefix("$ "), folder)
    assert "alquerque/mine.random.1" in output
    assert "matches played: 1" in output


def run_command(command: str, folder: Path) -> str:
    """Run a shell command with `referee` on the path, and return its standard output."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    completed = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, f"{command}:\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout
