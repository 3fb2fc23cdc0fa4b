"""The tutorial for a first bot in TypeScript works as written."""

import re
import shutil
from pathlib import Path

import pytest

from tests.clients.client_builds import ClientBuilder
from tests.clients.commands import WITH_REFEREE, run_command
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
        output = run_command(command.removeprefix("$ "), folder, **WITH_REFEREE)
    assert "1/1  1.1: mine" in output
    assert "matches played: 1" in output
