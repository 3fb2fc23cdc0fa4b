"""What the commands have in common that look after a referee's memory."""

import click

from referee.cli.choosing import Refusing
from referee.cli.settings import options_of
from referee.operating.not_done import NotDone

memory_options = options_of("data_dir")
"""--data-dir and --config: where the memory lies, as `serve` would find it."""


class Operating(Refusing):
    """A command that may not be done: then it says so in one sentence, with exit status 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except NotDone as why:
            raise click.ClickException(str(why)) from None


def counted(number: int, thing: str, things: str = "") -> str:
    return f"{number} {thing if number == 1 else things or thing + 's'}"
