"""The program of the front door, for the tests of servers that have one."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.server.edge_process import PROGRAM
from tests.clients.commands import run_command
from tests.clients.languages import GO_CHECKS, STATICCHECK
from tests.server.front_door import SOURCE


@pytest.fixture(scope="module")
def front_door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Build the program after the checks of its sources, and put it into PATH."""
    if not shutil.which("go"):
        pytest.fail("needs go") if os.environ.get("CI") else pytest.skip("needs go")
    run_command('test -z "$(gofmt -l .)"', SOURCE)
    run_command("go vet ./... && go test ./...", SOURCE)
    run_command(
        f'if test -x {STATICCHECK}; then {STATICCHECK} -checks {GO_CHECKS} ./...; else test -z "$CI"; fi', SOURCE
    )
    program = tmp_path_factory.mktemp("edge") / PROGRAM
    run_command(["go", "build", "-o", str(program), "."], SOURCE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(program.parent), prepend=os.pathsep)
        yield program
