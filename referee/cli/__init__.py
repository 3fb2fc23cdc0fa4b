"""The command line: one file a family of commands."""

import click

from referee.cli.games import games, perft, play, rules, show
from referee.cli.records import replay, verify
from referee.cli.serve import serve
from referee.cli.settings import settings


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="referee")
def main() -> None:
    """A match referee for bots: the rules, the clocks, the record."""


for command in (games, rules, show, perft, play, verify, replay, settings, serve):
    main.add_command(command)
