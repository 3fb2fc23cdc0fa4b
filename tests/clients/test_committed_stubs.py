"""The stubs of the clients in Go and Rust are committed, so that a build does not generate them, and match `proto/`."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.languages import CLIENTS

PROTO = CLIENTS.parent / "proto"
SUMS = "contract.sha256"


@dataclass(frozen=True)
class Stubs:
    folder: Path
    tool: str
    generate: tuple[str, ...]
    """Command that writes the stubs to the folder given as its last argument; runs in `generate/` of the client."""


STUBS = {
    "go": Stubs(CLIENTS / "go" / "refereev1", "go", ("go", "run", ".")),
    "rust": Stubs(CLIENTS / "rust" / "src" / "stubs", "cargo", ("cargo", "run", "--quiet", "--")),
}


@pytest.mark.parametrize("language", STUBS)
def test_the_committed_stubs_match_the_contract(language: str) -> None:
    folder = STUBS[language].folder
    lines = (folder / SUMS).read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert {"referee_api/v1/play_service.proto", "referee_api/v1/play.proto"} <= sums.keys()
    assert {file.name for file in folder.iterdir()} == {name for name in sums if "/" not in name} | {SUMS}
    for name, digest in sums.items():
        file = (PROTO if name.endswith(".proto") else folder) / name
        assert file.exists(), f"{name} is gone: run make proto"
        assert hashlib.sha256(file.read_bytes()).hexdigest() == digest, f"{name} has changed: run make proto"


@pytest.mark.soak
@pytest.mark.parametrize("language", STUBS)
def test_generating_the_stubs_again_changes_nothing(language: str, tmp_path: Path) -> None:
    stubs = STUBS[language]
    if not shutil.which(stubs.tool):
        pytest.fail(f"needs {stubs.tool}") if os.environ.get("CI") else pytest.skip(f"needs {stubs.tool}")
    command = [*stubs.generate, str(tmp_path)]
    subprocess.run(command, cwd=CLIENTS / language / "generate", check=True)
    for file in stubs.folder.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()
