"""Commands about games, without any match: list, explain, show, count, play."""

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import click

from engines.api import REFEREE, Outcome, Position, Table
from engines.chance import Chance
from engines.options import Option, written
from engines.registry import games as all_games
from engines.walk import perft as lines_of
from referee.cli.choosing import Refusing, game_argument, opened, rule_options
from referee.cli.random_match import random_match, write_record
from referee.core.events import Event, MovePlayed

LISTED_AT_MOST = 60


@click.command()
def games() -> None:
    """List the games there are."""
    for game in all_games().values():
        seats = len(game.table(game.settings()).seats)
        many = len(game.options.declared)
        click.echo(f"{click.style(game.name, bold=True):20} {game.title}: {seats} seats, {many} rule options")


@click.command(cls=Refusing)
@game_argument
def rules(game: str) -> None:
    """Explain a game: rules, options, notation."""
    known, _ = opened(game, (), None)
    click.echo(f"{click.style(known.title, bold=True)} (version {known.version})\n\n{known.rules}")
    click.echo(click.style("Options", bold=True))
    for option in known.options.declared:
        click.echo(_option_text(option))
    for preset in known.options.presets:
        chosen = " ".join(f"{name}={written(value)}" for name, value in preset.chosen.items())
        click.echo(f"  preset {preset.name}\n      {preset.meaning}\n      {chosen or 'all defaults'}")
    click.echo(f"\n{click.style('Moves', bold=True)}\n{_indented(known.notation.move)}")
    click.echo(f"{click.style('Positions', bold=True)}\n{_indented(known.notation.position)}")


@click.command(cls=Refusing)
@game_argument
@click.argument("position", required=False)
@rule_options
@click.option("--seed", default="", help="Any text: games with chance start by it.")
def show(game: str, position: str | None, chosen: tuple[str, ...], preset: str | None, seed: str) -> None:
    """Draw a position: the first one, or the one given in the game's notation."""
    known, settings = opened(game, chosen, preset)
    at = known.read(position, settings) if position else known.start(settings, _seed(seed).seed)
    click.echo(at.picture(REFEREE))
    click.echo(f"\n{at}")
    for seat in at.owing:
        moves = at.moves(seat)
        click.echo(f"\n{known.table(settings).seats[seat]}, {_counted(len(moves), 'move')}: {_shortened(moves)}")
    if at.outcome:
        click.echo(f"\n{_result(known.table(settings), at.outcome)}")


@click.command(cls=Refusing)
@game_argument
@click.argument("depth", type=click.IntRange(0, 20))
@rule_options
@click.option("--position", help="Count from here instead of from the first position.")
@click.option("--divide", is_flag=True, help="Count for each first move apart.")
@click.option("--seed", default="", help="Any text: games with chance start by it.")
def perft(
    game: str, depth: int, chosen: tuple[str, ...], preset: str | None, position: str | None, divide: bool, seed: str
) -> None:
    """Count the lines of DEPTH moves: the figure by which two programs compare their rules."""
    known, settings = opened(game, chosen, preset)
    at = known.read(position, settings) if position else known.start(settings, _seed(seed).seed)
    started = time.perf_counter()
    total = _divided(at, depth) if divide and depth and at.owing else lines_of(at, depth)
    click.echo(f"{total} lines of {_counted(depth, 'move')} in {time.perf_counter() - started:.2f} s")


@click.command(cls=Refusing)
@game_argument
@rule_options
@click.option("--seed", default="", help="Any text: the same one gives the same game.")
@click.option("--boards", is_flag=True, help="Draw the board after every move.")
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Write it to this file as a record.")
def play(game: str, chosen: tuple[str, ...], preset: str | None, seed: str, boards: bool, record: Path | None) -> None:
    """Let random players play one match, and print it move by move."""
    known, settings = opened(game, chosen, preset)
    table = known.table(settings)
    width = max(map(len, table.seats))
    events = []
    for event, match in random_match(known, settings, _seed(seed)):
        events.append(event)
        if isinstance(event, MovePlayed):
            click.echo(f"{match.ply:4}. {table.seats[event.seat]:{width}} {event.move}")
            if boards:
                click.echo(f"\n{match.at_play().picture(REFEREE)}\n")
    at = match.at_play()
    click.echo(f"\n{at.picture(REFEREE)}\n\n{at}")
    if at.outcome:
        click.echo(f"\n{_result(table, at.outcome)}")
    if record:
        _write(record, events)


def _write(record: Path, events: Sequence[Event]) -> None:
    try:
        write_record(record, events, version("referee"))
    except OSError as error:
        raise click.UsageError(f"cannot write {record}: {error.strerror}") from None
    click.echo(f"\nrecorded in {record}: referee verify {record}")


def _seed(text: str) -> Chance:
    return Chance(text.encode())


def _divided(at: Position, depth: int) -> int:
    seat, total = at.owing[0], 0
    for move in at.moves(seat):
        lines = lines_of(at.play(seat, move), depth - 1)
        total += lines
        click.echo(f"{move:12} {lines}")
    return total


def _option_text(option: Option) -> str:
    return f"  {option.name} = {option.known} (default {written(option.default) or 'none'})\n      {option.meaning}"


def _result(table: Table, outcome: Outcome) -> str:
    """Who won, and why, in one line."""
    best = [side for side, rank in zip(table.sides, outcome.side_ranks, strict=True) if rank == 1]
    scores = ", ".join(f"{name} {score:g}" for name, score in zip(table.seats, outcome.scores, strict=True))
    if len(best) == 1:
        who = " and ".join(table.seats[seat] for seat in best[0])
        return f"{who} won: {outcome.reason} ({scores})"
    return f"drawn: {outcome.reason} ({scores})"


def _counted(many: int, thing: str) -> str:
    return f"{many} {thing}" if many == 1 else f"{many} {thing}s"


def _shortened(moves: Sequence[str]) -> str:
    return " ".join(moves[:LISTED_AT_MOST]) + (" …" if len(moves) > LISTED_AT_MOST else "")


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())
