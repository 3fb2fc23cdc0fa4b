"""Is this bot better than that one? Played until it is known, on this machine."""

from datetime import datetime
from enum import IntEnum
from pathlib import Path

import click
from referee_api.v1 import contest_pb2, game_pb2, match_pb2, sprt_pb2, tournament_pb2

from referee.arena.clocks import read_clock
from referee.arena.contest_file import MOST, TournamentPlan
from referee.arena.entrant import read_entrants
from referee.arena.match_terms import terms_of
from referee.arena.plan import LOCAL_POLICIES, USUAL_CLOCK, USUAL_START_WITHIN_S
from referee.arena.plan_file import PARALLEL_AT_MOST
from referee.arena.tournament import Held
from referee.cli.choosing import Refusing, opened, rule_options
from referee.cli.holding import Holding
from referee.transport.convert.policies import policies_of
from referee.transport.convert.rules import rules_of

USUAL_OUT = Path("referee-sprt")
MODELS = {"trinomial": sprt_pb2.SPRT_MODEL_TRINOMIAL, "pentanomial": sprt_pb2.SPRT_MODEL_PENTANOMIAL}
SHARE = click.FloatRange(0, 0.5, min_open=True, max_open=True)
STATUSES = """\b
The exit status is the verdict:
    0  passed: A is better than B by at least --elo1, as surely as was asked
    2  something in the input cannot be
    4  a bot would not start
    6  failed: A is better than B by at most --elo0
    7  undecided: --matches-at-most were played first
  130  Ctrl-C (143: SIGTERM); the same command with the same --out goes on
"""


class Ended(IntEnum):
    PASSED = 0
    WOULD_NOT_START = 4
    FAILED = 6
    UNDECIDED = 7


VERDICTS = {"passed": Ended.PASSED, "failed": Ended.FAILED}


@click.command(cls=Refusing, epilog=STATUSES)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--game", default="alquerque", show_default=True, help="What they play; see `referee games`.")
@rule_options
@click.option("--clock", default=USUAL_CLOCK, show_default=True, help="As for `referee match`.")
@click.option("--elo0", default=0.0, show_default=True, help="The lead that counts as none.")
@click.option("--elo1", default=10.0, show_default=True, help="The lead that counts as one.")
@click.option("--alpha", type=SHARE, default=0.05, show_default=True, help="How often an A that is no better may pass.")
@click.option("--beta", type=SHARE, default=0.05, show_default=True, help="How often an A that is better may fail.")
@click.option("--model", type=click.Choice(list(MODELS)), default="pentanomial", show_default=True, help="What counts.")
@click.option("--matches-at-most", type=click.IntRange(1, MOST), help="Then it ends undecided. [never]")
@click.option("--openings", type=click.Path(path_type=Path), help="Positions to start from, one a line, in turn.")
@click.option(
    "--parallel",
    type=click.IntRange(1, PARALLEL_AT_MOST),
    default=1,
    show_default=True,
    help="Matches at once, in one process.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where it is kept. [a new folder in referee-sprt]")
@click.pass_context
def sprt(
    context: click.Context,
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
    model: str,
    matches_at_most: int | None,
    openings: Path | None,
    parallel: int,
    out: Path | None,
) -> None:
    """Play A against B, seats exchanged, until it is known whether A is better.

    A and B are given as for `referee match`: two programs, two bots of ours, or two versions of one.
    """
    known, settings = opened(game, chosen, preset)
    bots = read_entrants((a, b))
    terms = tournament_pb2.TournamentTerms(
        match_terms=terms_of(
            rules_of(known.name, known.version, settings), read_clock(clock), policies_of(LOCAL_POLICIES)
        ),
        sprt=sprt_pb2.Sprt(
            elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=MODELS[model], matches_at_most=matches_at_most or 0
        ),
        duplicate=contest_pb2.DuplicatePlay(openings=_openings(openings)),
        matches_at_once=parallel,
    )
    entrants = tuple(contest_pb2.Entrant(name=bot.name, bots=[match_pb2.BotRef(bot=bot.name)]) for bot in bots)
    title = f"Is {bots[0].name} better than {bots[1].name}?"
    plan = TournamentPlan("sprt", title, terms, entrants, bots, parallel, USUAL_START_WITHIN_S)
    where = out or USUAL_OUT / f"{datetime.now().astimezone():%Y-%m-%d-%H%M%S}"
    held = Held(plan, Path.cwd(), where)
    held.check()
    holding = Holding(held)
    holding.hold()
    context.exit(holding.status(_status(holding)))


def _openings(file: Path | None) -> list[game_pb2.Opening]:
    if file is None:
        return []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"cannot read {file}: {error}") from None
    return [game_pb2.Opening(position=line.strip()) for line in lines if line.strip() and not line.startswith("#")]


def _status(holding: Holding) -> int:
    if holding.absent:
        return Ended.WOULD_NOT_START
    verdict = holding.report.sprt.verdict if holding.report and holding.report.sprt else ""
    return VERDICTS.get(verdict, Ended.UNDECIDED)
