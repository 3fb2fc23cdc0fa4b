"""What an administrator does, over the wire: tables for people, JSON for programs."""

import click

from referee.cli.admin.bots import bots
from referee.cli.admin.deciding import adjudicate, drain, void
from referee.cli.admin.quotas import quota
from referee.cli.admin.tokens import tokens


@click.group()
def admin() -> None:
    """Run a referee over the wire: who may come in, how much they may use, and what a person decides.

    The token (BOT_TOKEN) is an administrator's.
    """


for command in (tokens, bots, quota, drain, void, adjudicate):
    admin.add_command(command)
