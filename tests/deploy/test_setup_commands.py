"""Runs the commands of docs/operations.md that set up a public service, in a folder in place of a bare machine.

Only what needs the machine is replaced: `apt-get` and `useradd` do nothing, and `systemctl` starts the commands in the
unit files. Everything else is real: the installation, certificates, server, token and backup.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509

from tests.deploy.tools import ROOT, find_tool

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
MAX_COMMANDS = 30
TIMEOUT_S = 1800
ABSOLUTE_PATHS = re.compile(r"(?<![\w./-])/(?=(?:opt/referee|etc|var/lib)\b)")
"""Start of an absolute path of the machine."""
OWNERSHIP = re.compile(r"-o root -g referee |chown referee \S+ && ")
"""Changes of ownership, which are removed because the user does not exist on this machine."""

SYSTEMCTL = """#!/bin/sh
# A substitute for systemd that starts the ExecStart of the project's units.
start() {{
    unit={root}/etc/systemd/system/$1.service
    command=$(sed -n 's/^ExecStart=//p' $unit | sed 's/%%/%/g')
    umask $(sed -n 's/^UMask=//p' $unit)
    mkdir -p {root}/var/lib/referee {root}/var/lib/referee-backups
    case $1 in
        referee) eval "exec $command" 2>>{root}/log & echo $! >{root}/referee.pid ;;
        *) eval "$command" >>{root}/log 2>&1 ;;
    esac
}}
case "$*" in
    "daemon-reload" | "restart prometheus") ;;
    "enable --now referee referee-backup.timer") start referee ;;
    "start referee-backup") start referee-backup ;;
    *) echo "systemctl $* is not supported" >&2; exit 1 ;;
esac
"""


def setup_commands() -> list[str]:
    """Return the commands, each joined to one line."""
    [block] = re.findall(r"## From a bare machine\n.*?```console\n(.*?)```", PAGE, re.DOTALL)
    whole = re.sub(r"\\\n\s*", "", block).splitlines()
    assert all(line.startswith("# ") for line in whole)
    return [line.removeprefix("# ") for line in whole]


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Machine:
    """A folder and free ports that stand in for a machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.grpc, self.http = free_ports(2)
        for folder in ("etc/systemd/system", "etc/prometheus", "bin", "checkout"):
            (root / folder).mkdir(parents=True)
        self._install_script("apt-get", "#!/bin/sh\n")
        self._install_script("useradd", "#!/bin/sh\n")
        self._install_script("systemctl", SYSTEMCTL.format(root=root))
        self._copy_checkout()

    def map_paths(self, text: str) -> str:
        text = ABSOLUTE_PATHS.sub(f"{self.root}/", OWNERSHIP.sub("", text))
        return text.replace("7700", str(self.grpc)).replace("7780", str(self.http))

    def run(self, commands: list[str]) -> subprocess.CompletedProcess[str]:
        script = "\n".join(["set -e", *map(self.map_paths, commands)])
        environment = {name: text for name, text in os.environ.items() if not name.startswith(("REFEREE_", "BOT_"))}
        with (self.root / "output").open("w") as output:
            return subprocess.run(
                ["bash", "-c", script],
                cwd=self.root / "checkout",
                env=environment | {"PATH": f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}"},
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=TIMEOUT_S,
            )

    @property
    def output(self) -> str:
        return (self.root / "output").read_text()

    def stop(self) -> None:
        if (self.root / "referee.pid").exists():
            os.kill(int((self.root / "referee.pid").read_text()), signal.SIGKILL)

    def _install_script(self, name: str, script: str) -> None:
        (self.root / "bin" / name).write_text(script)
        (self.root / "bin" / name).chmod(0o755)

    def _copy_checkout(self) -> None:
        unwanted = shutil.ignore_patterns("__pycache__", "*.egg-info")
        for name in ("engines", "referee", "proto/python", "clients/python", "deploy", "requirements"):
            shutil.copytree(ROOT / name, self.root / "checkout" / name, ignore=unwanted)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, self.root / "checkout")
        for file in (self.root / "checkout" / "deploy").rglob("*"):
            if file.suffix in (".service", ".toml", ".yml"):
                file.write_text(self.map_paths(file.read_text()))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    new_machine = Machine(tmp_path / "machine")
    yield new_machine
    new_machine.stop()


def test_the_setup_has_fewer_than_thirty_commands() -> None:
    assert len(setup_commands()) < MAX_COMMANDS


def assert_is_leaf(certificate: Path) -> None:
    """Assert that the certificate is not an authority: rustls rejects one as a server certificate."""
    extensions = x509.load_pem_x509_certificate(certificate.read_bytes()).extensions
    assert not [one for one in extensions if isinstance(one.value, x509.BasicConstraints) and one.value.ca]


def test_the_commands_set_up_a_service_with_tls_tokens_metrics_and_backups(machine: Machine) -> None:
    completed = machine.run(setup_commands())
    log = (machine.root / "log").read_text() if (machine.root / "log").exists() else ""
    assert completed.returncode in (0, 3), f"{machine.output}\n{log}"  # 3: the doctor warns about the shared machine.
    assert "ready" in machine.output
    assert "uvloop is installed" in machine.output
    assert_is_leaf(machine.root / "etc" / "referee" / "cert.pem")
    assert re.fullmatch(r"rf_\S+\n", (machine.root / "checkout" / "ada.token").read_text())
    [backup] = (machine.root / "var" / "lib" / "referee-backups").iterdir()
    assert (backup / "referee.db").exists()
    subprocess.run(
        [find_tool("promtool"), "check", "config", machine.root / "etc" / "prometheus" / "prometheus.yml"], check=True
    )
    assert (machine.root / "var" / "lib" / "referee" / "admin-token").stat().st_mode & 0o077 == 0
