"""The clients in other languages: what it takes to build them, and how their sample bot is started.

Both stand in the client's README, and are read there: three commands that build it, set it up and run it.
"""

import re
import shlex
from dataclasses import dataclass
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
    Language(
        "rust",
        ("cargo", "cc"),
        "target",
        ("cargo fmt --check", "cargo clippy --all-targets -- -D warnings", "cargo test"),
    ),
    Language("java", ("javac", "mvn"), "target", ("mvn -q spotless:check",)),
    Language(
        "cpp",
        ("cmake", "c++", "protoc", "grpc_cpp_plugin", "clang-format"),
        "build",
        ("clang-format --dry-run -Werror include/*/* src/* examples/* tests/*", "ctest --test-dir build"),
    ),
    Language("typescript", ("node", "npm"), "dist", ("npm run lint", "npm test")),
)
