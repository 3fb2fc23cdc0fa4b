"""`referee arena`: play all bots of a plan file against each other on this machine."""

from dataclasses import replace
from pathlib import Path

import click

from referee.cli._shared.game_options import GameCommand
from referee.cli._shared.local_contest_command import STATUSES, run
from referee.local.local_contest import LocalContest
from referee.local.plan import Plan
from referee.local.plan_file import MAX_PARALLEL, read_plan
from referee.match.clock import Untimed

DEFAULT_OUT = Path("referee-arena")


@click.command(cls=GameCommand, epilog=STATUSES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the results. [referee-arena/NAME OF THE FILE]")
@click.option(
    "--parallel",
    type=click.IntRange(1, MAX_PARALLEL),
    help="Maximum number of concurrent matches. [as in the file]",
)
@click.option("--no-clock", is_flag=True, help="Play without clocks and wait for bots forever, for debugging.")
@click.pass_context
def arena(context: click.Context, file: Path, out: Path | None, parallel: int | None, no_clock: bool) -> None:
    """Play all bots of FILE against each other in all its games.

    FILE is a TOML file with bots, games and clocks; see docs/arena.md. Running the same command again skips the
    matches that have been played.
    """
    plan = read_plan(file)
    plan = replace(plan, parallel=parallel or plan.parallel)
    contest = LocalContest(unclocked(plan) if no_clock else plan, file.parent, out or DEFAULT_OUT / file.stem)
    context.exit(run(contest))


def unclocked(plan: Plan) -> Plan:
    return replace(plan, terms=tuple(replace(terms, control=Untimed()) for terms in plan.terms))
