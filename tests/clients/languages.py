"""The clients in other languages: what it takes to build them, and how their sample bot is started.

Both stand in the client's README, and are read there: three commands that build it, set it up and run it.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

CLIENTS = Path(__file__).parents[2] / "clients"
COMMANDS = re.compile(r"^```console\n\$ (.*)\n\$ export BOT_REFEREE=.*\n\$ (.*)\n```", re.MULTILINE)


@dataclass(frozen=True)
class Language:
    name: str
    """As its folder in `clients/`."""
    tools: tuple[str, ...]
    """What its build needs on the path."""
    output: str
    """The folder in the client's own that its build fills last."""
    checks: tuple[str, ...]
    """Commands that test it, and say whether it looks as its language has it. After the build."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables with which the build and the checks take less time, or find more."""

    @property
    def folder(self) -> Path:
        return CLIENTS / self.name

    @property
    def build(self) -> str:
        """By the shell, in its folder."""
        return self._commands[0]

    @property
    def run(self) -> list[str]:
        """In its folder."""
        return shlex.split(self._commands[1])

    @property
    def _commands(self) -> tuple[str, str]:
        [(build, run)] = COMMANDS.findall((self.folder / "README.md").read_text())
        return build, run


LANGUAGES = (
    Language("go", ("go",), "bin", ('test -z "$(gofmt -l .)"', "go vet ./...", "go test ./...")),
    # clippy compiles here as well: `cargo clippy` would read all that the client depends on once more.
    Language(
        "rust",
        ("cargo", "clippy-driver", "cc"),
        "target",
        ("cargo fmt --check", "cargo test"),
        {"RUSTC_WORKSPACE_WRAPPER": "clippy-driver", "CLIPPY_ARGS": "-Dwarnings"},
    ),
    Language("java", ("javac", "mvn"), "target", ("mvn -q spotless:check",)),
    # Not optimised: its tests wait for the referee more than they compute.
    Language(
        "cpp",
        ("cmake", "c++", "protoc", "grpc_cpp_plugin", "clang-format"),
        "build",
        ("clang-format --dry-run -Werror include/*/* src/* examples/* tests/*", "ctest --test-dir build"),
        {"CMAKE_BUILD_TYPE": "None"},
    ),
    Language("typescript", ("node", "npm"), "dist", ("npm run lint", "npm test")),
)
