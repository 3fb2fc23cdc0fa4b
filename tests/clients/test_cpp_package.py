"""The C++ client as a project outside of this repository uses it: installed, or as a packed source tree."""

import re
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.clients import commands
from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.languages import LANGUAGES
from tests.clients.package_checks import pass_conformance_kit, play_match

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "cpp"
[CPP] = [language for language in LANGUAGES if language.name == "cpp"]
MORE_PROGRAMS = """
add_executable(organise organise.cpp)
target_link_libraries(organise PRIVATE referee::organiser)
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
    """A folder with the bot of the README and an organiser, built in a project that has found the installed client."""
    client_builder.build(CPP)
    folder = tmp_path_factory.mktemp("cpp")
    install = commands.commands_of(CLIENT / "README.md", "cmake -B build -DBUILD_TESTING=OFF").splitlines()[-1]
    commands.run_command(install, CLIENT, DESTDIR=str(folder))
    project = folder / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(find_example("cmake", "cmake_minimum_required") + MORE_PROGRAMS)
    (project / "main.cpp").write_text(find_example("cpp", "#include <random>"))
    shutil.copy(CLIENT / "examples" / "organise.cpp", project)
    prefix = folder / "usr" / "local"
    run_command("cmake", "-S", str(project), "-B", str(folder / "build"), f"-DCMAKE_PREFIX_PATH={prefix}")
    run_command("cmake", "--build", str(folder / "build"))
    return folder / "build"


def test_the_bot_of_the_readme_plays_a_match(bots: Path, tmp_path: Path) -> None:
    play_match([str(bots / "mybot")], tmp_path)


def test_the_bot_of_the_readme_passes_the_conformance_kit(bots: Path) -> None:
    pass_conformance_kit([str(bots / "mybot")])


def test_the_organiser_of_another_project_passes_the_conformance_kit(bots: Path) -> None:
    pass_conformance_kit([str(bots / "organise")], "--organiser", "--only", "organised-match")


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


def test_the_headers_for_bots_need_neither_protobuf_nor_grpc() -> None:
    headers = set((CLIENT / "include" / "referee").glob("*.h"))
    bots = headers - {CLIENT / "include" / "referee" / "organiser.h"}
    assert len(bots) == len(headers) - 1 > 0
    included = {line for header in bots for line in header.read_text().splitlines() if line.startswith("#include")}
    assert [line for line in included if re.search(r"organiser|proto|grpc|google|referee_api|\.pb\.h", line)] == []
