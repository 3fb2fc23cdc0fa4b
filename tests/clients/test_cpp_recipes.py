"""The recipes by which package managers for C++ build and install the client.

ConanCenter and vcpkg's registry are not used: the libraries that the client needs are those of the system.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.commands import run_command
from tests.clients.languages import LANGUAGES

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "cpp"
PORT = CLIENT / "vcpkg" / "referee-client"
[CPP] = [language for language in LANGUAGES if language.name == "cpp"]
SYSTEM_LIBRARIES = {"grpc": "grpc++", "protobuf": "protobuf", "openssl": "openssl"}
"""The name of each library in ConanCenter, and for pkg-config."""

PORT_SCRIPT = """
cmake_minimum_required(VERSION 3.25)
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 port "" "SOURCE_PATH" "OPTIONS")
    run(cmake -S ${port_SOURCE_PATH} -B configured ${port_OPTIONS} ERROR_VARIABLE warnings)
    if(warnings)
        message(FATAL_ERROR ${warnings})  # An option that the client does not know, for example.
    endif()
endfunction()
function(vcpkg_cmake_install)
    run(cmake --install ${BUILT} --prefix ${CURRENT_PACKAGES_DIR})
    run(cmake --install ${BUILT} --prefix ${CURRENT_PACKAGES_DIR}/debug)
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 port "" "PACKAGE_NAME;CONFIG_PATH" "")
    foreach(folder ${CURRENT_PACKAGES_DIR} ${CURRENT_PACKAGES_DIR}/debug)
        file(MAKE_DIRECTORY ${folder}/share)
        file(RENAME ${folder}/${port_CONFIG_PATH} ${folder}/share/${port_PACKAGE_NAME})
    endforeach()
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 port "" "" "FILE_LIST")
    file(COPY_FILE ${port_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/referee-client/copyright)
endfunction()
file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share/referee-client)
set(CMAKE_CURRENT_LIST_DIR ${PORT})
include(${PORT}/portfile.cmake)
"""
"""Runs the portfile with functions that do what those of vcpkg are documented to do, for a client that is built."""


def version_of(library: str) -> str:
    return run_command(["pkg-config", "--modversion", library], CLIENT).strip()


@pytest.fixture(scope="module")
def conan(client_builder: ClientBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Conan in an environment of its own. The tools are those that the client needs."""
    client_builder.build(CPP)
    python = tmp_path_factory.mktemp("conan") / "bin" / "python"
    uv, pins = str(Path(sys.executable).with_name("uv")), str(PROJECT / "requirements" / "conan.txt")
    run_command([uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(python.parents[1])], PROJECT)
    install = [uv, "pip", "install", "--quiet", "--python", str(python), "--require-hashes"]
    run_command([*install, "--build-constraints", pins, "-r", pins], PROJECT)
    return python.with_name("conan")


def test_conan_creates_the_package_and_builds_and_runs_a_bot_with_it(conan: Path, tmp_path: Path) -> None:
    home, libraries = tmp_path / "home", tmp_path / "libraries"
    versions = [f"{name}/{version_of(library)}" for name, library in SYSTEM_LIBRARIES.items()]
    sections = "".join(
        f"[{kind}]\n" + "\n".join(versions) + "\n" for kind in ("platform_requires", "platform_tool_requires")
    )
    libraries.write_text(sections)
    run_command([str(conan), "profile", "detect"], tmp_path, CONAN_HOME=str(home))
    command = [str(conan), "create", str(CLIENT), "--no-remote", "--profile", "default", "--profile", str(libraries)]
    # Without the second one, the bot would be built in the checkout.
    settings = ("tools.build:jobs=2", f"tools.cmake.cmake_layout:test_folder={tmp_path / 'test'}")
    options = [word for setting in settings for word in ("--conf", setting)]
    completed = subprocess.run(
        [*command, *options],
        cwd=tmp_path,
        env={**os.environ, "CONAN_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    output = completed.stdout + completed.stderr
    assert completed.returncode == 0, output
    [version] = re.findall(r"project\(referee_client VERSION (\S+)", (CLIENT / "CMakeLists.txt").read_text())
    assert f"referee-client/{version} (test package): RUN: ./mybot" in output


def test_the_port_for_vcpkg_installs_the_client_where_vcpkg_expects_it(
    client_builder: ClientBuilder, tmp_path: Path
) -> None:
    client_builder.build(CPP)
    (tmp_path / "port.cmake").write_text(PORT_SCRIPT)
    packages = tmp_path / "packages"
    variables = [f"-DPORT={PORT}", f"-DBUILT={CLIENT / 'build'}", f"-DCURRENT_PACKAGES_DIR={packages}"]
    run_command(["cmake", *variables, "-P", "port.cmake"], tmp_path)
    files = {str(file.relative_to(packages)) for file in packages.rglob("*") if file.is_file()}
    assert {"include/referee/play.h", "share/referee/refereeConfig.cmake", "share/referee-client/copyright"} <= files
    assert [file for file in files if file.startswith(("debug/include", "debug/share"))] == []
    assert (packages / "share" / "referee-client" / "copyright").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_the_port_for_vcpkg_names_the_libraries_that_the_client_needs() -> None:
    manifest = json.loads((PORT / "vcpkg.json").read_text())
    assert manifest.keys() == {"name", "version", "description", "license", "supports", "dependencies"}
    assert manifest["name"] == PORT.name
    dependencies = [entry if isinstance(entry, dict) else {"name": entry} for entry in manifest["dependencies"]]
    assert all(entry.keys() <= {"name", "host", "features"} for entry in dependencies)
    found = re.findall(r"^find_package\((\w+).* REQUIRED\)", (CLIENT / "CMakeLists.txt").read_text(), re.MULTILINE)
    libraries = {name.lower() for name in found} - {"threads"}
    assert libraries == {entry["name"] for entry in dependencies if not entry.get("host")}
    # The compiler of the contract and its plugin run during the build, with the helpers of the portfile.
    helpers = {"vcpkg-cmake", "vcpkg-cmake-config"}
    assert {entry["name"] for entry in dependencies if entry.get("host")} == {"grpc", "protobuf"} | helpers
