"""The C++ client as a project outside of this repository uses it: installed, or as a packed source tree."""

import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
from pathlib import Path

import pytest

from tests.clients import commands
from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.languages import LANGUAGES
from tests.clients.package_checks import pass_conformance_kit, play_match
from tests.e2e.server import create_organiser_token, run_server

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "cpp"
[CPP] = [language for language in LANGUAGES if language.name == "cpp"]
MORE_PROGRAMS = """
enable_language(C)
add_executable(cbot c_bot.c)
add_executable(organiser organiser.cpp)
add_executable(contests contests.cpp)
foreach(program cbot organiser contests)
    target_link_libraries(${program} PRIVATE referee::client)
endforeach()
"""
PARENT = """
cmake_minimum_required(VERSION 3.25)
project(parent CXX)
add_subdirectory({client} client)
add_executable(mybot main.cpp)
target_link_libraries(mybot PRIVATE referee::client)
get_property(tests DIRECTORY {client} PROPERTY TESTS)
if(TARGET client_tests OR TARGET random_bot OR tests)
    message(FATAL_ERROR "the client adds its tests and examples to those of its parent")
endif()
"""


def run_command(*command: str) -> None:
    """Run a command. Raises AssertionError with its output if it fails."""
    commands.run_command(command, CLIENT, **CPP.environment)


def find_example(language: str, start: str) -> str:
    """Return the example of the README that begins like this."""
    pattern = rf"^```{language}\n({re.escape(start)}.*?)^```"
    [example] = re.findall(pattern, (CLIENT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    return str(example)


@pytest.fixture(scope="module")
def bots(client_builder: ClientBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bot of the README and more, built in a project that has found the installed client."""
    client_builder.build(CPP)
    folder = tmp_path_factory.mktemp("cpp")
    install = commands.commands_of(CLIENT / "README.md", "cmake -B build -DBUILD_TESTING=OFF").splitlines()[-1]
    commands.run_command(install, CLIENT, DESTDIR=str(folder))
    project = folder / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(find_example("cmake", "cmake_minimum_required") + MORE_PROGRAMS)
    (project / "main.cpp").write_text(find_example("cpp", "#include <random>"))
    shutil.copy(CLIENT / "examples" / "c_bot.c", project)
    for source in ("organiser.cpp", "contests.cpp"):
        shutil.copy(PROJECT / "tests" / "clients" / "organisers" / source, project)
    prefix = folder / "usr" / "local"
    run_command("cmake", "-S", str(project), "-B", str(folder / "build"), f"-DCMAKE_PREFIX_PATH={prefix}")
    run_command("cmake", "--build", str(folder / "build"))
    return folder / "build"


def test_the_bot_of_the_readme_plays_a_match(bots: Path, tmp_path: Path) -> None:
    play_match([str(bots / "mybot")], tmp_path)


def test_a_bot_in_c_plays_a_match_and_is_told_of_its_start_and_end(bots: Path, tmp_path: Path) -> None:
    # The example in C handles no signals.
    expected = ("seat 0: started", "seat 0: played")
    play_match([str(bots / "cbot")], tmp_path, *expected, exit_status=-signal.SIGTERM)


def test_the_bot_of_the_readme_passes_the_conformance_kit(bots: Path) -> None:
    pass_conformance_kit([str(bots / "mybot")])


def run_organiser(program: Path, folder: Path) -> list[str]:
    """Run the program of an organiser with a server of its own, and return the lines that it prints."""
    with run_server(folder, "--ephemeral") as server:
        with server.channel() as channel:
            token = create_organiser_token(channel, server.admin_token)
        environment = {**os.environ, "BOT_REFEREE": server.address, "BOT_TOKEN": token}
        completed = subprocess.run([str(program)], env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.splitlines()


def test_an_organiser_in_cpp_runs_a_match_and_watches_it(bots: Path, tmp_path: Path) -> None:
    assert run_organiser(bots / "organiser", tmp_path) == [
        "error NAME_TAKEN",
        "match alquerque test robin robin",
        "moves true",
        "result true 2",
        "record true",
        "over true",
        "stopped",
    ]


def test_an_organiser_in_cpp_runs_a_tournament_and_a_ladder_and_watches_them(bots: Path, tmp_path: Path) -> None:
    assert run_organiser(bots / "contests", tmp_path) == [
        "created The cup round_robin anna true",
        "error NO_SUCH_BOT bot=carl",
        "entrants 1 2",
        "started true",
        "watched true created ended",
        "later true",
        "standings 2 true",
        "first round 2",
        "pairing 1 true",
        "pairing 2 true",
        "played cup",
        "listed cup",
        "export 3",
        "record true",
        "cancelled true",
        "ended true",
        "paused true",
        "joined anna",
        "joined bert",
        "resumed true",
        "rated 1",
        "rated 1",
        "error CONTEST_NOT_OVER contest=ladder/main",
        "open main",
        "closed true",
        "watched true closed true",
        "standing 1 anna",
        "record true",
        "listed main alquerque",
        "get Main",
        "stopped",
    ]


def test_a_packed_client_is_configured_by_a_parent_without_the_libraries_of_its_tests(
    client_builder: ClientBuilder, tmp_path: Path
) -> None:
    client_builder.build(CPP)
    build = tmp_path / "build"
    run_command("cmake", "-S", str(CLIENT), "-B", str(build), "-DBUILD_TESTING=OFF")
    run_command("cmake", "--build", str(build), "--target", "package_source")
    [packed] = build.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    [client] = tmp_path.glob("referee-client-cpp-*")
    assert {"CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "include", "proto", "src"} <= {
        file.name for file in client.iterdir()
    }
    (tmp_path / "CMakeLists.txt").write_text(PARENT.format(client=client))
    (tmp_path / "main.cpp").write_text("int main() {}\n")
    missing = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("GTest", "nlohmann_json")]
    run_command("cmake", "-S", str(tmp_path), "-B", str(tmp_path / "parent"), *missing)


def test_the_package_has_the_licence_of_the_project() -> None:
    assert (CLIENT / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_the_versions_of_the_client_and_its_port_agree() -> None:
    [version] = re.findall(r"project\(referee_client VERSION (\S+)", (CLIENT / "CMakeLists.txt").read_text())
    port = json.loads((CLIENT / "vcpkg" / "referee-client" / "vcpkg.json").read_text())
    assert port["version"] == version


def test_the_public_headers_need_neither_protobuf_nor_grpc() -> None:
    headers = list((CLIENT / "include" / "referee").glob("*.h"))
    assert headers
    included = {line for header in headers for line in header.read_text().splitlines() if line.startswith("#include")}
    assert [line for line in included if re.search(r"proto|grpc|google|referee_api|\.pb\.h", line)] == []
