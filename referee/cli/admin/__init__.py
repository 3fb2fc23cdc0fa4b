"""`referee admin`: calls a running server as an administrator. Prints tables, or JSON with `--json`."""

import click

from referee.cli.admin.bots import bots
from referee.cli.admin.quotas import quota
from referee.cli.admin.rulings import adjudicate, drain, void
from referee.cli.admin.tokens import tokens


@click.group()
def admin() -> None:
    """Administer a running referee: tokens, bots, quotas, shutdown and the results of matches.

    BOT_TOKEN must be an administrator's token.
    """


for command in (tokens, bots, quota, drain, void, adjudicate):
    admin.add_command(command)
