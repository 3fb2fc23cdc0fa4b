"""Real Prometheus server for tests, with the rules of `deploy/`; it scrapes and evaluates twice a second."""

import json
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from deploy.cluster_demo.nats_server import ReservedPort
from tests.deploy.tools import DEPLOY, find_tool

TIMEOUT_S = 120
POLL_INTERVAL_S = 0.3


@dataclass(frozen=True)
class Prometheus:
    address: str

    def get(self, path: str, **parameters: str) -> Any:
        """Call the HTTP API, and return the data of its answer. Raises AssertionError with the answer if it failed."""
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None

    def values(self, query: str) -> list[dict[str, Any]]:
        """Return the series that a query finds now, with their values."""
        found: list[dict[str, Any]] = self.get("query", query=query)["result"]
        return found

    def value(self, query: str) -> float | None:
        """Return the value of the only series that a query finds, or None if it finds none."""
        found = self.values(query)
        assert len(found) < 2
        return float(found[0]["value"][1]) if found else None

    def firing(self) -> set[str]:
        """Return the names of the alerts that fire now."""
        alerts = self.get("alerts")["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def wait_until(self, condition: Callable[[], bool], description: str) -> None:
        """Wait until `what` returns true. Raises AssertionError with `words` after TIMEOUT_S seconds."""
        deadline_s = time.monotonic() + TIMEOUT_S
        while not condition():
            assert time.monotonic() < deadline_s, f"not within {TIMEOUT_S} seconds: {description}"
            threading.Event().wait(POLL_INTERVAL_S)


@contextmanager
def run_prometheus(folder: Path, target: str) -> Iterator[Prometheus]:
    """Run a Prometheus server that scrapes the referee at `target`. It is stopped on exit."""
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
    config["global"] = {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"}
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [target]
    shutil.copytree(DEPLOY / "prometheus" / "rules", folder / "rules")
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    port = ReservedPort()
    address = f"127.0.0.1:{port.number}"
    command = [
        find_tool("prometheus"),
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'series'}",
        f"--web.listen-address={address}",
    ]
    with (folder / "prometheus.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        running = Prometheus(address)
        running.wait_until(lambda: _is_ready(address), (folder / "prometheus.log").read_text())
        yield running
    finally:
        process.kill()
        process.wait(TIMEOUT_S)


def _is_ready(address: str) -> bool:
    with suppress(OSError), urllib.request.urlopen(f"http://{address}/-/ready", timeout=TIMEOUT_S) as answer:
        return bool(answer.status == 200)
    return False
