"""`referee match` and `referee arena`: play matches between bots on this machine."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from referee.cli._shared.game_options import GameCommand, rule_options, select_game
from referee.cli._shared.output import STATUSES, page_option
from referee.cli._shared.play_options import plan_keys, play_options, read_chosen_openings
from referee.cli._shared.standings_text import arena_text
from referee.cli._shared.tournament_runner import run_contest
from referee.contests.tournament.tournament_terms import MAX_REPETITIONS
from referee.local.arena_plan import meeting_keys, read_arena
from referee.local.bot_pool import check_programs
from referee.local.contest_file import tournament_plan
from referee.local.entrant import read_entrants
from referee.local.local_tournament import LocalContest
from referee.local.plan import DAY_S, DEFAULT_START_WITHIN_S, MAX_PARALLEL
from referee.local.results_folder import ResultsFolder
from referee.local.short_forms import DEFAULT_CLOCK
from referee.local.terms_reader import LOCAL_POLICIES

DEFAULT_OUT = Path("referee-arena")


@click.command(cls=GameCommand, epilog=STATUSES)
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@click.option("--game", default="alquerque", show_default=True, help="The game; see `referee games`.")
@rule_options
@click.option(
    "--games",
    type=click.IntRange(1, MAX_REPETITIONS),
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
    default=1,
    show_default=True,
    help="Maximum number of concurrent matches, which each bot plays in one process.",
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
    keys = plan_keys(play, known, settings, "none" if no_clock else clock, entrants, parallel)
    openings, names = list(read_chosen_openings(play, known, settings)), keys["entrants"]
    keys |= {"name": "match", "start_within_s": start_within}
    keys |= meeting_keys(known.table(settings), len(names), names, games, openings)
    plan = replace(tournament_plan(keys, Path("match"), LOCAL_POLICIES), bots=entrants)
    check_programs(entrants, Path.cwd())
    where = out or DEFAULT_OUT / f"match-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}"
    contest = LocalContest((plan,), Path.cwd(), ResultsFolder(where), page)
    context.exit(run_contest(contest, arena_text).status())


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
    plans = read_arena(file, parallel, clocks=not no_clock)
    folder = ResultsFolder(out or DEFAULT_OUT / file.stem)
    contest = LocalContest(plans, file.parent, folder, page, is_arena=True)
    context.exit(run_contest(contest, arena_text).status())
