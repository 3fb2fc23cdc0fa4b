"""The command line. Each module defines one family of commands, and is imported when one of them is called.

- `match`, `sprt`, `lab`: contests on this machine
- `ladder`, `tournament`, `report`, `server_matches`: contests and matches of a running server
- `bot`: the bots of an owner on a running server
- `games`: games without a server
- `game`: tools for authors of games
- `records`, `explain`, `rerun`, `whatif`: finished matches
- `packed`: many records in one file
- `export`: tables of matches in Parquet files
- `serve`, `settings`, `doctor`, `maintenance`, `admin`, `invitation`: running a server
- `conformance`: the conformance kit
- `site`: the web site
- `_shared/`: options, output, signals and contest runs
"""

import gc
import os
from collections.abc import Iterable
from importlib import import_module

# gRPC reads this variable once, when it is first imported. By default it writes unescaped input of clients to standard
# error, between the lines of our log.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import click

from engines.game_errors import unknown

TRY = {
    "games": "games",
    "rules": "games",
    "show": "games",
    "play": "games",
    "match": "match",
    "arena": "match",
    "sprt": "sprt",
    "lab": "lab",
    "game": "game",
}
LOOK = {
    "replay": "records",
    "explain": "explain",
    "rerun": "rerun",
    "whatif": "whatif",
    "verify": "records",
    "export": "export",
    "records": "packed",
}
YOUR_BOT = {"bot": "bot", "conformance": "conformance"}
CONTESTS = {"tournament": "tournament", "ladder": "ladder", "matches": "server_matches", "report": "report"}
SERVER = {
    "serve": "serve",
    "site": "site",
    "settings": "settings",
    "doctor": "doctor",
    "admin": "admin",
    "invitation": "invitation",
    "backup": "maintenance",
    "restore": "maintenance",
    "data": "maintenance",
}
SECTIONS = {
    "Try on this machine": TRY,
    "Look at finished matches": LOOK,
    "Your bot": YOUR_BOT,
    "Contests of a running server": CONTESTS,
    "Server": SERVER,
}
"""The sections of the help, in their order."""
MODULES = {name: module for commands in SECTIONS.values() for name, module in commands.items()}
"""Maps each command to the module of this package that defines it under the same name, with `_` for `-`."""


MAX_SENTENCE_CHARS = 10_000
"""No sentence is as long: click would shorten those that are longer."""


class CommandGroup(click.Group):
    """A group that lists its commands in the order of their definition. Its subgroups do the same."""

    group_class = type

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            raise click.UsageError(unknown("command", args[0], names), ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.write_commands(ctx, formatter, "Commands", self.list_commands(ctx))

    def write_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter, title: str, names: Iterable[str]
    ) -> None:
        """Write one section of the help: each command with the first sentence of its own help."""
        commands = [(name, self.get_command(ctx, name)) for name in names]
        rows = [(name, command.get_short_help_str(MAX_SENTENCE_CHARS)) for name, command in commands if command]
        with formatter.section(title):
            formatter.write_dl(rows)


class Commands(CommandGroup):
    """Imports a command's module when the command is called, since importing all of them takes most of a second."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(MODULES)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            self.write_commands(ctx, formatter, title, commands)

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
    """Referee matches between bots: rules, clocks, records, ratings and tournaments.

    Four commands let bots play on this machine. `match` plays a few matches between the bots that you name. `arena`
    plays all bots of a plan file against each other, in one game or more. `tournament run` plays a tournament of a plan
    file, such as Swiss or knock-out, with rounds and tie-breaks. `lab` plays the thousands of matches of a plan file
    fast, without a server. On a running server, where bots connect by themselves, create a `tournament` or a `ladder`.
    """
