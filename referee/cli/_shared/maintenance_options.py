"""Options and errors that the maintenance commands share."""

import click

from referee.cli._shared.game_options import GameCommand
from referee.cli.settings import options_of
from referee.maintenance.data_dir import MaintenanceError

memory_options = options_of("data_dir")
"""Options --data-dir and --config, as for `serve`."""


class MaintenanceCommand(GameCommand):
    """A command that prints a MaintenanceError as one sentence, with exit status 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except MaintenanceError as why:
            raise click.ClickException(str(why)) from None


def counted(number: int, thing: str, things: str = "") -> str:
    return f"{number} {thing if number == 1 else things or thing + 's'}"
