"""`referee match` and `referee arena`: play matches between bots on this machine."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from referee_values import TimeControl

from referee.cli._shared.game_options import GameCommand, rule_options, select_game
from referee.cli._shared.local_contest_command import STATUSES, run
from referee.cli._shared.output import page_option
from referee.cli._shared.play_options import play_options, read_chosen_adjudication, read_chosen_openings
from referee.local.entrant import read_entrants
from referee.local.local_contest import LocalContest
from referee.local.plan import (
    DAY_S,
    DEFAULT_START_WITHIN_S,
    MAX_PARALLEL,
    MAX_ROUNDS,
    GameTerms,
    Plan,
    check_table,
    cores,
    read_plan,
)
from referee.local.results_folder import ResultsFolder
from referee.local.short_forms import DEFAULT_CLOCK, read_clock
from referee.local.terms_reader import LOCAL_CREDIT, LOCAL_POLICIES
from referee.match.match_terms import MatchTerms

DEFAULT_OUT = Path("referee-arena")


@click.command(cls=GameCommand, epilog=STATUSES)
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@click.option("--game", default="alquerque", show_default=True, help="The game; see `referee games`.")
@rule_options
@click.option(
    "--games",
    type=click.IntRange(1, MAX_ROUNDS),
    default=1,
    show_default=True,
    help="Matches; seats alternate.",
)
@click.option(
    "--clock",
    default=DEFAULT_CLOCK,
    show_default=True,
    help="Seconds per match+increment per move, or 2/move, or none.",
)
@click.option("--no-clock", is_flag=True, help="Play without clocks and wait for bots forever, for debugging.")
@click.option(
    "--parallel",
    type=click.IntRange(1, MAX_PARALLEL),
    default=cores,
    help="Maximum number of concurrent matches. [number of cores]",
)
@click.option(
    "--start-within",
    type=click.IntRange(1, DAY_S),
    default=DEFAULT_START_WITHIN_S,
    show_default=True,
    metavar="SECONDS",
    help="How long a bot may take to connect.",
)
@play_options
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the results. [a new folder in referee-arena]")
@page_option
@click.pass_context
def match(
    context: click.Context,
    /,
    bots: tuple[str, ...],
    game: str,
    chosen: tuple[str, ...],
    preset: str | None,
    games: int,
    clock: str,
    no_clock: bool,
    parallel: int,
    start_within: int,
    out: Path | None,
    page: bool,
    **play: Any,
) -> None:
    """Play matches between bots, with an embedded referee.

    \b
    A BOT is one of
      random, greedy, search   a built-in bot
      python:MODULE:NAME       a Python class or function, run by the Python client
      COMMAND                  a program that reads and writes lines
      uci:COMMAND              a chess engine that speaks UCI
      gtp:COMMAND              a Go engine that speaks GTP
      tcp:HOST:PORT            the same over TCP, connecting to a program that listens there
      grpc:COMMAND             a program that speaks gRPC, and reads BOT_REFEREE and BOT_TOKEN_FILE
    and may have a name: mine=./my-bot. Quote a command that contains spaces.
    """
    known, settings = select_game(game, chosen, preset)
    entrants = read_entrants(bots)
    for entrant in entrants:
        entrant.check_game(known.name)
    check_table("BOT", known.table(settings), len(entrants), len(entrants))
    table = known.table(settings)
    match_terms = MatchTerms(
        known.name,
        settings,
        TimeControl(rule=read_clock(clock), network_credit=LOCAL_CREDIT),
        LOCAL_POLICIES,
        adjudication=read_chosen_adjudication(play, table),
    )
    openings = read_chosen_openings(play, known, settings)
    terms = GameTerms(known.name, known, match_terms, len(entrants), games, openings)
    plan = Plan(bots=entrants, terms=(terms,), parallel=parallel, start_within_s=start_within)
    where = out or DEFAULT_OUT / f"match-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}"
    context.exit(_run(plan, Path.cwd(), where, no_clock, page))


@click.command(cls=GameCommand, epilog=STATUSES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the results. [referee-arena/NAME OF THE FILE]")
@click.option(
    "--parallel",
    type=click.IntRange(1, MAX_PARALLEL),
    help="Maximum number of concurrent matches. [as in the file]",
)
@click.option("--no-clock", is_flag=True, help="Play without clocks and wait for bots forever, for debugging.")
@page_option
@click.pass_context
def arena(
    context: click.Context, file: Path, out: Path | None, parallel: int | None, no_clock: bool, page: bool
) -> None:
    """Play all bots of FILE against each other in all its games.

    FILE is a TOML file with bots, games and clocks. Running the same command again skips the matches that have been
    played.
    """
    plan = read_plan(file)
    plan = replace(plan, parallel=parallel or plan.parallel)
    context.exit(_run(plan, file.parent, out or DEFAULT_OUT / file.stem, no_clock, page))


def _run(plan: Plan, run_in: Path, out: Path, no_clock: bool, page: bool) -> int:
    return run(LocalContest(plan.unclocked() if no_clock else plan, run_in, ResultsFolder(out), page))
