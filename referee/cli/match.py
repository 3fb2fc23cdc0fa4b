"""Two bots or more at one table, on this machine."""

from datetime import datetime
from pathlib import Path

import click

from referee.arena.clocks import read_clock
from referee.arena.contest import Contest
from referee.arena.entrant import read_entrants
from referee.arena.plan import LOCAL_POLICIES, USUAL_CLOCK, USUAL_START_WITHIN_S, Plan, Terms, check_table, cores
from referee.arena.plan_file import DAY_S, PARALLEL_AT_MOST, ROUNDS_AT_MOST
from referee.cli.arena import USUAL_OUT, unclocked
from referee.cli.choosing import Refusing, opened, rule_options
from referee.cli.contest import STATUSES, run


@click.command(cls=Refusing, epilog=STATUSES)
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@click.option("--game", default="alquerque", show_default=True, help="What they play; see `referee games`.")
@rule_options
@click.option(
    "--games", type=click.IntRange(1, ROUNDS_AT_MOST), default=1, show_default=True, help="How often, seats exchanged."
)
@click.option(
    "--clock", default=USUAL_CLOCK, show_default=True, help="Seconds a game, and more a move; or 2/move; or none."
)
@click.option("--no-clock", is_flag=True, help="Nobody keeps a clock, and a frozen bot is waited for: to debug one.")
@click.option(
    "--parallel",
    type=click.IntRange(1, PARALLEL_AT_MOST),
    default=cores,
    help="Matches at once. [as many as there are cores]",
)
@click.option(
    "--start-within",
    type=click.IntRange(1, DAY_S),
    default=USUAL_START_WITHIN_S,
    show_default=True,
    metavar="SECONDS",
    help="How long a bot may take to be there.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where it is kept. [a new folder in referee-arena]")
@click.pass_context
def match(
    context: click.Context,
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
) -> None:
    """Let bots play a match, the referee included.

    \b
    A BOT is one of
      random, greedy, search   a bot of ours
      python:MODULE:NAME       a class or function of yours, run by the Python client
      COMMAND                  a program that reads and writes lines (docs/bridge.md)
      tcp:HOST:PORT            such a program that listens there
      grpc:COMMAND             a program that speaks gRPC, and reads BOT_REFEREE and BOT_TOKEN_FILE
    and may have a name: mine=./my-bot. Quote a command that has blanks.
    """
    known, settings = opened(game, chosen, preset)
    entrants = read_entrants(bots)
    check_table("BOT", known.table(settings), len(entrants), len(entrants))
    terms = Terms(known.name, known, settings, read_clock(clock), LOCAL_POLICIES, len(entrants), games)
    plan = Plan(entrants, (terms,), parallel, start_within)
    where = out or USUAL_OUT / f"match-{datetime.now().astimezone():%Y-%m-%d-%H%M%S}"
    context.exit(run(Contest(unclocked(plan) if no_clock else plan, Path.cwd(), where)))
