"""Arguments that name records, and commands that read packed records."""

import click

from referee.cli._shared.game_options import GameCommand
from referee.records.packed_format import PackageMissing

record_argument = click.argument("record", metavar="RECORD")


class PackedCommand(GameCommand):
    """A command that prints a PackageMissing as one sentence, with exit status 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except PackageMissing as why:
            raise click.ClickException(str(why)) from None
