"""The Helm chart renders, and its output is valid for Kubernetes."""

import re
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes_validate.utils import SchemaNotFoundError, validate

from referee.server.settings import Settings
from referee.server.settings_reader import read_settings
from tests.deploy.tools import DEPLOY, find_tool, run_command

pytestmark = pytest.mark.slow

CHART = DEPLOY / "helm" / "referee"
KUBERNETES = ("1.29", "1.34")
ALL_OPTIONS = ("serviceMonitor.enabled=true", "tls.clientCaSecretName=ca", "persistence.storageClassName=fast")
SHARED = (
    r"database.url=postgres://referee_node@db-1:5433\,db-2/referee?sslmode=verify-full",
    "database.passwordSecretName=database-password",
    "nats.urls={tls://nats-1:4333,tls://nats-2}",
)
CLUSTER = (
    "replicas=3",
    *SHARED,
    "database.caSecretName=ca",
    "nats.credentialsSecretName=nats",
    "nats.caSecretName=ca",
    "tls.clusterCaSecretName=ca",
    "networkPolicy.callers[0].podSelector.matchLabels.role=bot",
    "networkPolicy.databases[0].ipBlock.cidr=10.0.0.0/8",
    "networkPolicy.natsServers[0].namespaceSelector.matchLabels.name=nats",
)
SITE = (
    "site.enabled=true",
    "site.names[0]=cup.example",
    "site.proxies[0]=10.9.0.0/16",
    "site.botsAddress=bots.example:7700",
    "networkPolicy.visitors[0].ipBlock.cidr=10.0.0.0/8",
)
SINGLE_ON_POSTGRES = ("database.url=postgres://db/referee",)

Rendered = dict[str, Any]
Render = Callable[..., Rendered]


@pytest.fixture
def render() -> Render:
    def rendered(*values: str) -> Rendered:
        arguments = [word for value in values for word in ("--set", value)]
        output = run_command(find_tool("helm"), "template", "cup", CHART, *arguments)
        return {f"{part['kind']}/{part['metadata']['name']}": part for part in yaml.safe_load_all(output) if part}

    return rendered


def settings_of(rendered: Rendered, folder: Path, **environment: str) -> Settings:
    """Return the settings in the config map."""
    file = folder / "referee.toml"
    file.write_text(rendered["ConfigMap/cup"]["data"]["referee.toml"], encoding="utf-8")
    return read_settings({}, file, environment=environment).settings


def pod(rendered: Rendered) -> Any:
    [controller] = [manifest for name, manifest in rendered.items() if name in ("Deployment/cup", "StatefulSet/cup")]
    return controller["spec"]["template"]["spec"]


def test_helm_lint_passes() -> None:
    run_command(find_tool("helm"), "lint", "--strict", CHART)


@pytest.mark.parametrize(
    "values",
    [
        (),
        ALL_OPTIONS,
        ("networkPolicy.enabled=false", "mayBeEvicted=true"),
        CLUSTER,
        (*SHARED, *ALL_OPTIONS),
        SINGLE_ON_POSTGRES,
        SITE,
    ],
    ids=str,
)
def test_the_rendered_manifests_are_valid_for_kubernetes(render: Render, values: tuple[str, ...]) -> None:
    for name, manifest in render(*values).items():
        for version in KUBERNETES:
            if manifest["kind"] == "ServiceMonitor":  # Custom resource; Kubernetes has no schema.
                with pytest.raises(SchemaNotFoundError):
                    validate(manifest, version, strict=True)
            else:
                assert validate(manifest, version, strict=True) == version, name


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (("tls.secretName=",), "tls.secretName is required"),
        (("replicas=3",), "more than one replica requires database.url and nats.urls"),
        (
            ("replicas=3", "database.url=postgres://db/referee"),
            "more than one replica requires database.url and nats.urls",
        ),
        (("replicas=3", "nats.urls={tls://nats}"), "more than one replica requires database.url and nats.urls"),
        (("nats.urls={tls://nats}",), "nats.urls requires database.url"),
        (("replicas=0",), "replicas must be at least 1"),
        (("site.enabled=true",), "site.enabled requires site.names"),
    ],
    ids=str,
)
def test_the_chart_names_the_value_that_is_missing(render: Render, values: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(sentence)):
        render(*values)


def test_the_termination_grace_period_exceeds_the_drain(render: Render) -> None:
    assert pod(render())["terminationGracePeriodSeconds"] > 30
    assert pod(render("settings.drain_grace_s=600"))["terminationGracePeriodSeconds"] > 600


def test_the_settings_in_the_chart_are_valid(render: Render, tmp_path: Path) -> None:
    values = ("settings.log_level=warning", "settings.drain_grace_s=31", "tls.clientCaSecretName=ca")
    settings = settings_of(render(*values), tmp_path)
    assert settings.tls_client_ca == Path("/etc/referee/client-ca/ca.crt")
    assert settings.log_level.value == "warning"
    assert settings.drain_grace_s == 31


