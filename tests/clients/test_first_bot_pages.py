"""The tutorials for a first bot in Go, Rust, Java and C++ work as written."""

import re
import shutil
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.commands import WITH_REFEREE, run_command
from tests.clients.languages import LANGUAGES, Language

FILES = {"go": "main.go", "rust": "src/main.rs", "java": "MyBot.java", "cpp": "main.cpp"}


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
    checkout = copy_client(language, tmp_path / "checkout") if name == "java" else PROJECT
    if name == "cpp":
        (tmp_path / "mybot" / "CMakeLists.txt").write_text(found_on(page, r"^```cmake\n(.*?)^```"), encoding="utf-8")

    output = ""
    for command in re.findall(r"^\$ (.*)$", found_on(page, r"^## See it play\n.*?```console\n(.*?)^```"), re.MULTILINE):
        output = run_command(command, tmp_path / "mybot", **WITH_REFEREE, REFEREE=str(checkout))
    assert "alquerque/mine.random.1" in output
    assert "matches played: 1" in output


def share_dependencies(rust: Language, folder: Path) -> None:
    """Let the bot use the dependencies that were built for the client: same profile, same folder."""
    manifest = (rust.folder / "Cargo.toml").read_text(encoding="utf-8")
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(manifest[manifest.index("[profile.dev]") :], encoding="utf-8")
    (folder / "mybot" / "target").symlink_to(rust.folder / rust.output)


def copy_client(language: Language, checkout: Path) -> Path:
    """Copy the sources of a client, which the page builds while other tests may be using the build of this checkout."""
    shutil.copytree(language.folder, checkout / "clients" / language.name, ignore=shutil.ignore_patterns("target"))
    shutil.copytree(PROJECT / "proto", checkout / "proto")
    return checkout
