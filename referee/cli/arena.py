"""Everybody against everybody, on this machine."""

from dataclasses import replace
from pathlib import Path

import click

from referee.arena.contest import Contest
from referee.arena.plan import Plan
from referee.arena.plan_file import PARALLEL_AT_MOST, read_plan
from referee.cli.choosing import Refusing
from referee.cli.contest import STATUSES, run
from referee.core.clock import Untimed

USUAL_OUT = Path("referee-arena")


@click.command(cls=Refusing, epilog=STATUSES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where it is kept. [referee-arena/NAME OF THE FILE]")
@click.option(
    "--parallel",
    type=click.IntRange(1, PARALLEL_AT_MOST),
    help="How many matches are played at once. [as the file says]",
)
@click.option("--no-clock", is_flag=True, help="Nobody keeps a clock, and a frozen bot is waited for: to debug one.")
@click.pass_context
def arena(context: click.Context, file: Path, out: Path | None, parallel: int | None, no_clock: bool) -> None:
    """Let all bots of FILE play all its games against each other.

    FILE is a TOML file that names bots, games, clocks; docs/arena.md describes it. What has been played is not
    played again when the same command is run again.
    """
    plan = read_plan(file)
    plan = replace(plan, parallel=parallel or plan.parallel)
    contest = Contest(unclocked(plan) if no_clock else plan, file.parent, out or USUAL_OUT / file.stem)
    context.exit(run(contest))


def unclocked(plan: Plan) -> Plan:
    return replace(plan, terms=tuple(replace(terms, control=Untimed()) for terms in plan.terms))
