"""The command line. Each module defines one family of commands, and is imported when one of them is called.

- `match`, `sprt`, `lab`: contests on this machine
- `ladder`, `tournament`, `report`: contests of a running server, and tournaments on this machine
- `bot`: the bots of an owner on a running server
- `games`: games without a server
- `game`: tools for authors of games
- `records`, `explain`, `rerun`, `whatif`: finished matches
- `packed`: many records in one file
- `export`: tables of matches in Parquet files
- `serve`, `settings`, `doctor`, `maintenance`, `admin`, `admin_accounts`, `admin_matches`,
  `admin_quotas`, `invitation`: running a server
- `conformance`: the conformance kit
- `site`: the web site
- `_shared/`: options, output, signals and contest runs
"""

import gc
import os
from importlib import import_module

# gRPC reads this variable once, when it is first imported. By default it writes unescaped input of clients to standard
# error, between the lines of our log.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import click

MATCHES = {"match": "match", "arena": "match", "lab": "lab", "serve": "serve", "settings": "settings", "site": "site"}
CONTESTS = {"ladder": "ladder", "tournament": "tournament", "sprt": "sprt", "report": "report", "bot": "bot"}
GAMES = {"game": "game", "games": "games", "rules": "games", "show": "games", "perft": "games", "play": "games"}
RECORDS = {"verify": "records", "replay": "records", "explain": "explain", "rerun": "rerun", "whatif": "whatif"}
PACKED = {"pack": "packed", "unpack": "packed", "export": "export"}
MAINTENANCE = {
    "admin": "admin",
    "invitation": "invitation",
    "doctor": "doctor",
    "backup": "maintenance",
    "restore": "maintenance",
    "archive": "maintenance",
    "migrate": "maintenance",
    "migrate-to": "maintenance",
    "recover": "maintenance",
}
MODULES = {**MATCHES, **CONTESTS, **GAMES, **RECORDS, **PACKED, **MAINTENANCE, "conformance": "conformance"}
"""Maps each command to the module of this package that defines it under the same name, with `_` for `-`."""


class Commands(click.Group):
    """Imports a command's module when the command is called, since importing all of them takes most of a second."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(MODULES)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except Exception as error:
            from engines.external.declared_games import BadGamesFile  # noqa: PLC0415 - Commands load what they need.
            from engines.external.engine_client import ExternalGameFault  # noqa: PLC0415

            if isinstance(error, BadGamesFile | ExternalGameFault):
                raise click.ClickException(str(error)) from None
            raise

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        gc.disable()  # Nearly all objects that an import creates stay; to visit them takes a tenth of the start.
        try:
            module = import_module(f"referee.cli.{MODULES[cmd_name]}")
            command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        finally:
            gc.enable()
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="referee")
def main() -> None:
    """Referee matches between bots: rules, clocks, records, ratings and tournaments."""
