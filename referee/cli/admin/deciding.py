"""What a person decides: how a match ends, and when the referee goes."""

from dataclasses import asdict

import click
from referee_client import Organiser, Result

from referee.cli.admin.asking import asking, plain, say_json, why_option
from referee.cli.calling import Calling

SECOND_MS = 1_000


@click.command(cls=Calling)
@click.option("--grace-s", type=click.IntRange(1), help="How long turns in the air may take. [as it is set]")
@asking
def drain(organiser: Organiser, as_json: bool, grace_s: int | None) -> None:
    """Let the referee go, as SIGTERM does: it starts nothing new, finishes the turns in the air, and ends."""
    told = organiser.administration.drain((grace_s or 0) * SECOND_MS)
    if as_json:
        say_json(plain(told))
    else:
        click.echo(f"it goes; {told.matches_in_play} matches go on after the next start, {told.streams} streams end")


@click.command(cls=Calling)
@click.argument("match_id", metavar="MATCH")
@why_option
@asking
def void(organiser: Organiser, as_json: bool, match_id: str, why: str) -> None:
    """Declare a match void that is not over. A pairing that needs its result plays it again."""
    _say(organiser.administration.void(match_id, why), match_id, as_json)


@click.command(cls=Calling)
@click.argument("match_id", metavar="MATCH")
@click.argument("scores", metavar="SCORE...", nargs=-1, type=float, required=True)
@why_option
@asking
def adjudicate(organiser: Organiser, as_json: bool, match_id: str, scores: tuple[float, ...], why: str) -> None:
    """Decide a match that is being played: a SCORE for each side, in the order of the table."""
    _say(organiser.administration.adjudicate(match_id, scores, why), match_id, as_json)


def _say(result: Result, match_id: str, as_json: bool) -> None:
    if as_json:
        say_json({"match_id": match_id, **asdict(result)})
    else:
        scores = ", ".join(f"{score:g}" for score in result.scores)
        click.echo(f"{match_id}: {result.kind}, {result.reason}{f', {scores}' if scores else ''}")
