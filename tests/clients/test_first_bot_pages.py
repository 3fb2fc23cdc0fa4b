"""The tutorials for a first bot in Go, Rust and C++ work as written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.languages import LANGUAGES, Language

FILES = {"go": "main.go", "rust": "src/main.rs", "cpp": "main.cpp"}


def found_on(page: str, pattern: str) -> str:
    (found,) = re.findall(pattern, page, re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("name", FILES)
def test_the_first_bot_plays_its_first_match(name: str, client_builder: ClientBuilder, tmp_path: Path) -> None:
    (language,) = (language for language in LANGUAGES if language.name == name)
    client_builder.build(language)
    page = (PROJECT / "docs" / f"first-bot-{name}.md").read_text(encoding="utf-8")
    file = tmp_path / "mybot" / FILES[name]
    file.parent.mkdir(parents=True)
    file.write_text(found_on(page, rf"^```{name}\n(.*?)^```"), encoding="utf-8")
    if name == "rust":
        share_dependencies(language, tmp_path)
    if name == "cpp":
        (tmp_path / "mybot" / "CMakeLists.txt").write_text(found_on(page, r"^```cmake\n(.*?)^```"), encoding="utf-8")

    output = ""
    for command in re.findall(r"^\$ (.*)$", found_on(page, r"^## See it play\n.*?```console\n(.*?)^```"), re.MULTILINE):
        output = run_command(command, tmp_path / "mybot")
    assert "alquerque/mine.random.1" in output
    assert "matches played: 1" in output


def share_dependencies(rust: Language, folder: Path) -> None:
    """Let the bot use the dependencies that were built for the client: same profile, same folder."""
    manifest = (rust.folder / "Cargo.toml").read_text(encoding="utf-8")
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(manifest[manifest.index("[profile.dev]") :], encoding="utf-8")
    (folder / "mybot" / "target").symlink_to(rust.folder / rust.output)


def run_command(command: str, folder: Path) -> str:
    """Run a shell command with `referee` on the path, and return its standard output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "REFEREE": str(PROJECT)}
    completed = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, f"{command}:\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout
