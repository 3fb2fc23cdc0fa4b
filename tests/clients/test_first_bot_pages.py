"""The tutorials for a first bot in Go, Rust, Java, Kotlin and C++ work as written."""

import re
import shutil
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.commands import PLACEHOLDER, WITH_REFEREE, commands_of, run_command
from tests.clients.languages import LANGUAGES, Language
from tests.clients.maven_artifacts import link_other_artifacts, versions_folder

FILES = {
    "go": "main.go",
    "rust": "src/main.rs",
    "java": "MyBot.java",
    "kotlin": "src/main/kotlin/MyBot.kt",
    "cpp": "main.cpp",
}
BUILD_FILES = {"kotlin": ("xml", "pom.xml"), "cpp": ("cmake", "CMakeLists.txt")}
"""Form and name of the file by which the bot is built, if the page shows it."""
BASES = {"kotlin": "java"}
"""Languages of the clients that others extend."""


def found_on(page: str, pattern: str) -> str:
    (found,) = re.findall(pattern, page, re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("name", FILES)
def test_the_first_bot_plays_its_first_match(name: str, client_builder: ClientBuilder, tmp_path: Path) -> None:
    (language,) = (language for language in LANGUAGES if language.name == BASES.get(name, name))
    client_builder.build(language)
    page = (PROJECT / "docs" / f"first-bot-{name}.md").read_text(encoding="utf-8")
    file = tmp_path / "mybot" / FILES[name]
    file.parent.mkdir(parents=True)
    file.write_text(found_on(page, rf"^```{name}\n(.*?)^```"), encoding="utf-8")
    if name in BUILD_FILES:
        form, build_file = BUILD_FILES[name]
        (tmp_path / "mybot" / build_file).write_text(found_on(page, rf"^```{form}\n(.*?)^```"), encoding="utf-8")
    if name == "rust":
        share_dependencies(language, tmp_path)
    checkout = copy_clients(tmp_path / "checkout") if language.name == "java" else PROJECT
    environment = {**WITH_REFEREE, "REFEREE": str(checkout), **use_own_repository(tmp_path)}

    output = ""
    for command in re.findall(r"^\$ (.*)$", found_on(page, r"^## See it play\n.*?```console\n(.*?)^```"), re.MULTILINE):
        output = run_command(command, tmp_path / "mybot", **environment)
    assert "1/1  1.1: mine" in output
    assert "matches played: 1" in output


INSTALLED_BY = {
    "rust": ("cargo init", "rust"),
    "java": ("mvn -q install", "kotlin"),
    "kotlin": ("mvn -q install", "kotlin"),
}
"""By client: the beginning of the commands of its README, and the page whose test runs the same commands."""


@pytest.mark.parametrize("client", INSTALLED_BY)
def test_the_readme_installs_the_client_by_commands_of_the_page_that_is_tested(client: str) -> None:
    beginning, name = INSTALLED_BY[client]
    commands = commands_of(PROJECT / "clients" / client / "README.md", beginning).splitlines()[1:]
    page = commands_of(PROJECT / "docs" / f"first-bot-{name}.md", beginning).splitlines()[1:]
    assert [command.replace(PLACEHOLDER, "$REFEREE") for command in commands] == page[: len(commands)]


def share_dependencies(rust: Language, folder: Path) -> None:
    """Let the bot use the dependencies that were built for the client: same profile, same folder."""
    manifest = (rust.folder / "Cargo.toml").read_text(encoding="utf-8")
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(manifest[manifest.index("[profile.dev]") :], encoding="utf-8")
    (folder / "mybot" / "target").symlink_to(rust.folder / rust.output)


def copy_clients(checkout: Path) -> Path:
    """Copy the sources of the clients in Java and Kotlin, since other tests may be using the build of this checkout."""
    for client in ("java", "kotlin"):
        folder = checkout / "clients" / client
        shutil.copytree(PROJECT / "clients" / client, folder, ignore=shutil.ignore_patterns("target"))
    shutil.copytree(PROJECT / "proto", checkout / "proto")
    return checkout


def use_own_repository(folder: Path) -> dict[str, str]:
    """Return variables that keep Maven from installing the clients for the projects of this machine.

    The compiler of Kotlin would leave a daemon behind.
    """
    repository = folder / "repository"
    versions_folder(repository, "referee-client").mkdir(parents=True)
    link_other_artifacts(repository)
    return {"MAVEN_OPTS": f"-Dmaven.repo.local={repository} -Dkotlin.compiler.daemon=false"}
