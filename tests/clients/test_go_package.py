"""The Go client as a project outside of this repository uses it: the module is packed and fetched like any other."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT
from tests.clients.commands import PLACEHOLDER, clone_files, commands_of, run_command
from tests.clients.package_checks import pass_conformance_kit, play_match

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "go"
MODULE, VERSION = "referee.example/referee", "v0.1.0"
OLDEST = (1, 24)
"""The oldest release of Go that the module permits; Go supports its last two, and we one more."""


def run_go(folder: Path, environment: dict[str, str], *arguments: str) -> str:
    """Run `go` in the folder and return its output. Raises AssertionError with its errors if it fails."""
    command = ["go", *arguments]
    completed = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, f"{command}:\n{completed.stdout}\n{completed.stderr}"
    return completed.stdout


def tracked_files() -> list[str]:
    """Return the files of the module as they would be published: nested modules are not part of it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=CLIENT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and not name.startswith("generate/")]


def publish(proxy: Path) -> None:
    """Write the module into a folder in the layout of a module proxy."""
    versions = proxy / MODULE / "@v"
    versions.mkdir(parents=True)
    (versions / f"{VERSION}.info").write_text(json.dumps({"Version": VERSION}))
    shutil.copy(CLIENT / "go.mod", versions / f"{VERSION}.mod")
    with zipfile.ZipFile(versions / f"{VERSION}.zip", "w") as packed:
        for name in tracked_files():
            packed.write(CLIENT / name, f"{MODULE}@{VERSION}/{name}")


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bot of the README, built in a project that has fetched the module."""
    if not shutil.which("go"):
        pytest.fail("needs go") if os.environ.get("CI") else pytest.skip("needs go")
    run_go(CLIENT, dict(os.environ), "mod", "download")
    folder = tmp_path_factory.mktemp("go")
    publish(folder / "proxy")
    # Other modules come from the cache of this machine, which has the layout of a proxy too.
    cache = run_go(CLIENT, dict(os.environ), "env", "GOMODCACHE").strip()
    proxies = f"file://{folder / 'proxy'},file://{cache}/cache/download"
    environment = {
        **os.environ,
        "GOPROXY": proxies,
        "GOSUMDB": "off",
        "GOFLAGS": "-mod=mod -modcacherw",
        "GOMODCACHE": str(folder / "modules"),
    }
    project = folder / "project"
    project.mkdir()
    [source] = re.findall(
        r"^```go\n(package main\n.*?)^```", (CLIENT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    (project / "main.go").write_text(source)
    run_go(project, environment, "mod", "init", "mybot")
    run_go(project, environment, "get", f"{MODULE}@{VERSION}")
    run_go(project, environment, "build", "-o", "mybot")
    return project / "mybot"


def test_the_commands_of_the_readme_build_the_bot_in_a_fresh_clone(bot: Path, tmp_path: Path) -> None:
    clone, project = tmp_path / "clone", tmp_path / "mybot"
    clone_files(PROJECT, clone, "clients/go")
    project.mkdir()
    shutil.copy(bot.parent / "main.go", project)
    commands = commands_of(CLIENT / "README.md", "go mod init").replace(PLACEHOLDER, str(clone))
    # What it needs is in the cache of this machine since the client was built.
    cache = run_go(CLIENT, dict(os.environ), "env", "GOMODCACHE").strip()
    run_command(commands, project, GOPROXY=f"file://{cache}/cache/download", GOSUMDB="off")
    assert (project / "mybot").stat().st_mode & 0o100


def test_the_bot_of_the_readme_plays_a_match(bot: Path, tmp_path: Path) -> None:
    play_match([str(bot)], tmp_path)


def test_the_bot_of_the_readme_passes_the_conformance_kit(bot: Path) -> None:
    pass_conformance_kit([str(bot)])


def test_the_module_and_its_dependencies_permit_the_oldest_release() -> None:
    if not shutil.which("go"):
        pytest.fail("needs go") if os.environ.get("CI") else pytest.skip("needs go")
    listed = run_go(CLIENT, dict(os.environ), "list", "-m", "-f", "{{.Path}} {{.GoVersion}}", "all")
    releases = dict(line.split() for line in listed.splitlines() if " " in line.strip())
    assert releases[MODULE] == ".".join(map(str, OLDEST)) + ".0"
    newer = {path for path, release in releases.items() if tuple(map(int, release.split(".")[:2])) > OLDEST}
    assert newer == set()


def test_the_package_has_its_licence_readme_and_changelog() -> None:
    assert {"LICENSE", "README.md", "CHANGELOG.md", "go.mod", "go.sum"} <= set(tracked_files())
    assert (CLIENT / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_the_versions_of_module_and_client_agree() -> None:
    assert f'const Version = "{VERSION.removeprefix("v")}"' in (CLIENT / "options.go").read_text()
