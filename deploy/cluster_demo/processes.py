"""The processes of the demonstration: nodes, and programs of bots."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

SCRAPE_TIMEOUT_S = 2
STOP_TIMEOUT_S = 10
UNLIMITED = "1000000"


class NodeFailed(Exception):
    """A node did not start. `str()` is one sentence."""


class Node:
    """One `referee serve`."""

    def __init__(self, number: int, settings: Mapping[str, str], folder: Path) -> None:
        """`settings` are the variables of the environment that all nodes have."""
        self.name = f"node {number}"
        self.log = folder / f"node-{number}.log"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
        # In the environment, since every user of the machine can read command lines, and the URL has a password.
        self._environment = {**inherited, **settings}
        self._process: subprocess.Popen[str] | None = None
        self.address = "127.0.0.1:0"
        self._http = ""
        self.admin_token = ""
        """Only the node that was started first, on an empty database, prints one."""

    def start(self) -> None:
        """Start it, on the same port if it ran before, and return when it is ready. Raises NodeFailed."""
        flags = ["--listen", self.address, "--http-listen", "127.0.0.1:0", "--drain-grace-s", "0"]
        with self.log.open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "referee", "serve", *flags, "--calls-per-minute", UNLIMITED],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=self._environment,
                start_new_session=True,
            )
        assert self._process.stdout
        with self._process.stdout as output:
            ready = output.readline()
        if not ready:
            raise NodeFailed(f"{self.name} did not start; {self.log} says why")
        addresses = json.loads(ready)
        self.address, self._http = addresses["grpc"], addresses["http"]
        self.admin_token = addresses.get("admin_token", "")

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def metric(self, name: str) -> float:
        """Return the value of a metric without labels; 0 if the node does not answer."""
        try:
            with urlopen(f"http://{self._http}/metrics", timeout=SCRAPE_TIMEOUT_S) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return 0
        return next((float(line.split()[1]) for line in lines if line.startswith(f"{name} ")), 0)

    def kill(self) -> None:
        """Kill it with SIGKILL, as a power cut would."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Stop it in order, and kill it if that takes too long. No effect if it does not run."""
        if self._process:
            self._process.terminate()
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.kill()


class Bots:
    """A program of bots, and what it has reported so far."""

    def __init__(self, tokens: Mapping[str, str], addresses: Sequence[str], first: int, log: Path) -> None:
        """The first bot connects to the address with the index `first`, the others to those after it, in turn."""
        self.accepted: list[tuple[float, dict[str, Any]]] = []
        """The accepted moves, each with the time at which this process was told."""
        with log.open("a") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "deploy.cluster_demo.bots", str(first)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"addresses": addresses, "tokens": dict(tokens)}) + "\n")
        self._process.stdin.flush()

    def stop(self) -> None:
        """End the program, after which everything that it has reported is in `accepted`."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join()

    def _read(self) -> None:
        assert self._process.stdout
        with self._process.stdout as output:
            for line in output:
                self.accepted.append((time.monotonic(), json.loads(line)))
