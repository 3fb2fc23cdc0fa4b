"""The stubs of the client in Rust are committed, so that nobody waits for what makes them, and belong to `proto/`."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.clients.languages import CLIENTS

RUST = CLIENTS / "rust"
STUBS = RUST / "src" / "stubs"
SUMS = "contract.sha256"


def test_they_were_made_from_the_contract_as_it_is_and_not_edited() -> None:
    lines = (STUBS / SUMS).read_text().splitlines()
    sums = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert {"referee_api.v1.rs", "referee_api/v1/play_service.proto", "referee_api/v1/play.proto"} <= sums.keys()
    for name, digest in sums.items():
        folder = CLIENTS.parent / "proto" if name.endswith(".proto") else STUBS
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, f"{name} has changed: run make proto"


@pytest.mark.soak
def test_made_anew_they_are_the_same(tmp_path: Path) -> None:
    if not shutil.which("cargo"):
        pytest.fail("needs cargo") if os.environ.get("CI") else pytest.skip("needs cargo")
    subprocess.run(["cargo", "run", "--quiet", "--", tmp_path], cwd=RUST / "generate", check=True)
    for file in STUBS.iterdir():
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()
