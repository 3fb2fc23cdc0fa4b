"""`referee admin`: calls a running server as an administrator. Prints tables, or JSON with `--json`.

Here are the group, and the command that shuts down the server.
"""

import click
from referee_api.v1.admin_service_pb2 import DrainResponse
from referee_client import Organiser

from referee.cli import CommandGroup
from referee.cli._shared.client_options import organiser_command, print_json, to_dict
from referee.cli.admin_accounts import bots, tokens
from referee.cli.admin_quotas import quota

SECOND_MS = 1_000


@click.group(cls=CommandGroup)
def admin() -> None:
    """Administer a running referee: tokens, pauses of bots, quotas and shutdown.

    BOT_TOKEN must be an administrator's token.
    """


for command in (tokens, bots, quota):
    admin.add_command(command)


@organiser_command(admin, has_json=True)
@click.option("--grace-s", type=click.IntRange(1), help="Time for turns in progress. [as in the settings]")
def drain(organiser: Organiser, grace_s: int | None, as_json: bool) -> None:
    """Shut down gracefully, as SIGTERM does: start no matches, wait for turns in progress, then exit."""
    response = organiser.administration.drain((grace_s or 0) * SECOND_MS)
    if as_json:
        print_json(to_dict(response, DrainResponse))
    else:
        click.echo(f"shutting down; matches to resume: {response.matches_in_play}, streams: {response.streams}")
