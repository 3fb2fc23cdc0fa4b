"""The Helm chart renders, and its output is valid for Kubernetes."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes_validate.utils import SchemaNotFoundError, validate

from referee.server.settings_reader import read_settings
from tests.deploy.tools import DEPLOY, find_tool, run_command

pytestmark = pytest.mark.slow

CHART = DEPLOY / "helm" / "referee"
KUBERNETES = ("1.29", "1.34")
ALL_OPTIONS = ("serviceMonitor.enabled=true", "tls.clientCaSecretName=ca", "persistence.storageClassName=fast")

Rendered = dict[str, Any]
Render = Callable[..., Rendered]


@pytest.fixture
def render() -> Render:
    def rendered(*values: str) -> Rendered:
        arguments = [word for value in values for word in ("--set", value)]
        output = run_command(find_tool("helm"), "template", "cup", CHART, *arguments)
        return {f"{one['kind']}/{one['metadata']['name']}": one for one in yaml.safe_load_all(output) if one}

    return rendered


def pod(rendered: Rendered) -> Any:
    return rendered["Deployment/cup"]["spec"]["template"]["spec"]


def test_helm_lint_passes() -> None:
    run_command(find_tool("helm"), "lint", "--strict", CHART)


@pytest.mark.parametrize("values", [(), ALL_OPTIONS, ("networkPolicy.enabled=false", "mayBeEvicted=true")], ids=str)
def test_the_rendered_manifests_are_valid_for_kubernetes(render: Render, values: tuple[str, ...]) -> None:
    for name, one in render(*values).items():
        for version in KUBERNETES:
            if one["kind"] == "ServiceMonitor":  # Custom resource; Kubernetes has no schema.
                with pytest.raises(SchemaNotFoundError):
                    validate(one, version, strict=True)
            else:
                assert validate(one, version, strict=True) == version, name


def test_the_chart_requires_a_certificate() -> None:
    with pytest.raises(AssertionError, match=r"tls\.secretName is required"):
        run_command(find_tool("helm"), "template", "cup", CHART, "--set", "tls.secretName=")


def test_the_termination_grace_period_exceeds_the_drain(render: Render) -> None:
    assert pod(render())["terminationGracePeriodSeconds"] > 30
    assert pod(render("settings.drain_grace_s=600"))["terminationGracePeriodSeconds"] > 600


def test_the_settings_in_the_chart_are_valid(render: Render, tmp_path: Path) -> None:
    text = render("settings.log_level=warning", "tls.clientCaSecretName=ca")["ConfigMap/cup"]["data"]["referee.toml"]
    file = tmp_path / "referee.toml"
    file.write_text(text, encoding="utf-8")
    settings = read_settings({}, file, environment={}).settings
    assert settings.tls_client_ca == Path("/etc/referee/client-ca/ca.crt")
    assert settings.log_level.value == "warning"
    assert tomllib.loads(text)["drain_grace_s"] == 30


def test_the_deployment_never_runs_two_servers(render: Render) -> None:
    spec = render()["Deployment/cup"]["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


def test_the_pod_has_no_unneeded_privileges(render: Render) -> None:
    container = pod(render())["containers"][0]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert pod(render())["securityContext"]["runAsNonRoot"]
    assert not pod(render())["automountServiceAccountToken"]


def test_the_service_monitor_selects_the_metrics_service(render: Render) -> None:
    rendered = render("serviceMonitor.enabled=true")
    spec = rendered["ServiceMonitor/cup"]["spec"]
    labels = spec["selector"]["matchLabels"].items()
    found = [
        one for one in rendered.values() if one["kind"] == "Service" and labels <= one["metadata"]["labels"].items()
    ]
    assert [one["metadata"]["name"] for one in found] == ["cup-metrics"]
    assert spec["endpoints"][0]["port"] in [port["name"] for port in found[0]["spec"]["ports"]]
    assert found[0]["metadata"]["labels"][spec["jobLabel"]] == "referee"
