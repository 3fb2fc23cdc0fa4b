"""Builds the front door for a wheel: the program of one platform, which pip puts beside Python.

A build hook of hatchling. It needs Go, which compiles for the platform of GOOS and GOARCH, or for this one.
"""

import os
from pathlib import Path
from subprocess import check_output, run
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
}
"""Tags of wheels: the program needs no library, and programs of Go need macOS 12."""


class EdgeProgram(BuildHookInterface[BuilderConfig]):
    """Build hook that adds the program to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._folder = TemporaryDirectory()
        program = Path(self._folder.name) / "referee-edge"
        of_this = f"-X main.version={self.metadata.version}"
        command = ["go", "build", "-trimpath", "-ldflags", f"-s -w {of_this}", "-o", str(program), "."]
        run(command, cwd=self.root, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
        platform = "/".join(check_output(["go", "env", "GOOS", "GOARCH"], text=True).split())
        build_data["shared_scripts"][str(program)] = program.name
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{PLATFORMS[platform]}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._folder.cleanup()
