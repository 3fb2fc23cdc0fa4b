"""`referee admin`: calls a running server as an administrator. Prints tables, or JSON with `--json`.

Here are the group, and the commands that shut down the server and decide matches by hand.
"""

from dataclasses import asdict

import click
from referee_client import Organiser, Result

from referee.cli._shared.client_options import ClientCommand, json_option, print_json, to_dict, with_organiser
from referee.cli.admin_accounts import bots, quota, tokens, why_option

SECOND_MS = 1_000


@click.group()
def admin() -> None:
    """Administer a running referee: tokens, bots, quotas, shutdown and the results of matches.

    BOT_TOKEN must be an administrator's token.
    """


for command in (tokens, bots, quota):
    admin.add_command(command)


@admin.command(cls=ClientCommand)
@click.option("--grace-s", type=click.IntRange(1), help="Time for turns in progress. [as in the settings]")
@with_organiser
@json_option
def drain(organiser: Organiser, grace_s: int | None, as_json: bool) -> None:
    """Shut down gracefully, as SIGTERM does: start no matches, wait for turns in progress, then exit."""
    response = organiser.administration.drain((grace_s or 0) * SECOND_MS)
    if as_json:
        print_json(to_dict(response))
    else:
        click.echo(f"shutting down; matches to resume: {response.matches_in_play}, streams: {response.streams}")


@admin.command(cls=ClientCommand)
@click.argument("match_id", metavar="MATCH")
@why_option
@with_organiser
@json_option
def void(organiser: Organiser, match_id: str, why: str, as_json: bool) -> None:
    """Void an unfinished match. If a contest needs its result, the match is replayed."""
    _print(organiser.administration.void(match_id, why), match_id, as_json)


@admin.command(cls=ClientCommand)
@click.argument("match_id", metavar="MATCH")
@click.argument("scores", metavar="SCORE...", nargs=-1, type=float, required=True)
@why_option
@with_organiser
@json_option
def adjudicate(organiser: Organiser, match_id: str, scores: tuple[float, ...], why: str, as_json: bool) -> None:
    """Set the result of a match in play: one SCORE for each side, in seat order."""
    _print(organiser.administration.adjudicate(match_id, scores, why), match_id, as_json)


def _print(result: Result, match_id: str, as_json: bool) -> None:
    if as_json:
        print_json({"match_id": match_id, **asdict(result)})
    else:
        scores = ", ".join(f"{score:g}" for score in result.scores)
        click.echo(f"{match_id}: {result.kind}, {result.reason}{f', {scores}' if scores else ''}")
