"""Commands about games: list them, explain rules, show positions, play at random; and `perft`, of `referee game`."""

import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from textwrap import fill, indent

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.api import REFEREE, Game, Outcome, Position, Table
from engines.chance import Chance
from engines.options import Settings, written
from engines.registry import PREFIX
from engines.registry import games as all_games
from engines.walk import perft as lines_of
from referee.cli._shared.game_options import GameCommand, game_argument, rule_options, select_game
from referee.cli._shared.output import counted
from referee.live.ports import Entry
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import StartPlay, SubmitMove
from referee.match.decide import decide
from referee.match.events import Event, MatchCreated, MovePlayed
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player, Setup
from referee.match.state import Match, create_match
from referee.records.record_format import format_record

MAX_LISTED = 60
LISTED_WIDTH = 100


@click.command()
def games() -> None:
    """List the games."""
    known = all_games()
    adapted = [name.removeprefix(PREFIX) for name in known if name.startswith(PREFIX)]
    for game in known.values():
        if game.name.startswith(PREFIX):
            continue
        seats = len(game.table(game.settings()).seats)
        many = len(game.options.declared)
        click.echo(f"{click.style(game.name, bold=True):20} {game.title}: {seats} seats, {many} rule options")
    if adapted:
        click.echo(
            f"{click.style(PREFIX + 'NAME', bold=True)}: {len(adapted)} games of OpenSpiel, where NAME is one of these:"
        )
        click.echo(indent(fill(" ".join(adapted), LISTED_WIDTH), "  "))


@click.command(cls=GameCommand)
@game_argument
def rules(game: str) -> None:
    """Show the rules, options and notation of a game."""
    known, _ = select_game(game, (), None)
    click.echo(f"{click.style(known.title, bold=True)} (version {known.version})\n\n{known.rules}")
    click.echo(click.style("Options", bold=True))
    for option in known.options.declared:
        click.echo(
            f"  {option.name} = {option.known} (default {written(option.default) or 'none'})\n      {option.meaning}"
        )
    for preset in known.options.presets:
        chosen = " ".join(f"{name}={written(value)}" for name, value in preset.chosen.items())
        click.echo(f"  preset {preset.name}\n      {preset.meaning}\n      {chosen or 'all defaults'}")
    click.echo(f"\n{click.style('Moves', bold=True)}\n{_indent(known.notation.move)}")
    click.echo(f"{click.style('Positions', bold=True)}\n{_indent(known.notation.position)}")


@click.command(cls=GameCommand)
@game_argument
@click.argument("position", required=False)
@rule_options
@click.option("--seed", default="", help="Any text: games with chance start by it.")
@click.option("--moves", default="", metavar="'SEAT:MOVE ...'", help="Moves that are played first.")
def show(
    game: str,
    position: str | None,
    chosen: tuple[str, ...],
    preset: str | None,
    seed: str,
    moves: str,
) -> None:
    """Show the initial position, or POSITION in the notation of the game, and its legal moves."""
    known, settings = select_game(game, chosen, preset)
    at = known.read(position, settings) if position else known.start(settings, _seed(seed).seed)
    for move in moves.split():
        at = at.play(*_seat_and_move(move))
    click.echo(at.picture(REFEREE))
    click.echo(f"\n{at}")
    for seat in at.owing:
        legal = at.moves(seat)
        click.echo(f"\n{known.table(settings).seats[seat]}, {counted(len(legal), 'move')}: {_shorten(legal)}")
    if at.outcome:
        click.echo(f"\n{_result_text(known.table(settings), at.outcome)}")


@click.command(cls=GameCommand)
@game_argument
@click.argument("depth", type=click.IntRange(0, 20))
@rule_options
@click.option("--position", help="Start from this position instead of the initial one.")
@click.option("--divide", is_flag=True, help="Print the count of each first move.")
@click.option("--seed", default="", help="Any text: games with chance start by it.")
def perft(
    game: str, depth: int, chosen: tuple[str, ...], preset: str | None, position: str | None, divide: bool, seed: str
) -> None:
    """Count the lines of DEPTH moves (perft), to compare two implementations of the rules."""
    known, settings = select_game(game, chosen, preset)
    at = known.read(position, settings) if position else known.start(settings, _seed(seed).seed)
    started = time.perf_counter()
    total = _count_by_first_move(at, depth) if divide and depth and at.owing else lines_of(at, depth)
    click.echo(f"{total} lines of {counted(depth, 'move')} in {time.perf_counter() - started:.2f} s")


