"""The command line: one file a family of commands."""

import os
from importlib import import_module

# gRPC looks at this once, when it is first imported. By itself it writes what a stranger sends to standard error,
# line breaks and all, between the lines of our log.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import click

PLAYING = {"match": "match", "arena": "arena", "serve": "serve", "settings": "settings"}
CONTESTS = {"ladder": "ladder", "tournament": "tournament", "sprt": "sprt", "report": "report"}
GAMES = {"games": "games", "rules": "games", "show": "games", "perft": "games", "play": "games"}
LOOKING_BACK = {"verify": "records", "replay": "records", "explain": "explain", "rerun": "rerun"}
OPERATING = {
    "admin": "admin",
    "doctor": "doctor",
    "backup": "backup",
    "restore": "backup",
    "archive": "backup",
    "migrate": "migrate",
    "recover": "recover",
}
MODULES = {**PLAYING, **CONTESTS, **GAMES, **LOOKING_BACK, **OPERATING, "conformance": "conformance"}
"""Maps each command to the module of this package that defines it under the same name."""


class Commands(click.Group):
    """Imports a command's module when the command is called: to import all modules takes most of a second."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        command: click.Command = getattr(import_module(f"referee.cli.{MODULES[cmd_name]}"), cmd_name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="referee")
def main() -> None:
    """A match referee for bots: the rules, the clocks, the record."""
