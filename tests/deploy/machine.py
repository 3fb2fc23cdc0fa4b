"""A folder and free ports that stand in for a bare machine with the project's systemd units."""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from deploy.cluster_demo.nats_server import ReservedPort
from tests.deploy.tools import ROOT

TIMEOUT_S = 1800
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
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
        referee) eval "exec flock --no-fork {root}/running $command" >>{root}/log 2>&1 & echo $! >{root}/referee.pid ;;
        *) eval "$command" >>{root}/log 2>&1 ;;
    esac
}}
# Ends the server by a signal, and waits until it has ended: it holds a lock as long as it runs.
end() {{
    kill -"$1" $(cat {root}/referee.pid)
    flock {root}/running rm {root}/referee.pid
}}
case "$*" in
    "daemon-reload" | "restart prometheus" | "restart caddy") ;;
    "enable --now referee referee-backup.timer") start referee ;;
    "restart referee") end TERM; start referee ;;
    "kill --signal=KILL referee") end KILL; start referee ;;  # As by Restart=on-failure.
    "disable --now referee referee-backup.timer") end TERM ;;
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


class Machine:
    """A folder and free ports that stand in for a machine."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._reserved = ReservedPort(), ReservedPort(), ReservedPort()
        self.grpc, self.http, self.site = [port.number for port in self._reserved]
        for folder in ("etc/systemd/system", "etc/prometheus", "etc/caddy", "bin", "checkout"):
            (root / folder).mkdir(parents=True)
        self._install_script("apt-get", "#!/bin/sh\n")
        self._install_script("useradd", "#!/bin/sh\n")
        self._install_script("systemctl", SYSTEMCTL.format(root=root))
        self._copy_checkout()

    def map_paths(self, text: str) -> str:
        text = ABSOLUTE_PATHS.sub(f"{self.root}/", OWNERSHIP.sub("", text))
        ports = {"7700": str(self.grpc), "7780": str(self.http), "7790": str(self.site)}
        return re.sub("|".join(ports), lambda port: ports[port.group()], text)

    def run(self, commands: list[str]) -> subprocess.CompletedProcess[str]:
        script = "\n".join(["set -e", *map(self.map_paths, commands)])
        with (self.root / "output").open("w") as output:
            return subprocess.run(
                ["bash", "-c", script],
                cwd=self.root / "checkout",
                env=self.environment(),
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=TIMEOUT_S,
            )

    def environment(self) -> dict[str, str]:
        """Return the variables of commands on this machine."""
        others = {name: text for name, text in os.environ.items() if not name.startswith(("REFEREE_", "BOT_"))}
        return others | {"PATH": f"{self.root / 'bin'}{os.pathsep}{os.environ['PATH']}"}

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
        for name in ("pyproject.toml", "PACKAGE.md", "LICENSE"):
            shutil.copy(ROOT / name, self.root / "checkout")
        for file in (self.root / "checkout" / "deploy").rglob("*"):
            if file.suffix in (".service", ".toml", ".yml"):
                file.write_text(self.map_paths(file.read_text()))
