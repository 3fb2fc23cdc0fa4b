"""`referee sprt`: test with a sequential probability ratio test whether one bot is stronger than another."""

from dataclasses import replace
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Any

import click
from referee_values import SprtModel

from referee.cli._shared.client_options import words
from referee.cli._shared.game_options import GameCommand, rule_options, select_game
from referee.cli._shared.play_options import plan_keys, play_options, read_chosen_openings
from referee.cli._shared.tournament_runner import full_report, run_contest
from referee.local.bot_pool import check_programs
from referee.local.contest_file import tournament_plan
from referee.local.entrant import read_entrants
from referee.local.local_tournament import LocalContest
from referee.local.plan import MAX_PARALLEL
from referee.local.results_folder import ResultsFolder
from referee.local.short_forms import DEFAULT_CLOCK
from referee.local.terms_reader import LOCAL_POLICIES

DEFAULT_OUT = Path("referee-sprt")
MAX_MATCHES = 1_000_000
SHARE = click.FloatRange(0, 0.5, min_open=True, max_open=True)
STATUSES = """\b
Exit status:
    0  passed: A is stronger than B by at least --elo1, within the error rates
    2  invalid input
    4  a bot could not be started
    5  a match was void again and again: the rules failed
    6  failed: A is stronger than B by at most --elo0
    7  undecided after --max-matches
  130  Ctrl-C (143: SIGTERM); the same command with the same --out continues
"""


class SprtExitStatus(IntEnum):
    PASSED = 0
    FAILED = 6
    UNDECIDED = 7


VERDICTS = {"passed": SprtExitStatus.PASSED, "failed": SprtExitStatus.FAILED}


@click.command(cls=GameCommand, epilog=STATUSES)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--game", default="alquerque", show_default=True, help="The game; see `referee games`.")
@rule_options
@click.option("--clock", default=DEFAULT_CLOCK, show_default=True, help="As for `referee match`.")
@click.option("--elo0", default=0.0, show_default=True, help="Elo lead of the null hypothesis.")
@click.option("--elo1", default=10.0, show_default=True, help="Elo lead of the alternative.")
@click.option("--alpha", type=SHARE, default=0.05, show_default=True, help="False positive rate.")
@click.option("--beta", type=SHARE, default=0.05, show_default=True, help="False negative rate.")
@click.option("--model", type=click.Choice(words(SprtModel)), default="pentanomial", show_default=True, help="Model.")
@click.option("--max-matches", type=click.IntRange(1, MAX_MATCHES), help="Stop undecided after this many. [no limit]")
@play_options
@click.option(
    "--parallel",
    type=click.IntRange(1, MAX_PARALLEL),
    default=1,
    show_default=True,
    help="Maximum number of concurrent matches.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the results. [a new folder in referee-sprt]")
@click.pass_context
def sprt(
    context: click.Context,
    /,
    a: str,
    b: str,
    game: str,
    chosen: tuple[str, ...],
    preset: str | None,
    clock: str,
    elo0: float,
    elo1: float,
    alpha: float,
    beta: float,
    model: SprtModel,
    max_matches: int | None,
    parallel: int,
    out: Path | None,
    **play: Any,
) -> None:
    """Play A against B with alternating seats until it is decided whether A is stronger.

    A and B are given as for `referee match`: two programs, two built-in bots, or two versions of one.
    """
    known, settings = select_game(game, chosen, preset)
    bots = read_entrants((a, b))
    keys = plan_keys(play, known, settings, clock, bots, parallel)
    keys |= {
        "name": "sprt",
        "title": f"Is {bots[0].name} stronger than {bots[1].name}?",
        "sprt": {
            "elo0": elo0,
            "elo1": elo1,
            "alpha": alpha,
            "beta": beta,
            "model": model,
            "max_matches": max_matches or 0,
        },
        "duplicate_play": {"openings": list(read_chosen_openings(play, known, settings))},
    }
    plan = replace(tournament_plan(keys, Path("sprt"), LOCAL_POLICIES), bots=bots)
    check_programs(bots, Path.cwd())
    where = out or DEFAULT_OUT / f"{datetime.now().astimezone():%Y-%m-%d-%H%M%S}"
    runner = run_contest(LocalContest((plan,), Path.cwd(), ResultsFolder(where)), full_report)
    test = runner.reports[plan.name].sprt if runner.reports else None
    context.exit(runner.status(VERDICTS.get(test.verdict if test else "", SprtExitStatus.UNDECIDED)))
