"""`referee tournament run`: runs a tournament on this machine."""

from enum import IntEnum
from pathlib import Path

import click

from referee.cli._shared.game_options import GameCommand
from referee.cli._shared.output import page_option
from referee.cli._shared.tournament_runner import TournamentRunner
from referee.local.contest_file import read_tournament
from referee.local.local_tournament import LocalTournament
from referee.local.results_folder import ResultsFolder
from referee.local.terms_reader import LOCAL_POLICIES

DEFAULT_OUT = Path("referee-tournament")
STATUSES = """\b
Exit status:
    0  finished, and no match was forfeited
    2  invalid input
    3  a bot forfeited a match: late, illegal, absent
    4  a bot could not be started
  130  Ctrl-C (143: SIGTERM); finished matches are kept
"""


class TournamentExitStatus(IntEnum):
    FINISHED = 0
    FAULT = 3
    WOULD_NOT_START = 4


@click.command(cls=GameCommand, epilog=STATUSES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Results folder. [referee-tournament/NAME OF THE FILE]")
@page_option
@click.pass_context
def run(context: click.Context, file: Path, out: Path | None, page: bool) -> None:
    """Run the tournament of FILE on this machine, with its bots and an embedded referee.

    FILE is a TOML file with bots, game, clock and format; see docs/tournaments.md. Running the same command again
    skips the matches that have been played.
    """
    plan = read_tournament(file, LOCAL_POLICIES)
    if not plan.bots:
        raise click.UsageError('no bots; add a line such as mine = "./my-bot" below [bots]')
    local = LocalTournament(plan, file.parent, ResultsFolder(out or DEFAULT_OUT / file.stem), page)
    local.check()
    runner = TournamentRunner(local)
    runner.run()
    context.exit(runner.status(_status(runner)))


def _status(runner: TournamentRunner) -> int:
    if runner.absent:
        return TournamentExitStatus.WOULD_NOT_START
    forfeited = any(game.end.kind == "forfeited" for game in (runner.report.games if runner.report else ()))
    return TournamentExitStatus.FAULT if forfeited else TournamentExitStatus.FINISHED
