"""Runs the commands of docs/operations.md that set up a public service, in a folder in place of a bare machine.

Only what needs the machine is replaced: `apt-get` and `useradd` do nothing, and `systemctl` starts the commands in the
unit files. Everything else is real: the installation, certificates, server, token and backup.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography import x509

from tests.deploy.machine import Machine, setup_commands
from tests.deploy.tools import find_tool

pytestmark = pytest.mark.slow


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    new_machine = Machine(tmp_path / "machine")
    yield new_machine
    new_machine.stop()


def assert_is_leaf(certificate: Path) -> None:
    """Assert that the certificate is not an authority: rustls rejects one as a server certificate."""
    extensions = x509.load_pem_x509_certificate(certificate.read_bytes()).extensions
    assert not [entry for entry in extensions if isinstance(entry.value, x509.BasicConstraints) and entry.value.ca]


def test_the_commands_set_up_a_service_with_tls_tokens_metrics_and_backups(machine: Machine) -> None:
    completed = machine.run(setup_commands())
    log = (machine.root / "log").read_text() if (machine.root / "log").exists() else ""
    assert completed.returncode in (0, 3), f"{machine.output}\n{log}"  # 3: the doctor warns about the shared machine.
    assert "ready" in machine.output
    subprocess.run([machine.root / "opt" / "referee" / "bin" / "python", "-c", "import uvloop"], check=True)
    assert_is_leaf(machine.root / "etc" / "referee" / "cert.pem")
    assert re.fullmatch(r"rf_\S+\n", (machine.root / "checkout" / "ada.token").read_text())
    [backup] = (machine.root / "var" / "lib" / "referee-backups").iterdir()
    assert (backup / "referee.db").exists()
    subprocess.run(
        [find_tool("promtool"), "check", "config", machine.root / "etc" / "prometheus" / "prometheus.yml"], check=True
    )
    assert (machine.root / "var" / "lib" / "referee" / "admin-token").stat().st_mode & 0o077 == 0
