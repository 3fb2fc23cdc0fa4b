"""The Python distributions as they would be published: what they contain, and with which dependencies they work."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from tests.clients.commands import PLACEHOLDER, WITH_REFEREE, clone_files, commands_of, run_command
from tests.clients.languages import CLIENTS
from tests.clients.package_checks import pass_conformance_kit, play_match
from tests.e2e.server import create_organiser_token, run_server

PROJECT = CLIENTS.parent
README = (CLIENTS / "python" / "README.md").read_text(encoding="utf-8")
LICENCE = (PROJECT / "LICENSE").read_bytes()
FOLDERS = {"referee_client": CLIENTS / "python", "referee_api": PROJECT / "proto" / "python"}
PACKAGES = {"referee_client": ["referee_client"], "referee_api": ["referee_api", "referee_values"]}
"""The packages in each distribution."""

ORGANISER = PROJECT / "tests" / "clients" / "organisers" / "organiser.py"
RUNTIMES = {
    "oldest of all": ("--resolution", "lowest"),
    "newest protobuf 5": ("protobuf<6",),
    "newest protobuf 6": ("protobuf<7",),
}
"""Arguments that choose among the permitted dependencies; the other tests run with the newest."""

Files = dict[str, bytes]
"""The files of an archive by path; those of a source archive are below a folder with its name and version."""


def read_wheel(wheel: Path) -> Files:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_source_archive(file: Path) -> Files:
    with tarfile.open(file) as archive:
        members = [(member.name.partition("/")[2], archive.extractfile(member)) for member in archive]
        return {name: content.read() for name, content in members if content}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels and source archives of both distributions."""
    folder = tmp_path_factory.mktemp("dist")
    for project in FOLDERS.values():
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
        subprocess.run(command, cwd=project, check=True, stderr=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="module", params=FOLDERS)
def package(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def wheel(package: str, built: Path) -> Files:
    [file] = built.glob(f"{package}-*.whl")
    return read_wheel(file)


@pytest.fixture(scope="module")
def source(package: str, built: Path) -> Files:
    [file] = built.glob(f"{package}-*.tar.gz")
    return read_source_archive(file)


def metadata(wheel: Files) -> Message:
    [content] = [content for name, content in wheel.items() if name.endswith(".dist-info/METADATA")]
    return message_from_bytes(content)


def test_a_wheel_contains_the_licence_and_names_it(wheel: Files) -> None:
    [licence] = [content for name, content in wheel.items() if name.endswith(".dist-info/licenses/LICENSE")]
    assert licence == LICENCE
    assert (metadata(wheel)["License-Expression"], metadata(wheel)["License-File"]) == ("Apache-2.0", "LICENSE")


def test_a_wheel_contains_its_typed_packages_and_nothing_else(package: str, wheel: Files) -> None:
    assert {f"{name}/py.typed" for name in PACKAGES[package]} <= wheel.keys()
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *PACKAGES[package]]
    committed = subprocess.run(command, cwd=FOLDERS[package], capture_output=True, text=True, check=True).stdout
    files = {name for name in wheel if not name.startswith(f"{package}-{metadata(wheel)['Version']}.dist-info/")}
    assert files == set(committed.split("\0")) - {""}


def test_a_wheel_describes_the_distribution(package: str, wheel: Files) -> None:
    description = metadata(wheel)
    assert description["Name"] == package.replace("_", "-")
    assert description["Summary"]
    assert description.get_payload() == (FOLDERS[package] / "README.md").read_text()
    assert "Typing :: Typed" in description.get_all("Classifier", [])


def test_a_source_archive_contains_what_the_wheel_is_built_from(package: str, source: Files, wheel: Files) -> None:
    assert {"pyproject.toml", "README.md", "LICENSE"} <= source.keys()
    assert source["LICENSE"] == LICENCE
    folders = tuple(f"{name}/" for name in PACKAGES[package])
    assert {name for name in source if name.startswith(folders)} == {name for name in wheel if name.startswith(folders)}


def test_the_client_comes_with_its_changelog(built: Path) -> None:
    [file] = built.glob("referee_client-*.tar.gz")
    assert read_source_archive(file)["CHANGELOG.md"] == (CLIENTS / "python" / "CHANGELOG.md").read_bytes()


def install(folder: Path, built: Path, *requirements: str) -> Path:
    """Install the wheels in a new environment outside of the repository, and return its Python."""
    python, wheels = folder / "venv" / "bin" / "python", map(str, built.glob("*.whl"))
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([str(uv), "venv", "--quiet", "--python", sys.executable, str(python.parents[1])], check=True)
    command = [str(uv), "pip", "install", "--quiet", "--python", str(python), "--only-binary", ":all:"]
    subprocess.run([*command, *wheels, *requirements], check=True)
    return python


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the bot of the README, installed by its commands from a fresh clone."""
    folder = tmp_path_factory.mktemp("project")
    clone_files(PROJECT, folder / "clone", "clients/python", "proto/python")
    [text, *_] = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    (folder / "my_bot.py").write_text(text)
    commands = commands_of(CLIENTS / "python" / "README.md", "python3 -m venv")
    run_command(commands.replace(PLACEHOLDER, str(folder / "clone")), folder, **WITH_REFEREE)
    return [str(folder / "mybot" / "bin" / "python"), str(folder / "my_bot.py")]


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_bot_of_the_readme_plays_a_match(bot: list[str], tmp_path: Path) -> None:
    play_match(bot, tmp_path)


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_bot_of_the_readme_passes_the_conformance_kit(bot: list[str]) -> None:
    pass_conformance_kit(bot)


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("runtime", RUNTIMES)
def test_bots_and_organisers_work_with_the_runtimes_that_the_wheels_permit(
    built: Path, tmp_path: Path, runtime: str
) -> None:
    python = install(tmp_path, built, *RUNTIMES[runtime])
    with run_server(tmp_path, "--ephemeral") as server:
        with server.channel() as channel:
            token = create_organiser_token(channel, server.admin_token)
        # Outside of a checkout, and with warnings as errors: an old runtime warns of what it will not accept.
        completed = subprocess.run(
            [python, "-W", "error", ORGANISER],
            cwd=tmp_path,
            env={**os.environ, "BOT_REFEREE": server.address, "BOT_TOKEN": token},
            capture_output=True,
            text=True,
            check=False,
        )
    assert completed.returncode == 0, completed.stderr
    assert json.loads(completed.stdout) == {
        "error": "NAME_TAKEN",
        "complete": True,
        "result": "played",
        "listed": ["alquerque"],
    }