def test_the_site_has_a_service_of_its_own_and_is_off_by_default(render: Render, tmp_path: Path) -> None:
    assert not [name for name in render() if name.endswith("site")]
    rendered = render(*SITE)
    settings = settings_of(rendered, tmp_path)
    assert (str(settings.site_listen), str(settings.bots_address)) == ("0.0.0.0:7790", "bots.example:7700")
    assert (settings.site_names, settings.site_proxies) == (("cup.example",), (ip_network("10.9.0.0/16"),))
    [port] = rendered["Service/cup-site"]["spec"]["ports"]
    assert {"name": port["targetPort"], "containerPort": 7790} in pod(rendered)["containers"][0]["ports"]
    ingress = rendered["NetworkPolicy/cup"]["spec"]["ingress"]
    assert {"ports": [{"port": "site"}], "from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]} in ingress


def test_the_settings_of_a_node_are_valid_and_name_its_files(render: Render, tmp_path: Path) -> None:
    rendered = render(*CLUSTER)
    container = pod(rendered)["containers"][0]
    own = {variable["name"]: variable.get("value", "cup-1") for variable in container["env"]}
    advertise = own["REFEREE_ADVERTISE"].replace("$(POD_NAME)", own["POD_NAME"])
    settings = settings_of(rendered, tmp_path, REFEREE_ADVERTISE=advertise)
    assert str(settings.advertise) == "cup-1.cup-nodes.default.svc:7700"
    assert [str(server) for server in settings.nats] == ["tls://nats-1:4333", "tls://nats-2:4222"]
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    named = (settings.database_password_file, settings.nats_credentials, settings.nats_ca, settings.cluster_ca)
    assert {str(path.parent) for path in named if path} <= mounted
    assert None not in named
    secrets = {entry["name"]: entry["secret"]["secretName"] for entry in pod(rendered)["volumes"] if "secret" in entry}
    assert secrets == {
        "tls": "referee-tls",
        "cluster-ca": "ca",
        "database": "database-password",
        "database-ca": "ca",
        "nats": "nats",
        "nats-ca": "ca",
    }


def test_one_pod_with_one_volume_is_the_default(render: Render) -> None:
    rendered = render()
    spec = rendered["Deployment/cup"]["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})
    assert "PersistentVolumeClaim/cup" in rendered
    assert rendered["PodDisruptionBudget/cup"]["spec"]["maxUnavailable"] == 0


def test_nodes_have_names_and_are_replaced_one_after_the_other(render: Render) -> None:
    rendered = render(*CLUSTER)
    spec = rendered["StatefulSet/cup"]["spec"]
    assert spec["replicas"] == 3
    assert (spec["podManagementPolicy"], spec["updateStrategy"]) == ("OrderedReady", {"type": "RollingUpdate"})
    assert rendered["PodDisruptionBudget/cup"]["spec"]["maxUnavailable"] == 1
    names = rendered[f"Service/{spec['serviceName']}"]["spec"]
    assert (names["clusterIP"], names["publishNotReadyAddresses"]) == ("None", True)
    assert names["selector"].items() <= spec["template"]["metadata"]["labels"].items()
    assert not [name for name in rendered if name.startswith(("PersistentVolumeClaim/", "Deployment/"))]


def test_a_single_server_reaches_nothing_outside(render: Render) -> None:
    assert render()["NetworkPolicy/cup"]["spec"]["egress"] == []


def test_nodes_reach_the_two_services_and_each_other_and_nothing_else(render: Render) -> None:
    policy = render(*CLUSTER)["NetworkPolicy/cup"]["spec"]
    nodes = [{"podSelector": policy["podSelector"]}]
    databases = [{"ipBlock": {"cidr": "10.0.0.0/8"}}]
    nats_servers = [{"namespaceSelector": {"matchLabels": {"name": "nats"}}}]
    assert policy["egress"] == [
        {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]},
        {"ports": [{"port": 5433}, {"port": 5432}], "to": databases},
        {"ports": [{"port": 4333}, {"port": 4222}], "to": nats_servers},
        {"ports": [{"port": "grpc"}], "to": nodes},
    ]
    assert {"ports": [{"port": "grpc"}], "from": nodes} in policy["ingress"]


def test_servers_reach_the_identity_provider_if_they_have_one(render: Render) -> None:
    provider = ("settings.oidc_issuer=https://login.example:8443/realm", "settings.oidc_audience=referee")
    dns = {"ports": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}]}
    egress = render(*provider)["NetworkPolicy/cup"]["spec"]["egress"]
    assert egress == [dns, {"ports": [{"port": 8443}]}]
    limited = "networkPolicy.identityProviders[0].ipBlock.cidr=192.0.2.0/24"
    egress = render(*CLUSTER, limited, "settings.oidc_issuer=https://login.example")["NetworkPolicy/cup"]["spec"][
        "egress"
    ]
    assert {"ports": [{"port": 443}], "to": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]} in egress
    assert egress.count(dns) == 1


def test_a_server_without_nats_reaches_postgresql_only(render: Render) -> None:
    egress = render(*SINGLE_ON_POSTGRES)["NetworkPolicy/cup"]["spec"]["egress"]
    assert [port["port"] for rule in egress for port in rule["ports"]] == [53, 53, 5432]


@pytest.mark.parametrize("values", [(), CLUSTER], ids=["one", "cluster"])
def test_the_pod_has_no_unneeded_privileges(render: Render, values: tuple[str, ...]) -> None:
    spec = pod(render(*values))
    container = spec["containers"][0]
    assert container["securityContext"]["readOnlyRootFilesystem"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert spec["securityContext"]["runAsNonRoot"]
    assert not spec["automountServiceAccountToken"]


def test_the_service_monitor_selects_the_metrics_service(render: Render) -> None:
    rendered = render("serviceMonitor.enabled=true")
    spec = rendered["ServiceMonitor/cup"]["spec"]
    labels = spec["selector"]["matchLabels"].items()
    found = [
        part for part in rendered.values() if part["kind"] == "Service" and labels <= part["metadata"]["labels"].items()
    ]
    assert [service["metadata"]["name"] for service in found] == ["cup-metrics"]
    assert spec["endpoints"][0]["port"] in [port["name"] for port in found[0]["spec"]["ports"]]
    assert found[0]["metadata"]["labels"][spec["jobLabel"]] == "referee"
