"""`referee matches`: creates, shows and decides single matches of a running server."""

import json
from collections.abc import Iterable
from pathlib import Path

import click
from referee_api.conversion import to_message
from referee_api.v1 import entry_pb2, match_pb2, match_service_pb2
from referee_client import Organiser, Result, results
from referee_values import Entry, Match, MatchPhase

from referee.cli import CommandGroup
from referee.cli._shared.account_tables import NONE, time_of
from referee.cli._shared.client_options import (
    organiser_command,
    print_json,
    print_values,
    to_dict,
    why_option,
    words,
)
from referee.local.contest_file import read_match_file
from referee.show import words as show_words
from referee.show.formatting import plain

match_argument = click.argument("match_id", metavar="MATCH")


@click.group(cls=CommandGroup)
def matches() -> None:
    """Create, list, show, watch and decide the matches of a running referee.

    An organiser's token suffices except for void and adjudicate.
    """


@organiser_command(matches, has_json=True)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("bots", metavar="[BOT...]", nargs=-1)
def create(organiser: Organiser, file: Path, bots: tuple[str, ...], as_json: bool) -> None:
    """Create a match by the terms of a TOML file between BOTS, in seat order.

    A BOT is anna, or anna/1.4 with a version. Without bots, all seats are open.
    """
    plan = read_match_file(file)
    made = organiser.create_match(
        plan.terms,
        bots,
        title=plan.title,
        seed=plan.seed,
        position=plan.opening,
        ladder=plan.ladder,
    )
    if as_json:
        print_json(to_dict(organiser.standing(made.id).match, match_pb2.Match))
    else:
        click.echo(made.id)


@organiser_command(matches, "list", has_json=True)
@click.option("--bot", default="", help="Only matches of this bot. [any]")
@click.option("--game", default="", help="Only matches of this game. [any]")
@click.option("--phase", type=click.Choice(words(MatchPhase)), default=None, help="Only this phase. [any]")
@click.option("--open", "open_only", is_flag=True, help="Only matches with open seats.")
@click.option("--tournament", default="", metavar="NAME", help="Only matches of this tournament. [any]")
def list_matches(
    organiser: Organiser,
    bot: str,
    game: str,
    phase: MatchPhase | None,
    open_only: bool,
    tournament: str,
    as_json: bool,
) -> None:
    """List matches, newest first."""
    _print_matches(organiser.matches(bot, game, phase or "", open_only, tournament), as_json)


@organiser_command(matches, has_json=True)
@match_argument
def show(organiser: Organiser, match_id: str, as_json: bool) -> None:
    """Show a match and its position, as spectators see it."""
    standing = organiser.standing(match_id)
    if as_json:
        print_json(to_dict(standing, match_service_pb2.GetMatchResponse))
        return
    _print_matches([standing.match], as_json)
    state = standing.state
    if state.entry_number:
        turn = f", to move: seat {', '.join(map(str, state.seats_to_move))}" if state.seats_to_move else ""
        click.echo(f"\nafter {state.ply} plies{turn}\n{state.position}")


@organiser_command(matches, has_json=True)
@match_argument
@click.option("--after", type=click.IntRange(0), default=0, help="Only entries after this number. [all]")
def watch(organiser: Organiser, match_id: str, after: int, as_json: bool) -> None:
    """Print the entries of a match until its end. Reconnects when the referee restarts.

    With --json, each line is one entry.
    """
    match = to_message(organiser.standing(match_id).match, match_pb2.Match)
    for entry in organiser.watch(match_id, after):
        click.echo(json.dumps(to_dict(entry, entry_pb2.Entry)) if as_json else _entry_line(match, entry))


@organiser_command(matches, has_json=True)
@match_argument
@click.option("--why", default="", metavar="SENTENCE", help="One sentence that the affected users see.")
def abort(organiser: Organiser, match_id: str, why: str, as_json: bool) -> None:
    """Abort a match that you created; it becomes void."""
    _print_result(organiser.abort(match_id, why), match_id, as_json)


@organiser_command(matches, has_json=True)
@match_argument
@why_option
def void(organiser: Organiser, match_id: str, why: str, as_json: bool) -> None:
    """Void an unfinished match. If a contest needs its result, the match is replayed."""
    _print_result(organiser.administration.void(match_id, why), match_id, as_json)


@organiser_command(matches, has_json=True)
@match_argument
@click.argument("scores", metavar="SCORE...", nargs=-1, type=float, required=True)
@why_option
def adjudicate(organiser: Organiser, match_id: str, scores: tuple[float, ...], why: str, as_json: bool) -> None:
    """Set the result of a match in play: one SCORE for each side, in seat order."""
    _print_result(organiser.administration.adjudicate(match_id, scores, why), match_id, as_json)


def _print_result(result: Result, match_id: str, as_json: bool) -> None:
    kind, reason, scores = results.outcome(result), results.reason(result), results.scores(result)
    if as_json:
        fields = {"kind": kind, "reason": reason, "scores": scores, "ranks": results.ranks(result)}
        print_json({"match_id": match_id, **fields})
    else:
        listed = "".join(f", {score:g}" for score in scores)
        click.echo(f"{match_id}: {kind}, {reason}{listed}")


def _print_matches(matches: Iterable[Match], as_json: bool) -> None:
    columns = ("match", "game", "bots", "created", "phase", "result")
    print_values(matches, match_pb2.Match, columns, _match_row, as_json)


def _match_row(match: Match) -> tuple[str, ...]:
    message = to_message(match, match_pb2.Match)
    bots = ", ".join(seat.bot or NONE for seat in match.seats)
    result = show_words.result_text(message, message.result) or NONE
    return match.id, match.terms.rules.game, bots, time_of(match.create_time), match.phase, result


def _entry_line(match: match_pb2.Match, entry: Entry) -> str:
    """Format an entry of a match as one line."""
    message = to_message(entry, entry_pb2.Entry)
    text = show_words.entry_text(match, message) or plain(message.WhichOneof("event") or "hidden")
    return f"{entry.number:6}  {text}"
