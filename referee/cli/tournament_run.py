"""A whole tournament on this machine."""

from enum import IntEnum
from pathlib import Path

import click

from referee.arena.contest_file import read_tournament
from referee.arena.plan import LOCAL_POLICIES
from referee.arena.tournament import Held
from referee.cli.choosing import Refusing
from referee.cli.holding import Holding

USUAL_OUT = Path("referee-tournament")
STATUSES = """\b
The exit status is for scripts:
    0  it is finished, and nobody lost a match by a fault
    2  something in the input cannot be
    3  a bot lost a match by a fault of its own: late, illegal, gone
    4  a bot would not start
  130  Ctrl-C (143: SIGTERM); what has been played is kept
"""


class Ended(IntEnum):
    FINISHED = 0
    FAULT = 3
    WOULD_NOT_START = 4


@click.command(cls=Refusing, epilog=STATUSES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where it is kept. [referee-tournament/NAME OF THE FILE]")
@click.pass_context
def run(context: click.Context, file: Path, out: Path | None) -> None:
    """Hold the tournament of FILE on this machine, the bots and the referee included.

    FILE is a TOML file that names bots, game, clock and format; docs/tournaments.md describes it. What has been
    played is not played again when the same command is run again.
    """
    plan = read_tournament(file, LOCAL_POLICIES)
    if not plan.bots:
        raise click.UsageError('there are no bots; each is a line such as mine = "./my-bot" below [bots]')
    held = Held(plan, file.parent, out or USUAL_OUT / file.stem)
    held.check()
    holding = Holding(held)
    holding.hold()
    context.exit(holding.status(_status(holding)))


def _status(holding: Holding) -> int:
    if holding.absent:
        return Ended.WOULD_NOT_START
    games = holding.report.games if holding.report else ()
    return Ended.FAULT if any(game.end.kind == "forfeited" for game in games) else Ended.FINISHED
