"""`referee admin drain`, `void` and `adjudicate`: shut down the referee, and decide matches by hand."""

from dataclasses import asdict

import click
from referee_client import Organiser, Result

from referee.cli._shared.client_options import ClientCommand
from referee.cli.admin.admin_client import print_json, to_dict, why_option, with_organiser

SECOND_MS = 1_000


@click.command(cls=ClientCommand)
@click.option("--grace-s", type=click.IntRange(1), help="Time for turns in progress. [as in the settings]")
@with_organiser
def drain(organiser: Organiser, as_json: bool, grace_s: int | None) -> None:
    """Shut down gracefully, as SIGTERM does: start no matches, wait for turns in progress, then exit."""
    response = organiser.administration.drain((grace_s or 0) * SECOND_MS)
    if as_json:
        print_json(to_dict(response))
    else:
        click.echo(f"shutting down; matches to resume: {response.matches_in_play}, streams: {response.streams}")


@click.command(cls=ClientCommand)
@click.argument("match_id", metavar="MATCH")
@why_option
@with_organiser
def void(organiser: Organiser, as_json: bool, match_id: str, why: str) -> None:
    """Void an unfinished match. If a contest needs its result, the match is replayed."""
    _print(organiser.administration.void(match_id, why), match_id, as_json)


@click.command(cls=ClientCommand)
@click.argument("match_id", metavar="MATCH")
@click.argument("scores", metavar="SCORE...", nargs=-1, type=float, required=True)
@why_option
@with_organiser
def adjudicate(organiser: Organiser, as_json: bool, match_id: str, scores: tuple[float, ...], why: str) -> None:
    """Set the result of a match in play: one SCORE for each side, in seat order."""
    _print(organiser.administration.adjudicate(match_id, scores, why), match_id, as_json)


def _print(result: Result, match_id: str, as_json: bool) -> None:
    if as_json:
        print_json({"match_id": match_id, **asdict(result)})
    else:
        scores = ", ".join(f"{score:g}" for score in result.scores)
        click.echo(f"{match_id}: {result.kind}, {result.reason}{f', {scores}' if scores else ''}")
