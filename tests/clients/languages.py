"""Clients in other languages: how to build and check them, and how to start their sample bots.

The commands that build and run a client are read from the client's README.
"""

import re
import shlex
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

STATICCHECK = Path(sys.executable).parent / "staticcheck"
GO_CHECKS = "inherit,ST1003,ST1020,ST1021,ST1022"
"""Those that are on by default, and the forms of names and of comments."""
CLIENTS = Path(__file__).parents[2] / "clients"
COMMANDS = re.compile(r"^```console\n\$ (.*)\n\$ export BOT_REFEREE=.*\n\$ (.*)\n```", re.MULTILINE)


@dataclass(frozen=True)
class Language:
    name: str
    """Name of its folder in `clients/`."""
    tools: tuple[str, ...]
    """Programs that the build needs on the path."""
    output: str
    """Folder that the build writes last, relative to the folder of the client."""
    checks: tuple[str, ...]
    """Commands that run its tests, linter, formatter and documentation tool. They need a finished build."""
    organiser: tuple[str, ...]
    """Command that starts the example of an organiser, to be run in the folder of the client."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables that make the build, the checks and the sample bot faster, or the checks stricter."""

    @property
    def folder(self) -> Path:
        return CLIENTS / self.name

    @property
    def build(self) -> str:
        """Shell command that builds the client, to be run in its folder."""
        return self._commands[0]

    @property
    def run(self) -> list[str]:
        """Command that starts the sample bot, to be run in the client's folder."""
        return shlex.split(self._commands[1])

    @property
    def _commands(self) -> tuple[str, str]:
        [(build, run)] = COMMANDS.findall((self.folder / "README.md").read_text())
        return build, run


LANGUAGES = (
    # `make tools` builds staticcheck.
    Language(
        "go",
        ("go",),
        "bin",
        (
            'test -z "$(gofmt -l .)"',
            "go vet ./...",
            "go test ./...",
            f'if test -x {STATICCHECK}; then {STATICCHECK} -checks {GO_CHECKS} ./...; else test -z "$CI"; fi',
        ),
        ("bin/organise",),
    ),
    # clippy runs as part of the tests' compilation: `cargo clippy` would check all dependencies a second time.
    Language(
        "rust",
        ("cargo", "clippy-driver", "cc"),
        "target",
        (
            "cargo fmt --check",
            "cargo test --all-features",
            "cargo check --lib --no-default-features",
            "cargo doc --no-deps --all-features",
        ),
        ("target/debug/examples/organise",),
        {"RUSTC_WORKSPACE_WRAPPER": "clippy-driver", "CLIPPY_ARGS": "-Dwarnings", "RUSTDOCFLAGS": "-Dwarnings"},
    ),
    # Only the fast compiler (C1) is used: neither Maven nor a bot in a test runs long enough to profit from C2.
    Language(
        "java",
        ("javac", "mvn"),
        "client/target",
        ("mvn -q spotless:check",),
        (
            "java",
            "-cp",
            "client/target/classes:client/target/test-classes:client/target/lib/*",
            "referee.samples.Organise",
        ),
        {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
    ),
    # Not optimised: its tests spend more time waiting for the referee than computing.
    Language(
        "cpp",
        ("cmake", "c++", "protoc", "grpc_cpp_plugin", "clang-format", "run-clang-tidy", "doxygen"),
        "build",
        (
            "clang-format --dry-run -Werror include/*/* src/* examples/* tests/*",
            "run-clang-tidy -p build -quiet -j 2 referee_client.dir",
            "doxygen",
            "ctest --test-dir build",
        ),
        ("build/organise",),
        {"CMAKE_BUILD_TYPE": "None", "CXXFLAGS": "-Werror"},
    ),
    Language(
        "typescript",
        ("node", "npm"),
        "dist",
        ("npm run lint", "npm run docs", "npm test"),
        ("node", "dist/organise.js"),
    ),
)
