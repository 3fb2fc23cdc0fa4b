"""What deploy/compose-cluster.yaml runs, on this machine instead of in containers."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from referee.cli import main
from tests.clients.certificates import create_certificates
from tests.cluster.bus.nats import create_nats
from tests.deploy.tools import DEPLOY, run_command
from tests.storage.postgres_databases import run_postgres

CLUSTER = DEPLOY / "compose-cluster.yaml"
SECRETS = "/run/secrets"
NATS_PASSWORD = "p4ssword"
PSQL = ("psql", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", "--dbname")


def read_services() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load(CLUSTER.read_text(encoding="utf-8"))["services"]
    return services


@dataclass(frozen=True)
class Services:
    """PostgreSQL and NATS, and a folder with the secrets."""

    folder: Path
    postgres: str
    """Address with the name of the database."""
    nats: str

    @property
    def ca(self) -> Path:
        return self.folder / "ca.pem"

    def settings(self, service: str) -> dict[str, str]:
        """Return the settings of a service, with files and addresses of this machine, except its own addresses."""
        replaced = {SECRETS: str(self.folder), "@postgres/referee": f"@{self.postgres}", "nats:4222": self.nats}
        settings = read_services()[service]["environment"]
        for before, after in replaced.items():
            settings = {name: text.replace(before, after) for name, text in settings.items()}
        own = ("REFEREE_LISTEN", "REFEREE_HTTP_LISTEN", "REFEREE_ADVERTISE")
        return {name: text for name, text in settings.items() if name not in own}

    def config(self, service: str) -> Path:
        """Write the same settings into a file, and return it."""
        settings = {name.removeprefix("REFEREE_").lower(): text for name, text in self.settings(service).items()}
        lines = [f"{name} = {text if text == 'true' else repr(text)}\n" for name, text in settings.items()]
        file = self.folder / f"{service}.toml"
        file.write_text("".join(lines), encoding="utf-8")
        return file


@contextmanager
def run_services(folder: Path) -> Iterator[Services]:
    """Run PostgreSQL, prepared as the containers prepare it, and NATS with its configuration."""
    _write_secrets(folder)
    roles = (DEPLOY / "postgres" / "roles.sql").read_text(encoding="utf-8")
    (folder / "roles.sql").write_text(roles.replace(SECRETS, str(folder)), encoding="utf-8")
    config = (DEPLOY / "nats" / "referee.conf").read_text(encoding="utf-8").replace("/etc/nats", str(folder))
    (folder / "referee.conf").write_text(config, encoding="utf-8")
    with ExitStack() as stack:
        postgres = stack.enter_context(run_postgres())
        for file in (folder / "roles.sql", DEPLOY / "postgres" / "database.sql"):
            run_command(*PSQL, postgres.url(), "--file", file)
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("NATS_REFEREE_PASSWORD", NATS_PASSWORD)
        nats = stack.enter_context(create_nats(folder, folder / "referee.conf"))
        services = Services(folder, postgres.url().rpartition("@")[2], f"127.0.0.1:{nats.port}")
        _migrate(services)
        yield services


def _write_secrets(folder: Path) -> None:
    roots, _ = create_certificates(folder)
    roots.rename(folder / "ca.pem")
    for name, text in {
        "server.pem": (folder / "cert.pem").read_text(),
        "server-key.pem": (folder / "key.pem").read_text(),
        "nats-credentials": f"referee:{NATS_PASSWORD}\n",
        "owner-password": "it's the owner\n",
        "database-password": "it's a node\n",
    }.items():
        (folder / name).write_text(text, encoding="utf-8")


def _migrate(services: Services) -> None:
    """Do what the containers `migrate` and `privileges` do."""
    settings = services.settings("migrate")
    migrated = CliRunner().invoke(main, read_services()["migrate"]["command"], env=settings)
    assert migrated.exit_code == 0, migrated.output
    command = read_services()["privileges"]["entrypoint"][2].replace("$$", "$")
    for before, after in (
        (SECRETS, services.folder),
        ("--host postgres --username referee_owner --dbname referee", f"--dbname {settings['REFEREE_DATABASE']}"),
        ("/privileges.sql", DEPLOY / "postgres" / "privileges.sql"),
    ):
        assert before in command
        command = command.replace(before, str(after))
    run_command("sh", "-c", command)