@click.command(cls=GameCommand)
@game_argument
@rule_options
@click.option("--seed", default="", help="Any text; the same seed gives the same match.")
@click.option("--boards", is_flag=True, help="Show the board after every move.")
@click.option("--record", type=click.Path(path_type=Path, dir_okay=False), help="Write a record to this file.")
def play(game: str, chosen: tuple[str, ...], preset: str | None, seed: str, boards: bool, record: Path | None) -> None:
    """Play one match between random players and print each move."""
    known, settings = select_game(game, chosen, preset)
    table = known.table(settings)
    width = max(map(len, table.seats))
    events = []
    for event, match in _random_match(known, settings, _seed(seed)):
        events.append(event)
        if isinstance(event, MovePlayed):
            click.echo(f"{match.ply:4}. {table.seats[event.seat]:{width}} {event.move}")
            if boards:
                click.echo(f"\n{match.require_position().picture(REFEREE)}\n")
    at = match.require_position()
    click.echo(f"\n{at.picture(REFEREE)}\n\n{at}")
    if at.outcome:
        click.echo(f"\n{_result_text(table, at.outcome)}")
    if record:
        _write_record(record, events)


def _seat_and_move(word: str) -> tuple[int, str]:
    seat, colon, move = word.partition(":")
    if not colon or not seat.isdecimal():
        raise click.BadParameter(f"a move is written SEAT:MOVE, not {word!r}", param_hint="--moves")
    return int(seat), move


def _seed(text: str) -> Chance:
    return Chance(text.encode())


def _count_by_first_move(at: Position, depth: int) -> int:
    seat, total = at.owing[0], 0
    for move in at.moves(seat):
        lines = lines_of(at.play(seat, move), depth - 1)
        total += lines
        click.echo(f"{move:12} {lines}")
    return total


def _result_text(table: Table, outcome: Outcome) -> str:
    """Return winner and reason in one line."""
    best = [side for side, rank in zip(table.sides, outcome.side_ranks, strict=True) if rank == 1]
    scores = ", ".join(f"{name} {score:g}" for name, score in zip(table.seats, outcome.scores, strict=True))
    if len(best) == 1:
        who = " and ".join(table.seats[seat] for seat in best[0])
        return f"{who} won: {outcome.reason} ({scores})"
    return f"drawn: {outcome.reason} ({scores})"


def _shorten(moves: Sequence[str]) -> str:
    return " ".join(moves[:MAX_LISTED]) + (" …" if len(moves) > MAX_LISTED else "")


def _indent(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def _random_match(game: Game, settings: Settings, chance: Chance) -> Iterator[tuple[Event, Match]]:
    """Yield all events of a match without clocks, each with the match after it. Equal `chance` gives equal events."""
    seats = game.table(settings).seats
    players = tuple(Player(f"random {name}") for name in seats)
    seed = chance.fork("seed").seed
    terms = MatchTerms(game.name, settings)
    first = MatchCreated(0, Setup("random", game.version, terms, players, seed, seed_given=True))
    match = create_match(first, game)
    yield first, match
    decided = decide(match, StartPlay(), 0)
    draws = chance.fork("moves")
    while True:
        for event in decided.events:
            yield event, decided.match
        match = decided.match
        if match.result:
            return
        turn = match.owing[0]
        moves = match.require_position().moves(turn.seat)
        pick, draws = draws.below(len(moves))
        decided = decide(match, SubmitMove(turn.seat, turn.token, moves[pick], TurnMeasurement(0)), 0)


def _write_record(record: Path, events: Sequence[Event]) -> None:
    """Write a record of the events, signed by a temporary key."""
    now_ms = time.time_ns() // 1_000_000
    entries = [Entry("random", number, now_ms, event) for number, event in enumerate(events, 1)]
    lines = format_record(entries, Ed25519PrivateKey.generate(), version("referee"))
    try:
        record.write_bytes(b"".join(lines))
    except OSError as error:
        raise click.UsageError(f"cannot write {record}: {error.strerror}") from None
    click.echo(f"\nrecorded in {record}: referee verify {record}")
