"""Runs the steps of the Dockerfile in a folder in place of the image's root, since no container engine is available.

Only `python` comes from the machine instead of the base image. Copied files, commands, environment, permissions and
the health check are as in the image. The result must serve, and write nothing but its data.
"""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.deploy.dockerfile import Step, steps
from tests.deploy.tools import DEPLOY, ROOT, run_command
from tests.e2e.server import TIMEOUT_S

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

ABSOLUTE_PATHS = re.compile(r"(?<![\w./-])/(?=(?:opt/referee|src|data)\b)")
"""Start of an absolute path of the image."""


@dataclass
class Image:
    root: Path
    python: str
    environment: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    last: dict[str, str] = field(default_factory=dict)
    """Arguments of the last step with each instruction."""

    def apply(self, step: Step) -> None:
        self.last[step.word] = step.text
        if step.word in INSTRUCTIONS:
            INSTRUCTIONS[step.word](self, self.map_paths(step.text))

    def map_paths(self, text: str) -> str:
        """Return `text` with the paths of the image moved into the folder."""
        return ABSOLUTE_PATHS.sub(f"{self.root}/", text)

    def run(self, command: str) -> None:
        run_command(
            "sh",
            "-c",
            f"cd {self.root / self.folder.lstrip('/')} && {command.replace('python -m', f'{self.python} -m')}",
        )

    def copy(self, paths: str) -> None:
        *sources, destination = paths.split()
        if sources[0].startswith("--from="):
            assert Path(destination).is_dir()  # All stages share one folder, so there is nothing to copy.
            return
        target = Path(self.root, self.folder.lstrip("/"), destination)
        for source in (file for pattern in sources for file in sorted(ROOT.glob(pattern))):
            target_path = target / source.name if destination.endswith("/") else target
            target_path.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target_path, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(source, target_path)

    def set_variables(self, variables: str) -> None:
        for variable in shlex.split(variables):
            name, _, value = variable.partition("=")
            self.environment[name] = value.replace("$PATH", os.environ["PATH"])

    def set_folder(self, folder: str) -> None:
        self.folder = folder.removeprefix(str(self.root))
        Path(self.root, self.folder.lstrip("/")).mkdir(parents=True, exist_ok=True)


INSTRUCTIONS = {"RUN": Image.run, "COPY": Image.copy, "ENV": Image.set_variables, "WORKDIR": Image.set_folder}


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    python = shutil.which("python3.11") or shutil.which("python3")
    if not python or (os.geteuid() and not os.environ.get("CI")):
        pytest.skip("an image is built as root")
    built = Image(tmp_path_factory.mktemp("root"), python)
    for step in steps(DEPLOY / "Dockerfile"):
        built.apply(step)
    return built


@dataclass(frozen=True)
class ImageServer:
    process: subprocess.Popen[str]
    announced: dict[str, str]

    @property
    def http(self) -> str:
        return self.announced["http"]


@pytest.fixture
def server(image: Image, tmp_path: Path) -> Iterator[ImageServer]:
    """Start the server with the image's command, on free ports."""
    command = [*json.loads(image.last["ENTRYPOINT"]), *json.loads(image.last["CMD"])]
    ports = {"REFEREE_LISTEN": "127.0.0.1:0", "REFEREE_HTTP_LISTEN": "127.0.0.1:0"}
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            command,
            cwd=image.root / image.last["WORKDIR"].lstrip("/"),
            env=image.environment | ports,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout
    line = process.stdout.readline()
    assert line, (tmp_path / "log").read_text()
    yield ImageServer(process, json.loads(line))
    process.kill()
    process.wait(TIMEOUT_S)
    process.stdout.close()


def test_the_image_serves_is_healthy_and_stops_on_its_signal(image: Image, server: ImageServer) -> None:
    program = image.root / "opt" / "referee"
    before = {file: file.stat().st_mtime_ns for file in program.rglob("*")}
    _, _, check = image.last["HEALTHCHECK"].partition("CMD ")
    health_check = [word.replace("127.0.0.1:7780", server.http) for word in json.loads(check)]
    subprocess.run(health_check, env=image.environment, check=True, timeout=TIMEOUT_S)
    server.process.send_signal(getattr(signal, image.last["STOPSIGNAL"]))
    assert server.process.wait(TIMEOUT_S) == 0
    assert subprocess.run(
        health_check, env=image.environment, check=False, capture_output=True, timeout=TIMEOUT_S
    ).returncode
    assert {file: file.stat().st_mtime_ns for file in program.rglob("*")} == before
    assert (image.root / "data" / "referee.db").exists()


def test_the_first_token_is_in_a_file_and_not_in_the_log_of_the_container(image: Image, server: ImageServer) -> None:
    file = image.root / "data" / "admin-token"
    assert file.read_text().startswith("rf_")
    assert server.announced.get("admin_token_file", str(file)) == str(file)
    assert "admin_token" not in server.announced


def test_the_image_serves_with_uvloop(server: ImageServer) -> None:
    assert "/uvloop/" in Path(f"/proc/{server.process.pid}/maps").read_text()


def test_the_image_contains_the_sample_bots(image: Image) -> None:
    bots = subprocess.run(
        ["referee-bot", "random"], env=image.environment, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
    )
    assert bots.returncode == 2
    assert "BOT_REFEREE" in bots.stderr


def test_the_image_contains_no_build_tools(image: Image) -> None:
    for program in ("pip*", "hatchling*"):
        assert not list((image.root / "opt" / "referee" / "bin").glob(program))
    assert (image.root / "data").stat().st_uid == int(image.last["USER"].partition(":")[0])


def test_the_image_can_be_a_node_of_a_cluster(image: Image) -> None:
    """It contains what PostgreSQL needs, so that only the connection fails."""
    migrate = subprocess.run(
        ["referee", "data", "migrate", "--database", "postgres://127.0.0.1:1/x"],
        env=image.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    assert migrate.returncode == 1
    assert "cannot use postgres://127.0.0.1:1/x: the database is unavailable" in migrate.stderr


def test_the_front_door_of_the_image_is_that_of_its_release(image: Image) -> None:
    program = image.root / "opt" / "referee" / "bin" / "referee-edge"
    printed = subprocess.check_output([program, "-version"], text=True, timeout=TIMEOUT_S)
    assert printed == f"{version('referee')}\n"
