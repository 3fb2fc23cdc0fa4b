"""The Rust client as a project outside of this repository uses it: the crate is packed and unpacked elsewhere.

The project builds into the client's own folder `target`, with its profiles, so that no other crate is built again.
"""

import os
import re
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.languages import LANGUAGES
from tests.clients.package_checks import agree_on_a_draw, pass_conformance_kit, play_match

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "rust"
MANIFEST = tomllib.loads((CLIENT / "Cargo.toml").read_text())
PACKED = f"referee-client-{MANIFEST['package']['version']}"


def run_cargo(folder: Path, *arguments: str) -> str:
    """Run cargo in the folder and return its output. Raises AssertionError with its errors if it fails."""
    command = ["cargo", *arguments]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(CLIENT / "target")}
    completed = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, f"{command}:\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout


@pytest.fixture(scope="module")
def packed(client_builder: ClientBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the crate as it would be published."""
    [rust] = [language for language in LANGUAGES if language.name == "rust"]
    client_builder.build(rust)
    folder = tmp_path_factory.mktemp("rust")
    run_cargo(CLIENT, "package", "--no-verify", "--allow-dirty", "--quiet")  # The project verifies it.
    with tarfile.open(CLIENT / "target" / "package" / f"{PACKED}.crate") as crate:
        crate.extractall(folder, filter="data")
    return folder / PACKED


@pytest.fixture(scope="module")
def bot(packed: Path) -> Path:
    """The bot of the README, built in a project that depends on the unpacked crate."""
    [source] = re.findall(r"^```rust\n(.*?)^```", (CLIENT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return build_project(packed, "mybot", source, ["fastrand"], ["--path", str(packed)])


def build_project(packed: Path, name: str, source: str, *dependencies: list[str]) -> Path:
    """Build a project outside of the repository, and return its program."""
    project = packed.parent / name
    run_cargo(packed.parent, "new", "--vcs", "none", "--quiet", str(project))
    (project / "src" / "main.rs").write_text(source)
    (project / "Cargo.lock").write_text((packed / "Cargo.lock").read_text())  # The versions that are built already.
    for dependency in dependencies:
        run_cargo(project, "add", "--quiet", *dependency)
    profiles = (CLIENT / "Cargo.toml").read_text().partition("[profile.dev]")
    with (project / "Cargo.toml").open("a") as manifest:
        manifest.write("\n" + "".join(profiles[1:]))
    run_cargo(project, "build", "--quiet")
    return CLIENT / "target" / "debug" / name


def test_the_bot_of_the_readme_plays_a_match(bot: Path, tmp_path: Path) -> None:
    play_match([str(bot)], tmp_path)


def test_the_bot_of_the_readme_passes_the_conformance_kit(bot: Path) -> None:
    pass_conformance_kit([str(bot)])


@pytest.mark.usefixtures("packed")
def test_a_bot_in_a_program_of_its_own_agrees_on_a_draw_and_is_cancelled(tmp_path: Path) -> None:
    command = [str(CLIENT / "target" / "debug" / "examples" / "one_match")]
    lines = agree_on_a_draw(command, CLIENT, tmp_path)
    assert sorted(lines[:2]) == ["started alquerque as black", "started alquerque as white"]
    assert "ended: draw_agreed, after 2 turns" in lines
    assert lines[-1] == "stopped"


def test_the_package_has_its_licence_readme_and_changelog(packed: Path) -> None:
    names = {file.name for file in packed.iterdir()}
    assert {"LICENSE", "README.md", "CHANGELOG.md", "Cargo.toml", "src"} <= names
    assert "generate" not in names
    assert (packed / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_the_readme_names_the_oldest_release_of_rust() -> None:
    oldest = MANIFEST["package"]["rust-version"]
    assert f"It needs Rust {oldest} or newer" in (CLIENT / "README.md").read_text()


def test_no_version_of_a_dependency_is_pinned() -> None:
    """A program that uses the crate could not get a fix of such a crate."""
    versions = {
        name: wanted if isinstance(wanted, str) else wanted["version"]
        for name, wanted in MANIFEST["dependencies"].items()
    }
    assert {name for name, version in versions.items() if not re.fullmatch(r"\d+(\.\d+){0,2}", version)} == set()
