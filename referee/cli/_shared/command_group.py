"""Groups of commands, whose help lists each command with a whole sentence."""

from collections.abc import Iterable

import click

from engines.game_errors import unknown

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
